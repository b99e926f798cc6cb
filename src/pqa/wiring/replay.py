"""Replay: run the stored triggers of a run again, on the branches as they were judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pqa.config import ReplayRequest
from pqa.core.finding import Finding
from pqa.core.ports import Sink
from pqa.stages.replay import replay as replay_all
from pqa.stages.replay import submitted
from pqa.wiring.workbench import Order, Workbench


def replay(request: ReplayRequest, sinks: Sequence[Sink]) -> list[Finding]:
    """The findings of a stored run that have a trigger, judged again."""
    wanted = [one for one in request.collision.findings if one.trigger and request.finding_id in (None, one.id)]
    order = Order(request.project, request.collision, request.settings, request.unsafe_no_sandbox)
    claims = [replace(one, severity=one.claimed_severity or one.severity, discounted=False) for one in wanted]
    names = None if any(map(submitted, claims)) else {one.branch_id for one in wanted}
    with Workbench(order, names, sinks) as bench:
        return replay_all(claims, bench.branches, bench.bench)
