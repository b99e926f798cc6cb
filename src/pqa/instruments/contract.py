"""Contract: what may be passed to one function, learned from all branches' recorded calls, overruled by a person's lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.contract import Line
from pqa.core.recording import Call
from pqa.core.surface import Function
from pqa.core.trigger import Json
from pqa.core.values import canonical, decode, encode
from pqa.instruments.annotations import stated_bounds, stated_shape
from pqa.instruments.binding import Form, Signature, agree, bind_calls
from pqa.instruments.families import Family
from pqa.instruments.moment_families import MOMENT_QUESTION, ZONE_QUESTION
from pqa.instruments.relations import ABSENT, ALL_FAMILIES, Relation, candidates, normal_text
from pqa.instruments.shapes import Shape, join_shapes, learn_shape, misfit
from pqa.instruments.special_families import bound_family

STATED_SOURCES = ("person", "declared")
CALL_LIMIT = 2000
TERM = r"[A-Za-z_][\w.]*(?:\[[^\]]+\])*"


@dataclass(frozen=True, slots=True)
class Contract:
    """Shapes by argument and relations that no recorded call broke; `calls` are the distinct calls, slot by slot."""

    function: str
    signature: Signature
    names: tuple[str, ...]
    shapes: tuple[Shape, ...]
    relations: tuple[Relation, ...]
    calls: tuple[tuple[object, ...], ...]
    forms: tuple[Form, ...]
    supports: Mapping[str, int]
    stated: tuple[Line, ...] = ()

    def tier(self, args: Sequence[Json], form: Form | None = None) -> tuple[str, tuple[str, ...]]:
        """("T0", ()), ("T1", broken relations) or ("T2", (why,)) for encoded arguments in the order of `form`."""
        return self.tier_of(self.slots([decode(value) for value in args], form))

    def tier_of(self, slots: Sequence[object]) -> tuple[str, tuple[str, ...]]:
        """The same for decoded values, one a slot."""
        for name, shape, value in zip(self.names, self.shapes, slots, strict=True):
            reason = "" if value is ABSENT else misfit(shape, value, name)
            if reason:
                return "T2", (reason,)
        broken = self.broken(slots)
        return ("T1", broken) if broken else ("T0", ())

    def broken(self, slots: Sequence[object]) -> tuple[str, ...]:
        """The weakest broken relations: a negative number breaks `n >= 0` and, with it, `n > 0`; the first is told."""
        broken = [relation for relation in self.relations if relation.holds(slots) is False]
        texts = {relation.text for relation in broken}
        return tuple(relation.text for relation in broken if not relation.weaker & texts)

    def slots(self, values: Sequence[object], form: Form | None = None) -> tuple[object, ...]:
        """Decoded arguments in the order of `form` spread over all slots; raises ValueError for an unknown form."""
        chosen = form or next((known for known in self.forms if len(known) == len(values)), self.names[: len(values)])
        if len(chosen) != len(values) or not set(chosen) <= set(self.names):
            raise ValueError(f"'{self.function}' takes {', '.join(self.names)}; {len(values)} arguments do not bind")
        given = dict(zip(chosen, values, strict=True))
        return tuple(given.get(name, ABSENT) for name in self.names)

    def unbind(self, args: Sequence[Json], form: Form | None = None) -> tuple[tuple[Json, ...], dict[str, Json]]:
        """The positional and keyword arguments with which to call the function."""
        chosen = form or next((known for known in self.forms if len(known) == len(args)), self.names[: len(args)])
        return self.signature.unbind(chosen, args)

    def lines(self) -> list[Line]:
        """What a person is shown: stated lines first, then the learned ones that they do not overrule."""
        stated = {normal_text(line.relation).removeprefix("not ") for line in self.stated}
        learned = [relation.text for relation in self.relations if relation.text not in stated]
        seen = len(self.calls)
        return [*self.stated, *(Line(self.function, text, seen, self.supports[text]) for text in learned)]


def learn(
    functions: Sequence[Function],
    calls: Sequence[Call],
    lines: Sequence[Line] = (),
    *,
    function: str = "",
    prose: str = "",
) -> Contract:
    """The contract of one function, given as the surface of each branch that has it, from all branches' calls."""
    name = function or (functions[0].name if functions else "")
    signature = agree(functions)
    bound = bind_calls(signature, [call for call in calls if not name or call.function in ("", name)])
    forms = _forms(signature, bound)
    names = _names(signature, forms)
    distinct: dict[str, tuple[object, ...]] = {}
    for call in bound:
        key = canonical([[argument, encode(value)] for argument, value in call.items()])
        distinct.setdefault(key, tuple(call.get(argument, ABSENT) for argument in names))
        if len(distinct) == CALL_LIMIT:
            break
    examples = tuple(distinct.values())
    shapes = tuple(_shape(functions, signature, slot, argument, examples) for slot, argument in enumerate(names))
    given = _with_defaults(signature, names, examples)
    known = {relation.text: relation for relation in candidates(names, shapes, given)}
    supports = _supports(list(known.values()), given)
    stated = tuple(line for line in lines if line.function == name and line.source in STATED_SOURCES)
    written = {normal_text(line.relation).removeprefix("not ") for line in stated}
    bounds = [text for text in stated_bounds(functions, prose, names) if text not in written]
    stated += tuple(_kept_bounds(name, dict.fromkeys(bounds), known, names, examples))
    relations = _enforced(known, supports, stated, names)
    supports = _supports(relations, given, keep_broken=True)
    return Contract(name, signature, names, shapes, tuple(relations), examples, forms, supports, stated)


def _forms(signature: Signature, bound: Sequence[Mapping[str, object]]) -> tuple[Form, ...]:
    counts: dict[Form, int] = {}
    for call in bound:
        counts[tuple(call)] = counts.get(tuple(call), 0) + 1
    ranked = sorted(counts, key=lambda form: -counts[form])
    return tuple(ranked) or (signature.required(),)


def _names(signature: Signature, forms: Sequence[Form]) -> tuple[str, ...]:
    found = dict.fromkeys(name for form in forms for name in form)
    order = {item.name: index for index, item in enumerate(signature.parameters)}
    return tuple(sorted(found, key=lambda name: order.get(name.split(".")[0], len(order))))


def _shape(
    functions: Sequence[Function], signature: Signature, slot: int, name: str, examples: Sequence[Sequence[object]]
) -> Shape:
    learned = learn_shape(call[slot] for call in examples if call[slot] is not ABSENT)
    order = [item.name for item in signature.parameters]
    alike = [function for function in functions if len(function.parameters) == len(order)]
    return join_shapes(learned, stated_shape(alike, order.index(name), name)) if name in order else learned


def _with_defaults(
    signature: Signature, names: Sequence[str], examples: Sequence[tuple[object, ...]]
) -> list[tuple[object, ...]]:
    """The calls with their plain defaults filled in: a call that leaves an argument out shows its default, too."""
    defaults = {item.name: ABSENT if item.default is None else item.default for item in signature.parameters}
    return [
        tuple(defaults.get(name, ABSENT) if value is ABSENT else value for name, value in zip(names, call, strict=True))
        for call in examples
    ]


def _supports(
    relations: Sequence[Relation], examples: Sequence[Sequence[object]], keep_broken: bool = False
) -> dict[str, int]:
    """How many distinct calls each relation speaks of; a relation that one of them breaks is left out."""
    supports = {}
    for relation in relations:
        count = 0
        for call in examples:
            verdict = relation.holds(call)
            if verdict is False and not keep_broken:
                break
            count += verdict is True
        else:
            supports[relation.text] = count
    return supports


def _enforced(
    known: Mapping[str, Relation], supports: Mapping[str, int], stated: Sequence[Line], names: Sequence[str]
) -> list[Relation]:
    total = max(supports.values(), default=0)
    needs = {text: 1 if total == 1 else relation.family.need for text, relation in known.items()}
    held = {text: known[text] for text, support in supports.items() if support >= needs[text]}
    for line in stated:
        text = normal_text(line.relation)
        if text.startswith("not "):
            freed = text.removeprefix("not ")
            held = {
                other: relation for other, relation in held.items() if other != freed and freed not in relation.weaker
            }
        elif (relation := known.get(text) or stated_relation(text, names)) is not None:
            held = {other: known for other, known in held.items() if text not in known.weaker}
            held[text] = relation
    return list(held.values())


def _kept_bounds(
    function: str,
    texts: Mapping[str, None],
    known: Mapping[str, Relation],
    names: Sequence[str],
    examples: Sequence[Sequence[object]],
) -> list[Line]:
    """Bounds that the text states and no recorded call contradicts."""
    kept = []
    for text in texts:
        relation = known.get(text) or stated_relation(text, names)
        verdicts = [relation.holds(call) for call in examples] if relation is not None else [False]
        if False not in verdicts:
            kept.append(Line(function, text, len(examples), verdicts.count(True), "declared"))
    return kept


def stated_relation(text: str, names: Sequence[str]) -> Relation | None:
    """A numeric bound on an argument, or on its length: `n >= 2`, `len(seq) <= 10`; None for any other text."""
    found = re.fullmatch(rf"(len\()?({TERM})\)? (>=|>|<=|<) (-?\d+)", text)
    if found is None or found.group(2) not in names:
        return None
    family = bound_family(found.group(3), int(found.group(4)), bool(found.group(1)))
    return Relation(text, family, "each", (list(names).index(found.group(2)),))


def relation_question(relation: str) -> str:
    """The question that a broken relation puts to a person: "may `seq` be unsorted?"."""
    text = normal_text(relation).removeprefix("not ")
    for family in sorted(ALL_FAMILIES, key=lambda family: -len(family.pattern)):
        found = re.fullmatch(_pattern(family), text)
        if found:
            terms = {key: _term_words(value) for key, value in found.groupdict().items()}
            return family.question.format(terms.get("t0", ""), terms.get("t1", ""))
    return _special_question(text)


def _pattern(family: Family) -> str:
    pattern = re.escape(family.pattern)
    for index in (0, 1):
        marker = re.escape(f"{{{index}}}")
        pattern = pattern.replace(marker, f"(?P<t{index}>{TERM})", 1).replace(marker, f"(?P=t{index})")
    return pattern


def _term_words(term: str) -> str:
    return f"an item of `{term[:-3]}`" if term.endswith("[*]") else f"`{term}`"


def _special_question(text: str) -> str:
    forms = (
        (rf"zone\(({TERM})\)", ZONE_QUESTION),
        (rf"moment\(({TERM}), ('[^']+')\)", MOMENT_QUESTION),
        (rf"as_made\(({TERM})\)", "may {0} be made of other values than in the tests?"),
        (rf"as_seen\(({TERM})\)", "may {0} answer otherwise than in the tests?"),
        (rf"only\(({TERM}), (.+)\)", "may {0} hold anything but {1}?"),
        (rf"template\(({TERM}), (.+)\)", "may {0} have another form than {1}?"),
        (rf"record\(({TERM}), (.+)\)", "may {0} have other fields than {1}?"),
        (rf"len\(({TERM})\) == (\d+)", "may {0} have other than {1} items?"),
        (rf"({TERM}) in (\[.+\])", "may {0} be other than one of {1}?"),
    )
    for pattern, question in forms:
        found = re.fullmatch(pattern, text)
        if found:
            return question.format(_term_words(found.group(1)), *found.groups()[1:])
    found = re.fullmatch(rf"(len\()?({TERM})\)? (>=|>|<=|<) (-?\d+)", text)
    if found:
        family = bound_family(found.group(3), int(found.group(4)), bool(found.group(1)))
        return family.question.format(_term_words(found.group(2)))
    return f"may `{text}` be untrue?"
