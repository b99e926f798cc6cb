"""Time-shift finding: turn a broken time shift into one claim with the clearest witness, or into nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pqa.core.branch import Branch
from pqa.core.finding import Finding
from pqa.core.ports import Tools
from pqa.core.surface import Class
from pqa.core.task import Brief
from pqa.core.trigger import Json, Trigger
from pqa.core.values import canonical, source_text
from pqa.instruments.burst import Burst, admitted_at_once, argument_names
from pqa.instruments.burst import measure as measure_burst
from pqa.instruments.demonstrate import setup_text
from pqa.instruments.observation import Observed, observe
from pqa.instruments.sequences import Habits, generate, recorded_cases
from pqa.instruments.shrink_case import shrink_case
from pqa.instruments.time_shift import Shift, far, measure, shifts_of

Case = Mapping[str, Json]
SECONDS = 30.0
MAXIMUM_SHIFTS = 160


@dataclass(frozen=True, slots=True)
class _Witness:
    shift: Shift
    observed: Observed
    burst: Burst | None

    @property
    def worth(self) -> tuple[float, int]:
        """A burst over the limit first, by how much; then the fewest calls."""
        over = self.burst.count / self.burst.limit if self.burst and self.burst.over else 0.0
        return over, -len(self.shift.case["calls"])


def time_shift_findings(
    brief: Brief, tools: Tools, branches: Sequence[Branch], habits: Habits, found: Class
) -> Iterator[Finding]:
    """One finding for each branch whose answers depend on the clock's origin while a sibling's do not."""
    if not habits.clocked or len(branches) < 2:
        return
    cases = generate(habits, max(brief.trials // 2, 60), random.Random(f"{brief.seed}:shift:{found.name}"))
    shifts = shifts_of(cases)[:MAXIMUM_SHIFTS]
    results = tools.side_by_side(lambda branch: measure(tools.zygote(branch), shifts, seconds=SECONDS), branches)
    seen = {branch.branch_id: result for branch, result in zip(branches, results, strict=True)}
    keepers = [name for name, result in seen.items() if all(broken is False for broken, _ in result)]
    for branch in branches:
        broken = [
            (shift, one) for shift, (shown, one) in zip(shifts, seen[branch.branch_id], strict=True) if shown is True
        ]
        if broken and keepers:
            others = [name for name in seen if name != branch.branch_id]
            finding = _accuse(brief, tools, branch, habits, found, broken, all(name in keepers for name in others))
            if finding is not None:
                yield finding


def _accuse(
    brief: Brief,
    tools: Tools,
    branch: Branch,
    habits: Habits,
    found: Class,
    broken: Sequence[tuple[Shift, Observed]],
    others_keep: bool,
) -> Finding | None:
    remote = [shift for shift, _ in broken]
    persists = {
        index
        for index, (shown, _) in enumerate(measure(tools.zygote(branch), [far(s) for s in remote], seconds=SECONDS))
        if shown
    }
    if not persists:
        return None
    limits = {index: _limit(tools, branch, habits, remote[index].case) for index in sorted(persists)[:40]}
    witnesses = [_witness(*broken[index], found, limit) for index, limit in limits.items()]
    best = max(witnesses, key=lambda witness: witness.worth)
    best = _shrunk(best, tools, branch, found)
    return _finding(brief, branch, habits, found, best, others_keep)


def _limit(tools: Tools, branch: Branch, habits: Habits, case: Case) -> int | None:
    """How many of the case's first call one instant admits, when that is a number its constructor was given."""
    made, first = case["setup"][-1], case["calls"][0]
    numbers = [
        n
        for n in (*made["args"], *made["kwargs"].values())
        if isinstance(n, int) and not isinstance(n, bool) and 0 < n <= 32
    ]
    if not numbers:
        return None
    probe = {"setup": case["setup"], "calls": [first] * (max(numbers) + 1)}
    observed = observe(tools.zygote(branch), [probe], seconds=SECONDS)[0]
    admitted = admitted_at_once(observed.outcomes) if observed.complete else None
    return admitted if admitted in numbers else None


def _witness(shift: Shift, observed: Observed, found: Class, limit: int | None) -> _Witness:
    return _Witness(shift, observed, _burst(shift.case, observed, found, limit))


def _burst(case: Case, observed: Observed, found: Class, limit: int | None) -> Burst | None:
    if limit is None:
        return None
    made = case["setup"][-1]
    return measure_burst(case, observed.outcomes, argument_names(found.init, made["args"], made["kwargs"]), limit)


def _shrunk(witness: _Witness, tools: Tools, branch: Branch, found: Class) -> _Witness:
    """Drop calls while the shift still changes the answers and the worst burst stays as bad."""
    kept: dict[str, _Witness] = {}

    def holds(cases: Sequence[Case]) -> list[bool]:
        shifts = [Shift(case, witness.shift.amount) for case in cases]
        results = measure(tools.zygote(branch), shifts, seconds=SECONDS)
        verdicts = []
        for case, shift, (shown, observed) in zip(cases, shifts, results, strict=True):
            burst = _burst(case, observed, found, witness.burst.limit) if witness.burst else None
            as_bad = witness.burst is None or (burst is not None and burst.count >= witness.burst.count)
            verdicts.append(shown is True and as_bad)
            kept[canonical(case)] = _Witness(shift, observed, burst)
        return verdicts

    smallest = shrink_case(witness.shift.case, holds)
    return kept.get(canonical(smallest), witness)


def _finding(
    brief: Brief, branch: Branch, habits: Habits, found: Class, witness: _Witness, others_keep: bool
) -> Finding:
    case, shift = witness.shift.case, witness.shift.amount
    title, missed = _title(found, witness), _why_missed(habits, witness)
    expect = {"relation": "time-shift", "shift": shift}
    trigger = Trigger("observation", title, tuple(case["setup"]), tuple(case["calls"]), expect, seed=brief.seed)
    return Finding(
        branch.branch_id,
        "critical",
        "time-shift",
        title,
        _detail(found, witness, missed),
        attack=brief.attack,
        layer="boundaries",
        oracle="relation",
        trigger=trigger,
        location=f"{found.file}:{found.line}" if found.file else None,
        adversary="mechanical",
        why_missed=missed,
        qualified=others_keep,
        root=f"time-shift:{found.name}",
    )


def _title(found: Class, witness: _Witness) -> str:
    title = f"{found.name.rpartition('.')[2]}.{_method(witness)} answers by the clock's absolute reading"
    burst = witness.burst
    if burst is None or not burst.over:
        return title
    within = f"{burst.count} accepted within one {burst.span_name} of {burst.span:g}"
    return f"{title}: {within} across an edge, {burst.times} of {burst.limit}"


def _detail(found: Class, witness: _Witness, missed: str) -> str:
    case, burst = witness.shift.case, witness.burst
    made = next(item for item in case["setup"] if "new" in item)
    moved = f"the same {len(case['calls'])} calls with the clock moved by {source_text(witness.shift.amount)}"
    parts = [f"After {setup_text(made)}, {moved} are answered differently; every time and shift is exact in binary."]
    if burst is not None and burst.over:
        within = f"{burst.count} accepted within {burst.span:g} (`{burst.span_name}`)"
        parts.append(f"Worst burst seen: {within}, {burst.times} (`{burst.limit_name}` = {burst.limit}).")
    line = f'[[line]] function = "{found.name}", relation = "not time-shift", source = "person"'
    parts += [missed, f"If the clock's origin is meant to matter, this line in .pqa/contract.toml says so: {line}"]
    return " ".join(parts)


def _method(witness: _Witness) -> str:
    return str(witness.shift.case["calls"][0]["call"])


def _why_missed(habits: Habits, witness: _Witness) -> str:
    """From the recorded calls: whether any test calls on both sides of the edge that the witness crosses."""
    times = sorted({call["at"] for call in witness.shift.case["calls"] if call.get("at") is not None})
    recorded = [sorted({c["at"] for c in case["calls"] if c.get("at") is not None}) for case in recorded_cases(habits)]
    gap = times[-1] - times[0]
    crossed = any(0 < later - earlier <= gap for moments in recorded for earlier, later in pairwise(moments))
    if crossed or gap == 0 or not any(len(moments) > 1 for moments in recorded):
        what = f"repeats a sequence of {_method(witness)}() with the clock at another origin"
    else:
        what = f"calls {_method(witness)}() on both sides of an edge within {gap:g} of each other"
    return f"The verifier misses it because no test {what}."
