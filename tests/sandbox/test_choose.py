"""Which sandbox is chosen, and what a user reads where there is none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pqa.core.errors import ExitCode, GuestLost, NoSandbox
from pqa.core.job import Guest, ProbeCheck
from pqa.sandbox import bubblewrap, choose, doctor, fixes
from pqa.sandbox.bubblewrap import BubblewrapSandbox
from pqa.sandbox.reduced import ReducedSandbox
from pqa.sandbox.unsandboxed import UnsandboxedSandbox

MakeGuest = Callable[..., Guest]


def stub(folder: Path, text: str) -> dict[str, str]:
    """A PATH on which bwrap is a shell script."""
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
    program.chmod(0o755)
    return {"PATH": str(folder)}


@pytest.fixture(autouse=True)
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "bwrap_path", None)


@pytest.fixture(autouse=True)
def without_landlock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests here are about bubblewrap; those that ask for it may fall back."""
    if "landlock" not in request.node.name:
        refusal = ProbeCheck("start", False, "start a sandbox", "landlock is not available", "use a newer kernel")
        monkeypatch.setattr(ReducedSandbox, "probe", lambda self: (refusal,))


def test_a_missing_bwrap_is_to_be_installed_where_the_kernel_gives_namespaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose, "namespaces_are_refused", lambda: False)
    with pytest.raises(NoSandbox, match="no bwrap program was found on PATH") as caught:
        choose.choose_sandbox(unsafe=False, environ={"PATH": str(tmp_path)})
    assert caught.value.next_step == fixes.INSTALL


def test_landlock_alone_is_chosen_where_namespaces_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "namespaces_are_refused", lambda: True)
    try:
        found = choose.choose_sandbox(unsafe=False, environ={"PATH": str(tmp_path)})
    except NoSandbox as error:
        pytest.skip(f"no Landlock here: {error}")
    names = ["start", "write", "read", "connect", "signal", "nest", "disk", "processes"]
    assert found.tier == "reduced"
    assert [(check.name, check.holds, check.fix) for check in found.probe()] == [(name, True, "") for name in names]
    assert "no bwrap program" in choose.why_not_full({"PATH": str(tmp_path)})


def test_landlock_that_is_missing_too_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "namespaces_are_refused", lambda: True)
    refusal = ProbeCheck("start", False, "start a sandbox", "landlock is not available", "use a newer kernel")
    monkeypatch.setattr(ReducedSandbox, "probe", lambda self: (refusal,))
    with pytest.raises(NoSandbox, match=r"no bwrap.*; Landlock alone was tried .*not available") as caught:
        choose.choose_sandbox(unsafe=False, environ={"PATH": str(tmp_path)})
    assert caught.value.next_step == fixes.INSTALL


def test_every_check_of_the_probe_holds_inside_and_its_control_succeeds_outside(sandbox: BubblewrapSandbox) -> None:
    checks = sandbox.probe()
    names = ["start", "write", "read", "connect", "signal", "nest", "disk", "processes"]
    assert [(check.name, check.holds, check.fix) for check in checks] == [(name, True, "") for name in names]
    assert sandbox.probe() is checks


def test_the_probe_sees_when_nothing_is_contained(unsandboxed: UnsandboxedSandbox) -> None:
    """The twin: the same decoys succeed where there is no wall; disk and nesting are left to the inside."""
    held = {check.name: check.holds for check in doctor.examine(unsandboxed)}
    assert {name: held[name] for name in ("write", "read", "connect", "signal")} == {
        "write": False,
        "read": False,
        "connect": False,
        "signal": False,
    }


def test_a_control_that_fails_outside_makes_its_check_fail(
    sandbox: BubblewrapSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_answers_outside", lambda control: control.kill() or {})
    held = {check.name: (check.holds, check.fix) for check in doctor.examine(sandbox)}
    assert held["read"] == (False, doctor.BLIND)


def test_bubblewrap_is_chosen_where_it_works(sandbox: BubblewrapSandbox) -> None:
    assert sandbox.tier == "full"


def test_no_sandbox_is_had_only_by_asking_for_it() -> None:
    assert choose.choose_sandbox(unsafe=True, environ={}).tier == "none"


def test_without_any_bwrap_the_fix_is_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(NoSandbox, match="so none was run: no bwrap program was found on PATH") as caught:
        choose.choose_sandbox(unsafe=False, environ={"PATH": str(tmp_path)})
    assert caught.value.next_step == fixes.INSTALL
    assert caught.value.exit_code == ExitCode.NO_SANDBOX == 3


def test_a_bwrap_that_the_kernel_refuses_is_named_with_the_kernels_answer(tmp_path: Path) -> None:
    environ = stub(
        tmp_path,
        'case "$1" in --help) echo --size --remount-ro --args --disable-userns;;'
        ' *) echo "bwrap: setting up uid map: Permission denied" >&2; exit 1;; esac',
    )
    with pytest.raises(NoSandbox) as caught:
        choose.choose_sandbox(unsafe=False, environ=environ)
    assert f"'{tmp_path}/bwrap' was tried (start a sandbox): the sandbox ended: bwrap: setting up uid map" in str(
        caught.value
    )
    assert caught.value.next_step in (fixes.CONTAINER, fixes.APPARMOR)


def test_a_bwrap_that_is_too_old_is_named_with_what_it_lacks(tmp_path: Path) -> None:
    environ = stub(tmp_path, "echo --args --remount-ro")
    with pytest.raises(NoSandbox, match="is too old, it lacks --size") as caught:
        choose.choose_sandbox(unsafe=False, environ=environ)
    assert caught.value.next_step == fixes.INSTALL


def test_a_bwrap_that_contains_nothing_is_refused(tmp_path: Path) -> None:
    """A program that merely runs its command is caught by the fork server before any job."""
    environ = stub(
        tmp_path,
        'case "$1" in --help) echo --size --remount-ro --args;; *) shift 2; exec "$@";; esac',
    )
    with pytest.raises(NoSandbox):
        choose.choose_sandbox(unsafe=False, environ=environ)


def test_the_fork_server_refuses_to_work_in_the_hosts_process_namespace(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = bubblewrap._namespaces

    def without_processes(*given: Any, **named: Any) -> list[str]:
        return [word for word in whole(*given, **named) if word != "--unshare-pid"]

    monkeypatch.setattr(bubblewrap, "_namespaces", without_processes)
    with pytest.raises(GuestLost, match="shares the host's process namespace"):
        sandbox.open(make_guest())


def test_a_relative_entry_of_path_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path, "echo from the current folder")
    monkeypatch.chdir(tmp_path)
    assert list(bubblewrap.find_programs({"PATH": f".{os.pathsep}"})) == []
    assert list(bubblewrap.find_programs({"PATH": str(tmp_path)})) == [str(tmp_path / "bwrap")]


@pytest.mark.parametrize(
    ("files", "answer", "fix"),
    [
        ({}, "no bwrap", fixes.INSTALL),
        ({"/proc/version": "Linux version 4.4.0-Microsoft"}, "anything", fixes.WSL1),
        ({"/proc/sys/user/max_user_namespaces": "0"}, "No space left on device", fixes.SWITCHED_OFF),
        (
            {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1"},
            "setting up uid map: Permission denied",
            fixes.APPARMOR,
        ),
        ({}, "Creating new namespace failed: Operation not permitted", fixes.CONTAINER),
        ({}, "No permissions to create new namespace", fixes.CONTAINER),
        ({}, "something else", fixes.UNKNOWN),
    ],
)
def test_the_fix_follows_from_what_the_kernel_answered(
    files: dict[str, str], answer: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixes, "_read", lambda path: files.get(path, ""))
    assert fixes.fix_for(answer) == fix


def test_a_probe_check_without_an_answer_does_not_hold() -> None:
    from pqa.core.job import JobResult

    checks = doctor._judge([JobResult(lost="the sandbox ended: x")], (), None, {})  # type: ignore[arg-type]
    assert checks == [ProbeCheck("start", False, "run decoys in a sandbox", "the sandbox ended: x", fixes.fix_for(""))]
