"""Candidates: the branches that one command line names, directories and git refs together, in natural order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pqa.core.branch import Branch
from pqa.intake.branches import check_code, take_branches
from pqa.intake.locate import find_branches, natural_key
from pqa.intake.refs import Ref, find_refs, take_refs
from pqa.intake.snapshot import Caps


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was found, before anything of it is read."""

    directories: tuple[tuple[str, Path], ...] = ()
    refs: tuple[Ref, ...] = ()


def find_candidates(branches: Sequence[str], refs: Sequence[str], *, project: Path) -> Candidates:
    """The directories and refs that the arguments name; `.pqa/branches/*` when they name nothing."""
    named = [word for text in refs for word in text.split()]
    paths = list(branches)
    if named:  # after `--refs a`, the shell's plain words `b c` arrive as branches
        paths = [word for word in branches if os.path.lexists(project / word) or "*" in word]
        named += [word for word in branches if word not in paths]
    directories = [] if named and not paths else find_branches(paths, project=project)
    taken = [branch_id for branch_id, _ in directories]
    return Candidates(tuple(directories), tuple(find_refs(named, project=project, taken_ids=taken)))


def take_candidates(found: Candidates, *, project: Path, into: Path, caps: Caps | None = None) -> tuple[Branch, ...]:
    """A snapshot and a `Branch` of each; every one must hold code."""
    directories = take_branches(found.directories, into=into, caps=caps)
    taken = (*directories, *take_refs(found.refs, project=project, into=into, caps=caps))
    check_code(taken)
    return tuple(sorted(taken, key=lambda branch: (natural_key(branch.branch_id), branch.branch_id)))
