"""Every attack keeps its spec: the fenced files of a section are judged by the real program, the fenced JSON is what it finds.

A block "```python b0/words.py" is a file of branch b0, "```markdown task.md" the task; blocks before the first "## "
belong to every section. "```json" lists the findings after replay, all of them; "```json notes" the kinds of notes that
must be there, "```json absent" those that must not, "```json said" whole notes; "```json questions" the texts of all questions that are asked at once,
"```json spare" of those kept for later, "```text choice" why the choice is what it is; "```text options" further arguments.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SPECS = sorted(Path(__file__).parent.glob("*.md"))
BLOCK = re.compile(r"^```(\w+)(?: +(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEYS = ("branch_id", "severity", "oracle", "title")
PROGRAM = "import sys; from pqa.cli import main; sys.exit(main())"


@dataclass
class Case:
    attack: str
    title: str
    files: dict[str, str] = field(default_factory=dict)
    findings: list[dict[str, Any]] | None = None
    notes: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    questions: list[str] | None = None
    spare: list[str] | None = None
    choice: str = ""
    options: list[str] = field(default_factory=list)

    def take(self, language: str, name: str, text: str) -> None:
        if language == "json" and name == "notes":
            self.notes = json.loads(text)
        elif language == "json" and name == "absent":
            self.absent = json.loads(text)
        elif language == "json" and name == "said":
            self.said = json.loads(text)
        elif language == "json" and name == "questions":
            self.questions = json.loads(text)
        elif language == "json" and name == "spare":
            self.spare = json.loads(text)
        elif language == "json" and not name:
            self.findings = json.loads(text)
        elif name == "choice":
            self.choice = text.strip()
        elif name == "options":
            self.options = text.split()
        elif name:
            self.files[name] = text


def cases() -> Iterator[Case]:
    for spec in SPECS:
        common, *sections = re.split(r"^## ", spec.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for section in sections:
            case = Case(spec.stem, section.splitlines()[0])
            for text in (common, section):
                for block in BLOCK.finditer(text):
                    case.take(block[1], block[2] or "", block[3])
            if case.findings is not None:
                yield case


def judged(case: Case, project: Path) -> dict[str, Any]:
    """The run that the program writes for the case."""
    for name, text in case.files.items():
        path = project / ".pqa/task.md" if name == "task.md" else project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    branches = sorted({name.split("/")[0] for name in case.files if re.match(r"b\d+/", name)})
    arguments = ["collide", *branches, "--attacks", case.attack, "--json", "out.json", *case.options]
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return json.loads((project / "out.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: f"{case.attack}: {case.title}")
def test_attack_finds_what_its_spec_says(case: Case, tmp_path: Path) -> None:
    run = judged(case, tmp_path)

    found = [{key: finding[key] for key in KEYS} for finding in run["findings"]]

    def order(finding: dict[str, Any]) -> str:
        return json.dumps(finding, sort_keys=True)

    assert sorted(found, key=order) == sorted(case.findings or [], key=order)
    if case.choice:
        assert run["choice"]["reason"] == case.choice
    if case.questions is not None:
        assert [question["text"] for question in run["questions"] if not question["spare"]] == case.questions
    if case.spare is not None:
        assert [question["text"] for question in run["questions"] if question["spare"]] == case.spare
    assert set(case.notes) <= {note["kind"] for note in run["notes"]}, run["notes"]
    assert set(case.said) <= {f"{note['branch_id']} {note['text']}" for note in run["notes"]}, run["notes"]
    assert not set(case.absent) & {note["kind"] for note in run["notes"]}, run["notes"]
