"""Dispatch: every adversary on every live branch, all started together; what came back, and what did not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pqa.core.adversary import AdversaryAnswer
from pqa.core.event import Event
from pqa.core.ports import Adversary
from pqa.core.trigger import Json


def dispatch(
    adversaries: Sequence[Adversary],
    briefs: Mapping[str, Sequence[Mapping[str, Json]]],
    emit: Callable[[Event], None],
) -> list[AdversaryAnswer]:
    """One answer a pair, in order of adversaries and briefs; `briefs` are by adversary.

    One thread a pair and not one a core: an adversary waits most of its time, and none may wait for another (S6).
    """
    pairs = [(adversary, brief) for adversary in adversaries for brief in briefs[adversary.name]]
    if not pairs:
        return []

    def ask(pair: tuple[Adversary, Mapping[str, Json]]) -> AdversaryAnswer:
        adversary, brief = pair
        data = {"attack": f"adversary:{adversary.name}", "branches": [brief["branch_id"]]}
        emit(Event("attack-started", None, data))
        try:
            return adversary.answer(brief)
        except Exception as error:  # noqa: BLE001 - a faulty adversary costs its answer, never the run
            why = f"the adversary itself failed: {type(error).__name__}: {error}"
            return AdversaryAnswer(adversary.name, str(brief["branch_id"]), trouble=why)
        finally:
            emit(Event("attack-ended", None, data))

    with ThreadPoolExecutor(len(pairs), thread_name_prefix="adversary") as pool:
        return list(pool.map(ask, pairs))
