"""Drive hostile cases through pqa's own parts: `drive.py BACKEND CASE-FILE...`; one JSON line a case with what went wrong.

BACKEND is "full", "reduced" or "none", which is the positive control: there the attacks of kind `exec` must succeed.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from area import TOKEN, Area
from rich.console import Console

from pqa.core.branch import Branch
from pqa.core.codec import to_json
from pqa.core.event import Event
from pqa.core.finding import Finding, Note
from pqa.core.job import MIB, Guest, Limits
from pqa.core.oracle import CAPS
from pqa.core.ports import Sandbox, Zygote
from pqa.core.task import Task
from pqa.core.trigger import Replay, ReplayStatus, Trigger
from pqa.core.verdict import Collision
from pqa.engines.local import LocalEngine
from pqa.instruments.demonstrate import Demonstrator
from pqa.instruments.guard import guard_suite
from pqa.instruments.observation import breaks, observe
from pqa.instruments.suite import files_with_tests, run_suite
from pqa.intake import Caps, find_refs, take_branches, take_refs
from pqa.reports import terminal
from pqa.sandbox import cgroup, processes
from pqa.sandbox.bubblewrap import BubblewrapSandbox, find_programs
from pqa.sandbox.interpreter import fallback_mounts, find_interpreter
from pqa.sandbox.reduced import ReducedSandbox
from pqa.sandbox.unsandboxed import UnsandboxedSandbox
from pqa.stages.early_kill import Checking, early_kill
from pqa.stages.replay import Bench, replay

LIMITS = Limits(cpu_seconds=10, memory_bytes=384 * MIB, processes=48, disk_bytes=64 * MIB)
SECONDS = 8.0
UNESCAPED = [chr(code) for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if chr(code) != "\n"]
UNESCAPED += ["\u202e", "\u2066", "\u2028"]


def open_backend(name: str) -> Sandbox:
    """The sandbox of a tier, without the fallback to a weaker one."""
    if name == "full":
        return BubblewrapSandbox(next(find_programs(os.environ)))
    return ReducedSandbox() if name == "reduced" else UnsandboxedSandbox()


class Driver:
    """One backend, the interpreter, and how each kind of case is judged."""

    def __init__(self, backend: str) -> None:
        self.backend, self.sandbox = backend, open_backend(backend)
        self.interpreter = find_interpreter(sys.executable, Path("/"), os.environ)
        self.mounts = fallback_mounts(self.interpreter)
        self.into = Path(tempfile.mkdtemp(prefix="snapshots-"))

    def guest(self, branch: Branch, limits: Limits = LIMITS) -> Guest:
        preload = ("pytest",) if self.interpreter.has_pytest or self.mounts else ()
        return Guest(branch.snapshot, self.interpreter, branch.import_roots, self.mounts, preload, 0, limits)

    def taken(self, area: Area) -> Branch:
        return take_branches([("b1", area.branch)], into=self.into / os.urandom(4).hex(), caps=Caps())[0]

    @contextmanager
    def opened(self, branch: Branch) -> Iterator[Zygote]:
        with self.sandbox.open(self.guest(branch)) as zygote:
            yield zygote

    def judge(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        """(what went wrong, a remark)."""
        kinds: dict[str, Callable[[ModuleType, Area], tuple[list[str], str]]] = {
            "exec": self.run_exec,
            "pytest": self.run_pytest,
            "oracle": self.run_oracle,
            "git": self.run_git,
            "static": self.run_static,
            "tree": self.run_tree,
            "render": self.run_render,
            "trigger": self.run_trigger,
        }
        found, remark = kinds[case.KIND](case, area)
        return [*found, *area.faults()], remark

    def run_exec(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        branch = self.taken(area)
        source = (Path(branch.snapshot) / case.ENTRY).read_text()
        with self.opened(branch) as zygote:
            began = time.monotonic()
            result = zygote.run("program", {"source": source}, seconds=SECONDS)
            took = time.monotonic() - began
            alive = processes.descendants(zygote._process.pid)  # type: ignore[attr-defined]
            left = set(alive) - zygote._spared  # type: ignore[attr-defined]
            after = zygote.run("program", {"source": "print('next')"}, seconds=SECONDS)
        said = json.dumps([result.output, list(result.records)])
        found = sorted({line[:80] for line in result.output.splitlines() if line.startswith("DID")})
        found += ["the decoy token came out"] if TOKEN in said else []
        found += [f"{len(left)} processes outlived the job"] if left else []
        found += [f"it took {took:.1f} s"] if took > SECONDS + 3 else []
        found += [f"the next job failed: {after.trouble}"] if after.output != "next\n" else []
        return found, f"{result.trouble or 'ended'}, {took:.1f} s"

    def run_pytest(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        branch = self.taken(area)
        with self.opened(branch) as zygote:
            run = run_suite(zygote, files_with_tests(branch.tests), code=branch.code, seconds=20)
            guarded = guard_suite(zygote, branch, seconds=20)
        words = [one.control + ("?" if one.honest else "") for one in guarded.disagreements]
        sound = run.status == "green" and not words and not guarded.trouble
        proved = [one for one in guarded.disagreements if not one.honest]
        honest = getattr(case, "HONEST", False)
        found = ["an honest suite was accused"] if honest and not sound else []
        found += ["accepted as a sound suite"] if sound and not honest else []
        expected = getattr(case, "PROVED", None)
        if expected is not None and expected not in words:
            found.append(f"the control '{expected}' proved nothing: {words}")
        return found, f"{run.status}, {words}, {len(proved)} proved"

    def run_oracle(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        with self.opened(self.taken(area)) as zygote:
            calls = [{"on": None, "call": "solution.solve", "args": [3], "kwargs": {}}]
            observed = observe(zygote, [{"setup": [], "calls": calls}])
        broken = breaks({"values": [4]}, observed)
        return ([] if broken is not False else ["a fake was taken for 4"]), f"breaks: {broken}"

    def run_git(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        self.taken(area)
        names = [ref.name for ref in find_refs(["HEAD"], project=area.branch)]
        taken = take_refs(find_refs(["HEAD"], project=area.branch), project=area.branch, into=self.into / "refs")
        content = (Path(taken[0].snapshot) / "solution.py").read_text()
        return ([] if "x + 1" in content else ["the commit was not read"]), f"{names}"

    def run_static(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        branch = self.taken(area)
        checks = ["python -m ruff check --isolated --ignore-noqa .", "python -I -m mypy --config-file=/dev/null ."]
        checking = Checking(self.sandbox, self.guest, self.into / "checks" / os.urandom(4).hex(), seconds=60)
        runs = early_kill(
            [branch], checks=checks, control=None, configuration=area.outside, checking=checking, emit=ignore
        )["b1"]
        words = {run.command.partition("-m ")[2].partition(" ")[0] or run.command: run.status for run in runs}
        found = [] if words.pop("compilation", "") else ["nothing was checked"]
        if "vacuous" in case.__name__:
            found += [f"{name} passed" for name, word in words.items() if word == "passed" and name != "mypy"]
        return found, f"{words}"

    def run_tree(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        began = time.monotonic()
        branch = self.taken(area)
        took = time.monotonic() - began
        kept = [path for path in Path(branch.snapshot).rglob("*") if path.is_file() and not path.is_symlink()]
        found = ["the decoy token was copied"] if any(TOKEN.encode() in path.read_bytes() for path in kept) else []
        found += [f"{path.name} is a link" for path in Path(branch.snapshot).rglob("*") if path.is_symlink()]
        found += ["it took too long"] if took > 10 else []
        with self.opened(branch) as zygote:
            zygote.run("compile", {"files": list(branch.code)}, seconds=10)
        return found, f"{len(kept)} files, {len(branch.skipped)} left out"

    def run_render(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        branch = self.taken(area)
        hostile = "".join(case.STRINGS)
        branch = replace(branch, notes=hostile, skipped=(hostile,))
        answer = Replay(ReplayStatus.SHOWN, 2, 2, hostile, "full")
        trigger = Trigger("observation", hostile, setup=(), calls=({"on": None, "call": hostile, "args": [hostile]},))
        finding = Finding("b1", "high", hostile, hostile, hostile, oracle="task", trigger=trigger, replay=answer)
        finding = replace(finding, quote=hostile, location=hostile, why_missed=hostile)
        run = Collision("r1", Task(hostile), "full", 1, (branch,), findings=(finding,), notes=(Note("x", hostile),))
        out = io.StringIO()
        terminal.render(run, Console(file=out, force_terminal=False, width=120))
        raw = [hex(ord(each)) for each in UNESCAPED if each in out.getvalue()]
        text = json.dumps(to_json(run), ensure_ascii=True)
        raw += [hex(ord(each)) for each in UNESCAPED if each in text]
        found = [f"{each} reached an output" for each in raw]
        return found, f"{len(out.getvalue())} characters"

    def run_trigger(self, case: ModuleType, area: Area) -> tuple[list[str], str]:
        branch = self.taken(area)
        finding = Finding("b1", "high", "x", "x", "x", oracle="opinion", trigger=Trigger(**case.TRIGGER))
        zygotes: list[Zygote] = []

        def fresh(one: Branch, seed: int) -> Zygote:
            zygotes.append(self.sandbox.open(replace(self.guest(one), hash_seed=seed)))
            return zygotes[-1]

        demonstrate = Demonstrator({}, lambda _: ("solution",), lambda *_: (None, ""))
        bench = Bench(fresh, lambda one: fresh(one, 0), demonstrate, LocalEngine(), self.backend, ignore)
        try:
            judged = replay([finding], {"b1": branch}, bench)[0]
        finally:
            for zygote in zygotes:
                zygote.close()
        status = judged.replay.status.value if judged.replay else "none"
        found = [] if status in case.RIGHT else [f"its trigger is '{status}', right is one of {case.RIGHT}"]
        if case.DISCOUNTED is not None and judged.discounted is not case.DISCOUNTED:
            found.append(f"discounted: {judged.discounted} ({judged.discount_reason})")
        return found, status


def ignore(event: Event) -> None:
    """Nobody listens."""


def load(path: Path) -> ModuleType:
    """One case file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leftovers() -> list[str]:
    """Processes, folders and control groups of ours that are there."""
    found = [f"process {pid}" for pid in processes.descendants(os.getpid()) if not processes.is_dead(pid)]
    found += [str(path) for path in Path(tempfile.gettempdir()).glob("guest-*")]
    for _, parent in cgroup._parents().values():
        found += [str(path) for path in parent.glob(f"guest-{os.getpid()}-*")]
    return found


def main(backend: str, files: list[str]) -> None:
    """Every case in an area of its own."""
    assert CAPS
    os.environ["PQA_DECOY_KEY"] = TOKEN
    driver = Driver(backend)
    for name in files:
        case = load(Path(name))
        answer: dict[str, Any] = {"case": Path(name).stem}
        area = Area(case)
        try:
            answer["bad"], answer["remark"] = driver.judge(case, area)
        except Exception as error:
            answer["bad"], answer["remark"] = [f"{type(error).__name__}: {error}"], "could not be driven"
        finally:
            area.close()
        driver.sandbox.close()
        answer["bad"] += [f"left behind: {one}" for one in leftovers()]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
