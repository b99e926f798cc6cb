"""Program: run a script as `__main__` inside the tree; its exit status is said in a record."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import inert


def run(job: Mapping[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> int:
    """job: {"source": TEXT, "argv": [TEXT]|absent, "inert", "apart": bool|absent}; one record {"exit": STATUS}.

    The status is also the process's own, unless `apart`: then only the record holds it and the process ends with 0, so
    that an exit of the process which is not the script's own is told from one that is.
    """
    if job.get("inert"):
        inert.install(context.source)
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
    return 0 if job.get("apart") else status


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
