"""Refs: from what a person calls a commit to a branch with its snapshot, without a worktree and without running git there."""

from __future__ import annotations

import difflib
import fnmatch
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pqa.core.branch import Branch
from pqa.core.errors import UsageError
from pqa.intake.branches import BASE, branch_of, check_base, take_base
from pqa.intake.git import GitStore
from pqa.intake.locate import BRANCH_ID, RESERVED_IDS
from pqa.intake.repository import Repository, find_repository, follow, is_ref_name, read_head, read_refs
from pqa.intake.snapshot import Caps

HEADS = re.compile(r"@|[A-Z_]*HEAD")
SPELLED = re.compile(r"(?P<name>[^~^]+)(?P<suffix>[~^0-9]{0,20})")
BEGUN_SHA = re.compile(r"[0-9a-f]{4,64}")
SHORT_FORMS = ("refs/heads/", "refs/remotes/", "refs/tags/", "refs/")
ORDER = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")


@dataclass(frozen=True, slots=True)
class Ref:
    """One commit under the name that the person used."""

    branch_id: str
    name: str
    sha: str
    suffix: str = ""


def find_refs(arguments: Sequence[str], *, project: Path, taken_ids: Iterable[str] = ()) -> list[Ref]:
    """The refs that `arguments` name (patterns such as 'attempt/*' too), each with a branch id of its own."""
    if not arguments:
        return []
    repository = repository_of(project)
    refs = read_refs(repository)
    used = {*taken_ids, *RESERVED_IDS}
    found: list[Ref] = []
    for name in dict.fromkeys(word for argument in arguments for word in _expand(argument, refs)):
        sha, suffix = _resolve(name, repository, refs)
        branch_id = _branch_id(name, used)
        used.add(branch_id)
        found.append(Ref(branch_id, name, sha, suffix))
    return found


def take_refs(found: Sequence[Ref], *, project: Path, into: Path, caps: Caps | None = None) -> tuple[Branch, ...]:
    """A snapshot and a `Branch` of each; its path is REPOSITORY@REF."""
    if not found:
        return ()
    repository = repository_of(project)
    with _store(repository, found, into) as store:
        return tuple(_take(ref, repository, store, into, caps) for ref in found)


def take_base_or_ref(argument: str, *, project: Path, into: Path, caps: Caps | None = None) -> Branch:
    """The base: a file or folder of that name, or else a ref."""
    is_path = "\0" in argument or not argument.strip() or os.path.lexists(project / argument)
    repository = None if is_path else find_repository(project)
    if repository is None:
        return take_base(argument, project=project, into=into, caps=caps)
    try:
        sha, suffix = _resolve(argument, repository, read_refs(repository))
        ref = Ref(BASE, argument, sha, suffix)
        with _store(repository, [ref], into) as store:
            taken = _take(ref, repository, store, into, caps)
    except UnknownRef as error:
        message = f"--base '{argument}' is neither a file, a folder nor a ref of '{repository.top}'"
        raise UsageError(message, error.next_step) from error
    return check_base(taken, argument)


def retake_ref(branch: Branch, *, into: Path, caps: Caps | None = None) -> Branch:
    """A branch of an earlier run, whose source is "ref", taken once more."""
    cuts = [place for place, letter in enumerate(branch.path) if letter == "@"]
    for cut in cuts:
        top, name = Path(branch.path[:cut]), branch.path[cut + 1 :]
        if top.is_dir() and (repository := find_repository(top)) is not None:
            sha, suffix = _resolve(name, repository, read_refs(repository))
            ref = Ref(branch.branch_id, name, sha, suffix)
            with _store(repository, [ref], into) as store:
                return _take(ref, repository, store, into, caps)
    raise UsageError(f"the branch '{branch.branch_id}' is not at '{branch.path}' any more", "run 'pqa collide' again")


def repository_of(project: Path) -> Repository:
    """The repository in which `project` lies."""
    repository = find_repository(project)
    if repository is None:
        message = f"'{project}' lies in no git repository, so it has no refs"
        raise UsageError(message, "start pqa inside the repository, or name directories")
    return repository


def short_name(full: str) -> str:
    """A ref as people write it: "refs/heads/feature/a" is "feature/a"."""
    form = next((form for form in SHORT_FORMS if full.startswith(form)), "")
    return full.removeprefix(form)


class UnknownRef(UsageError):
    """No ref has that name."""


def _expand(argument: str, refs: dict[str, str]) -> Iterable[str]:
    if not any(mark in argument for mark in "*?["):
        return [argument]
    names = sorted(short_name(full) for full in refs if full.startswith(("refs/heads/", "refs/remotes/")))
    matches = [name for name in names if fnmatch.fnmatchcase(name, argument)]
    if not matches:
        raise UsageError(
            f"the pattern '{argument}' matches no git branch; expected at least one", _near(argument, refs)
        )
    return matches


def _resolve(spelled: str, repository: Repository, refs: dict[str, str]) -> tuple[str, str]:
    """A sha or the beginning of one, and what follows it, such as "~2"."""
    match = SPELLED.fullmatch(spelled)
    name = match["name"] if match else ""
    suffix = match["suffix"] if match else ""
    if HEADS.fullmatch(name):
        sha = follow(refs, read_head(repository, "HEAD" if name == "@" else name))
        if sha is not None:
            return sha, suffix
    named = [form.format(name) for form in ORDER] if is_ref_name(name) else []
    shas = {full: sha for full in named if (sha := follow(refs, refs.get(full))) is not None}
    if len(set(shas.values())) > 1:
        raise UsageError(f"'{name}' may be each of {', '.join(shas)}", "name the one that is meant in full")
    if shas:
        return next(iter(shas.values())), suffix
    if BEGUN_SHA.fullmatch(name):
        return name, suffix
    raise _unknown(spelled, repository, refs)


def _unknown(spelled: str, repository: Repository, refs: dict[str, str]) -> UnknownRef:
    return UnknownRef(f"there is no ref '{spelled}' in '{repository.top}'", _near(spelled, refs))


def _near(spelled: str, refs: dict[str, str]) -> str:
    names = sorted({short_name(full) for full in refs})
    close = difflib.get_close_matches(spelled, names, 3, 0.5)
    close += [name for name in names if name.endswith(f"/{spelled}") and name not in close]
    shown = ", ".join(f"'{name}'" for name in (close or names)[:5])
    return f"did you mean {shown}?" if close else f"its refs are {shown}" if shown else "it has no refs yet"


def _store(repository: Repository, refs: Sequence[Ref], into: Path) -> GitStore:
    return GitStore(repository, into, sha256=any(len(ref.sha) == 64 for ref in refs))


def _take(ref: Ref, repository: Repository, store: GitStore, into: Path, caps: Caps | None) -> Branch:
    commit = store.commit(ref.sha, ref.suffix)
    if commit is None:
        raise _unknown(ref.name, repository, read_refs(repository))
    label = f"{repository.top}@{ref.name}"
    return branch_of(ref.branch_id, label, store.take(commit, label, into, caps), "ref")


def _branch_id(name: str, used: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", short_name(name)).strip("-.")[:60] or "ref"
    numbered = (plain if number == 1 else f"{plain}-{number}" for number in range(1, len(used) + 3))
    return next(one for one in numbered if one not in used and BRANCH_ID.fullmatch(one))
