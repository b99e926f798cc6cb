"""Progress: plain lines where nothing can move, one moving line where it can."""

from __future__ import annotations

import io

from rich.console import Console

from pqa.core.event import Event
from pqa.reports.progress import Progress

EVENTS = [
    Event("run-started", None, {"run_id": "r1", "sandbox": "full", "seed": 0}),
    Event("stage-started", None, {"stage": "verify", "total": 2}),
    Event(
        "branch-verified", "b0", {"word": "verified", "suites": {"own": {"tests": 6, "failed": 0}}, "coverage": 95.9}
    ),
    Event("branch-died", "b1", {"reason": "static\nchecks \x1b[2J"}),
    Event("attack-started", None, {"attack": "hollow", "branches": ["b0"]}),
    Event("attack-ended", None, {"attack": "hollow", "branches": ["b0"]}),
    Event("finding", "b0", {"title": "claimed"}),
    Event("finding-replayed", "b0", {"title": "a burst", "severity": "critical", "status": "shown"}),
    Event("finding-replayed", "b0", {"title": "a rumour", "severity": "critical", "status": "not-shown"}),
    Event("note", "b0", {"kind": "could-not-check", "text": "no clock"}),
    Event("unheard-of", None, {}),
    Event("run-ended"),
]
LASTING = [
    "b0 verified, 6 tests, coverage 95 %",
    "b1 died: static checks \\x1b[2J",
    "b0 critical: a burst",
    "b0: no clock",
]


def shown(*, terminal: bool) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=terminal, width=100, markup=False, highlight=False, emoji=False, color_system=None
    )
    with Progress(console) as progress:
        for event in EVENTS:
            progress.emit(event)
    return stream.getvalue()


def test_without_a_terminal_each_event_that_matters_is_one_line():
    assert shown(terminal=False).splitlines() == [
        "run r1, sandbox full, seed 0",
        "running the branches' own tests",
        *LASTING[:2],
        "hollow ended on b0",
        *LASTING[2:],
    ]


def test_on_a_terminal_only_lasting_news_is_printed_above_the_moving_line():
    text = shown(terminal=True)
    assert [line for line in LASTING if line not in text] == []
    assert "running the branches' own tests" in text
    assert "hollow ended on b0" not in text
    assert "\x1b[2J" not in text


def test_events_with_data_of_any_shape_are_survived():
    stream = io.StringIO()
    kinds = {event.kind for event in EVENTS}
    strange = [
        {},
        {"stage": None, "total": "x"},
        {"branches": 3, "severity": 1, "status": []},
        {"coverage": "x", "suites": {"own": 3}},
    ]
    with Progress(Console(file=stream, force_terminal=True, width=80)) as progress:
        for data in strange:
            for kind in sorted(kinds):
                progress.emit(Event(kind, "b\x1b0", data))
    assert "b\x1b0" not in stream.getvalue()
