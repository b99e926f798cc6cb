"""Scripted: an adversary that gives recorded answers, from a JSON file {branch_id: findings}."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pqa.core.adversary import AdversaryAnswer
from pqa.core.errors import UsageError
from pqa.core.trigger import Json

NEXT_STEP = "name a JSON file {branch_id: [findings]}: --adversary scripted:FILE"


class ScriptedAdversary:
    """Answers each brief with what was recorded for its branch."""

    def __init__(self, name: str, answers: Mapping[str, Json]) -> None:
        self.name = name
        self._answers = answers

    def answer(self, brief: Mapping[str, Json]) -> AdversaryAnswer:
        """See `ports.Adversary`."""
        branch_id = str(brief["branch_id"])
        if branch_id not in self._answers:
            return AdversaryAnswer(self.name, branch_id, trouble=f"no answer is recorded for '{branch_id}'")
        return AdversaryAnswer(self.name, branch_id, text=json.dumps(self._answers[branch_id]))


def read_script(name: str, path: Path) -> ScriptedAdversary:
    """The adversary of a file; raises UsageError when it is none."""
    try:
        answers = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"the recorded answers '{path}' cannot be read: {error.strerror}", NEXT_STEP) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the recorded answers '{path}' are not JSON: {error}", NEXT_STEP) from error
    if not isinstance(answers, dict):
        raise UsageError(f"the recorded answers '{path}' are no object", NEXT_STEP)
    return ScriptedAdversary(name, answers)
