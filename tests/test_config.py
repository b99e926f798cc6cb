"""Settings: flag beats environment beats file; what is unknown, of a wrong type or unsafe is refused by name."""

from __future__ import annotations

import pytest

from pqa.config import Settings, load_settings
from pqa.core.errors import UsageError
from pqa.core.job import Limits


def refusal(project, environment=None, flags=None) -> UsageError:
    with pytest.raises(UsageError) as caught:
        load_settings(project, environment or {}, flags or {})
    return caught.value


def test_without_anything_the_defaults_hold(tmp_path):
    assert load_settings(tmp_path, {"HOME": "/root", "PQA_DEBUG": "1"}, {"seed": None}) == Settings()


def test_a_flag_beats_the_environment_which_beats_both_files(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.pqa]\nseed = 1\nbudget = 10\ngate = 'high'\nkeep = true\n")
    (tmp_path / "pqa.toml").write_text("seed = 2\nbudget = 20\ngate = 'critical'\n")
    environment = {"PQA_SEED": "3", "PQA_BUDGET": "30"}
    settings = load_settings(tmp_path, environment, {"seed": 4, "gate": None})
    assert settings == Settings(seed=4, budget=30.0, gate="critical", keep=True)


def test_every_key_can_stand_in_a_file(tmp_path):
    (tmp_path / "pqa.toml").write_text(
        "checks = ['ruff check .']\nexclude = ['data']\nattacks = ['hollow']\nbudget = 2.5\nseed = 9\npython = 'p'\n"
        "properties = 'q.py'\ngate = 'high'\nrequire-choice = true\nkeep = false\n[limits]\ncpu_seconds = 5\n"
    )
    assert load_settings(tmp_path, {}, {}) == Settings(
        checks=("ruff check .",),
        exclude=("data",),
        attacks=("hollow",),
        budget=2.5,
        seed=9,
        python="p",
        properties="q.py",
        gate="high",
        require_choice=True,
        limits=Limits(cpu_seconds=5),
    )


def test_the_environment_speaks_text(tmp_path):
    environment = {"PQA_ATTACKS": "hollow, differential", "PQA_REQUIRE_CHOICE": "yes", "PQA_CHECKS": "a b\nc"}
    settings = load_settings(tmp_path, environment, {})
    assert settings == Settings(attacks=("hollow", "differential"), require_choice=True, checks=("a b", "c"))


@pytest.mark.parametrize(
    ("toml", "message", "next_step"),
    [
        ("seeds = 1", "unknown key 'seeds' in '{file}'", "did you mean 'seed'?"),
        ("seed = 'x'", "'seed' in '{file}' is 'x'; expected a whole number from 0 to 2**63 - 1", "mend 'seed'"),
        ("seed = true", "'seed' in '{file}' is True; expected a whole number from 0 to 2**63 - 1", "mend 'seed'"),
        (
            "budget = nan",
            "'budget' in '{file}' is nan; expected a number of seconds above 0, at most 86400",
            "mend 'budget'",
        ),
        ("attacks = 'hollow'", "'attacks' in '{file}' is 'hollow'; expected a list of attack names", "mend 'attacks'"),
        ("keep = 1", "'keep' in '{file}' is 1; expected true or false", "mend 'keep'"),
        ("limits = 1", "'limits' in '{file}' is 1; expected a table", "write [limits] or [tool.pqa.limits]"),
        (
            "limits.cpu_seconds = 61",
            "'limits.cpu_seconds' in '{file}' is 61; expected a whole number from 1 to 60: a limit can only be tightened",
            "lower 'limits.cpu_seconds'",
        ),
        (
            "unsafe_no_sandbox = false",
            "'unsafe_no_sandbox' is set in '{file}', but running without a sandbox is for the command line only",
            "remove it there; 'pqa doctor' says how to get a sandbox",
        ),
    ],
)
def test_what_a_file_cannot_say_is_refused_with_key_file_and_expectation(tmp_path, toml, message, next_step):
    file = tmp_path / "pqa.toml"
    file.write_text(toml)
    error = refusal(tmp_path)
    assert (error.message, error.next_step) == (message.format(file=file), next_step)


def test_running_without_a_sandbox_cannot_be_asked_for_in_the_environment_or_in_pyproject(tmp_path):
    words = "but running without a sandbox is for the command line only"
    assert (
        refusal(tmp_path, {"PQA_UNSAFE_NO_SANDBOX": ""}).message
        == f"'PQA_UNSAFE_NO_SANDBOX' is set in the environment, {words}"
    )
    (tmp_path / "pyproject.toml").write_text("[tool.pqa]\nunsafe-no-sandbox = true\n")
    expected = f"'unsafe-no-sandbox' is set in [tool.pqa] in '{tmp_path}/pyproject.toml', {words}"
    assert refusal(tmp_path).message == expected


def test_an_unknown_variable_and_a_bad_one_are_named(tmp_path):
    assert refusal(tmp_path, {"PQA_SEDE": "1"}).message == "unknown key 'sede' in the environment (PQA_SEDE)"
    expected = "'seed' in the environment (PQA_SEED) is 'x'; expected a whole number from 0 to 2**63 - 1"
    assert refusal(tmp_path, {"PQA_SEED": "x"}).message == expected


def test_a_bad_flag_is_named(tmp_path):
    assert (
        refusal(tmp_path, {}, {"gate": "low"}).message
        == "'gate' on the command line is 'low'; expected 'high' or 'critical'"
    )


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "pqa.toml").write_text("[")
    assert refusal(tmp_path).message.startswith(f"'{tmp_path}/pqa.toml' is not valid TOML: ")
