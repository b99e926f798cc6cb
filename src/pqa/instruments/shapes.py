"""Shape: the types that one argument may have, learned from its recorded values. A union; no option at all means unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pqa.core.stand_in import Made

NUMBERS = ("int", "float")
ORDERED = ("list", "tuple")
UNORDERED = ("set", "frozenset")
SEQUENCES = (*ORDERED, *UNORDERED)
POOL_LIMIT = 60
FAR = 10**300
RECORD_LIMIT = 12


@dataclass(frozen=True, slots=True)
class Shape:
    """A union of options, one a kind, in the order in which they were first seen."""

    options: tuple[Option, ...] = ()

    def option(self, name: str) -> Option | None:
        """The option of that kind, if there is one."""
        return next((option for option in self.options if option.kind == name), None)

    def kinds(self) -> frozenset[str]:
        """The kinds in the union."""
        return frozenset(option.kind for option in self.options)


@dataclass(frozen=True, slots=True)
class Option:
    """One kind: `low` and `high` bound the numbers, or the lengths, that were seen; `pool` holds seen scalars.

    `fields` make it a record (a tuple by position, a dict by key); `nested` says that items may again be of
    this kind, to any depth; `learned` is false for a kind known from an annotation only.
    """

    kind: str
    pool: tuple[object, ...] = ()
    low: float = 0
    high: float = 0
    letters: str = ""
    item: Shape = Shape()
    keys: Shape = Shape()
    fields: tuple[tuple[object, Shape], ...] = ()
    required: frozenset[object] = frozenset()
    nested: bool = False
    learned: bool = True


def kind_of(value: object) -> str:
    """The name of a value's exact type, "None" for None; of an object that is made anew, that of its class."""
    if isinstance(value, Made):
        return value.class_name
    return "None" if value is None else type(value).__name__


def learn_shape(values: Iterable[object]) -> Shape:
    """The narrowest shape of this lattice that holds all `values`."""
    groups: dict[str, list[object]] = {}
    for value in values:
        groups.setdefault(kind_of(value), []).append(value)
    return Shape(tuple(_learn_option(kind, group) for kind, group in groups.items()))


def _learn_option(kind: str, group: Sequence[object]) -> Option:
    if kind in NUMBERS:
        numbers = [value for value in group if isinstance(value, int | float) and abs(value) < FAR] or [0]
        return Option(kind, _distinct(group), min(numbers), max(numbers))
    if kind == "str":
        texts = [str(value) for value in group]
        lengths = [len(text) for text in texts]
        return Option(kind, _distinct(texts), min(lengths), max(lengths), "".join(sorted(set("".join(texts)))))
    if kind in SEQUENCES:
        return _learn_sequence(
            kind, [list(value) for value in group if isinstance(value, list | tuple | set | frozenset)]
        )
    if kind == "dict":
        return _learn_dict([value for value in group if isinstance(value, dict)])
    return Option(kind, _distinct(group))


def _distinct(values: Iterable[object]) -> tuple[object, ...]:
    seen: dict[str, object] = {}
    for value in values:
        seen.setdefault(repr(value), value)
        if len(seen) == POOL_LIMIT:
            break
    return tuple(seen.values())


def _learn_sequence(kind: str, group: list[list[object]]) -> Option:
    if kind in UNORDERED:
        group = [sorted(items, key=repr) for items in group]
    lengths = [len(items) for items in group]
    pooled = [item for items in group for item in items]
    base = Option(kind, low=min(lengths), high=max(lengths))
    inner = {kind_of(item) for item in pooled}
    if kind in inner and len(inner) > 1 and kind in ORDERED:
        return replace(base, item=learn_shape(leaves(pooled, kind)), nested=True)
    base = replace(base, item=learn_shape(pooled))
    columns = [learn_shape(column) for column in zip(*group, strict=False)]
    if kind in ORDERED and _is_record(kind, lengths, columns, base.item):
        return replace(base, fields=tuple(enumerate(columns)), required=frozenset(range(lengths[0])))
    return base


def leaves(items: Iterable[object], kind: str) -> list[object]:
    """The values inside nested containers of one kind, left to right."""
    found: list[object] = []
    for item in items:
        if kind_of(item) == kind and isinstance(item, list | tuple):
            found += leaves(item, kind)
        else:
            found.append(item)
    return found


def _is_record(kind: str, lengths: list[int], columns: list[Shape], item: Shape) -> bool:
    """Whether position decides the type: one length, several kinds, each column narrower than all together."""
    enough = len(lengths) > 1 or kind == "tuple"
    fixed = len(set(lengths)) == 1 and 1 < lengths[0] <= RECORD_LIMIT
    return enough and fixed and len(item.kinds()) > 1 and all(column.kinds() < item.kinds() for column in columns)


def _learn_dict(group: list[dict[object, object]]) -> Option:
    lengths = [len(value) for value in group]
    names = list(dict.fromkeys(key for value in group for key in value))
    shared = frozenset(names).intersection(*group)
    values = learn_shape(item for value in group for item in value.values())
    base = Option("dict", low=min(lengths), high=max(lengths), item=values, keys=learn_shape(names))
    mixed = len(values.kinds()) > 1
    same = len(group) > 1 and len(shared) == len(names)
    if not (
        names and shared and len(names) <= RECORD_LIMIT and all(type(key) is str for key in names) and (mixed or same)
    ):
        return base
    fields = tuple((key, learn_shape(value[key] for value in group if key in value)) for key in names)
    return replace(base, fields=fields, required=shared)


def misfit(shape: Shape, value: object, where: str = "value") -> str:
    """Why `value` is outside the shape, in a few words; "" when it is inside."""
    if not shape.options:
        return ""
    kind = kind_of(value)
    option = shape.option(kind)
    if option is None and kind == "int":
        option = shape.option("float")
    if option is None:
        return f"{where} is {kind}, not {' or '.join(sorted(shape.kinds()))}"
    if kind in SEQUENCES and isinstance(value, list | tuple | set | frozenset):
        return _misfit_sequence(option, list(value), where)
    if kind == "dict" and isinstance(value, dict):
        return _misfit_dict(option, value, where)
    return ""


def _misfit_sequence(option: Option, items: list[object], where: str) -> str:
    if option.nested:
        items = leaves(items, option.kind)
    return _first(misfit(option.item, item, f"{where}[*]") for item in items)


def _misfit_dict(option: Option, value: dict[object, object], where: str) -> str:
    if not option.fields:
        keys = _first(misfit(option.keys, key, f"a key of {where}") for key in value)
        return keys or _first(misfit(option.item, item, f"{where}[*]") for item in value.values())
    fields = dict(option.fields)
    missing = sorted(str(key) for key in option.required - value.keys())
    strange = [key for key in value if key not in fields]
    if missing or strange:
        return f"{where} lacks '{missing[0]}'" if missing else f"{where} has the unknown key {strange[0]!r}"
    return _first(misfit(fields[key], item, f"{where}[{key!r}]") for key, item in value.items())


def _first(reasons: Iterable[str]) -> str:
    return next((reason for reason in reasons if reason), "")


def join_shapes(learned: Shape, seed: Shape) -> Shape:
    """`learned` widened by `seed`, whose kinds are marked as not learned; unknown parts are filled from the seed."""
    options = []
    for option in learned.options:
        other = seed.option(option.kind)
        options.append(option if other is None else _join_options(option, other))
    known = learned.kinds()
    options += [_unlearned(option) for option in seed.options if option.kind not in known]
    return Shape(tuple(options))


def _join_options(option: Option, other: Option) -> Option:
    widened = replace(option, pool=option.pool or other.pool, item=join_shapes(option.item, other.item))
    if option.kind == "dict" and not option.fields:
        return replace(widened, keys=join_shapes(option.keys, other.keys), fields=other.fields)
    if other.fields and not option.fields and option.kind in ORDERED and len(other.fields) > 1:
        fits = option.low == option.high == len(other.fields)
        return replace(widened, fields=other.fields) if fits else widened
    return widened


def _unlearned(option: Option) -> Option:
    return replace(option, learned=False)


def walk(
    shape: Shape, visit: Callable[[tuple[object, ...], Shape], None], path: tuple[object, ...] = (), depth: int = 3
) -> None:
    """Visit the shape at every path: "*" steps to each item, "**" to the leaves of a nest, others to a field."""
    visit(path, shape)
    if depth == 0:
        return
    steps: dict[object, list[Option]] = {}
    for option in shape.options:
        if option.fields:
            for key, field in option.fields:
                steps.setdefault(key, []).extend(field.options)
        elif option.item.options:
            steps.setdefault("**" if option.nested else "*", []).extend(option.item.options)
    for step, options in steps.items():
        walk(Shape(tuple(options)), visit, (*path, step), depth - 1)
