"""Mutant replay: run a `mutant` trigger again: does the whole suite stay green on the mutant, and does the witness part them?

The trigger's source is JSON that names the mutant: {"file", "index", "line", "operator", "replacement"}.
"""

from __future__ import annotations

import json

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.ports import Zygote
from pqa.core.trigger import Json, Trigger
from pqa.instruments.hollow import own_suite
from pqa.instruments.mutant_witness import Mutated, Witness, differs
from pqa.instruments.mutation import KILLED, SURVIVED, Mutant, Mutation
from pqa.instruments.observation import case_of, observe
from pqa.instruments.outcomes import Outcome, describe_vector, kind_of

NAMED = ("file", "index", "line", "operator", "replacement")


def mutant_trigger(mutant: Mutant, witness: Witness, claim: str, *, seed: int, timeout: float) -> Trigger:
    """The trigger that shows a mutant with a witness."""
    source = json.dumps({name: getattr(mutant, name) for name in NAMED}, sort_keys=True)
    expect = {"values": [_right(outcome) for outcome in witness.right]}
    setup, calls = tuple(witness.case["setup"]), tuple(witness.case["calls"])
    return Trigger("mutant", claim, setup, calls, expect, source=source, timeout=timeout, seed=seed)


def _right(outcome: Outcome) -> Json:
    if kind_of(outcome) == "value":
        return outcome["value"]
    return {"$raises": outcome["raises"]} if "raises" in outcome else {"$any": True}


def show_mutant(zygote: Zygote, branch: Branch, trigger: Trigger, *, inert: bool) -> tuple[bool | None, str]:
    """Shown: every test passes on the mutant, and the witness's answers differ. None where either cannot be told."""
    if inert:
        return False, "inert"
    try:
        told = json.loads(trigger.source or "")
        wanted = tuple(told[name] for name in NAMED)
    except (ValueError, TypeError, KeyError):
        return None, "the trigger is malformed"
    suite = own_suite(branch)
    if not suite.paths:
        return None, "the branch brings no tests of its own"
    try:
        with Mutation(zygote, suite, seconds=4 * trigger.timeout) as mutation:
            same = [one for one in mutation.mutants() if tuple(getattr(one, name) for name in NAMED) == wanted]
            trouble = "" if same else "the code has no such place"
            trouble = trouble or mutation.baseline()
            if trouble:
                return None, trouble
            verdict = mutation.fresh(same[0].number)
    except GuestLost as error:
        return None, f"the sandbox was lost: {error}"
    words = f"the suite on the mutant: {verdict.status}{': ' + verdict.why if verdict.why else ''}"
    if verdict.status != SURVIVED:
        return (False if verdict.status == KILLED else None), words
    case = case_of(trigger)
    right = observe(zygote, [case], call_seconds=1.0, seconds=trigger.timeout)[0]
    changed = observe(Mutated(zygote, same[0].file, same[0].index), [case], call_seconds=1.0, seconds=trigger.timeout)[
        0
    ]
    words += f"\nas it is: {describe_vector(right.outcomes)}\nmutant: {describe_vector(changed.outcomes)}"
    return (None if right.trouble else differs(right, changed)), words
