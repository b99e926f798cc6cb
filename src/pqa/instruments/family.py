"""Family: a trigger's variants on the branch, on its patched copy and on those that pass: is the flaw gone or hidden?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pqa.core.errors import GuestLost
from pqa.core.ports import Zygote
from pqa.core.trigger import Json, Trigger
from pqa.core.values import canonical
from pqa.instruments.literals import literals_of
from pqa.instruments.observation import Case, Observed, case_of, observe
from pqa.instruments.outcomes import SEPARATING, Difference, kind_of, vector_difference
from pqa.instruments.variants import renamings_of, variants_of

CALL_SECONDS = 1.0
Shows = Callable[[Trigger], bool | None]


@dataclass(frozen=True, slots=True)
class Side:
    """One tree that variants are run on: its sandbox, and the way to run a trigger that judges itself."""

    zygote: Callable[[], Zygote]
    shows: Shows
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """How many variants could be judged on the patched copy, and what they showed. `mended` are those that showed the
    flaw before and do not now; `still` showed before and show now; `new` show only now."""

    tried: int = 0
    mended: tuple[Trigger, ...] = ()
    still: tuple[Trigger, ...] = ()
    new: tuple[Trigger, ...] = ()

    @property
    def shown(self) -> int:
        """How many variants show on the patched copy."""
        return len(self.still) + len(self.new)

    def general(self, literals: frozenset[str]) -> int:
        """How many mended variants hold none of these literals: a special case by them would have left those alone."""
        return sum(not literals & literals_of(one) for one in self.mended)


def judge_family(trigger: Trigger, past: Side, patched: Side, passing: Sequence[Side]) -> Family:
    """Run the variants where an oracle judges them: the trigger's own relation or property, else the siblings that pass
    the trigger, if they agree; else renamed texts alone."""
    variants = variants_of(trigger)
    if any(one.expect is not None for one in variants):
        return _by_itself(variants, past, patched)
    if variants and passing:
        return _by_siblings(trigger, variants, past, patched, passing)
    return _by_renaming(trigger, past, patched)


def _by_itself(variants: Sequence[Trigger], past: Side, patched: Side) -> Family:
    return _sorted([(one, past.shows(one), patched.shows(one)) for one in variants])


def _sorted(judged: Sequence[tuple[Trigger, bool | None, bool | None]]) -> Family:
    """By what showed before and what shows now; one that could not be checked now is not counted."""
    known = [(one, before, now) for one, before, now in judged if now is not None]
    return Family(
        len(known),
        tuple(one for one, before, now in known if before and not now),
        tuple(one for one, before, now in known if before and now),
        tuple(one for one, before, now in known if before is False and now),
    )


def _by_siblings(
    trigger: Trigger, variants: Sequence[Trigger], past: Side, patched: Side, passing: Sequence[Side]
) -> Family:
    """Right is what the passing siblings agree on, and only where they part from the branch as they did on the trigger."""
    cases = [case_of(trigger), *(case_of(one) for one in variants)]
    rights = [_observed(side, cases) for side in passing]
    before, now = _observed(past, cases), _observed(patched, cases)
    only_returns = "outcome" in (trigger.expect or {})
    first = _agreed([each[0] for each in rights])
    flaw = None if first is None else _parting(first, before[0], only_returns)
    several = len(passing) > 1 or passing[0].trusted
    judged: list[tuple[Trigger, bool | None, bool | None]] = []
    for index, one in enumerate(variants, 1):
        right = _agreed([each[index] for each in rights])
        if right is not None:
            seen = [_parting(right, each[index], only_returns) for each in (before, now)]
            judged += _judged(one, seen, flaw, _same(before[index], now[index]), several)
    return _sorted(judged)


def _judged(
    one: Trigger, seen: Sequence[Difference | None], flaw: Difference | None, same: bool, several: bool
) -> list[tuple[Trigger, bool | None, bool | None]]:
    """One entry, or none where a single sibling differs in a way that need not be the flaw: that is contested."""
    before, now = seen
    if before is None or now is None:
        return []
    if now is Difference.NONE or before is Difference.NONE:
        return [(one, before is not Difference.NONE, now is not Difference.NONE)]
    if same:
        return [(one, True, True)] if before is flaw else []
    return [(one, False, True)] if several else []


def _same(left: Observed, right: Observed) -> bool:
    return vector_difference(left.outcomes, right.outcomes) not in (*SEPARATING, Difference.UNKNOWN)


def _observed(side: Side, cases: Sequence[Case]) -> list[Observed]:
    try:
        return observe(side.zygote(), cases, call_seconds=CALL_SECONDS)
    except GuestLost as error:
        return [Observed(trouble=str(error))] * len(cases)


def _agreed(rights: Sequence[Observed]) -> Observed | None:
    """What all that pass the trigger answer, where they agree and can be compared."""
    first = rights[0]
    if any(not one.complete or any(kind_of(each) in ("unknown", "timeout") for each in one.outcomes) for one in rights):
        return None
    if any(vector_difference(first.outcomes, one.outcomes) in SEPARATING for one in rights[1:]):
        return None
    return first


def _parting(right: Observed, seen: Observed, only_returns: bool) -> Difference | None:
    """How it answers otherwise than is right, NONE where it does not; with `only_returns` a value is as good as another."""
    if not seen.outcomes or not seen.complete:
        return None
    if only_returns:
        pairs = zip(right.outcomes, seen.outcomes, strict=False)
        fails = any(kind_of(one) == "value" and kind_of(other) in ("raises", "timeout") for one, other in pairs)
        return Difference.RAISES if fails else Difference.NONE
    found = vector_difference(right.outcomes, seen.outcomes)
    if found is Difference.UNKNOWN:
        return None
    return found if found in SEPARATING else Difference.NONE


def _by_renaming(trigger: Trigger, past: Side, patched: Side) -> Family:
    """Renamed texts: judged by the trigger's own right values, and only where the branch itself treated both names alike."""
    renamed = renamings_of(trigger)
    if not renamed:
        return Family()
    first = _observed(past, [case_of(trigger)])[0]
    seen = _observed(past, [case_of(one) for one in renamed])
    alike = [one for one, other in zip(renamed, seen, strict=True) if _alike(trigger, one, first, other)]
    return _sorted([(one, past.shows(one), patched.shows(one)) for one in alike])


def _alike(trigger: Trigger, renamed: Trigger, first: Observed, other: Observed) -> bool:
    """Whether the branch answered the renamed calls as it answered the trigger's, names apart."""
    names = dict(zip(_texts(trigger), _texts(renamed), strict=False))
    mine = [_renamed([one.get("value"), one.get("raises")], names) for one in first.outcomes]
    return canonical(mine) == canonical([[one.get("value"), one.get("raises")] for one in other.outcomes])


def _texts(trigger: Trigger) -> list[str]:
    found: list[str] = []

    def walk(value: Json) -> None:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list | tuple):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            for key, item in value.items():
                if not key.startswith("$"):
                    found.append(key)
                if key not in ("$type", "$name"):
                    walk(item)

    for item in (*trigger.setup, *trigger.calls):
        walk([item.get("args"), item.get("kwargs"), item.get("value")])
    return found


def _renamed(value: Json, names: dict[str, str]) -> Json:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {names.get(key, key): item if key == "$type" else _renamed(item, names) for key, item in value.items()}
    return value
