"""A submission is taken whole or refused whole: each error names its entry and what was expected."""

from __future__ import annotations

import copy
import json
import random

import jsonschema
import pytest

from pqa.instruments.brief_text import EXAMPLE
from pqa.instruments.edits import edit_in
from pqa.instruments.quote import in_task
from pqa.instruments.shingles import refuse_code
from pqa.instruments.submission import SubmissionError, read_submission, submission_schema

STATES = {"b0": "alive", "b1": "alive", "b2": "dead"}
SIX = {"branch_id": "b0", "severity": "high", "category": "c", "title": "t", "detail": "d", "resolved": False}
CALL = {"on": None, "call": "m.f", "args": [1]}
OBSERVED = {"kind": "observation", "claim": "c", "calls": [CALL], "expect": {"values": [2]}}
WHOLE = {**SIX, "why_missed": "w", "quote": "q", "layer": "boundaries", "location": "m.py:1", "trigger": OBSERVED}


def refusal(document: object, **more) -> str:
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(SubmissionError) as caught:
        read_submission(text, STATES, **more)
    return caught.value.message.removeprefix("the submission was refused: ")


def test_six_keys_alone_are_accepted_as_a_list_or_under_their_name_and_so_is_nothing():
    (finding,) = read_submission(json.dumps([SIX]), STATES)
    assert (finding.branch_id, finding.severity, finding.resolved, finding.trigger) == ("b0", "high", False, None)
    assert read_submission(json.dumps({"findings": [SIX]}), STATES) == [finding]
    assert read_submission("[]", STATES) == []


def test_the_example_of_every_brief_fits_the_published_schema():
    jsonschema.Draft202012Validator.check_schema(submission_schema())
    jsonschema.validate(EXAMPLE, submission_schema())
    assert len(read_submission(json.dumps(EXAMPLE), {"b7": "alive"})) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"resolved": True}, "'resolved' must be false: whether a finding is resolved is computed, never claimed"),
        ({"severity": "fatal"}, "'severity' is 'fatal'; expected one of critical, high, medium, low"),
        ({"branch_id": "b9"}, "'branch_id' is 'b9', which is no branch of the run; expected one of 'b0', 'b1', 'b2'"),
        ({"branch_id": "b2"}, "'branch_id' is 'b2', which is dead already; expected one of 'b0', 'b1'"),
        ({"patch": "x"}, "it has the key 'patch'; an adversary breaks and never mends, so expected none"),
        ({"detail": "Replace `>` with `>=`."}, "'detail' carries an edit ('replace ... with'); an adversary breaks and never mends: say what breaks, and on what"),
        ({"title": 7}, "'title': 7 is not of type 'string'; expected: One line that names the flaw."),
        ({"trigger": {"kind": "suite", "claim": "c"}}, "'trigger' has kind 'suite'; expected an object of kind 'observation' or 'program'"),
        ({"trigger": {**OBSERVED, "expect": {"values": [1, 2]}}}, "'trigger.expect.values' has 2 entries for 1 calls; expected as many"),
        ({"trigger": {**OBSERVED, "calls": [{"on": "x", "call": "f"}]}}, "'trigger.calls' uses 'x', which 'trigger.setup' does not name"),
        ({"title": "\ud800"}, "'?' holds half a character or a null; expected text"),
    ],
)  # fmt: skip
def test_an_error_names_its_entry_and_what_was_expected(changed, message):
    title = changed.get("title", "t")
    name = "entry 2" + (f" '{title}'" if isinstance(title, str) else "")
    assert refusal([SIX, {**WHOLE, "title": "t", **changed}]) == f"{name.replace(chr(0xD800), '?')}: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty; expected a JSON list of findings, which may be []"),
        ("Here they are: []", 'there is text around the JSON (it begins with "Here they are: []"); expected nothing but the JSON'),
        ("[] That is all.", 'there is text around the JSON (it begins with "[] That is all."); expected nothing but the JSON'),
        ("{}", "it is no list; expected a JSON list of findings, or {'findings': [...]}"),
        ("[1e999]", "entry 1: it is 'inf'; expected an object with the keys branch_id, severity, category, title, detail, resolved"),
        ('[{"a": 1, "a": 2}]', "an object has the key 'a' twice; expected each key once"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[" + " " * (1 << 20) + "]", "it is larger than 1 MiB"),
        (json.dumps([SIX] * 201), "it holds 201 findings; expected at most 200"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_findings_is_refused(text, message):
    assert refusal(text) == message


def test_each_finding_is_expected_once_and_only_for_the_branch_of_its_brief():
    assert refusal([SIX, SIX]) == "entry 2 't': it is the same as entry 1; expected each finding once"
    assert refusal([SIX], only="b1") == "entry 1 't': 'branch_id' is 'b0'; expected 'b1', the branch of the brief"


@pytest.mark.parametrize(
    "text",
    [
        "--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n-x\n+y",
        "```diff\n-x\n+y\n```",
        "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
        "It breaks. Replace the dict with a deque.",
        "The loop should be replaced by a sum.",
        "Fix: use >= here",
        "Suggested fix: round down",
        "To fix this, sort first",
        "You should change the sign to a minus",
    ],
)
def test_an_edit_in_words_or_as_a_diff_is_seen(text):
    assert edit_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "f('a').replace('a', 'b') with an empty text raises",
        "it replaces the key with None when the input is empty",
        "when the clock changes from 9.9 to 10.1 the count starts anew",
        "a fixed window is counted from 0 - 10",
        "- one\n- two",
        "expected 3, got --- 4",
        "the prefix is dropped",
    ],
)
def test_what_breaks_may_be_said_in_any_words(text):
    assert edit_in(text) == ""


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("No span of `window` seconds\n  may hold more", True),
        ("no span of window seconds may hold more", False),
        ("No span of window seconds may hold more.", True),
        ("No span of window seconds may hold mor", False),
        ("more", False),
    ],
)
def test_a_quote_is_held_against_the_task_word_for_word(quote, found):
    assert in_task(quote, "# T\n\nNo span of `window` seconds may hold more than `limit` calls.\n") is found


def test_a_brief_that_holds_a_line_of_code_is_refused_and_the_line_is_named():
    sources = {"m.py": "import os\n\nvalue = compute(left,   right)\n"}
    refuse_code("read the code at the path", sources)
    with pytest.raises(Exception, match=r"line 3 of 'm\.py'"):
        refuse_code("look: value = compute(left, right)", sources)
    refuse_code("look: value = compute(left, right)", sources, ["as asked: value = compute(left, right)"])


STRANGE = [None, True, 0, -1, 1.5, [], {}, "", "x" * 9000, [[]], {"a": 1}, "\0", "diff --git a b"]


def mangled(draw: random.Random) -> str:
    """A submission with at least one thing wrong."""
    entry = copy.deepcopy(draw.choice([SIX, WHOLE]))
    kind = draw.randrange(9)
    if kind == 0:
        del entry[draw.choice(list(SIX))]
    elif kind == 1:
        entry[draw.choice(["patch", "fix", "diff", "edit", "extra", "id", "replay", "qualified"])] = draw.choice(
            STRANGE
        )
    elif kind == 2:
        entry[draw.choice(["branch_id", "severity"])] = draw.choice(STRANGE)
    elif kind == 3:
        entry["resolved"] = draw.choice([True, 1, 0, "false", None, []])
    elif kind == 4:
        trigger = copy.deepcopy(OBSERVED)
        trigger[draw.choice(["kind", "calls", "expect", "timeout", "runs", "x"])] = draw.choice(
            [True, -1, 99.5, "x", [1], {"a": 1}, [{"call": "nodots"}], {"values": 1}, {"values": [1], "raises": "X"}]
        )
        entry["trigger"] = trigger
    elif kind == 5:
        entry[draw.choice(["title", "detail", "category"])] = draw.choice([None, 3, "", [], {}, "Fix: swap them"])
    elif kind == 6:
        text = json.dumps([entry])
        return draw.choice([f"Sure!\n{text}", f"{text}\nDone.", text[:-2], f"```json\n{text}\n```", text + text, ""])
    elif kind == 7:
        return json.dumps(
            draw.choice([{"finding": [entry]}, {"findings": entry}, entry, [entry, entry], [[entry]], "x"])
        )
    else:
        entry["detail"] = draw.choice(["@@ -1 +1 @@\n-a\n+b", "Please replace a with b.", "```diff\nx\n```"])
    return json.dumps([*([{**SIX, "title": "fine"}] * draw.randrange(2)), entry])


@pytest.mark.parametrize("seed", range(200))
def test_no_malformed_submission_is_accepted_and_each_has_a_clear_error(seed):
    text = mangled(random.Random(seed))
    message = refusal(text)
    assert 10 < len(message) < 1500
    assert message.startswith(("entry ", "it ", "there is text", "an object"))
