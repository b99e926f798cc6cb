#!/bin/sh
# Print a Python between 3.11 and 3.14 that can make virtual environments; as root on Debian, install what is missing.
# Usage: tools/python.sh [PREFERRED]
set -eu

fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1; }
makes_venvs() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }
say() { echo "$*" >&2; }

# With Debian's package tool and the right to use it: install, else fail.
install() {
    command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ] || return 1
    say "pqa: installing $* with apt-get"
    { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"; } >&2
}

find_python() {
    for candidate in python3.11 python3 python3.12 python3.13 python3.14; do
        if fits "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

if [ -n "${1:-}" ]; then
    python=$1
    fits "$python" || { say "pqa: '$python' is no working Python from 3.11 to 3.14; name another one with PYTHON=..."; exit 1; }
else
    python=$(find_python) || { install python3 python3-venv && python=$(find_python); } || {
        say "pqa: found no Python from 3.11 to 3.14 under the names python3, python3.11 ... python3.14."
        say "Install one, or name it: make PYTHON=/path/to/python3.12 test"
        exit 1
    }
fi

if ! makes_venvs "$python"; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    install "python$version-venv" || install python3-venv || true
    if ! makes_venvs "$python"; then
        say "pqa: '$python' cannot make virtual environments (its modules venv and ensurepip are missing)."
        say "Install them, for example: sudo apt-get install python$version-venv"
        exit 1
    fi
fi
echo "$python"
