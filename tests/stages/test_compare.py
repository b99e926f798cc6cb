"""Compare: who shares a flaw and who is clear of it, from findings alone; no path is held and no file is opened."""

from __future__ import annotations

import json
import subprocess
import sys

from pqa.stages.compare import compare


def finding(branch: str, number: int, **changes: object) -> dict[str, object]:
    values = {
        "branch_id": branch,
        "severity": "critical",
        "category": "property",
        "title": "the limit is exceeded",
        "detail": "here",
        "resolved": False,
        "id": f"f{number}",
        "layer": "question",
        "root": "property:limit",
        "discounted": False,
    }
    return {**values, **changes}


FINDINGS = [
    finding("b0", 1),
    finding("b2", 2),
    finding(
        "b0", 3, root="time-shift:Limiter", category="time-shift", layer="boundaries", title="it depends on the clock"
    ),
    finding("b1", 4, severity="high", root=None, category="input", title="empty keys are accepted", layer=None),
    finding("b1", 5, severity="low", category="style"),
    finding("b3", 6, resolved=True),
    finding("b3", 7, discounted=True),
]
MATRIX = {
    "f1": {"b0": "shown", "b1": "not-shown", "b2": "not-shown", "b3": "not-shown"},
    "f2": {"b0": "not-shown", "b1": "not-shown", "b2": "shown", "b3": "could-not-check"},
    "f3": {"b0": "shown", "b1": "not-shown", "b2": "not-shown", "b3": "could-not-check"},
    "f4": {"b0": "not-shown", "b1": "shown", "b2": "shown", "b3": "not-shown"},
}


def test_flaws_are_joined_by_root_and_say_who_has_them() -> None:
    found = compare(FINDINGS, MATRIX)

    assert found == {
        "schema": "pqa.compare/1",
        "flaws": [
            {
                "root": "property:limit",
                "title": "the limit is exceeded",
                "severity": "critical",
                "branches": ["b0", "b2"],
                "cleared": ["b1", "b3"],
                "unknown": [],
                "words": "b0 and b2",
                "findings": ["f1", "f2"],
            },
            {
                "root": "time-shift:Limiter",
                "title": "it depends on the clock",
                "severity": "critical",
                "branches": ["b0"],
                "cleared": ["b1", "b2"],
                "unknown": ["b3"],
                "words": "b0 alone",
                "findings": ["f3"],
            },
            {
                "root": "input: empty keys are accepted",
                "title": "empty keys are accepted",
                "severity": "high",
                "branches": ["b1", "b2"],
                "cleared": ["b0", "b3"],
                "unknown": [],
                "words": "b1 and b2",
                "findings": ["f4"],
            },
        ],
        "by_category": {
            "input": {"b1": {"high": 1}},
            "property": {"b0": {"critical": 1}, "b2": {"critical": 1}},
            "time-shift": {"b0": {"critical": 1}},
        },
        "by_layer": {
            "boundaries": {"b0": {"critical": 1}},
            "none": {"b1": {"high": 1}},
            "question": {"b0": {"critical": 1}, "b2": {"critical": 1}},
        },
    }


def test_one_accused_branch_needs_no_comparison() -> None:
    assert compare(FINDINGS[:1] + FINDINGS[4:], MATRIX) is None
    assert compare([], {}) is None


AUDITED = """
import json, sys
from pqa.stages.compare import compare

findings, matrix = json.load(sys.stdin)
text = json.dumps(findings)
opened = []

def refuse(event, arguments):
    if event in ("open", "os.listdir", "os.scandir", "subprocess.Popen", "socket.connect", "import"):
        opened.append((event, str(arguments[0])))
        raise PermissionError(event)

sys.addaudithook(refuse)
found = compare(findings, matrix)
sys.stdout.write(json.dumps({"opened": opened, "found": found, "untouched": json.dumps(findings) == text}))
"""


def test_it_opens_no_file_and_needs_no_path() -> None:
    bare = [
        {key: value for key, value in one.items() if key not in ("location", "path", "trigger")} for one in FINDINGS
    ]
    ended = subprocess.run(
        [sys.executable, "-c", AUDITED],
        input=json.dumps([bare, MATRIX]),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    told = json.loads(ended.stdout)
    assert (told["opened"], told["untouched"]) == ([], True)
    assert told["found"] == compare(FINDINGS, MATRIX)
    assert "/" not in json.dumps(told["found"]).replace("pqa.compare/1", "")


def test_a_file_would_have_been_noticed() -> None:
    opening = AUDITED.replace("found = compare(findings, matrix)", "open('/etc/hostname')")

    ended = subprocess.run(
        [sys.executable, "-c", opening],
        input=json.dumps([FINDINGS, MATRIX]),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "PermissionError: open" in ended.stderr
