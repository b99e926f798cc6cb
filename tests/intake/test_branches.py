"""What a branch is taken to be: code, tests, import roots, notes; and the locked suite and the base."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pqa.core.branch import Branch, Conviction
from pqa.core.errors import NothingToAttack, UsageError
from pqa.intake import take_base, take_branches, take_locked


def take(tmp_path: Path, files: dict[str, str]) -> Branch:
    root = tmp_path / "b0"
    for name, text in {"code.py": "x = 1\n", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return take_branches([("b0", root)], into=tmp_path / "into")[0]


def test_a_branch_is_its_path_snapshot_code_tests_and_notes(tmp_path):
    branch = take(
        tmp_path, {"test_code.py": "", "notes.md": "conviction: high, basis: all green\ntopology_axis: log\n"}
    )
    assert branch == Branch(
        branch_id="b0",
        path=str(tmp_path / "b0"),
        digest=branch.digest,
        snapshot=str(tmp_path / "into" / branch.digest.removeprefix("sha256:")),
        code=("code.py",),
        tests=("test_code.py",),
        import_roots=("",),
        notes="conviction: high, basis: all green\ntopology_axis: log\n",
        conviction=Conviction("high", "all green"),
        topology_axis="log",
    )


def test_tests_are_known_by_name_or_folder_and_docs_examples_and_build_files_are_neither(tmp_path):
    tests = ["conftest.py", "pkg/code_test.py", "pkg/test/helper.py", "test_a.py", "tests/data.py"]
    neither = ["setup.py", "noxfile.py", "docs/conf.py", "examples/one.py", "benchmarks/two.py"]
    code = ["code.py", "pkg/docs/text.py", "pkg/setup.py", "testing.py"]
    branch = take(tmp_path, dict.fromkeys([*tests, *neither, *code], ""))
    assert branch.tests == tuple(tests)
    assert branch.code == tuple(code)


@pytest.mark.parametrize(
    ("toml", "roots"),
    [
        ('[tool.pytest.ini_options]\npythonpath = ["lib", "."]', ("lib", "")),
        ('[tool.pytest.ini_options]\npythonpath = "lib src"', ("lib", "src", "")),
        ('[tool.setuptools]\npackage-dir = {"" = "lib"}', ("lib", "src", "")),
        ('[tool.setuptools]\npackage-dir = {"pkg" = "lib/pkg"}', ("lib", "src", "")),
        ('[tool.setuptools.packages.find]\nwhere = ["lib"]', ("lib", "src", "")),
        ('[tool.hatch.build.targets.wheel]\npackages = ["lib/pkg"]', ("lib", "src", "")),
        ("[tool]\npytest = 3", ("src", "")),
    ],
)
def test_import_roots_come_from_the_configuration_then_src_then_the_root(tmp_path, toml, roots):
    files = {"pyproject.toml": toml, "lib/pkg/one.py": "", "src/two.py": ""}
    expected = roots if "src" in roots or toml.count('"."') == 0 else ("lib", "", "src")
    assert take(tmp_path, files).import_roots == expected


@pytest.mark.parametrize("root", ["/etc", "../other", "lib/../..", "missing"])
def test_an_import_root_outside_the_branch_is_ignored_and_said(tmp_path, root):
    branch = take(tmp_path, {"pyproject.toml": f"[tool.pytest.ini_options]\npythonpath = ['{root}']", "lib/one.py": ""})
    assert branch.import_roots == ("",)
    assert branch.skipped == (f"pyproject.toml: the import root '{root}' is no folder of the branch, ignored",)


@pytest.mark.parametrize(
    ("toml", "remark"),
    [
        ("[tool", "pyproject.toml: not valid TOML, ignored"),
        ("a = " + "[" * 1_900, "pyproject.toml: not valid TOML, ignored"),
        ("a = " + "1" * 1_900 + "e", "pyproject.toml: not valid TOML, ignored"),
        ("# " + "x" * 2_000, "pyproject.toml: too large to read, ignored"),
        ("# x\n" * 20_000, "pyproject.toml: too large to read, ignored"),
    ],
)
def test_broken_or_huge_toml_is_ignored_and_said(tmp_path, toml, remark):
    branch = take(tmp_path, {"pyproject.toml": toml})
    assert (branch.import_roots, branch.skipped) == (("",), (remark,))


def test_the_most_laborious_toml_that_is_read_takes_seconds_at_most(tmp_path):
    lines = [f"a{number}." + ".".join(["b"] * 990) + " = 1" for number in range(32)]
    began = time.process_time()
    take(tmp_path, {"pyproject.toml": "\n".join(lines)})
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("notes", "conviction", "axis"),
    [
        ("", None, None),
        ("Conviction: high\n", Conviction("high"), None),
        ("**Conviction:** High\n", Conviction("high"), None),
        ("- conviction: low, basis: a guess\n", Conviction("low", "a guess"), None),
        ("---\nconviction: high\nbasis: proofs\ntopology: queue\n---\ntext\n", Conviction("high", "proofs"), "queue"),
        ("conviction: 'medium'\ntopology axis: log\n", Conviction("medium"), "log"),
        ("conviction: high (basis: proofs, and tests)\n", Conviction("high", "proofs, and tests"), None),
        ("conviction: enormous\n", None, None),
        ("my conviction is high: yes\n", None, None),
        ("conviction: low\nconviction: high\n", Conviction("low"), None),
    ],
)
def test_notes_give_conviction_and_axis_in_each_of_their_forms(tmp_path, notes, conviction, axis):
    branch = take(tmp_path, {"notes.md": notes})
    assert (branch.conviction, branch.topology_axis) == (conviction, axis)


def test_notes_are_bounded_and_bad_bytes_replaced(tmp_path):
    (tmp_path / "b0").mkdir()
    (tmp_path / "b0/code.py").write_text("")
    (tmp_path / "b0/NOTES.md").write_bytes(b"\xff\n" + b"x" * 100_000 + b"\nconviction: high")
    branch = take_branches([("b0", tmp_path / "b0")], into=tmp_path / "into")[0]
    assert branch.notes == "\ufffd\n" + "x" * (64 * 1024 - 2)
    assert branch.conviction is None


def test_a_branch_of_tests_only_is_refused_and_named(tmp_path):
    for name, file in (("b0", "code.py"), ("b1", "test_code.py")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("")
    found = [(name, tmp_path / name) for name in ("b0", "b1")]
    with pytest.raises(UsageError) as caught:
        take_branches(found, into=tmp_path / "into")
    assert caught.value.message == f"branch 'b1' in '{tmp_path}/b1' holds no Python code outside its tests"
    with pytest.raises(NothingToAttack):
        take_branches(found[1:], into=tmp_path / "into")


def test_every_python_file_of_the_locked_suite_is_a_test(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text("")
    (tmp_path / "tests/helper.py").write_text("")
    folder = take_locked("tests", project=tmp_path, into=tmp_path / "into")
    file = take_locked("tests/helper.py", project=tmp_path, into=tmp_path / "into")
    assert (folder.branch_id, folder.code, folder.tests) == ("locked", (), ("helper.py", "test_a.py"))
    assert (file.branch_id, file.code, file.tests) == ("locked", (), ("helper.py",))


def test_the_base_may_hold_tests_only(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old/test_a.py").write_text("")
    base = take_base("old", project=tmp_path, into=tmp_path / "into")
    assert (base.branch_id, base.code, base.tests) == ("base", (), ("test_a.py",))


def test_a_missing_linked_or_empty_suite_is_named(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("/etc")
    messages = {
        "gone": "--tests 'gone' does not exist; expected a file or a folder",
        "": "--tests '' does not exist; expected a file or a folder",
        "link": "--tests 'link' is a symbolic link, which pqa does not follow",
        "empty": "--tests 'empty' holds no Python file; expected a test file or a folder of tests",
    }
    for argument, message in messages.items():
        with pytest.raises(UsageError) as caught:
            take_locked(argument, project=tmp_path, into=tmp_path / "into")
        assert caught.value.message == message
