"""Adversary: what someone outside pqa answered to one brief, before anything of it is believed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AdversaryAnswer:
    """`text` is the findings JSON as it was given; `trouble` says why there is none, and then nothing counts as clean."""

    adversary: str
    branch_id: str
    text: str = ""
    trouble: str = ""
