"""Trigger form: the body of a trigger file: plain calls and asserts, a scenario, or JSON that is interpreted."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass

from pqa.core.codec import trigger_to_json
from pqa.core.finding import Finding
from pqa.core.trigger import Json, Trigger
from pqa.reports.trigger_pieces import pieces
from pqa.reports.trigger_source import Writer, concrete, listing, literal_lines, rights, simple

MARK = "# --- how answers are got and compared ---"
REGRESSION = '"""A regression test that pqa wrote: it fails while the flaw shows and passes when it does not."""'
MISSING = (
    '"""A missing test that pqa wrote: it passes on the branch and fails on a change that its own tests let pass."""'
)
BAD = (ValueError, TypeError, KeyError, IndexError, ArithmeticError, AttributeError, RecursionError)

FOREIGN_TEST = """
SOURCE = {source}


def test_{name}() -> None:
    command = [sys.executable, "-c", SOURCE]
    environment = {{**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
    status = subprocess.run(command, timeout={timeout}, env=environment).returncode
    if status not in (0, 10):
        pytest.skip(f"could not check: the program ended with {{status}}")
    assert status == 0
"""


@dataclass(frozen=True, slots=True)
class Form:
    """`code` defines what the file needs of this trigger; `answers` is an expression for (answers, right)."""

    code: str
    answers: str
    pieces: tuple[str, ...]
    value_imports: tuple[str, ...] = ()


def remarks(finding: Finding) -> str:
    """What the finding says, as comment lines that nothing in it can leave."""
    texts = {"Finding": finding.title, "Branch": finding.branch_id, "Detail": finding.detail}
    if finding.trigger is not None:
        texts["Claim"] = finding.trigger.claim
    lines = [line for name, text in texts.items() for line in _wrapped(f"{name}: {text}")]
    return "\n".join(f"# {line}" for line in lines)


def tidy(text: str) -> str:
    """At most two empty lines in a row; no foreign text holds one, since literals are escaped."""
    return re.sub(r"\n{4,}", "\n\n\n", text)


def _wrapped(text: str) -> list[str]:
    words = " ".join(text.split())[:2_000]
    return textwrap.wrap("".join(letter if letter.isprintable() else "?" for letter in words), 110)


def form_of(trigger: Trigger) -> Form | None:
    """The readable scenario, else the interpreted JSON; None for a trigger that is not even JSON."""
    try:
        return _scenario(trigger)
    except BAD:
        pass
    try:
        return _interpreted(trigger)
    except BAD:
        return None


def _is_relation(trigger: Trigger) -> bool:
    return "relation" in (trigger.expect or {}) and "values" not in (trigger.expect or {})


def _scenario(trigger: Trigger) -> Form:
    """A generator that gives each call as (text, function), and the list of right answers."""
    relation = _is_relation(trigger)
    writer = Writer(trigger, shifts=relation)
    body = writer.setup()
    for kind, text, count in writer.steps():
        if kind == "set":
            body.append(text)
            continue
        step = f"yield {text!r}, lambda: {text}"
        body += [step] if count == 1 else [f"for _ in range({count}):", f"    {step}"]
    rule = (trigger.expect or {}).get("rule")
    right = [] if relation or rule else rights(writer)
    parameter = "shift: float" if relation else ""
    said = '"""The set-up and the calls, in order; `shift` moves every clock reading."""'
    head = [
        f"def scenario({parameter}):",
        "    " + (said if relation else said.replace("; `shift` moves every clock reading", "")),
    ]
    code = "\n".join(head + [f"    {line}" if line else "" for line in [*writer.imports, "", *body]])
    used = ["Clock"] if writer.clocks else []
    if relation:
        return Form(code, _both("scenario({})", trigger), tuple(used), tuple(writer.value_imports))
    if rule:
        rule_code, answers, helpers = _ruled("scenario()", rule)
        return Form(f"{code}\n\n\n{rule_code}", answers, (*used, *helpers), (*writer.value_imports, "import json"))
    code += f"\n\n\ndef rights():\n    return {listing(right)}"
    used += ["Special"] if any(text.startswith("Special(") for text in right) else []
    return Form(code, "run(scenario(), TIMEOUT), rights()", tuple(used), tuple(writer.value_imports))


def _both(steps: str, trigger: Trigger) -> str:
    shift = repr(float((trigger.expect or {})["shift"]))
    first, second = steps.format("0.0"), steps.format(shift)
    return f"run({second}, TIMEOUT), [answer for _, answer in run({first}, TIMEOUT)]"


def _ruled(steps: str, rule: Json) -> tuple[str, str, tuple[str, ...]]:
    """The rule as a function, since its helpers come later in the file; and the answers beside what it makes of them."""
    code = f"def rule():\n    return decoded(json.loads{_inner(literal_lines(json.dumps(rule, indent=1)))}, {{}})"
    return code, f"lawful(run({steps}, TIMEOUT), rule())", ("lawful", "decoded")


def _inner(lines: str) -> str:
    return lines.replace("\n", "\n    ").rstrip(" ")


def _interpreted(trigger: Trigger) -> Form:
    document = json.dumps(trigger_to_json(trigger), indent=1)
    code = f"TRIGGER = json.loads{literal_lines(document)}"
    if _is_relation(trigger):
        return Form(code, _both("interpreted(TRIGGER, {})", trigger), ("interpreted",), ("import json",))
    if "rule" in (trigger.expect or {}):
        rule_code, answers, helpers = _ruled("interpreted(TRIGGER)", (trigger.expect or {})["rule"])
        return Form(f"{code}\n\n\n{rule_code}", answers, ("interpreted", *helpers), ("import json",))
    answers = "run(interpreted(TRIGGER), TIMEOUT), rights(TRIGGER)"
    return Form(code, answers, ("interpreted", "rights"), ("import json",))


def regression_form(finding: Finding, name: str, why: str, *, awaits: bool) -> str:
    """The text of a pytest file; one that skips, and says why, where the trigger cannot be checked."""
    trigger = finding.trigger
    head = [MISSING if trigger is not None and trigger.kind == "mutant" else REGRESSION, ""]
    head += [remarks(finding), ""]
    if trigger is None or why:
        return "\n".join(
            [*head, "import pytest", "", "", f"def test_{name}() -> None:", f"    pytest.skip({why!a})", ""]
        )
    if trigger.kind == "program":
        return _foreign_test(trigger, head, name)
    try:
        if not awaits and concrete((trigger.expect or {}).get("values", [{"$any": True}])):
            return _plain_test(trigger, head, name)
        if not awaits and "raises" in (trigger.expect or {}):
            return _raising_test(trigger, head, name)
    except BAD:
        pass
    return _scenario_test(trigger, head, name)


def _foreign_test(trigger: Trigger, head: list[str], name: str) -> str:
    source = literal_lines(trigger.source or "")
    imports = "import os\nimport subprocess\nimport sys\n\nimport pytest\n"
    return "\n".join([*head, imports + FOREIGN_TEST.format(source=source, name=name, timeout=float(trigger.timeout))])


def _plain_test(trigger: Trigger, head: list[str], name: str) -> str:
    """Calls and one assert, as a person would write them."""
    writer = Writer(trigger)
    body, values = writer.setup(), (trigger.expect or {})["values"]
    calls = list(writer.steps())
    right = rights(writer)
    used = ["Clock"] if writer.clocks else []
    plain = simple(values)
    if sum(count for kind, _, count in calls if kind == "call") == 1:
        body += [text for kind, text, _ in calls if kind == "set"]
        call = next(text for kind, text, _ in calls if kind == "call")
        if plain:
            return _test_file(writer, head, name, used, [*body, f"assert {call} {_equals(right[0])}"])
        body.append(f"answers, right = {call}, {right[0]}")
    else:
        body += _gathered(calls)
        if plain:
            return _test_file(writer, head, name, used, [*body, f"assert answers == {listing(right)}"])
        body.append(f"right = {listing(right)}")
    body.append("assert answers == right or alike(answers, right)")
    return _test_file(writer, head, name, [*used, "alike"], body)


def _equals(right: str) -> str:
    return f"is {right}" if right == "None" else f"== {right}"


def _gathered(calls: list[tuple[str, str, int]]) -> list[str]:
    """Statements that gather the answers of all calls in the list `answers`."""
    lines: list[str] = []
    row: list[str] = []
    sign = "="

    def flush() -> None:
        nonlocal sign
        if row:
            lines.append(f"answers {sign} [{', '.join(row)}]")
            row.clear()
            sign = "+="

    for kind, text, count in calls:
        if kind == "set" or count > 3:
            flush()
        if kind == "set":
            lines.append(text)
        elif count > 3:
            row.append(f"{text} for _ in range({count})")
            flush()
        else:
            row += [text] * count
    flush()
    return lines


def _raising_test(trigger: Trigger, head: list[str], name: str) -> str:
    """All calls but the last, then the one that must raise."""
    writer = Writer(trigger)
    body = writer.setup()
    calls = [(kind, text) for kind, text, count in writer.steps() for _ in range(count)]
    body += [text for _, text in calls[:-1]]
    body += ["with pytest.raises(BaseException) as caught:", f"    {calls[-1][1]}"]
    body += [f"assert caught.type.__name__ == {(trigger.expect or {})['raises']!a}"]
    return _test_file(writer, [*head, "import pytest"], name, ["Clock"] if writer.clocks else [], body)


def _test_file(writer: Writer, head: list[str], name: str, used: list[str], body: list[str]) -> str:
    imports, code = pieces(used)
    future = ["from __future__ import annotations", ""] if code else []
    top = [*head[:3], "", *future, *imports, *writer.value_imports, *head[3:], "", ""]
    helpers = [code, "", ""] if code else []
    function = [f"def test_{name}() -> None:", *(f"    {line}" for line in writer.imports), ""]
    return "\n".join([*top, *helpers, *function, *(f"    {line}" for line in body), ""])


def _scenario_test(trigger: Trigger, head: list[str], name: str) -> str:
    form = form_of(trigger)
    if form is None:
        return "\n".join(
            [*head, "import pytest", "", "", f"def test_{name}() -> None:", '    pytest.skip("malformed")', ""]
        )
    imports, code = pieces([*form.pieces, "run", "judge"])
    top = [*head, "from __future__ import annotations", "", *imports, *form.value_imports, ""]
    top += [f"TIMEOUT = {float(trigger.timeout)!r}  # seconds for one call", "", "", form.code, "", ""]
    test = [
        f"def test_{name}() -> None:",
        f"    answers, right = {form.answers}",
        "    assert judge(answers, right) == 0",
        "",
    ]
    return "\n".join([*top, MARK, "", code, "", "", *test])
