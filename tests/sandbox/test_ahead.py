"""Ahead: what is wrong with the request is said before what is wrong with the machine, and nothing is left open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pqa.core.errors import NoSandbox, UsageError
from pqa.sandbox.ahead import choosing_sandbox


def test_the_sandbox_is_there_when_it_is_asked_for() -> None:
    with choosing_sandbox(unsafe=True, environ=os.environ) as chosen:
        assert chosen().tier == "none"
        assert chosen() is chosen()


def test_a_wrong_request_is_told_before_a_machine_without_a_sandbox(tmp_path: Path) -> None:
    nowhere = {"PATH": str(tmp_path)}
    with pytest.raises(UsageError), choosing_sandbox(unsafe=False, environ=nowhere):
        raise UsageError("there is no attack 'x'", "choose another")


def test_a_machine_without_a_sandbox_is_told_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pqa.sandbox.choose.full", lambda environ: iter([(None, "it is refused", "mend it")]))
    monkeypatch.setattr("pqa.sandbox.choose.reduced", lambda environ: iter([(None, "it is refused", "mend it")]))
    with choosing_sandbox(unsafe=False, environ=os.environ) as chosen, pytest.raises(NoSandbox):
        chosen()
