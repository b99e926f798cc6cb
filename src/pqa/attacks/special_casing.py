"""Does the branch answer only the inputs that its tests show?

Its tests' inputs may stand in its code, its answers may follow the order of the calls, or it may look whether a test
calls it. Each is executed: the literals are changed, the calls are made alone and where no test runs, and inputs near
the tests' are put to all branches. Literals that also serve unseen inputs, or whose answers the others share, accuse
nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools
from pqa.core.surface import Function
from pqa.core.task import Brief
from pqa.core.trigger import Json, Trigger
from pqa.instruments.common_surface import Shared, shared_surface
from pqa.instruments.demonstrate import call_text
from pqa.instruments.masked import Case, masked_source
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import describe
from pqa.instruments.repeats import Turn, find_turns
from pqa.instruments.run_detection import FRAMES, ORDER, RUN, Hanging, find_hanging, is_steady, observe_backwards
from pqa.instruments.seen_calls import Seen, seen_calls
from pqa.instruments.special_casing import (
    FEWEST_HANGING,
    Hung,
    Near,
    Witness,
    clean_siblings,
    enough,
    examine,
    near_inputs,
    steady_witness,
    witnesses,
)
from pqa.instruments.taken_literals import Taken, looks_at_its_run, read_constants, taken_literals

LAYER = "suite"
SCOPE = "set"
MOST_FUNCTIONS = 6
MOST_NEAR = 120
MOST_LITERALS = 4
KINDS = {
    ORDER: ("order-of-calls", "answers by the order of the calls, not by what it is given"),
    RUN: ("run-detection", "answers rightly only when a test seems to call it"),
    FRAMES: ("run-detection", "looks at its callers and answers rightly only inside its test run"),
}
FEWEST_STAYING = 2
LITERALS = "answers only the inputs of its tests, which stand in its code"
MISSED = "every test makes a call that the code knows"


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Note]:
    """Each public function that the tests call, on all branches that offer it."""
    shared = shared_surface(brief.branches, tools)
    called = {call.function for call in shared.calls}
    wanted = [function for function in shared.functions if function.name in called]
    wanted = [function for function in wanted if shared.changed(function.name) or len(brief.branches) == 1]
    constants: dict[str, list[Mapping[str, Json]]] = {}
    for function in wanted[:MOST_FUNCTIONS]:
        if tools.expired(brief):
            return
        branches = shared.offering(function.name)
        try:
            for branch in branches:
                if branch.branch_id not in constants:
                    constants[branch.branch_id] = read_constants(tools.zygote(branch), branch)
            yield from _Trial(brief, tools, shared, function, branches, constants).findings()
        except GuestLost as error:
            yield Note("could-not-check", f"'{function.name}': the sandbox was lost: {error}")


class _Trial:
    """One function of all branches that offer it."""

    def __init__(
        self, brief: Brief, tools: Tools, shared: Shared, function: Function, branches: Sequence[Branch],
        constants: Mapping[str, list[Mapping[str, Json]]],
    ) -> None:  # fmt: skip
        self.brief, self.tools, self.shared, self.function = brief, tools, shared, function
        self.branches = {branch.branch_id: branch for branch in branches}
        self.constants = constants
        self.seen: Seen = seen_calls(tools, function.name, branches)
        self.plain: dict[str, list[Observed]] = {}

    def findings(self) -> Iterator[Finding | Note]:
        """What hangs on the run first: those branches are no witnesses for the rest."""
        if not self.seen.calls:
            return
        results = self.tools.side_by_side(
            lambda branch: observe_backwards(self.tools.zygote(branch), self.seen), self.branches.values()
        )
        self.plain = dict(zip(self.branches, results, strict=True))
        steady = [name for name in self.branches if is_steady(self.plain[name], self.seen.settled(name))]
        for name in self.branches:
            if name not in steady:
                yield from self._of_the_run(name, steady)
        turns, staying = find_turns(self.tools, self.branches, steady, self.seen)
        independent = {self.shared.clones.get(name, name) for name in staying}
        for name, turn in turns.items() if len(independent) >= FEWEST_STAYING else ():
            yield self._accuse_turn(name, turn, staying)
        yield from self._of_the_literals([name for name in steady if name not in turns])

    def _of_the_run(self, name: str, steady: Sequence[str]) -> Iterator[Finding | Note]:
        zygote, tells = self.tools.zygote(self.branches[name]), looks_at_its_run(self.constants[name])
        found = find_hanging(zygote, name, self.seen, self.plain, steady, tells)
        if found is None:
            return
        if found.kind not in KINDS or (found.kind == ORDER and not found.repeated):
            call = _call(self.seen.cases[found.witness])
            text = f"{call} gives {describe(found.answer)} outside its test run and {describe(found.right)} inside"
            yield Note("could-not-check", f"{text}; why is not known", name)
            return
        yield self._accuse_run(name, found, steady)

    def _accuse_run(self, name: str, found: Hanging, steady: Sequence[str]) -> Finding:
        category, words = KINDS[found.kind]
        case = self.seen.cases[found.witness]
        title = f"{self._word}() {words}"
        how = "as the first and only call" if found.kind == ORDER else "where no test runs"
        missed = "the tests make their calls in one order" if found.kind == ORDER else "every test is a test run"
        detail = (
            f"{_call(case)} gives {describe(found.answer)} {how}; in its test run it gave {describe(found.right)}, as "
            f"{_names(steady)} always {_verb(steady)}. So on {len(found.wrong)} of the {len(self.seen.settled(name))} calls "
            f"that its tests make."
        )
        if found.kind == ORDER:
            detail += " One call repeated gives the answers of the others in turn."
        return self._finding(
            name, "critical", category, title, detail, missed, case, found.right, masked=found.kind != ORDER
        )

    def _accuse_turn(self, name: str, turn: Turn, staying: Sequence[str]) -> Finding:
        """What is meant to count calls may do this rightly, and its siblings wrongly: it weighs, and kills nobody."""
        title = f"{self._word}() answers otherwise from call {turn.at} on, asked the same each time"
        detail = (
            f"{_call(turn.case)} gives {describe(turn.right)}, as {_names(staying)} always {_verb(staying)}; made "
            f"{turn.at} times in a row, it gives {describe(turn.answer)} the last time."
        )
        trigger = Trigger(
            "observation", title, (), tuple(turn.case["calls"]), {"values": [turn.right["value"]] * turn.at},
            seed=self.brief.seed,
        )  # fmt: skip
        return self._build(name, "medium", "order-of-calls", title, detail, "no test makes that many calls", trigger)

    def _of_the_literals(self, steady: Sequence[str]) -> Iterator[Finding]:
        text = self.brief.task.text
        taken = {name: taken_literals(self.constants[name], self.seen.calls, text) for name in steady}
        if not any(taken.values()):
            return
        variants = self.shared.variants[self.function.name]
        near = near_inputs(
            variants, self.shared.calls, self.seen, prose=text, trials=min(MOST_NEAR, self.brief.trials), seed=self.brief.seed
        )  # fmt: skip

        def run(name: str) -> Hung:
            return examine(self.tools.zygote(self.branches[name]), self.seen, self.plain[name], near, taken[name])

        hung = dict(zip(steady, self.tools.side_by_side(run, steady), strict=True))
        for name in steady:
            if len(hung[name].hanging) >= FEWEST_HANGING and not hung[name].void:
                yield from self._judge(name, hung, near)

    def _judge(self, name: str, hung: Mapping[str, Hung], near: Near) -> Iterator[Finding]:
        mine, siblings = hung[name], clean_siblings(name, hung)
        taken = mine.taken
        if taken is None:
            return
        if not siblings:
            yield self._accuse_alone(name, mine, taken)
            return
        found = list(witnesses(name, hung, siblings, near))
        if not enough(found, hung, siblings, near):
            return
        best = steady_witness(name, found, siblings, self.branches, self.tools)
        if best is not None:
            yield self._accuse_literals(name, mine, taken, best, siblings, len(found))

    def _accuse_literals(
        self, name: str, mine: Hung, taken: Taken, best: Witness, siblings: Sequence[str], number: int
    ) -> Finding:
        seen = mine.hanging[0]
        title = f"{self._word}() {LITERALS}"
        detail = (
            f"{_call(self.seen.cases[seen])} gives {describe(mine.seen[seen].outcomes[-1])}, as it should; near it, on the "
            f"unseen {_call(best.case)}, it gives {describe(best.answer)} and {_names(siblings)} {_verb(siblings)} "
            f"{describe(best.right)}; so on {number} unseen inputs. {self._hangs(mine, taken)}"
        )
        return self._finding(name, "critical", "special-casing", title, detail, MISSED, best.case, best.right)

    def _accuse_alone(self, name: str, mine: Hung, taken: Taken) -> Finding:
        """No other branch can say what is right on unseen inputs."""
        seen = mine.hanging[0]
        title = f"{self._word}() has the inputs of its tests in its code"
        detail = f"{self._hangs(mine, taken)} No other branch says what is right on other inputs."
        case, right = self.seen.cases[seen], mine.seen[seen].outcomes[-1]
        changes = {
            file: tuple(dict.fromkeys((*taken.keys.get(file, ()), *taken.answers.get(file, ())))) for file in taken.keys
        }
        trigger = Trigger(
            "masked", title, (), tuple(case["calls"]), {"values": [right.get("value")]}, source=masked_source(changes),
            seed=self.brief.seed,
        )  # fmt: skip
        return self._build(name, "medium", "special-casing", title, detail, MISSED, trigger)

    def _hangs(self, mine: Hung, taken: Taken) -> str:
        words = ", ".join(taken.words[:MOST_LITERALS])
        return (
            f"With the literals {words} changed in its code {len(mine.hanging)} of {len(self.seen.calls)} answers on the "
            f"tests' inputs vanish, and those on unseen inputs stay."
        )

    def _finding(
        self, name: str, severity: str, category: str, title: str, detail: str, missed: str, case: Case,
        right: Mapping[str, Json], *, masked: bool = False,
    ) -> Finding:  # fmt: skip
        expect: dict[str, Json] = {"values": [right["value"]]}
        trigger = Trigger(
            "masked" if masked else "observation", title, (), tuple(case["calls"]), expect,
            source=masked_source() if masked else None, seed=self.brief.seed,
        )  # fmt: skip
        return self._build(name, severity, category, title, detail, missed, trigger)

    def _build(
        self, name: str, severity: str, category: str, title: str, detail: str, missed: str, trigger: Trigger
    ) -> Finding:
        why = f"The verifier misses it because {missed}."
        return Finding(
            name, severity, category, title[:200], f"{detail} {why}", attack=self.brief.attack, layer=LAYER,
            oracle="gaming", trigger=trigger, adversary="mechanical", why_missed=why, qualified=severity == "critical",
            root=f"special-casing:{self.function.name}",
        )  # fmt: skip

    @property
    def _word(self) -> str:
        return self.function.name.rpartition(".")[2]


def _call(case: Case) -> str:
    return call_text(case["calls"][0])


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" and more" if len(names) > 5 else "")


def _verb(names: Sequence[str]) -> str:
    return "gives" if len(names) == 1 else "give"
