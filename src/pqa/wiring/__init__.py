"""Wiring: the only place that picks concrete parts: sandbox, engine, attacks, reports, ledger."""

from pqa.wiring.ask import Asking, answer_from_trusted
from pqa.wiring.brief import BriefRequest, brief
from pqa.wiring.collide import collide
from pqa.wiring.defend import defend
from pqa.wiring.diagnosis import doctor
from pqa.wiring.init import init
from pqa.wiring.judge import judge
from pqa.wiring.mutation import MutationRequest, mutation
from pqa.wiring.replay import replay
from pqa.wiring.submit import SubmitRequest, submit

__all__ = [
    "Asking",
    "BriefRequest",
    "MutationRequest",
    "SubmitRequest",
    "answer_from_trusted",
    "brief",
    "collide",
    "defend",
    "doctor",
    "init",
    "judge",
    "mutation",
    "replay",
    "submit",
]
