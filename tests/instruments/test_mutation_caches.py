"""On libraries that remember, each verdict is that of the whole suite in a fresh process: caches, registries, singletons."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pqa.instruments.hollow import own_suite
from pqa.instruments.mutation import FRESH, KILLED, SURVIVED, Mutant, Mutation
from pqa.instruments.mutation_run import MutationRun, confirm, in_turn, judge

CACHES = Path(__file__).parent / "data/caches"
SECONDS = 120


def oracle(folder: Path, name: str, text: str) -> str:
    """The whole suite in a fresh pytest process on a copy with the changed file."""
    kept = (folder / name).read_text("utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--rootdir=.", "tests"]
    run = subprocess.run(
        command, cwd=folder, capture_output=True, check=False, timeout=SECONDS, env={"PYTHONPATH": "."}
    )
    (folder / name).write_text(kept, encoding="utf-8")
    return SURVIVED if run.returncode == 0 else KILLED


def disagreements(
    plant,
    tmp_path: Path,
    turn: Callable[[list[Mutant]], list[Mutant]],
    choose: Callable[[list[Mutant]], Sequence[Mutant]],
) -> tuple[MutationRun, list[str]]:
    """Judge all changes, and run those chosen from each of killed and survived afresh."""
    files = {path.relative_to(CACHES).as_posix(): path.read_text() for path in sorted(CACHES.rglob("*.py"))}
    branch, zygote = plant(files)
    copy = tmp_path / "copy"
    shutil.copytree(CACHES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with Mutation(zygote, own_suite(branch), seconds=3000) as mutation:
        run = MutationRun(mutation.survey(), mutation.mutants())
        judge(mutation, run, turn(run.mutants), over=lambda: False)
        confirm(mutation, run, over=lambda: False)
        chosen = [one for status in (KILLED, SURVIVED) for one in choose(run.with_status(status))]
        texts = {one.number: mutation.source(one.number) for one in chosen}
    told = {one.number: run.verdicts[one.number].status for one in chosen}
    return run, [one.diff for one in chosen if oracle(copy, one.file, texts[one.number]) != told[one.number]]


@pytest.mark.slow
def test_some_verdicts_on_code_that_remembers_are_those_of_fresh_processes(plant, tmp_path: Path) -> None:
    sample = random.Random(0).sample
    run, wrong = disagreements(plant, tmp_path, list, lambda several: sample(several, min(16, len(several))))

    assert wrong == []
    assert (run.survey.trouble, run.survey.left_out) == ("", ())
    assert len(run.with_status(KILLED)) > 100
    assert len(run.with_status(SURVIVED)) > 15
    assert not run.with_status(FRESH)


@pytest.mark.power
@pytest.mark.parametrize("seed", [None, 0, 1], ids=["in the order of files", "in turn", "in another turn"])
def test_every_verdict_on_code_that_remembers_is_that_of_a_fresh_process(
    plant, tmp_path: Path, seed: int | None
) -> None:
    def turn(several: list[Mutant]) -> list[Mutant]:
        return several if seed is None else in_turn(several, {}, seed)

    run, wrong = disagreements(plant, tmp_path, turn, lambda several: several)

    assert wrong == []
    assert len(run.with_status(KILLED)) + len(run.with_status(SURVIVED)) == len(run.mutants) > 120
