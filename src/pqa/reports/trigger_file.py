"""Trigger file: each trigger as a program that people can run (10 shown, 0 not shown) and as a pytest test."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pqa.core.finding import Finding
from pqa.core.trigger import Json, Trigger
from pqa.reports.trigger_form import MARK, Form, form_of, regression_form, remarks, tidy
from pqa.reports.trigger_pieces import pieces
from pqa.reports.trigger_source import literal_lines

PROGRAM_HEAD = '''"""A trigger that pqa wrote; exit status 10: the flaw shows, 0: it does not, else: not checked."""

{remarks}
# Run it as: python {name}.py [PATH_OF_BRANCH]

from __future__ import annotations

{imports}

BRANCH = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(BRANCH), str(BRANCH / "src")]
TIMEOUT = {timeout}  # seconds for one call
'''

PROGRAM_END = '''
def main() -> int:
    """10 when the flaw shows, 0 when it does not, 3 when it could not be checked."""
    faulthandler.dump_traceback_later(2 * TIMEOUT + 10, exit=True)
    try:
        answers, right = {answers}
    except BaseException as error:
        print("could not check:", type(error).__name__, printable(str(error)))
        return 3
    return judge(answers, right)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # a thread that the branch left must not hold the exit
'''

SAYS_WHY = '''"""A trigger that pqa could not write as a program of its own: it exits with 3, could not check."""

{remarks}

import sys

print({why})
sys.exit(3)
'''

FOREIGN = '''"""A program from an adversary; exit status 10: the flaw shows, 0: it does not, else: not checked."""

{remarks}
# Run it as: python {name}.py [PATH_OF_BRANCH]

import sys
from pathlib import Path

BRANCH = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(BRANCH), str(BRANCH / "src")]
SOURCE = {source}

exec(compile(SOURCE, "trigger", "exec"), {{"__name__": "__main__"}})
'''


def file_name(finding: Finding) -> str:
    """The finding's id where it is a plain word, else a name made of it: never a path, never code."""
    if re.fullmatch(r"[A-Za-z0-9_]{1,64}", finding.id):
        return finding.id
    return "f" + hashlib.sha256(finding.id.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def standalone_program(finding: Finding) -> str:
    """A program of its own, `python triggers/FID.py [PATH_OF_BRANCH]`: exit 10 shown, 0 not shown, else unclear."""
    trigger = finding.trigger
    if trigger is not None and trigger.kind == "program" and trigger.source is not None:
        name = file_name(finding)
        return FOREIGN.format(remarks=remarks(finding), name=name, source=literal_lines(trigger.source))
    why = cannot(trigger)
    form = None if trigger is None or why else form_of(trigger)
    if trigger is None or form is None:
        return SAYS_WHY.format(remarks=remarks(finding), why=ascii(why or "could not check: the trigger is malformed"))
    used = [*form.pieces, "run", "judge", "printable"]
    imports, code = pieces(used, extra=["import faulthandler", "import os", "import sys", "from pathlib import Path"])
    head = PROGRAM_HEAD.format(
        remarks=remarks(finding),
        name=file_name(finding),
        timeout=repr(float(trigger.timeout)),
        imports="\n".join([*imports, *form.value_imports]),
    )
    return tidy("\n".join([head, "", form.code, "", "", MARK, "", code, "", "", end_of(form)]))


def end_of(form: Form) -> str:
    """The last part of a program: runs the calls and judges them."""
    return PROGRAM_END.format(answers=form.answers).lstrip("\n")


def regression_test(finding: Finding, *, awaits: bool = False) -> str:
    """A pytest file, red while the flaw shows and green when it does not. `awaits`: the calls give awaitables.

    For a mutant that the suite lets pass it is the missing test: green on the branch, red on the mutant.
    """
    if finding.trigger is not None and finding.trigger.kind == "mutant":
        return tidy(regression_form(finding, file_name(finding), "", awaits=awaits))
    return tidy(regression_form(finding, file_name(finding), cannot(finding.trigger), awaits=awaits))


def cannot(trigger: Trigger | None) -> str:
    """Why there can be no program of its own; "" when there can."""
    if trigger is None:
        return "could not check: the finding has no trigger"
    if trigger.kind == "program":
        return "" if trigger.source is not None else "could not check: the program is missing"
    if trigger.kind != "observation":
        return "could not check: this trigger runs a whole suite; run `pqa replay`"
    expect = trigger.expect or {}
    if "values" in expect:
        whole = isinstance(expect["values"], list) and len(expect["values"]) == len(trigger.calls) > 0
        return "" if whole else "could not check: there is not one right value for each call"
    if not trigger.calls:
        return "could not check: the trigger makes no call"
    if "relation" in expect:
        timed = expect["relation"] == "time-shift" and _is_number(expect.get("shift"))
        return "" if timed else "could not check: only pqa itself can check this relation"
    if "property" in expect:
        return "could not check: the property stands in a file of its own; run `pqa replay`"
    if "rule" in expect:
        return "" if isinstance(expect["rule"], dict) else "could not check: the rule is malformed"
    if "raises" in expect or expect.get("outcome") == "returns":
        return ""
    return "could not check: only the process outside the branch can see this outcome; run `pqa replay`"


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def write_trigger_files(findings: Iterable[Finding], folder: Path, *, awaits: Iterable[str] = ()) -> list[Path]:
    """Write triggers/FID.py and regressions/test_FID.py for every finding with a trigger; the paths, in order.

    Each file appears whole or not at all. `awaits` are ids of findings whose calls give awaitables.
    """
    asynchronous, written = set(awaits), []
    for finding in findings:
        if finding.trigger is None:
            continue
        name = file_name(finding)
        test = regression_test(finding, awaits=finding.id in asynchronous)
        written.append(_write(folder / "triggers" / f"{name}.py", standalone_program(finding)))
        written.append(_write(folder / "regressions" / f"test_{name}.py", test))
    return written


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path
