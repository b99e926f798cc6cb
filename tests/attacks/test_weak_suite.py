"""One suite with every weakness at once: each is found once and called by its name; its sound twin and `clamp` are silent.

`stats` is looked at for its shape only, `label` for its type, `half` in an assertion that is swallowed, `audit` is run and
nobody looks, the window is never tried at its edge; and `clamp` has changes that nobody can see.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PLANTED = Path(__file__).parent / "data/weak"
PROGRAM = "import sys; from pqa.cli import main; sys.exit(main())"
FOUND = {
    "hollow": [
        ("critical", "the tests assert only the shape of what label() returns"),
        ("critical", "the tests assert only the shape of what stats() returns"),
        ("critical", "the tests pass on gutted code: half() may do nothing and return None or 0"),
    ],
    "gaming": [("medium", "test_half swallows its own failures: no assertion in it can fail")],
    "mutation": [
        (
            "medium",
            "boundary not tested: Window.allow(), line 8: `if now - self.start >= self.span:` may become "
            "`if now - self.start > self.span:`",
        ),
        ("medium", "effect not observed: audit(), line 25: `records.append(entry.strip())` may become `pass`"),
        ("medium", "value not checked: half(), line 29: `return n // 2` may become `return None`"),
        (
            "medium",
            'value not checked: label(), line 21: `return "many" if n > 3 else "few"` may become '
            "`return 'many' if True else 'few'`",
        ),
        (
            "medium",
            'value not checked: stats(), line 17: `return {"sum": sum(values), "largest": max(values), "mean": '
            'sum(values) / len(va` may become `return {"sum": sum(values), "largest": max(values), "mean": '
            "sum(values) * len(va`",
        ),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("attack", list(FOUND))
def test_each_weakness_is_found_once_by_its_name_and_what_nobody_can_see_is_silent(attack: str, tmp_path: Path) -> None:
    for name in ("b0", "b1"):
        shutil.copytree(PLANTED / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / ".pqa").mkdir()
    shutil.copy(PLANTED / "task.md", tmp_path / ".pqa/task.md")
    command = [sys.executable, "-c", PROGRAM, "collide", "b0", "b1", "--attacks", attack, "--json", "out.json"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
    assert told.returncode in (0, 1), told.stdout + told.stderr
    run = json.loads((tmp_path / "out.json").read_text("utf-8"))

    assert sorted((one["severity"], one["title"]) for one in run["findings"]) == FOUND[attack]
    assert {one["branch_id"] for one in run["findings"]} == {"b0"}
    assert not [one for one in run["findings"] if "clamp" in one["detail"]]
