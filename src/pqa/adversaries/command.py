"""Command: an adversary that is any program: one brief on its standard input, findings JSON on its standard output."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pqa.core.adversary import AdversaryAnswer
from pqa.core.errors import UsageError
from pqa.core.job import MIB, CommandResult, Guest, Limits, Mount
from pqa.core.ports import Sandbox
from pqa.core.trigger import Json

SECONDS = 300.0
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
NEXT_STEP = "name a program: --adversary 'command:PROGRAM ARGS'"
KEPT_ERRORS = 600


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command with absolute paths, and the host folders that must be readable inside for it to run."""

    argv: tuple[str, ...]
    mounts: tuple[Mount, ...]


def read_command(text: str, *, project: Path, environ: Mapping[str, str]) -> CommandLine:
    """The command line that the user wrote; arguments that name files of the project become absolute paths.

    Raises UsageError when it is empty, unbalanced, or its program is not found.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"the adversary 'command:{text}' cannot be read: {error}", NEXT_STEP) from error
    if not words:
        raise UsageError("the adversary 'command:' names no program", NEXT_STEP)
    named = str(project.absolute() / words[0]) if os.sep in words[0] else words[0]
    program = shutil.which(named, path=environ.get("PATH", os.defpath))
    if program is None:
        raise UsageError(f"the adversary's program '{words[0]}' was not found", NEXT_STEP)
    files = [_file(word, project) for word in words[1:]]
    argv = [str(Path(program).absolute()), *(str(file or word) for file, word in zip(files, words[1:], strict=True))]
    needed = [Path(argv[0]), Path(argv[0]).resolve(), *(file for file in files if file is not None)]
    private = [project.absolute(), Path(environ.get("HOME") or Path.home()).absolute()]
    return CommandLine(tuple(argv), _mounts(needed, private))


def _file(word: str, project: Path) -> Path | None:
    path = Path(os.path.normpath(project.absolute() / word))
    return path if not word.startswith("-") and path.is_file() else None


def _mounts(needed: Sequence[Path], private: Sequence[Path]) -> tuple[Mount, ...]:
    """The folder of each file; the file alone where its folder would show a home or the project."""
    places: dict[str, None] = {}
    for file in needed:
        hides = any(folder.is_relative_to(file.parent) for folder in private)
        place = file if hides else file.parent
        if not any(place.is_relative_to(folder) for folder in SYSTEM):
            places[str(place)] = None
    outer = [place for place in places if not any(o != place and Path(place).is_relative_to(o) for o in places)]
    return tuple(Mount(place, place) for place in outer)


class CommandAdversary:
    """Runs the program once for each brief, in a sandbox that holds the branch read-only and an empty folder."""

    def __init__(
        self,
        name: str,
        command: CommandLine,
        sandbox: Sandbox,
        guest: Callable[[str, tuple[Mount, ...], Limits], Guest],
        *,
        seconds: float = SECONDS,
        network: bool = False,
    ) -> None:
        self.name = name
        self._command, self._sandbox, self._guest = command, sandbox, guest
        self._seconds, self._network = seconds, network

    def answer(self, brief: Mapping[str, Json]) -> AdversaryAnswer:
        """See `ports.Adversary`; twice the time where the brief asks for twice the effort."""
        branch_id = str(brief["branch_id"])
        seconds = self._seconds * int(brief.get("effort", 1))
        limits = Limits(
            cpu_seconds=max(1, int(seconds)), memory_bytes=4096 * MIB, processes=512, open_files=1024, output_bytes=MIB
        )
        guest = self._guest(branch_id, self._command.mounts, limits)
        folders = [Path(self._command.argv[0]).parent, Path(guest.interpreter.executable).parent]
        path = os.pathsep.join([*map(str, folders), "/usr/bin", "/bin"])
        result = self._sandbox.execute(
            guest,
            self._command.argv,
            env={"PATH": path, "PQA_BRANCH": str(brief["path"])},
            seconds=seconds,
            stdin=json.dumps(brief).encode() + b"\n",
            network=self._network,
        )
        trouble = _trouble(result, seconds)
        return AdversaryAnswer(self.name, branch_id, "" if trouble else result.output, trouble)


def _trouble(result: CommandResult, seconds: float) -> str:
    said = f": {result.errors.strip()[-KEPT_ERRORS:]}" if result.errors.strip() else ""
    if result.lost:
        return result.lost
    if result.timed_out:
        return f"it did not answer within {seconds:g} seconds"
    if result.exit_code != 0:
        status = (
            "it was ended by a signal" if result.exit_code is None else f"it ended with exit status {result.exit_code}"
        )
        return status + said
    if result.truncated:
        return "it printed more than 1 MiB"
    return "" if result.output.strip() else f"it gave no answer{said}"
