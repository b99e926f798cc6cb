"""Which directories become branches, and what is said when one cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from pqa.core.errors import ExitCode, NothingToAttack, PqaError, UsageError
from pqa.intake import find_branches


def plant(root: Path, *names: str) -> None:
    for name in names:
        (root / name).mkdir(parents=True)
        (root / name / "code.py").write_text("x = 1\n")


def refusal(arguments: list[str], project: Path) -> PqaError:
    with pytest.raises(PqaError) as caught:
        find_branches(arguments, project=project)
    return caught.value


def test_the_default_is_every_folder_in_pqa_branches_in_natural_order(tmp_path):
    plant(tmp_path / ".pqa/branches", "b10", "b2", "b1", ".hidden")
    (tmp_path / ".pqa/branches/README.md").write_text("no branch")
    folder = tmp_path / ".pqa/branches"
    assert find_branches([], project=tmp_path) == [
        ("b1", folder / "b1"),
        ("b2", folder / "b2"),
        ("b10", folder / "b10"),
    ]


def test_directories_and_globs_may_overlap(tmp_path):
    plant(tmp_path / "work", "b", "a")
    found = find_branches(["work/b/", "work/*", "work/../work/a"], project=tmp_path)
    assert found == [("a", tmp_path / "work/a"), ("b", tmp_path / "work/b")]


def test_a_folder_whose_name_looks_like_a_glob_is_taken_as_it_is_and_refused_as_an_id(tmp_path):
    plant(tmp_path, "b[1]")
    error = refusal(["b[1]"], tmp_path)
    assert error.message == (
        f"the folder name 'b[1]' of branch '{tmp_path}/b[1]' cannot be a branch id; "
        "expected 1 to 64 letters, digits, dots, underscores or hyphens"
    )
    assert error.next_step == "rename the folder"


def test_a_missing_branch_is_named(tmp_path):
    error = refusal(["b9"], tmp_path)
    assert (type(error), error.exit_code) == (UsageError, ExitCode.USAGE)
    assert (error.message, error.next_step) == (
        "branch 'b9' does not exist; expected a directory",
        f"look into '{tmp_path}'",
    )


def test_a_file_is_no_branch(tmp_path):
    (tmp_path / "b0").write_text("x")
    expected = "branch 'b0' is not a directory; expected one that holds code, tests and notes.md"
    assert refusal(["b0"], tmp_path).message == expected


def test_a_symbolic_link_is_no_branch_and_its_target_is_named(tmp_path):
    plant(tmp_path, "real")
    (tmp_path / "link").symlink_to("real")
    error = refusal(["link"], tmp_path)
    assert error.message == "branch 'link' is a symbolic link, which pqa does not follow; expected a directory"
    assert error.next_step == f"name '{tmp_path}/real'"


def test_a_symbolic_link_among_the_default_branches_is_refused_and_not_skipped(tmp_path):
    plant(tmp_path / ".pqa/branches", "b0")
    (tmp_path / ".pqa/branches/b1").symlink_to("/etc")
    assert "is a symbolic link" in refusal([], tmp_path).message


def test_one_empty_branch_among_others_is_a_usage_error(tmp_path):
    plant(tmp_path, "b0")
    (tmp_path / "b1").mkdir()
    error = refusal(["b0", "b1"], tmp_path)
    assert (type(error), error.message) == (
        UsageError,
        f"branch '{tmp_path}/b1' is empty; expected code, tests and notes.md",
    )


def test_only_empty_branches_are_nothing_to_attack(tmp_path):
    (tmp_path / "b1").mkdir()
    assert refusal(["b1"], tmp_path).exit_code == ExitCode.NOTHING_TO_ATTACK


def test_without_a_folder_of_branches_there_is_nothing_to_attack(tmp_path):
    error = refusal([], tmp_path)
    assert type(error) is NothingToAttack
    assert error.message == f"no branch was named and there is no folder '.pqa/branches' in '{tmp_path}'"
    assert error.next_step == "put each candidate into '.pqa/branches/NAME/', or name them: pqa collide PATH PATH"


def test_an_empty_folder_of_branches_is_nothing_to_attack(tmp_path):
    (tmp_path / ".pqa/branches").mkdir(parents=True)
    error = refusal([], tmp_path)
    assert type(error) is NothingToAttack
    assert error.message == "the folder '.pqa/branches' holds no directory; expected one for each branch"


def test_a_glob_that_matches_nothing_is_named(tmp_path):
    (tmp_path / "a-file").write_text("x")
    error = refusal(["a-*"], tmp_path)
    assert error.message == "the pattern 'a-*' matches no directory; expected at least one branch"


def test_two_branches_of_one_name_are_both_named(tmp_path):
    plant(tmp_path, "one/b0", "two/b0")
    assert refusal(["one/b0", "two/b0"], tmp_path).message == (
        f"two branches are called 'b0': '{tmp_path}/one/b0' and '{tmp_path}/two/b0'"
    )


@pytest.mark.parametrize("name", ["locked", "base"])
def test_names_that_pqa_uses_itself_are_refused(tmp_path, name):
    plant(tmp_path, name)
    assert (
        refusal([name], tmp_path).message
        == f"branch '{tmp_path}/{name}' is called '{name}', a name that pqa uses itself"
    )


@pytest.mark.parametrize("name", ["b 0", "\x1b[31mred", "é", "x" * 65, "b\n0"])
def test_a_name_that_cannot_be_shown_or_stored_is_refused(tmp_path, name):
    plant(tmp_path, name)
    assert "cannot be a branch id" in refusal([name], tmp_path).message


@pytest.mark.parametrize("argument", ["", "  ", "a\0b"])
def test_an_argument_that_is_no_path_is_refused(tmp_path, argument):
    assert refusal([argument], tmp_path).message == f"a branch is named {argument!r}; expected the path of a directory"
