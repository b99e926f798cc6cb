"""Which Python hosts the fork server, what of the disk it may show, and what a user reads when it will not do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pqa.core.errors import UsageError
from pqa.core.job import Guest
from pqa.sandbox.bubblewrap import BubblewrapSandbox
from pqa.sandbox.interpreter import fallback_mounts, find_interpreter, own_interpreter, readable_places

MakeGuest = Callable[..., Guest]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A project whose environment is of pqa's own minor version and has no pytest."""
    project = tmp_path / "project"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(project / ".venv")], check=True)
    return project


def stub(folder: Path, text: str) -> str:
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
    program.chmod(0o755)
    return str(program)


def test_the_one_that_is_named_comes_first_then_the_projects_then_pqas_own(bare: Path, tmp_path: Path) -> None:
    assert find_interpreter(sys.executable, bare, os.environ).executable == sys.executable
    assert find_interpreter(None, bare, os.environ).executable == str(bare / ".venv" / "bin" / "python")
    own = find_interpreter(None, tmp_path / "nothing", os.environ)
    assert own.executable == sys.executable
    assert (own.has_pytest, own.has_coverage, own.extra_paths) == (True, True, ())
    assert own.version == sys.version_info[:3]
    assert set(own.prefixes) == set(own_interpreter().prefixes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exit 3", "does not work as a Python 3.9 or newer: exit status 3"),
        ("echo trouble >&2; exit 1", "does not work as a Python 3.9 or newer: trouble"),
        (
            'echo \'{"version": [3, 8, 18], "places": [], "pytest": false, "coverage": false}\'',
            "is Python 3.8.18, too old to run branches",
        ),
    ],
)
def test_one_that_will_not_do_is_named_with_the_next_step(tmp_path: Path, text: str, words: str) -> None:
    path = stub(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        find_interpreter(path, tmp_path, os.environ)
    assert str(caught.value) == f"'{path}' {words}"
    assert caught.value.next_step.endswith("with --python PATH")


def test_one_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_interpreter(str(tmp_path / "no"), tmp_path, os.environ)
    assert str(caught.value) == f"there is no Python at '{tmp_path}/no'"


def test_pqas_own_pytest_and_nothing_else_of_its_own_is_lent(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, bare: Path
) -> None:
    interpreter = find_interpreter(None, bare, os.environ)
    assert (interpreter.has_pytest, interpreter.has_coverage) == (False, False)
    assert interpreter.extra_paths == ("/opt/site",)
    guest = replace(
        make_guest({"test_m.py": "def test_m():\n    assert 1 + 1 == 2\n"}, preload=("pytest",)),
        interpreter=interpreter,
        mounts=fallback_mounts(interpreter),
    )
    source = """
import importlib.util, coverage, os, pytest, sys
print([name for name in ('rich', 'typer', 'hypothesis', 'pqa', 'jinja2') if importlib.util.find_spec(name)])
print(sorted(os.listdir('/opt/site')), sys.path[-1])
raise SystemExit(pytest.main(['-q', '-p', 'no:cacheprovider']))
"""
    with sandbox.open(guest) as zygote:
        result = zygote.run("program", {"source": source}, seconds=20)
    names = ["_pytest", "coverage", "iniconfig", "packaging", "pluggy", "py.py", "pygments", "pytest"]
    assert result.output.startswith(f"[]\n{names} /opt/site\n")
    assert result.complete
    assert "1 passed" in result.output


def test_pqas_own_pytest_is_not_lent_to_another_minor_version(tmp_path: Path) -> None:
    answer = '{"version": [3, 9, 1], "places": ["/usr"], "pytest": false, "coverage": false}'
    interpreter = find_interpreter(stub(tmp_path, f"echo '{answer}'"), tmp_path, os.environ)
    assert interpreter.extra_paths == ()
    assert fallback_mounts(interpreter) == ()


def test_prefixes_are_few_and_show_no_home_and_no_project(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "home" / "project"
    for folder in (project / ".venv" / "bin", home / "bin", home / "lib", project / "bin"):
        folder.mkdir(parents=True)
    private = [str(home), str(project)]
    places = [str(project / ".venv"), str(project / ".venv" / "bin"), "/usr", "/usr/local/lib", str(project / ".venv")]
    assert readable_places(places, private) == (str(project / ".venv"),)
    assert readable_places([str(project)], private) == (str(project / "bin"),)
    assert readable_places([str(home)], private) == (str(home / "bin"), str(home / "lib"))
    assert readable_places(["/nix/store/abc-python", "/usr/src/app/.venv"], private) == (
        "/nix/store",
        "/usr/src/app/.venv",
    )


def test_an_interpreter_reached_through_links_elsewhere_starts(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, bare: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "links"
    elsewhere.mkdir()
    python = bare / ".venv" / "bin" / "python"
    target = python.resolve()
    (elsewhere / "python-link").symlink_to(target)
    python.unlink()
    python.symlink_to(tmp_path / "links" / "python-link")
    guest = replace(make_guest(), interpreter=find_interpreter(None, bare, os.environ))
    with sandbox.open(guest) as zygote:
        result = zygote.run("program", {"source": "import sys; print(sys.prefix)"}, seconds=5)
    assert result.output == f"{bare}/.venv\n"


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13", "3.14"])
def test_branches_can_be_run_by_other_versions_of_python(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, version: str
) -> None:
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python")) or sorted(
        Path("/usr/bin").glob(f"python{version}")
    )
    if not found:
        pytest.skip(f"there is no Python {version} here")
    interpreter = find_interpreter(str(found[0]), Path("/nonexistent"), os.environ)
    with sandbox.open(replace(make_guest({"m.py": "X = 7\n"}), interpreter=interpreter)) as zygote:
        result = zygote.run("program", {"source": "import m, sys; print(m.X, *sys.version_info[:2])"}, seconds=10)
        assert zygote.jail == ()
    assert result.output == f"7 {version.replace('.', ' ')}\n"
    assert result.complete
