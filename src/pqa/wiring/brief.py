"""Brief: the briefs of a stored run, checked against the branches' code; nothing of a branch is run."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from pqa.config import Settings
from pqa.core.trigger import Json
from pqa.core.verdict import Collision
from pqa.instruments.properties import load_properties
from pqa.intake import discard
from pqa.ledger.store import SqliteLedger
from pqa.stages.brief import Context, envelope, make_briefs
from pqa.wiring.outside import sources_of
from pqa.wiring.run_folder import HOME
from pqa.wiring.workbench import Order, retake


@dataclass(frozen=True, slots=True)
class BriefRequest:
    """One `pqa brief`: a stored run, who will read the briefs, one live branch or (None) all."""

    project: Path
    collision: Collision
    adversary: str = "host"
    branch_id: str | None = None
    kind: str = "adversary"
    settings: Settings = field(default_factory=Settings)


def brief(request: BriefRequest) -> dict[str, Json]:
    """One brief a live branch, in one document."""
    project, collision = request.project, request.collision
    alive = {name for name, verdict in collision.verdicts.items() if verdict.alive}
    folder = Path(tempfile.mkdtemp(prefix="pqa-brief-"))
    try:
        branches = retake(Order(project, collision, request.settings), alive, folder)
        sources = {name: sources_of(branch) for name, branch in branches.items()}
    finally:
        discard(folder)
    context = Context(request.adversary, _rates(project), _properties(request), _paths(project, collision))
    made = make_briefs(collision, context, sources, kind=request.kind, only=request.branch_id)
    return envelope(collision.run_id, made)


def _rates(project: Path) -> dict[str, Json]:
    path = project / HOME / "ledger.db"
    if not path.is_file():
        return {}
    with SqliteLedger(path) as ledger:
        return ledger.calibration_rates()


def _properties(request: BriefRequest) -> tuple[str, ...]:
    path = request.project / (request.settings.properties or f"{HOME}/properties.py")
    return tuple(load_properties(path)) if path.exists() else ()


def _paths(project: Path, collision: Collision) -> dict[str, str]:
    """Where each branch lies, seen from the project where that is below it."""
    root, paths = project.absolute(), {}
    for branch in collision.branches:
        path = Path(os.path.abspath(root / branch.path))  # noqa: PTH100 (links are not followed)
        inside = path.is_relative_to(root) and path != root
        paths[branch.branch_id] = f"{path.relative_to(root).as_posix()}/" if inside else str(path)
    return paths
