"""Config: settings from pyproject.toml, pqa.toml and PQA_*, and the requests that commands hand to `wiring`."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from pqa.core.errors import UsageError
from pqa.core.job import Interpreter, Limits, ProbeCheck
from pqa.core.verdict import Collision

FILE_BYTES = 1 << 20
GATES = ("high", "critical")
COMMAND_LINE_ONLY = "unsafe_no_sandbox"
FLAGS = "the command line"
OTHER_VARIABLES = frozenset(["PQA_DEBUG", "PQA_LEDGER"])


@dataclass(frozen=True, slots=True)
class Settings:
    """What files, environment and flags may set. `checks` None: pqa detects them; `attacks` empty: all of them."""

    checks: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    budget: float = 120.0
    seed: int = 0
    python: str | None = None
    properties: str | None = None
    gate: str | None = None
    require_choice: bool = False
    keep: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class CollideRequest:
    """One `pqa collide`: the user's words (paths relative to `project`), and the settings in force; `until` names the last
    stage that is carried out."""

    project: Path
    branches: tuple[str, ...] = ()
    task: str | None = None
    tests: str | None = None
    base: str | None = None
    json: str | None = None
    unsafe_no_sandbox: bool = False
    settings: Settings = field(default_factory=Settings)
    refs: tuple[str, ...] = ()
    reference: str | None = None
    adversaries: tuple[str, ...] = ()
    adversary_seconds: float = 300.0
    adversary_network: bool = False
    until: str = "choose"


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One `pqa judge`: files of ideas (none: `.pqa/ideas/*.md`), and a weighing, "-" for standard input."""

    project: Path
    ideas: tuple[str, ...] = ()
    weighing: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """One `pqa replay`: a stored run and one of its findings, or (None) all that have a trigger."""

    project: Path
    collision: Collision
    finding_id: str | None = None
    unsafe_no_sandbox: bool = False
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One `pqa ask`: a stored run, and the directories of trusted implementations that answer in place of a person."""

    project: Path
    collision: Collision
    answer_from: tuple[str, ...] = ()
    unsafe_no_sandbox: bool = False
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True)
class DefendRequest:
    """One `pqa defend`: a stored run in `folder`, and for each branch a patched copy or a file of rebuttals."""

    project: Path
    collision: Collision
    folder: Path
    patches: tuple[tuple[str, str], ...] = ()
    rebuttals: tuple[tuple[str, str], ...] = ()
    unsafe_no_sandbox: bool = False
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `pqa doctor` shows: tier "full", "reduced" or "none", the interpreter (or why there is none), the probe."""

    tier: str
    checks: tuple[ProbeCheck, ...] = ()
    interpreter: Interpreter | None = None
    trouble: str = ""


def load_settings(project: Path, environment: Mapping[str, str], flags: Mapping[str, Any]) -> Settings:
    """The settings in force: a flag (not None) beats environment, that beats pqa.toml, that beats pyproject.toml."""
    pyproject, dedicated = project / "pyproject.toml", project / "pqa.toml"
    tool = _toml(pyproject).get("tool")
    section = tool.get("pqa", {}) if isinstance(tool, dict) else {}
    values = _from_table(section, f"[tool.pqa] in '{pyproject}'")
    values |= _from_table(_toml(dedicated), f"'{dedicated}'")
    values |= _from_environment(environment)
    values |= {key: _checked(key, value, FLAGS) for key, value in flags.items() if value is not None}
    limits = values.pop("limits", {})
    return replace(Settings(**values), limits=replace(Limits(), **limits))


def _toml(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        if not path.is_file() or path.stat().st_size > FILE_BYTES:
            raise UsageError(f"'{path}' is no TOML file of at most 1 MiB", "mend or remove it")
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}", "mend its permissions") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"'{path}' is not valid TOML: {error}", "mend it") from error


def _from_table(table: object, source: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise UsageError(f"{source} is not a table", "write its keys as 'name = value'")
    values: dict[str, Any] = {}
    for written, value in table.items():
        key = written.replace("-", "_")
        if key == COMMAND_LINE_ONLY:
            _refuse_unsafe(f"'{written}' is set in {source}")
        values[key] = _limits(value, source) if key == "limits" else _checked(key, value, source)
    return values


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in sorted(environment.items()):
        if not name.startswith("PQA_") or name in OTHER_VARIABLES:
            continue
        key = name.removeprefix("PQA_").lower()
        if key == COMMAND_LINE_ONLY:
            _refuse_unsafe(f"'{name}' is set in the environment")
        source = f"the environment ({name})"
        values[key] = _checked(key, _parsed(key, text), source)
    return values


def _refuse_unsafe(what: str) -> None:
    message = f"{what}, but running without a sandbox is for the command line only"
    raise UsageError(message, "remove it there; 'pqa doctor' says how to get a sandbox")


def _parsed(key: str, text: str) -> object:
    kind = KINDS.get(key)
    return kind.parse(text.strip()) if kind else text


def _checked(key: str, value: object, source: str) -> Any:
    kind = KINDS.get(key)
    if kind is None:
        near = difflib.get_close_matches(key, {*KINDS, "limits"} - {key}, 1)
        known = ", ".join(sorted([*KINDS, "limits"]))
        hint = f"did you mean '{near[0]}'?" if near else f"the known keys are {known}"
        raise UsageError(f"unknown key '{key}' in {source}", hint)
    if not kind.holds(value):
        raise UsageError(f"'{key}' {_in(source)} is {_shown(value)}; expected {kind.expected}", f"mend '{key}'")
    return kind.finish(value)


def _limits(value: object, source: str) -> dict[str, int]:
    if not isinstance(value, dict):
        raise UsageError(
            f"'limits' in {source} is {_shown(value)}; expected a table", "write [limits] or [tool.pqa.limits]"
        )
    ceilings = {item.name: getattr(Limits(), item.name) for item in fields(Limits)}
    for key, bound in value.items():
        if key not in ceilings:
            raise UsageError(
                f"unknown key 'limits.{key}' in {source}", f"the known limits are {', '.join(sorted(ceilings))}"
            )
        if not _is_int(bound) or not 1 <= bound <= ceilings[key]:
            expected = f"expected a whole number from 1 to {ceilings[key]}"
            message = f"'limits.{key}' in {source} is {_shown(bound)}; {expected}: a limit can only be tightened"
            raise UsageError(message, f"lower 'limits.{key}'")
    return value


def _in(source: str) -> str:
    return f"on {source}" if source == FLAGS else f"in {source}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(_is_text(item) for item in value)


def _is_budget(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 < value <= 86_400
    )


def _is_seed(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _number(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _switch(text: str) -> object:
    return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}.get(text.lower(), text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


@dataclass(frozen=True, slots=True)
class _Kind:
    """One key: how text becomes a value, whether the value is right, what was expected, what is kept."""

    expected: str
    holds: Callable[[object], bool]
    parse: Callable[[str], object] = str
    finish: Callable[[Any], Any] = lambda value: value


KINDS: Mapping[str, _Kind] = {
    "checks": _Kind("a list of command lines", _is_texts, lambda text: tuple(text.splitlines()), tuple),
    "exclude": _Kind("a list of file patterns", _is_texts, _names, tuple),
    "attacks": _Kind("a list of attack names", _is_texts, _names, tuple),
    "budget": _Kind("a number of seconds above 0, at most 86400", _is_budget, _number, float),
    "seed": _Kind("a whole number from 0 to 2**63 - 1", _is_seed, _number),
    "python": _Kind("the path of a Python interpreter", _is_text),
    "properties": _Kind("the path of a file", _is_text),
    "gate": _Kind("'high' or 'critical'", lambda value: value in GATES),
    "require_choice": _Kind("true or false", lambda value: isinstance(value, bool), _switch),
    "keep": _Kind("true or false", lambda value: isinstance(value, bool), _switch),
}
