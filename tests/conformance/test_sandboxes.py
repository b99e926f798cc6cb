"""Every sandbox keeps the promises of the conformance kit, and the kit sees when one keeps none."""

from __future__ import annotations

import os

import pytest

from pqa.core.errors import NoSandbox
from pqa.core.ports import Sandbox
from pqa.sandbox import choose
from pqa.sandbox.unsandboxed import UnsandboxedSandbox
from pqa.testing import CHECKS, CONTAINMENT, check_sandbox


def held(tier: str) -> Sandbox:
    """The sandbox of a tier, or the test is skipped with the reason."""
    refusals = []
    for sandbox, refusal, _ in {"full": choose.full, "reduced": choose.reduced}[tier](os.environ):
        if sandbox is not None:
            return sandbox
        refusals.append(refusal)
    pytest.skip(f"the tier '{tier}' cannot be had here: {'; '.join(refusals)}")
    raise NoSandbox("unreachable", "")


@pytest.mark.hostile
@pytest.mark.parametrize("tier", ["full", "reduced"])
def test_a_sandbox_keeps_every_promise(tier: str) -> None:
    sandbox = held(tier)
    answers = check_sandbox(sandbox)
    sandbox.close()
    assert {name: answer for name, answer in answers.items() if answer is not True} == {}
    assert set(answers) == {*CHECKS, *CONTAINMENT}


@pytest.mark.hostile
def test_without_a_sandbox_every_promise_about_the_host_is_broken() -> None:
    """The positive control: the kit's attacks succeed where nothing is in their way."""
    sandbox = UnsandboxedSandbox()
    answers = check_sandbox(sandbox)
    sandbox.close()
    assert {name: answers[name] for name in CONTAINMENT} == dict.fromkeys(CONTAINMENT, "the attack succeeded")
    assert answers["runs a program"] is True
