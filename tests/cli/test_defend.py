"""pqa defend on the worked example, in the real sandbox: who may live after an answer, and that each branch has only one."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pqa import cli

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples/rate_limiter"
MENDED = ">= self._window"
PLANTED = "> self._window - 1"
SLIDING = """
        now = self._clock()
        recent = [time for time in self._counts.get(key, []) if now - time < self._window]
        self._counts[key] = recent
        if len(recent) >= self._limit:
            return False
        recent.append(now)
        return True
"""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The example with a fourth branch, b3: the sliding log with one planted off-by-one; judged once."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(
        EXAMPLE / ".pqa", folder / ".pqa", ignore=shutil.ignore_patterns("runs", "ledger.db*", "__pycache__")
    )
    shutil.copy(EXAMPLE / "properties/properties.py", folder / ".pqa/properties.py")
    branches = folder / ".pqa/branches"
    shutil.rmtree(branches / "b2")
    changed(branches / "b1", branches / "b3", MENDED, PLANTED)
    (branches / "b3/notes.md").write_text("topology_axis: log of accepted times\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert cli.run(["collide", "--attacks", "differential,task"]) == 0
    yield folder


def changed(source: Path, target: Path, old: str, new: str) -> Path:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    text = (target / "limiter.py").read_text()
    assert old in text
    (target / "limiter.py").write_text(text.replace(old, new))
    return target


@pytest.fixture
def example(judged: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The judged project; what a test writes into its run is undone."""
    stored = run_file(judged).read_text()
    monkeypatch.chdir(judged)
    monkeypatch.setenv("COLUMNS", "200")
    yield judged
    run_file(judged).write_text(stored)
    for name in ("sliding", "special", "mended"):
        shutil.rmtree(judged / name, ignore_errors=True)


def run_file(folder: Path) -> Path:
    (found,) = (folder / ".pqa/runs").glob("*/run.json")
    return found


def state(folder: Path) -> dict[str, Any]:
    run = json.loads(run_file(folder).read_text())
    return {
        "dead": [branch["branch_id"] for branch in run["branches"] if branch["state"] == "dead"],
        "resolved": sorted({one["branch_id"] for one in run["findings"] if one["resolved"]}),
        "answers": {
            one["branch_id"]: (one["kind"], sorted({(answer["status"], answer["reason"]) for answer in one["answers"]}))
            for one in run["defenses"]
        },
    }


def test_a_mend_saves_its_branch_and_another_topology_does_not(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert state(example) == {"dead": ["b0", "b3"], "resolved": [], "answers": {}}
    source = (example / ".pqa/branches/b0/limiter.py").read_text()
    body = source[source.index("        window = int(") :]
    changed(example / ".pqa/branches/b0", example / "sliding", body, SLIDING.lstrip("\n"))
    changed(example / ".pqa/branches/b3", example / "mended", PLANTED, MENDED)

    assert cli.run(["defend", "--patch", "b0=sliding", "--patch", "b3=mended"]) == 0

    told = state(example)
    assert (told["dead"], told["resolved"]) == (["b0"], ["b3"])
    assert told["answers"]["b0"] == ("patch", [("unresolved", "topology: nearer to b1 than to its own past")])
    assert {status for status, _ in told["answers"]["b3"][1]} == {"resolved"}
    assert "b3" in capsys.readouterr().out
    with sqlite3.connect(example / ".pqa/ledger.db") as ledger:
        assert ledger.execute("SELECT branch_id, kind FROM defenses ORDER BY position").fetchall() == [
            ("b0", "patch"),
            ("b3", "patch"),
        ]
        assert ledger.execute("SELECT branch_id FROM deaths").fetchall() == [("b0",)]

    assert cli.run(["defend", "--rebuttal", "b0=sliding/notes.md"]) == 2
    assert capsys.readouterr().err == (
        f"pqa: the branch 'b0' has already answered in the run '{run_file(example).parent.name}'\n"
        "next: each branch may answer once in a run; 'pqa collide' again judges the patched branch as a new one\n"
    )


def test_a_special_case_for_the_trigger_leaves_its_branch_dead(example: Path) -> None:
    now = "now = self._clock()\n        window = 0 if 59.5 <= now <= 61.5 else int(now // self._window)"
    changed(example / ".pqa/branches/b0", example / "special", "window = int(self._clock() // self._window)", now)

    assert cli.run(["defend", "--patch", "b0=special"]) == 0

    told = state(example)
    assert (told["dead"], told["resolved"]) == (["b0", "b3"], [])
    statuses = {status for status, _ in told["answers"]["b0"][1]}
    assert "suppressed" in statuses
    assert "resolved" not in statuses


def test_words_become_a_question_or_a_proposal_and_resolve_nothing(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = json.loads(run_file(example).read_text())
    first = next(one["id"] for one in run["findings"] if one["branch_id"] == "b0")
    line = '[[line]] function = "limiter.RateLimiter", relation = "not time-shift", source = "person"'
    (example / "said.json").write_text(
        json.dumps([{"finding_id": first, "claim": "Minutes are meant.", "contract_line": line}])
    )
    (example / "said.txt").write_text("The clock never goes there.\n")

    assert cli.run(["defend", "--rebuttal", "b0=said.json", "--rebuttal", "b3=said.txt"]) == 0

    told = state(example)
    assert (told["dead"], told["resolved"]) == (["b0", "b3"], [])
    assert told["answers"] == {
        "b0": ("rebuttal", [("unresolved", "Minutes are meant.")]),
        "b3": ("rebuttal", [("unresolved", "The clock never goes there.")]),
    }
    assert f"Proposed for .pqa/contract.toml: {line}" in capsys.readouterr().out
    notes = [note["text"] for note in json.loads(run_file(example).read_text())["notes"] if note["kind"] == "rebuttal"]
    assert len(notes) == 2
    assert notes[0].endswith(f"which counts once a person adds it: {line}")
    assert notes[1].endswith("Until a person says it in a property, a test or the contract, the finding stands.")


def test_the_page_says_who_offered_no_defense_and_how(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = run_file(example).parent.name

    assert cli.run(["show"]) == 0

    page = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in page if "no defense was offered" in line] == [
        f"  b0  no defense was offered: pqa defend {name} --patch b0=DIR",
        f"  b3  no defense was offered: pqa defend {name} --patch b3=DIR",
    ]


def test_the_brief_of_a_defender_holds_its_own_findings_only(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["defend", "--brief", "b3"]) == 0

    brief = json.loads(capsys.readouterr().out)
    assert list(brief) == ["schema", "kind", "branch_id", "path", "findings", "rules"]
    assert (brief["schema"], brief["kind"], brief["branch_id"]) == ("pqa.brief/1", "defense", "b3")
    assert {one["branch_id"] for one in brief["findings"]} == {"b3"}
    assert brief["path"] == str(example / ".pqa/branches/b3")
    assert "self._accepted" not in json.dumps(brief)

    assert cli.run(["brief", "--defense"]) == 0
    assert [one["branch_id"] for one in json.loads(capsys.readouterr().out)["briefs"]] == ["b0", "b3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no answer was given"),
        (["--patch", "b0"], "--patch 'b0' is not of the form BRANCH=PATH"),
        (["--patch", "b9=x"], "the run '{run}' holds no branch 'b9'"),
        (["--patch", "b1=x"], "no unresolved finding stands against the branch 'b1'"),
        (["--patch", "b0=x", "--rebuttal", "b0=y"], "the branch 'b0' has already answered in the run '{run}'"),
        (["--rebuttal", "b0=missing"], "the rebuttal '{folder}/missing' is no file of at most 64 KiB"),
        (["--patch", "b0=missing"], "the patched copy '{folder}/missing' of branch 'b0' is not a directory"),
        (
            ["--patch", "b0=.pqa/branches/b0"],
            "the patched copy '{folder}/.pqa/branches/b0' is the branch 'b0' as it was",
        ),
    ],
)
def test_a_wrong_answer_is_a_usage_error_and_no_answer(
    example: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert cli.run(["defend", *arguments]) == 2

    wanted = message.format(run=run_file(example).parent.name, folder=example)
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("pqa: ")]
    assert errors == [f"pqa: {wanted}"]
    assert state(example)["answers"] == {}
