"""Judge: the ideas of a task in decide mode and a person's weighing of them; no sandbox, no attack, no branch code."""

from __future__ import annotations

from pqa.config import JudgeRequest
from pqa.core.errors import UsageError
from pqa.core.judgment import Judgment
from pqa.intake import read_task
from pqa.intake.ideas import read_ideas, read_weighing_file
from pqa.stages.judge import judge as judge_ideas

NEXT_STEP = "run 'pqa collide', or set 'mode: decide' in the front matter of the task"


def judge(request: JudgeRequest) -> Judgment:
    """Judge the ideas of a request, or (without a weighing) only gather them."""
    project = request.project
    task = read_task(request.task, project=project)
    if task.mode != "decide":
        raise UsageError("the task is in build mode: branches are attacked, not weighed", NEXT_STEP)
    ideas = read_ideas(request.ideas, project=project)
    document = None if request.weighing is None else read_weighing_file(request.weighing, project=project)
    if request.weighing is not None and document is None:
        raise UsageError(f"the weighing '{request.weighing}' is null; expected a list or an order", "mend it")
    return judge_ideas(task, ideas, document)
