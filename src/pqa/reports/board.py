"""Divergence board: one line a behavioural split, with its smallest witness, who says what, and what decided it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pqa.core.evidence import Parting
from pqa.core.finding import Finding, Question
from pqa.core.trigger import Json, Trigger
from pqa.core.values import canonical, source_text
from pqa.core.verdict import Collision
from pqa.instruments.asking import story
from pqa.instruments.outcomes import SEPARATING, describe, difference
from pqa.reports.text import plain

FEW = 5
"""Splits on the page of a run; the rest is counted."""
NAMED = 6
LONG_ANSWER, LONG_SUBJECT = 18, 24
WHOLE = 400
WIDE = 96
"""A line for each split has room from here on; on a narrower screen each takes three."""
GAP = 3
SAYINGS_SHARE = 0.5
"""The most of the width that who says what may take from the witness."""
ANSWERS = {"either": "answer: either", "cannot-happen": "answer: cannot happen"}
TIERS = {"T0": "inside the contract", "T1": "just outside it"}
OPEN = "open"


@dataclass(frozen=True, slots=True)
class Row:
    """One split. `sayings` are groups of branches with what they say; `decided` is an oracle, an answer or "open";
    `last` the witness without what comes before its last call."""

    subject: str
    witness: str
    sayings: tuple[tuple[tuple[str, ...], str], ...]
    decided: str = OPEN
    last: str = ""


def board(collision: Collision, *, width: int, everything: bool = False) -> list[RenderableType]:
    """The splits as a table, on a narrow screen a few lines each; at most a handful unless `everything` is asked for."""
    rows = rows_of(collision)
    shown = rows if everything else rows[:FEW]
    if not shown:
        return []
    parts = [_blocks(shown, everything) if width < WIDE else _table(shown, everything, width - 2)]
    if len(rows) > len(shown):
        more = f"and {len(rows) - len(shown)} more; pqa show {plain(collision.run_id)} --board shows all"
        parts.append(Text(more, style="dim"))
    return [Padding(part, (0, 0, 0, 2)) for part in parts]


def rows_of(collision: Collision) -> list[Row]:
    """What an oracle decided first, then what is asked, the most telling first; then partings of which no input is kept."""
    found = list(_found(collision))
    asked = [
        (question, _question_row(question)) for question in collision.questions if "finding_id" not in question.witness
    ]
    oracles = {_key(trigger.calls): finding.oracle for finding, trigger in found}
    questions = [
        row if row.decided != OPEN else replace(row, decided=_decided(question, oracles)) for question, row in asked
    ]
    told = {_key(question.witness.get("calls", ())) for question, _ in asked}
    findings = [
        _finding_row(finding, trigger, collision.kill_matrix[finding.id])
        for finding, trigger in found
        if _key(trigger.calls) not in told
    ]
    rows = [*dict.fromkeys(findings), *questions]
    rows.sort(key=lambda row: row.decided == OPEN)
    return [*rows, *_parting_rows(collision)]


def _found(collision: Collision) -> Iterator[tuple[Finding, Trigger]]:
    """The findings that are a difference in behaviour: calls that show on some branches and not on others."""
    for finding in collision.findings:
        words = set(collision.kill_matrix.get(finding.id, {}).values())
        trigger = finding.trigger
        if trigger is not None and trigger.kind == "observation" and trigger.calls and {"shown", "not-shown"} <= words:
            yield finding, trigger


def _key(calls: Sequence[Json]) -> str:
    return canonical(list(calls))


def _decided(question: Question, oracles: Mapping[str, str | None]) -> str:
    return oracles.get(_key(question.witness.get("calls", ()))) or OPEN


def _question_row(question: Question) -> Row:
    decided = OPEN
    if question.answer is not None:
        kind = str(question.answer.get("kind"))
        decided = ANSWERS.get(kind, "answer")
    elif question.retired:
        decided = "settled"
    calls = list(question.witness.get("calls", ()))
    place = _parts_at(question)
    if not calls or place is None:
        sayings = tuple((group, question.outcomes.get(group[0], "")) for group in question.separates if group)
        witness = story(question.witness) if calls else question.text
        return Row(question.function, witness, sayings, decided)
    case = {**question.witness, "calls": calls[: place + 1]}
    outcomes = [question.observed[group[0]] for group in question.separates]
    words = [describe(one[place], WHOLE) if place < len(one) else "no more calls" for one in outcomes]
    return Row(question.function, story(case), tuple(zip(question.separates, words, strict=True)), decided, _last(case))


def _last(case: Mapping[str, Json]) -> str:
    return story({"setup": [], "calls": list(case["calls"])[-1:]})


def _parts_at(question: Question) -> int | None:
    """The first call on which all its groups are told apart, as far as outcomes are kept; what comes later adds nothing."""
    runs = [question.observed.get(group[0]) for group in question.separates if group]
    kept = [run for run in runs if isinstance(run, list) and run]
    if len(kept) < len(question.separates) or len(kept) < 2:
        return None
    for place in range(min(map(len, kept))):
        heads = [run[place] for run in kept]
        if all(difference(a, b) in SEPARATING for i, a in enumerate(heads) for b in heads[:i]):
            return place
    return None


def _finding_row(finding: Finding, trigger: Trigger, matrix: Mapping[str, str]) -> Row:
    groups = [tuple(name for name, word in matrix.items() if word == wanted) for wanted in ("not-shown", "shown")]
    right, wrong = _right_and_wrong(trigger.expect or {})
    case = {"setup": list(trigger.setup), "calls": list(trigger.calls)}
    sayings = tuple(zip(groups, (right, wrong), strict=True))
    return Row(_subject(case), story(case), sayings, finding.oracle or "no oracle", _last(case))


def _right_and_wrong(expect: Mapping[str, Json]) -> tuple[str, str]:
    values = expect.get("values")
    if isinstance(values, list) and values:
        last = values[-1]
        raises = isinstance(last, dict) and "$raises" in last
        return (f"raises {last['$raises']}" if raises else source_text(last)), "otherwise"
    if "raises" in expect:
        return f"raises {expect['raises']}", "otherwise"
    rule = expect.get("rule")
    named = rule.get("name") if isinstance(rule, Mapping) else expect.get("relation") or expect.get("property")
    if named:
        name = str(named)
        return f"keeps {name}", f"breaks {name}"
    return "right", "wrong"


def _subject(case: Mapping[str, Json]) -> str:
    made = [str(item["new"]) for item in case["setup"] if "new" in item]
    last = case["calls"][-1]
    name = str(last.get("call") or last.get("get") or last.get("set") or "")
    if not made:
        return name
    return f"{made[0]}.{name}" if last.get("on") == "subject" else made[0]


def _parting_rows(collision: Collision) -> Iterator[Row]:
    """What the inputs of a run tell apart, and no question does: by groups, since of these inputs none is kept."""
    asked = {frozenset(map(frozenset, question.separates)) for question in collision.questions}
    partings = [one for one in collision.evidence if isinstance(one, Parting) and one.tier in TIERS]
    for one in sorted(partings, key=lambda one: (one.tier, -one.count, one.groups)):
        if frozenset(map(frozenset, one.groups)) in asked or len(one.groups) < 2:
            continue
        inputs = "1 input" if one.count == 1 else f"{one.count} inputs"
        sayings = tuple(
            (group, "fails" if failed else "") for group, failed in zip(one.groups, one.crashed, strict=True)
        )
        yield Row("", f"{inputs} {TIERS[one.tier]}, none kept", sayings)


def _table(rows: Sequence[Row], everything: bool, width: int) -> RenderableType:
    headings = ("where", "smallest witness", "who says what", "decided by")
    cells = [(_where(row), _witness(row, WHOLE), _sayings(row, everything), _decision(row)) for row in rows]
    where, witness, says, decided = (
        max(len(heading), *(len(row[column]) for row in cells)) for column, heading in enumerate(headings)
    )
    rest = max(width - where - decided - 3 * GAP, 2)
    says = min(says, max(int(rest * SAYINGS_SHARE), rest - witness))
    sizes = (where, rest - says, says, decided)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
    for heading, size in zip(headings, sizes, strict=True):
        table.add_column(heading, width=size, overflow="fold" if everything else "ellipsis", no_wrap=not everything)
    for row, (first, second, third, fourth) in zip(rows, cells, strict=True):
        table.add_row(first, second if everything else _witness(row, sizes[1]), third, fourth)
    return table


def _blocks(rows: Sequence[Row], everything: bool) -> RenderableType:
    """On a narrow screen: where and what decided, then the witness, then who says what, below one another."""
    blocks: list[RenderableType] = []
    for row in rows:
        head = Text.assemble(_where(row), "  ", _decision(row))
        below = Padding(Group(_witness(row, WHOLE if everything else WIDE), _sayings(row, everything)), (0, 0, 0, 2))
        blocks.append(Group(head, below))
    return Group(*blocks)


def _where(row: Row) -> Text:
    """The last two parts of the name where they fit: the module is seldom what tells functions apart."""
    parts = row.subject.split(".")
    short = ".".join(parts[-2:])
    return Text(plain(short if len(short) <= LONG_SUBJECT else parts[-1], length=LONG_SUBJECT) or "–", style="bold")


def _witness(row: Row, limit: int) -> Text:
    """The witness; where it is too long, what comes before its last call is left out."""
    whole = plain(_terse(row.witness), length=WHOLE)
    if len(whole) > limit and row.last not in ("", row.witness):
        whole = f"… {plain(_terse(row.last), length=WHOLE)}"
    name = row.subject.rpartition(".")[2]
    if name and row.last == row.witness and whole.startswith(f"{name}("):
        whole = whole.removeprefix(name)
    return Text(plain(whole, length=limit))


def _terse(text: str) -> str:
    return text.removeprefix("after ").replace("subject = ", "").replace("subject.", ".")


def _sayings(row: Row, everything: bool) -> Text:
    parts = []
    for names, words in row.sayings:
        part = Text(_names(names, everything), style="bold")
        said = plain(words, length=WHOLE if everything else LONG_ANSWER)
        parts.append(part.append(f": {said}", style="not bold") if said else part)
    return Text(" | ").join(parts)


def _names(names: Sequence[str], everything: bool) -> str:
    shown = names if everything else names[:NAMED]
    rest = len(names) - len(shown)
    return " ".join([*map(plain, shown), *([f"+{rest}"] if rest else [])])


def _decision(row: Row) -> Text:
    return Text(plain(row.decided), style="yellow" if row.decided == OPEN else "green")
