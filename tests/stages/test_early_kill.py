"""Early kill tells failing from not able to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pqa.core.branch import Branch
from pqa.core.event import Event
from pqa.core.job import CommandResult, Guest, Mount
from pqa.core.verdict import CheckRun
from pqa.instruments.toolchain import OFFLINE, default_checks, tool_env, tool_mounts
from pqa.sandbox.interpreter import own_interpreter
from pqa.stages.early_kill import COMPILATION, DEATH_REASON, Checking, died, early_kill

CLEAN = '"""Calc."""\n\n\ndef add(a: int, b: int) -> int:\n    """Add."""\n    return a + b\n'
UNUSED = '"""Calc."""\n\nimport os\n\n\ndef add(a: int, b: int) -> int:\n    """Add."""\n    return a + b\n'
UNTYPED = CLEAN.replace("return a + b", 'return "x"')
RUFF = '[tool.ruff.lint]\nselect = ["F"]\n'
COMPILED = CheckRun(COMPILATION, "passed")


@pytest.fixture
def kill(tmp_path: Path, real_sandbox):
    """Run early kill on branches; gives the checks by branch and the events."""

    def run(*branches: Branch, checks=(), control=None, configuration=None):
        events: list[Event] = []
        checking = Checking(
            real_sandbox,
            lambda branch: Guest(branch.snapshot, own_interpreter()),
            tmp_path / "scratch",
            env=OFFLINE,
            seconds=60,
        )
        (tmp_path / "scratch").mkdir(exist_ok=True)
        runs = early_kill(
            branches, checks=checks, control=control, configuration=configuration, checking=checking, emit=events.append
        )
        return runs, events

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder that configures ruff."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(RUFF, encoding="utf-8")
    return folder


def statuses(runs) -> dict[str, list[str]]:
    return {branch_id: [run.status for run in each] for branch_id, each in runs.items()}


def test_the_branch_that_fails_a_check_dies_and_its_clean_twin_lives(kill, plant_tree, project) -> None:
    clean, bad = plant_tree({"calc.py": CLEAN}, "b0"), plant_tree({"calc.py": UNUSED}, "b1")
    runs, events = kill(clean, bad, checks=["ruff check ."], configuration=project)
    assert runs["b0"] == (COMPILED, CheckRun("ruff check .", "passed", "All checks passed!\n"))
    assert statuses(runs)["b1"] == ["passed", "failed"]
    assert "F401" in runs["b1"][1].output
    assert (died(runs["b0"]), died(runs["b1"])) == (False, True)
    assert events == [Event("branch-died", "b1", {"reason": DEATH_REASON, "checks": ["ruff check ."]})]
    assert DEATH_REASON == "failed static checks before collision"


def test_a_file_that_does_not_compile_kills(kill, plant_tree) -> None:
    clean, bad = plant_tree({"calc.py": CLEAN}, "b0"), plant_tree({"calc.py": "def f(:\n"}, "b1")
    runs, _ = kill(clean, bad)
    assert runs == {
        "b0": (COMPILED,),
        "b1": (CheckRun(COMPILATION, "failed", "calc.py: line 1: SyntaxError: invalid syntax"),),
    }


@pytest.mark.parametrize("where", ["base", "all branches"])
def test_a_file_that_fails_alike_in_the_base_or_everywhere_kills_nobody(kill, plant_tree, where: str) -> None:
    files = {"calc.py": CLEAN, "template.py": "{{ name }} = \n"}
    branches = [plant_tree(files, "b0")] + ([plant_tree(files, "b1")] if where == "all branches" else [])
    runs, events = kill(*branches, control=plant_tree(files, "base") if where == "base" else None)
    assert {(run[0].status, run[0].why) for run in runs.values()} == {
        ("could-not-check", "they fail alike in the base or in all branches")
    }
    assert events == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pyproject.toml", '[tool.ruff]\nexclude = ["*"]\n'),
        ("ruff.toml", 'exclude = ["*"]\n'),
        (".gitignore", "*.py\n"),
        ("sub/.ruff.toml", 'lint.ignore = ["F"]\n'),
    ],
)
def test_a_branchs_own_configuration_does_not_save_it(kill, plant_tree, project, name: str, content: str) -> None:
    clean = plant_tree({"calc.py": CLEAN}, "b0")
    bad = plant_tree({"sub/calc.py": UNUSED, name: content}, "b1")
    runs, _ = kill(clean, bad, checks=["ruff check ."], configuration=project)
    assert statuses(runs) == {"b0": ["passed", "passed"], "b1": ["passed", "failed"]}


def test_the_bases_configuration_counts_where_there_is_a_base(kill, plant_tree, project) -> None:
    base = plant_tree({"calc.py": CLEAN, "ruff.toml": 'lint.ignore = ["F401"]\n'}, "base")
    runs, _ = kill(plant_tree({"calc.py": UNUSED}), checks=["ruff check ."], control=base, configuration=project)
    assert statuses(runs) == {"b0": ["passed", "passed"]}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-tool .", "'no-such-tool .' cannot start: install no-such-tool in "),
        ("python -m no_such_tool", "'python -m no_such_tool' cannot start: install no_such_tool in "),
        ("exit 3", "'exit 3' fails on the control as well (exit status 3): "),
        ("echo No Python files found", "'echo No Python files found' looked at no file: "),
        (
            "echo 'EAI_AGAIN registry.npmjs.org'; exit 1",
            "'echo 'EAI_AGAIN registry.npmjs.org'; exit 1' wants the network",
        ),
    ],
)
def test_a_check_that_cannot_run_kills_nobody(kill, plant_tree, command: str, why: str) -> None:
    clean, bad = plant_tree({"calc.py": CLEAN}, "b0"), plant_tree({"calc.py": UNUSED}, "b1")
    runs, events = kill(clean, bad, checks=[command])
    assert {each[1].status for each in runs.values()} == {"could-not-check"}
    assert all(each[1].why.startswith(why) for each in runs.values()), runs
    assert events == []


def test_what_fails_on_the_base_as_well_kills_nobody(kill, plant_tree, project) -> None:
    base = plant_tree({"calc.py": UNUSED, "pyproject.toml": RUFF}, "base")
    runs, _ = kill(plant_tree({"calc.py": UNUSED}), checks=["ruff check ."], control=base)
    assert statuses(runs) == {"b0": ["passed", "could-not-check"]}


def test_what_fails_alike_on_all_branches_kills_nobody_but_one_alone_dies(kill, plant_tree, project) -> None:
    first, second = plant_tree({"calc.py": UNUSED}, "b0"), plant_tree({"calc.py": UNUSED}, "b1")
    runs, events = kill(first, second, checks=["ruff check ."], configuration=project)
    assert {(each[1].status, each[1].why) for each in runs.values()} == {
        ("could-not-check", "it fails alike on all 2 branches")
    }
    assert events == []
    (project.parent / "scratch").rename(project.parent / "old")
    alone, _ = kill(first, checks=["ruff check ."], configuration=project)
    assert statuses(alone) == {"b0": ["passed", "failed"]}


def test_a_command_line_with_two_parts_stays_one_check(kill, plant_tree, project) -> None:
    command = "ruff check . && ruff check calc.py"
    runs, _ = kill(plant_tree({"calc.py": CLEAN}), checks=[command], configuration=project)
    assert [run.command for run in runs["b0"]] == [COMPILATION, command]


def test_mypy_runs_and_a_missing_library_is_not_a_failure(kill, plant_tree) -> None:
    clean = plant_tree({"calc.py": CLEAN}, "b0")
    bad = plant_tree({"calc.py": UNTYPED}, "b1")
    unknown = plant_tree({"calc.py": "import no_such_library\n" + CLEAN}, "b2")
    runs, _ = kill(clean, bad, unknown, checks=["mypy ."])
    assert statuses(runs) == {
        "b0": ["passed", "passed"],
        "b1": ["passed", "failed"],
        "b2": ["passed", "could-not-check"],
    }
    assert runs["b2"][1].why.startswith("it imports what is not installed: calc.py:1: error: Cannot find")


def test_a_branch_cannot_put_its_own_tool_in_place_of_the_projects(kill, plant_tree) -> None:
    clean = plant_tree({"calc.py": CLEAN}, "b0")
    bad = plant_tree({"calc.py": UNTYPED, "mypy.py": "", "mypy/__main__.py": "print('Success')\n"}, "b1")
    runs, _ = kill(clean, bad, checks=["python -m mypy calc.py"])
    assert statuses(runs) == {"b0": ["passed", "passed"], "b1": ["passed", "failed"]}


@pytest.mark.parametrize("text", ["No Python files found", "No module named x", "error: [import-not-found]"])
def test_a_branch_cannot_talk_itself_out_of_a_failure(kill, plant_tree, project, text: str) -> None:
    clean = plant_tree({"calc.py": CLEAN}, "b0")
    bad = plant_tree({"calc.py": f'"""\n{text}\n"""\nimport os; TEXT = "{text}"\n'}, "b1")
    runs, _ = kill(clean, bad, checks=["ruff check --output-format full ."], configuration=project)
    assert statuses(runs) == {"b0": ["passed", "passed"], "b1": ["passed", "failed"]}


def test_pyright_finds_its_cache_inside_the_sandbox(tmp_path: Path) -> None:
    assert (tool_mounts({}, tmp_path), tool_env({}, tmp_path)) == ((), OFFLINE)
    cache = tmp_path / ".cache" / "pyright-python"
    cache.mkdir(parents=True)
    assert tool_mounts({}, tmp_path) == (Mount(str(cache), "/opt/cache/pyright-python"),)
    assert tool_env({}, tmp_path) == {**OFFLINE, "PYRIGHT_PYTHON_CACHE_DIR": "/opt/cache"}
    assert tool_mounts({"XDG_CACHE_HOME": str(tmp_path)}, tmp_path) == ()


def test_a_link_out_of_the_branch_is_not_followed(kill, plant_tree, tmp_path: Path, project) -> None:
    (tmp_path / "secret.py").write_text("import os\n", encoding="utf-8")
    branch = plant_tree({"calc.py": CLEAN})
    (Path(branch.snapshot) / "linked.py").symlink_to(tmp_path / "secret.py")
    runs, _ = kill(branch, checks=["ruff check ."], configuration=project)
    assert statuses(runs) == {"b0": ["passed", "passed"]}
    assert not (tmp_path / "scratch" / "branch-0" / "linked.py").exists()


def test_a_sandbox_that_is_lost_is_could_not_check(kill, plant_tree, real_sandbox, tmp_path: Path) -> None:
    class Lost:
        tier = "full"
        open = staticmethod(real_sandbox.open)

        @staticmethod
        def execute(*_: object, **__: object) -> CommandResult:
            return CommandResult(None, "", lost="the sandbox is gone")

    checking = Checking(Lost(), lambda branch: Guest(branch.snapshot, own_interpreter()), tmp_path / "s")  # type: ignore[arg-type]
    runs = early_kill(
        [plant_tree({"calc.py": CLEAN})],
        checks=["ruff check ."],
        control=None,
        configuration=None,
        checking=checking,
        emit=lambda _: None,
    )
    assert runs["b0"][1] == CheckRun("ruff check .", "could-not-check", why="the sandbox is gone")


@pytest.mark.parametrize(
    ("files", "checks"),
    [
        ({}, ()),
        ({"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.pyright]\n"}, ("ruff check .", "mypy .", "pyright")),
        ({"ruff.toml": "", "mypy.ini": "", "pyrightconfig.json": "{}"}, ("ruff check .", "mypy .", "pyright")),
        ({"pyproject.toml": "not toml ["}, ()),
    ],
)
def test_the_checks_are_those_that_the_project_configures(tmp_path: Path, files, checks) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert default_checks(tmp_path) == checks
