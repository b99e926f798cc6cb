"""Property search: seeded draws of a property on a branch, the first broken one made small by Hypothesis.

It is imported only where a property is declared: loading Hypothesis takes a tenth of the time of a small run.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import HypothesisException, Unsatisfiable
from platformdirs import user_cache_path

from pqa.core.errors import GuestLost
from pqa.core.ports import Conversation, Zygote
from pqa.core.values import encode
from pqa.instruments.draw import BaseDraw
from pqa.instruments.properties import Property, PropertyRun, PropertyStatus, run_once
from pqa.instruments.remote import CouldNotCheck

set_hypothesis_home_dir(
    user_cache_path("pqa") / "hypothesis"
)  # its tables, which it would else put where the user stands
SESSION_SECONDS = 60.0


class Broken(Exception):
    """A property is broken: an AssertionError, or `return False`."""


class HypothesisDraw(BaseDraw):
    """Whole numbers from Hypothesis, which shrinks them when a property breaks."""

    def __init__(self, data: st.DataObject) -> None:
        super().__init__()
        self._data = data

    def _number(self, low: int, high: int) -> int:
        number = int(self._data.draw(st.integers(low, high)))
        self.log.append(encode(number))
        return number


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
        run = run_once(
            name, function, conversation, modules, HypothesisDraw(data), let_through=(HypothesisException, GuestLost)
        )
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
