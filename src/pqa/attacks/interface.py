"""Does the branch offer what the code in the task's text declares?

The classes, methods and functions that the task writes out are looked up on each branch, an instance that the tests show
how to build included: what is inherited, assigned or made on demand counts. A name that most other branches offer and this
one does not is a finding that quotes the task; one that many leave out is no more than a remark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.core.trigger import Trigger
from pqa.instruments.common_surface import Shared, shared_surface
from pqa.instruments.declared_names import Declared, declared_names
from pqa.instruments.example_calls import with_examples
from pqa.instruments.looked_up import Case, LookUp, look_ups
from pqa.instruments.observation import Observed, observe

LAYER = "interface"
SCOPE = "set"
SECONDS = 20.0
SHOWN = 3
MISSED = "The verifier misses it because no test asks for it."


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Note]:
    """Look every declared name up on every branch, then accuse of what is not there where most others have it."""
    wanted = declared_names(brief.task.text)
    if not wanted:
        return
    shared = with_examples(shared_surface(brief.branches, tools), brief.task.text)
    tried = look_ups(wanted, shared)
    cases = [one.case for one in tried]
    results = tools.side_by_side(lambda branch: _observed(tools, branch, cases), brief.branches)
    seen = dict(zip((branch.branch_id for branch in brief.branches), results, strict=True))
    yield from _not_looked_up(brief, tools, wanted, tried, seen)
    lacking: dict[str, list[LookUp]] = {}
    for index, one in enumerate(tried):
        without = [name for name, observed in seen.items() if _lacks(observed[index])]
        having = [name for name, observed in seen.items() if _offers(observed[index])]
        if _few(shared, without, having):
            for name in without:
                lacking.setdefault(name, []).append(one)
        elif without:
            who = (
                f"{' and '.join(without)} {'leaves' if len(without) == 1 else 'leave'} out"
                if having
                else "no branch has"
            )
            yield Note("interface", f"the task declares '{one.declared.dotted}', which {who}")
    for name, missing in lacking.items():
        yield _finding(brief, name, missing)


def _not_looked_up(
    brief: Brief,
    tools: Tools,
    wanted: Sequence[Declared],
    tried: Sequence[LookUp],
    seen: Mapping[str, Sequence[Observed]],
) -> Iterator[Note]:
    """What a branch could not be asked for; a name that no case reaches is looked for in what the branch shows of itself."""
    reached = [one.declared for one in tried]
    for branch in brief.branches:
        surface = tools.surface(branch)
        names = [*(one.name for one in surface.functions), *(one.name for one in surface.classes)]
        shown = {("", name.rpartition(".")[2]) for name in names}
        shown |= {(kind.name.rpartition(".")[2], one.name) for kind in surface.classes for one in kind.methods}
        lost = [look.declared for look, one in zip(tried, seen[branch.branch_id], strict=True) if one.trouble]
        lost += [one for one in wanted if one not in reached]
        hidden = [f"'{one.dotted}'" for one in lost if (one.owner, one.name) not in shown]
        if hidden:
            more = ", ..." if len(hidden) > SHOWN else ""
            yield Note("could-not-check", f"whether it offers {', '.join(hidden[:SHOWN])}{more}", branch.branch_id)


def _observed(tools: Tools, branch: Branch, cases: Sequence[Case]) -> list[Observed]:
    return observe(tools.zygote(branch), cases, seconds=SECONDS) if cases else []


def _lacks(seen: Observed) -> bool:
    return seen.complete and seen.outcomes[-1].get("raises") == "AttributeError" and not seen.outcomes[-1].get("own")


def _offers(seen: Observed) -> bool:
    return seen.complete and "raises" not in seen.outcomes[-1] and "timeout" not in seen.outcomes[-1]


def _few(shared: Shared, without: Sequence[str], having: Sequence[str]) -> bool:
    """Whether more independent branches have it than not; a branch that stands alone is compared with nothing."""
    good, bad = ({shared.clones.get(name, name) for name in names} for names in (having, without))
    return bool(bad) and (len(good) > len(bad) or not (having or len(without) > 1))


def _finding(brief: Brief, name: str, missing: Sequence[LookUp]) -> Finding:
    first: Declared = missing[0].declared
    others = [f"'{one.declared.dotted}'" for one in missing[1:]]
    title = f"it has no '{first.dotted}', which the task declares" + (f", nor {', '.join(others)}" if others else "")
    detail = (
        f"The code in the task declares '{first.line}'; asked for it, the branch raises AttributeError, and most other "
        f"branches have it. {MISSED}"
    )
    trigger = Trigger(
        "observation", title[:200], tuple(missing[0].case["setup"]), tuple(missing[0].case["calls"]),
        {"outcome": "returns"}, seed=brief.seed,
    )  # fmt: skip
    return Finding(
        name, "high", "interface", title[:200], detail, attack=brief.attack, layer=LAYER, oracle="task-text",
        trigger=trigger, adversary="mechanical", why_missed=MISSED, quote=first.line, root=f"interface:{first.dotted}",
    )  # fmt: skip
