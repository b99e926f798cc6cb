"""Program: run a script as `__main__` inside the tree; the exit status is said in a record and is the process's own."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


def run(job: Mapping[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> int:
    """job: {"source": TEXT, "argv": [TEXT]|absent}; one record {"exit": STATUS}, which is returned."""
    name = "program.py"
    main = ModuleType("__main__")
    main.__dict__["__file__"] = name
    sys.modules["__main__"] = main
    sys.argv = [name, *job.get("argv", ())]
    status = _carry_out(str(job["source"]), name, main.__dict__)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            continue
    emit({"exit": status})
    return status


def _carry_out(source: str, name: str, names: dict[str, Any]) -> int:
    try:
        exec(compile(source, name, "exec"), names)
    except SystemExit as end:
        return _status(end.code)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1
