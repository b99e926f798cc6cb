"""Wiring: the only place that picks concrete parts: sandbox, engine, attacks, reports, ledger."""

from pqa.wiring.collide import collide
from pqa.wiring.doctor import doctor
from pqa.wiring.replay import replay

__all__ = ["collide", "doctor", "replay"]
