"""Properties: what the task's owner declares must hold, checked in this trusted process against a branch in its sandbox."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pqa.core.errors import GuestLost, UsageError
from pqa.core.ports import Conversation, Zygote
from pqa.core.trigger import Json
from pqa.instruments.draw import Draw, FixedDraw
from pqa.instruments.remote import CouldNotCheck, Remote

PREFIX = "property_"
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


def recheck_property(
    name: str, function: Property, zygote: Zygote, modules: Sequence[str], draws: Sequence[Json], *, seconds: float
) -> PropertyRun:
    """Run a property once with the draws of a stored trigger."""
    try:
        conversation = zygote.converse("session", {"call_seconds": 1.0}, seconds=seconds)
    except GuestLost as error:
        return PropertyRun(name, PropertyStatus.COULD_NOT_CHECK, str(error))
    try:
        return run_once(name, function, conversation, modules, FixedDraw(draws))
    except GuestLost as error:
        return PropertyRun(name, PropertyStatus.COULD_NOT_CHECK, str(error))
    finally:
        conversation.close()


def run_once(
    name: str,
    function: Property,
    conversation: Conversation,
    modules: Sequence[str],
    draw: Draw,
    *,
    let_through: tuple[type[Exception], ...] = (GuestLost,),
) -> PropertyRun:
    """Run a property with one draw; what the draw itself raises, of these kinds, is no verdict and escapes."""
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
    except let_through:
        raise
    except CouldNotCheck as error:
        status, message = PropertyStatus.COULD_NOT_CHECK, str(error)
    except Exception as error:  # noqa: BLE001 - any other exception is the property's or the branch's: not a verdict
        status, message = PropertyStatus.COULD_NOT_CHECK, f"{type(error).__name__}: {str(error)[:300]}"
    return PropertyRun(
        name, status, message, tuple(remote.setup), tuple(remote.calls), tuple(remote.answers), tuple(draw.log), 1
    )
