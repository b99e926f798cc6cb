"""Fixes: from what the kernel answered to the next step that a person can take."""

from __future__ import annotations

from pathlib import Path

INSTALL = (
    "install bubblewrap 0.8 or newer (apt install bubblewrap, dnf install bubblewrap), or pip install 'pqa[sandbox]'"
)
APPARMOR = (
    "Ubuntu 24.04 and newer forbid user namespaces to unlisted programs: load the AppArmor profile"
    " bwrap-userns-restrict (apt install apparmor-profiles; apparmor_parser -r"
    " /etc/apparmor.d/bwrap-userns-restrict), or as root"
    " sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
)
CONTAINER = (
    "user namespaces are refused; in Docker start the container with --security-opt seccomp=unconfined"
    " --security-opt apparmor=unconfined, or run pqa on the host or another runner"
)
SWITCHED_OFF = "user namespaces are switched off: as root sysctl -w user.max_user_namespaces=10000"
WSL1 = "WSL 1 has no namespaces: convert the distribution with wsl --set-version NAME 2"
UNKNOWN = "run pqa doctor for the whole list of checks"


def fix_for(answer: str) -> str:
    """The step that most likely mends what the kernel answered."""
    if "too old" in answer or "no bwrap" in answer:
        return INSTALL
    if _is_wsl1():
        return WSL1
    if _read("/proc/sys/user/max_user_namespaces") == "0":
        return SWITCHED_OFF
    refused = "ermission denied" in answer or "not permitted" in answer or "ermissions to create" in answer
    if refused and _read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return APPARMOR
    if refused:
        return CONTAINER
    return UNKNOWN


def _is_wsl1() -> bool:
    version = _read("/proc/version")
    return "Microsoft" in version and "WSL2" not in version


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
