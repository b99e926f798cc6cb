"""Properties: what the task's owner declares must hold, checked in this trusted process against a branch in its sandbox."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import HypothesisException, Unsatisfiable
from platformdirs import user_cache_path

from pqa.core.errors import GuestLost, UsageError
from pqa.core.ports import Conversation, Zygote
from pqa.core.trigger import Json
from pqa.instruments.draw import Draw, FixedDraw, HypothesisDraw
from pqa.instruments.remote import CouldNotCheck, Remote

PREFIX = "property_"
set_hypothesis_home_dir(
    user_cache_path("pqa") / "hypothesis"
)  # its tables, which it would else put where the user stands
SESSION_SECONDS = 60.0
Property = Callable[..., Any]


class PropertyStatus(StrEnum):
    """Three outcomes of checking a property, never two."""

    HELD = "held"
    BROKEN = "broken"
    COULD_NOT_CHECK = "could-not-check"


@dataclass(frozen=True, slots=True)
class PropertyRun:
    """What checking one property showed; the set-up and calls are those of the smallest broken example."""

    name: str
    status: PropertyStatus
    message: str = ""
    setup: tuple[Mapping[str, Json], ...] = ()
    calls: tuple[Mapping[str, Json], ...] = ()
    answers: tuple[Mapping[str, Json], ...] = ()
    draws: tuple[Json, ...] = ()
    trials: int = 0


class Broken(Exception):
    """A property is broken: an AssertionError, or `return False`."""


def load_properties(path: Path) -> dict[str, Property]:
    """The functions `property_*(module, draw)` of a trusted file, by name.

    Raises UsageError when the file cannot be read or run, or declares none.
    """
    if not path.is_file():
        raise UsageError(
            f"the properties file '{path}' is not a file", "give the path of a Python file with --properties"
        )
    spec = importlib.util.spec_from_file_location("pqa_declared_properties", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"the properties file '{path}' is not a Python file", "name it so that it ends in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(
            f"the properties file '{path}' fails: {type(error).__name__}: {error}", "mend the file"
        ) from error
    found = {
        name: thing for name, thing in vars(module).items() if name.startswith(PREFIX) and inspect.isfunction(thing)
    }
    if not found:
        step = f"declare at least one function named {PREFIX}SOMETHING(module, draw)"
        raise UsageError(f"the properties file '{path}' declares no property", step)
    return dict(sorted(found.items()))


def check_property(
    name: str, function: Property, zygote: Zygote, modules: Sequence[str], *, trials: int, seed_number: int
) -> PropertyRun:
    """Try `trials` seeded draws on a branch; the first broken one is shrunk by Hypothesis."""
    conversation = zygote.converse("session", {"call_seconds": 1.0}, seconds=SESSION_SECONDS)
    try:
        return _search(name, function, conversation, modules, trials, seed_number)
    except (CouldNotCheck, GuestLost) as error:
        return PropertyRun(name, PropertyStatus.COULD_NOT_CHECK, str(error))
    finally:
        conversation.close()


def _search(
    name: str, function: Property, conversation: Conversation, modules: Sequence[str], trials: int, seed_number: int
) -> PropertyRun:
    last: list[PropertyRun] = []
    tried = 0

    def example(data: st.DataObject) -> None:
        nonlocal tried
        tried += 1
        run = _once(name, function, conversation, modules, HypothesisDraw(data))
        if run.status is PropertyStatus.COULD_NOT_CHECK:
            raise CouldNotCheck(run.message)
        if run.status is PropertyStatus.BROKEN:
            last.append(run)
            raise Broken(run.message)

    quiet = settings(
        max_examples=trials, database=None, deadline=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink), report_multiple_bugs=False, print_blob=False,
    )  # fmt: skip
    try:
        seed(seed_number)(quiet(given(st.data())(example)))()
    except Broken:
        return last[-1]
    except Unsatisfiable as error:
        return PropertyRun(
            name, PropertyStatus.COULD_NOT_CHECK, f"no example satisfies its draws: {error}", trials=tried
        )
    except HypothesisException as error:
        return PropertyRun(name, PropertyStatus.COULD_NOT_CHECK, f"{type(error).__name__}: {error}", trials=tried)
    return PropertyRun(name, PropertyStatus.HELD, trials=tried)


def recheck_property(
    name: str, function: Property, zygote: Zygote, modules: Sequence[str], draws: Sequence[Json], *, seconds: float
) -> PropertyRun:
    """Run a property once with the draws of a stored trigger."""
    try:
        conversation = zygote.converse("session", {"call_seconds": 1.0}, seconds=seconds)
    except GuestLost as error:
        return PropertyRun(name, PropertyStatus.COULD_NOT_CHECK, str(error))
    try:
        return _once(name, function, conversation, modules, FixedDraw(draws))
    except GuestLost as error:
        return PropertyRun(name, PropertyStatus.COULD_NOT_CHECK, str(error))
    finally:
        conversation.close()


def _once(name: str, function: Property, conversation: Conversation, modules: Sequence[str], draw: Draw) -> PropertyRun:
    remote = Remote(conversation, modules)
    status, message = PropertyStatus.HELD, ""
    try:
        remote.reset()
        if function(remote.module(), draw) is False:
            status, message = PropertyStatus.BROKEN, "it returned False"
    except AssertionError as error:
        status, message = (
            PropertyStatus.BROKEN,
            str(error).splitlines()[0][:500] if str(error) else "its assertion fails",
        )
    except (HypothesisException, GuestLost):
        raise
    except CouldNotCheck as error:
        status, message = PropertyStatus.COULD_NOT_CHECK, str(error)
    except Exception as error:  # noqa: BLE001 - any other exception is the property's or the branch's: not a verdict
        status, message = PropertyStatus.COULD_NOT_CHECK, f"{type(error).__name__}: {str(error)[:300]}"
    return PropertyRun(
        name, status, message, tuple(remote.setup), tuple(remote.calls), tuple(remote.answers), tuple(draw.log), 1
    )
