"""Mutation beside mutmut, in one run: processor time a mutant, and verdicts checked afresh: `python benchmarks/mutation.py`.

Needs the package registry once, for the sources of three libraries and mutmut in an environment of its own. mutmut changes
only function bodies, so the engine's figure for those stands beside the one for all its mutants, import-time code included.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from pqa.core.branch import Branch
from pqa.core.job import Guest
from pqa.instruments.hollow import own_suite
from pqa.instruments.mutation import FRESH, KILLED, SURVIVED, Mutation, Verdict
from pqa.instruments.mutation_run import MutationRun, batches, confirm, in_turn
from pqa.intake import take_branches
from pqa.sandbox.choose import choose_sandbox
from pqa.sandbox.interpreter import own_interpreter

TIMEOUT = "timeout"
AGAIN = 8
"""How often a fresh process is asked again where it differs."""
MUTMUT = "mutmut==3.8.*"
LIBRARIES = {
    "inflection": ("0.5.1", "inflection", 10),
    "parse": ("1.22.4", "parse", 10),
    "cachetools": ("8.0.2", "src", 3),
}


@dataclass
class Figures:
    """What one library gave."""

    mutants: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    survey_cpu: float = 0.0
    first_finding: float = 0.0
    judge_cpu: float = 0.0
    body_cpu: float = 0.0
    bodies: int = 0
    own_cpu: float = 0.0
    body_own: float = 0.0
    confirm_cpu: float = 0.0
    confirmed: int = 0
    sampled: int = 0
    disagreements: list[str] = field(default_factory=list)
    chance: int = 0


def sources(folder: Path) -> dict[str, Path]:
    """The unpacked sdists."""
    wanted = [f"{name}=={version}" for name, (version, _, _) in LIBRARIES.items()]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(folder)]
    subprocess.run([*command, *wanted], check=True)
    for archive in folder.glob("*.tar.gz"):
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    return unpacked(folder)


def unpacked(folder: Path) -> dict[str, Path]:
    return {name: folder / f"{name}-{version}" for name, (version, _, _) in LIBRARIES.items()}


def measure(library: Path, into: Path, sample: int, most: int | None) -> Figures:
    """All figures of the engine on one library."""
    branch = take_branches([("b0", library)], into=into)[0]
    box = choose_sandbox(unsafe=False, environ=os.environ)
    try:
        guest = Guest(branch.snapshot, own_interpreter(), branch.import_roots, preload=("pytest", "coverage"))
        with box.open(guest) as zygote, Mutation(zygote, own_suite(branch), seconds=7200) as mutation:
            return figures(mutation, branch, into, sample, most)
    finally:
        box.close()


def figures(mutation: Mutation, branch: Branch, into: Path, sample: int, most: int | None) -> Figures:
    found, began = Figures(), time.monotonic()
    run = MutationRun(mutation.survey(), mutation.mutants())
    assert not run.survey.trouble, run.survey.trouble
    found.survey_cpu = mutation.cpu
    ordered = in_turn(run.mutants, {}, 0)[:most]
    found.mutants = len(ordered)
    for imported in (False, True):
        several = sorted((one for one in ordered if one.imported is imported), key=lambda one: one.number)
        for batch in batches(several, lambda: mutation.cpu):
            before = mutation.cpu
            told, trouble = mutation.measure([one.number for one in batch])
            assert not trouble, trouble
            run.verdicts.update(told)
            own = sum(verdict.own for verdict in told.values())
            found.judge_cpu += mutation.cpu - before
            found.own_cpu += own
            if not imported:
                found.body_cpu += mutation.cpu - before
                found.body_own += own
                found.bodies += len(batch)
            if not found.first_finding and any(verdict.status == SURVIVED for verdict in told.values()):
                found.first_finding = time.monotonic() - began
    first = dict(run.verdicts)
    before = mutation.cpu
    found.confirmed = len([*run.with_status(SURVIVED), *run.with_status(FRESH)])
    confirm(mutation, run, over=lambda: False)
    found.confirm_cpu = mutation.cpu - before
    found.statuses = Counter(verdict.status for verdict in run.verdicts.values())
    check(mutation, run, first, branch, into, sample, found)
    return found


def check(
    mutation: Mutation,
    run: MutationRun,
    first: dict[int, Verdict],
    branch: Branch,
    into: Path,
    sample: int,
    found: Figures,
) -> None:
    """Sampled verdicts against a fresh copy with the changed file and a fresh pytest process; survivors all count."""
    decided = [one for one in run.mutants if one.number in run.verdicts]
    decided = [one for one in decided if run.verdicts[one.number].status in (KILLED, SURVIVED)]
    chosen = random.Random(0).sample(decided, min(sample, len(decided)))
    copy = into / "oracle"
    shutil.copytree(branch.snapshot, copy)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    names = [*own_suite(branch).paths]
    roots = os.pathsep.join(str(copy / root) for root in branch.import_roots)
    for mutant in chosen:
        target = copy / mutant.file
        kept = target.read_text("utf-8")
        target.write_text(mutation.source(mutant.number), "utf-8")
        truth = afresh(copy, names, roots)
        found.sampled += 1
        if (KILLED if truth == TIMEOUT else truth) != run.verdicts[mutant.number].status:
            how = f"{first[mutant.number].status} then {run.verdicts[mutant.number].status}"
            again = Counter(afresh(copy, names, roots) for _ in range(AGAIN if truth != TIMEOUT else 0))
            more = f"; {AGAIN} times more: {dict(again)}" if again else ""
            found.disagreements.append(
                f"{mutant.place} {mutant.operator} {mutant.after!r}: {how}, afresh {truth}{more}"
            )
            found.chance += len(again) > 1
        target.write_text(kept, "utf-8")


def afresh(copy: Path, names: list[str], roots: str) -> str:
    """What a fresh process says of the code as it lies there."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-o", "addopts=", *names]
    try:
        run = subprocess.run(
            command, cwd=copy, capture_output=True, check=False, timeout=120, env={"PYTHONPATH": roots}
        )
    except subprocess.TimeoutExpired:
        return TIMEOUT
    return SURVIVED if run.returncode == 0 else KILLED


def environment(folder: Path) -> Path:
    """An environment with mutmut and pytest."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", MUTMUT, "pytest"], check=True)
    return python


def mutmut(python: Path, library: Path, paths: str, seconds: int) -> tuple[int, float, float, str]:
    """Mutants that mutmut judged, processor seconds of its whole tree, those before the first mutant, and its version."""
    tests = "test_inflection.py" if (library / "test_inflection.py").exists() else "tests"
    settings = (
        f"[mutmut]\nsource_paths={paths}\nalso_copy=\n    {tests}\npytest_add_cli_args_test_selection=\n    {tests}\n"
    )
    for name in ("pytest.ini", "tox.ini", "pyproject.toml", "setup.cfg"):
        (library / name).unlink(missing_ok=True)
    (library / "setup.cfg").write_text(settings, "utf-8")
    environ = {**os.environ, "PYTHONPATH": "", "PATH": f"{python.parent}:{os.environ['PATH']}"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["timeout", "-s", "INT", str(seconds), str(python), "-m", "mutmut", "run", "--max-children", "1"]
    run = subprocess.run(command, cwd=library, env=environ, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told = [line for line in run.stdout.replace("\r", "\n").splitlines() if "/" in line and "🎉" in line]
    judged = int(told[-1].split("/")[0].split()[-1]) if told else 0
    version = subprocess.run([str(python), "-m", "pip", "show", "mutmut"], capture_output=True, text=True, check=True)
    return judged, cpu, 0.0, next(line for line in version.stdout.splitlines() if line.startswith("Version"))


def show(name: str, found: Figures, peer: tuple[int, float, float, str] | None, bar: float) -> None:
    """One library."""
    judged = max(1, found.mutants)
    print(f"\n{name}: {found.mutants} mutants, {dict(found.statuses)}")
    print(
        f"  set-up and controls        {found.survey_cpu:7.2f} s CPU; first survivor after {found.first_finding:.1f} s"
    )
    bodies = 1000 * found.body_cpu / max(1, found.bodies)
    print(
        f"  a mutant of a function     {bodies:7.2f} ms CPU ({found.bodies}), {ratio(found.body_cpu, found.body_own)} its tests"
    )
    every = 1000 * found.judge_cpu / judged
    print(f"  a mutant, import-time too  {every:7.2f} ms CPU, {ratio(found.judge_cpu, found.own_cpu)} its tests")
    whole = 1000 * (found.survey_cpu + found.judge_cpu + found.confirm_cpu) / judged
    print(f"  all in, survivors afresh   {whole:7.2f} ms CPU ({found.confirmed} confirmed, {found.confirm_cpu:.1f} s)")
    if peer is not None and peer[0]:
        theirs = 1000 * peer[1] / peer[0]
        print(f"  mutmut {peer[3]:20}{theirs:7.2f} ms CPU ({peer[0]} mutants, start-up included)")
        print(
            f"  cheaper by                 {theirs / bodies:.1f}x on functions (bar {bar:g}x), {theirs / whole:.1f}x all in"
        )
    print(f"  against fresh processes    {len(found.disagreements)} of {found.sampled} sampled verdicts differ (bar 0)")
    if found.chance:
        print(f"    on {found.chance} of these, fresh processes differ among themselves: its tests draw by chance")
    for line in found.disagreements[:20]:
        print(f"    {line}")


def ratio(whole: float, own: float) -> str:
    return f"{whole / own:.2f} x" if own else "?"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=300, help="verdicts a library that are checked afresh")
    parser.add_argument("--most", type=int, default=None, help="mutants a library; all by default")
    parser.add_argument("--only", default=",".join(LIBRARIES), help="libraries, separated by commas")
    parser.add_argument("--peer-seconds", type=int, default=600, help="how long mutmut may take a library")
    parser.add_argument("--no-peer", action="store_true", help="leave mutmut out")
    parser.add_argument("--sources", type=Path, help="a folder with the three unpacked sdists, to spare the download")
    options = parser.parse_args()
    print(f"python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = folder / "given"
        if options.sources:
            shutil.copytree(options.sources, given)
        libraries = unpacked(given) if options.sources else sources(folder)
        python = None if options.no_peer else environment(folder / "peer")
        for library in options.only.split(","):
            _, paths, bar = LIBRARIES[library]
            found = measure(libraries[library], folder / f"work-{library}", options.sample, options.most)
            peer = mutmut(python, libraries[library], paths, options.peer_seconds) if python is not None else None
            show(library, found, peer, bar)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
