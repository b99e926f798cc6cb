"""Interpreter: the trusted Python that hosts the fork server, what of the disk it needs, pqa's pytest as fallback."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pqa.core.errors import UsageError
from pqa.core.job import Interpreter, Mount
from pqa.sandbox.layout import NOT_LIBRARIES, SITE

OLDEST = (3, 9)
NEXT_STEP = "name a Python 3.9 or newer that has the project's dependencies with --python PATH"
ASK_SECONDS = 30
PYTEST_PACKAGES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")
COVERAGE_PACKAGES = ("coverage",)
STORES = ("/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew")
PARTS = ("bin", "lib", "lib64", "include", "share", "pyvenv.cfg")
QUESTION = """
import importlib.util, json, os, sys, sysconfig
places = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
places += [os.path.dirname(os.path.realpath(sys.executable))]
places += [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
print(json.dumps({
    "version": sys.version_info[:3],
    "places": [place for place in places if place],
    "pytest": importlib.util.find_spec("pytest") is not None,
    "coverage": importlib.util.find_spec("coverage") is not None,
}))
"""


def find_interpreter(executable: str | None, project: Path, environ: Mapping[str, str]) -> Interpreter:
    """The one named with `--python`, else the project's `.venv`, else pqa's own."""
    chosen = executable or _project_python(project) or sys.executable
    path = os.path.abspath(os.path.expanduser(chosen))
    answer = _ask(path)
    version = (int(answer["version"][0]), int(answer["version"][1]), int(answer["version"][2]))
    if version < OLDEST:
        found = ".".join(map(str, version))
        raise UsageError(f"{path!r} is Python {found}, too old to run branches", NEXT_STEP)
    private = [os.path.abspath(project), os.path.abspath(environ.get("HOME") or os.path.expanduser("~"))]
    interpreter = Interpreter(
        executable=path,
        version=version,
        prefixes=readable_places(answer["places"], private),
        has_pytest=bool(answer["pytest"]),
        has_coverage=bool(answer["coverage"]),
    )
    return replace(interpreter, extra_paths=(SITE,)) if _fallbacks(interpreter) else interpreter


def own_interpreter() -> Interpreter:
    """pqa's own, without asking it."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    places = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    places += [os.path.dirname(os.path.realpath(sys.executable)), *map(sysconfig.get_path, names)]
    prefixes = readable_places(places, [os.path.expanduser("~")])
    return Interpreter(sys.executable, sys.version_info[:3], prefixes, has_pytest=True, has_coverage=True)


def fallback_mounts(interpreter: Interpreter) -> tuple[Mount, ...]:
    """pqa's own packages that `interpreter` lacks, each under `/opt/site`; to be added to `Guest.mounts`."""
    return tuple(Mount(str(path), f"{SITE}/{path.name}") for path in _fallbacks(interpreter))


def _fallbacks(interpreter: Interpreter) -> list[Path]:
    if interpreter.version[:2] != sys.version_info[:2]:
        return []
    wanted = [] if interpreter.has_pytest else [*PYTEST_PACKAGES]
    wanted += [] if interpreter.has_coverage else COVERAGE_PACKAGES
    return [path for path in map(_own_package, wanted) if path is not None]


def _own_package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.origin:
        return None
    origin = Path(spec.origin)
    return origin.parent if origin.name == "__init__.py" else origin


def _project_python(project: Path) -> str | None:
    path = project / ".venv" / "bin" / "python"
    return str(path) if os.path.lexists(path) else None


def _ask(path: str) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [path, "-I", "-c", QUESTION], capture_output=True, text=True, timeout=ASK_SECONDS, check=False, cwd="/"
        )
    except FileNotFoundError as error:
        raise UsageError(f"there is no Python at {path!r}", NEXT_STEP) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{path!r} does not start: {error}", NEXT_STEP) from error
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
        version = tuple(answer["version"])
    except (ValueError, KeyError, TypeError) as error:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise UsageError(f"{path!r} does not work as a Python 3.9 or newer: {last}", NEXT_STEP) from error
    if len(version) != 3:
        raise UsageError(f"{path!r} does not say its version", NEXT_STEP)
    return answer


def readable_places(places: Iterable[str], private: Iterable[str]) -> tuple[str, ...]:
    """The fewest folders to bind: none that the system's own cover, none that would show a home or the project."""
    found: list[str] = []
    for place in places:
        for path in (os.path.abspath(place), os.path.realpath(place)):
            store = next((each for each in STORES if Path(path).is_relative_to(each)), None)
            hidden = [folder for folder in private if Path(folder).is_relative_to(path)]
            if store:
                found.append(store)
            elif hidden:
                found += [part for part in (os.path.join(path, name) for name in PARTS) if os.path.exists(part)]
            else:
                found.append(path)
    outer = [path for path in dict.fromkeys(found) if not _is_system(path)]
    return tuple(
        path for path in outer if not any(other != path and Path(path).is_relative_to(other) for other in outer)
    )


def _is_system(path: str) -> bool:
    if any(Path(path).is_relative_to(folder) for folder in NOT_LIBRARIES):
        return False
    return any(Path(path).is_relative_to(folder) for folder in ("/usr", "/lib", "/lib64", "/bin", "/sbin"))
