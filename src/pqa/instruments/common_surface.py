"""Common surface: the public functions and classes that several branches offer and that their tests call."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.finding import Note
from pqa.core.ports import Tools
from pqa.core.recording import Call, Recording, Trace
from pqa.core.surface import Class, Function, Surface
from pqa.core.verdict import Verification


@dataclass(frozen=True, slots=True)
class Shared:
    """What the branches have in common; `clones` maps a branch to the first one whose code is the same up to names."""

    functions: tuple[Function, ...]
    classes: tuple[Class, ...]
    calls: tuple[Call, ...]
    traces: tuple[Trace, ...]
    clones: Mapping[str, str]
    notes: tuple[Note, ...]
    literals: tuple[object, ...]
    offers: Mapping[str, tuple[Branch, ...]]
    variants: Mapping[str, tuple[Function, ...]]

    bodies: Mapping[str, frozenset[str]]

    def why_not(self, branch: Branch) -> str:
        """Why nothing of a branch can be put beside the others."""
        if any(branch in offering for offering in self.offers.values()):
            return "no other branch offers the public functions and classes that it offers"
        return "it offers no public function or class"

    def changed(self, name: str) -> bool:
        """Whether the branches' bodies of this function or class differ, or the private code that they stand on."""
        return len(self.bodies.get(name, ())) > 1

    def offering(self, name: str) -> tuple[Branch, ...]:
        """The branches that offer a public name."""
        return self.offers.get(name, ())


def shared_surface(branches: Sequence[Branch], tools: Tools) -> Shared:
    """Read every branch's surface side by side, pool the recorded calls, and keep what can be compared."""
    surfaces = dict(zip((b.branch_id for b in branches), tools.side_by_side(tools.surface, branches), strict=True))
    recordings = [recording for branch in branches for recording in _recordings(tools.verification(branch))]
    calls = tuple(call for recording in recordings for call in recording.calls)
    traces = tuple(trace for recording in recordings for trace in recording.traces)
    offers = _offers(branches, surfaces)
    variants: dict[str, tuple[Function, ...]] = {}
    for surface in surfaces.values():
        for one in surface.functions:
            variants[one.name] = (*variants.get(one.name, ()), one)
    classes = {one.name: one for surface in surfaces.values() for one in surface.classes}
    bodies = _bodies(surfaces)
    return Shared(
        _ordered(variants, offers, bodies, len(branches)),
        tuple(
            classes[name]
            for name in sorted(classes, key=lambda name: (len(bodies[name]) == 1, name))
            if len(offers[name]) > 1 or len(branches) == 1
        ),
        calls,
        traces,
        _clones(branches, surfaces),
        tuple(_notes(surfaces)),
        _literals(surfaces),
        offers,
        variants,
        bodies,
    )


def _recordings(verification: Verification) -> list[Recording]:
    suites = [suite for suite in (verification.own, verification.locked, verification.base) if suite is not None]
    return [suite.recording for suite in suites]


def _offers(branches: Sequence[Branch], surfaces: Mapping[str, Surface]) -> dict[str, tuple[Branch, ...]]:
    offers: dict[str, tuple[Branch, ...]] = {}
    for branch in branches:
        surface = surfaces[branch.branch_id]
        for name in [*(one.name for one in surface.functions), *(one.name for one in surface.classes)]:
            offers[name] = (*offers.get(name, ()), branch)
    return offers


def _bodies(surfaces: Mapping[str, Surface]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for surface in surfaces.values():
        for name, digest in [
            *((one.name, one.body_digest) for one in surface.functions),
            *((one.name, one.body_digest) for one in surface.classes),
        ]:
            found.setdefault(name, set()).add(f"{digest}:{surface.rest_digest}")
    return {name: frozenset(digests) for name, digests in found.items()}


def _ordered(
    variants: Mapping[str, tuple[Function, ...]],
    offers: Mapping[str, tuple[Branch, ...]],
    bodies: Mapping[str, frozenset[str]],
    total: int,
) -> tuple[Function, ...]:
    """Functions whose code differs between branches first: the budget is spent where a difference can start."""
    names = [name for name in variants if len(offers[name]) > 1 or total == 1]
    return tuple(variants[name][0] for name in sorted(names, key=lambda name: (len(bodies[name]) == 1, name)))


def _clones(branches: Sequence[Branch], surfaces: Mapping[str, Surface]) -> dict[str, str]:
    first: dict[str, str] = {}
    clones: dict[str, str] = {}
    for branch in branches:
        surface = surfaces[branch.branch_id]
        bodies = [f"*:{surface.rest_digest}", *(f"{one.name}:{one.body_digest}" for one in surface.functions)]
        bodies += [f"{one.name}:{one.body_digest}" for one in surface.classes]
        if len(bodies) < 2 or not all(text.rpartition(":")[2] for text in bodies):
            bodies.append(branch.digest)
        key = hashlib.sha256("\n".join(sorted(bodies)).encode()).hexdigest()
        clones[branch.branch_id] = first.setdefault(key, branch.branch_id)
    return clones


def _notes(surfaces: Mapping[str, Surface]) -> list[Note]:
    notes = []
    for name, surface in surfaces.items():
        if surface.unimportable and not surface.functions and not surface.classes:
            module, why = surface.unimportable[0]
            notes.append(Note("could-not-run", f"'{module}' cannot be imported: {why}", name))
        else:
            notes += [
                Note("could-not-check", f"'{module}' cannot be imported: {why}", name)
                for module, why in surface.unimportable[:5]
            ]
        for module, path in surface.strays[:5]:
            notes.append(Note("could-not-run", f"its '{module}' is loaded from '{path}', outside the branch", name))
    return notes


def _literals(surfaces: Mapping[str, Surface]) -> tuple[object, ...]:
    found: dict[str, object] = {}
    for surface in surfaces.values():
        for literal in surface.literals:
            found.setdefault(repr((type(literal).__name__, literal)), literal)
    return tuple(found[key] for key in sorted(found))
