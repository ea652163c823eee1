"""What Simon et al. 2020 print, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

RECORDS = 2_960_786
P = 0.12

ALL, NO_STATE, NO_YEAR, NEITHER = "all keys", "without state", "without year", "without both"


@dataclass(frozen=True, slots=True)
class Count:
    """Records that violate 2-, 3- and 5-anonymity, with the percentages printed beside them."""

    source: str
    keys: str
    violations: tuple[int, int, int]
    percent: tuple[str, str, str]


DEATH, EVENT = "state vital statistics", "known self-harm events"

COUNTS = (
    Count(DEATH, ALL, (583, 1201, 2576), ("0.020", "0.041", "0.087")),
    Count(DEATH, NO_STATE, (113, 185, 275), ("0.004", "0.006", "0.009")),
    Count(DEATH, NO_YEAR, (92, 156, 383), ("0.003", "0.005", "0.013")),
    Count(DEATH, NEITHER, (21, 37, 78), ("0.001", "0.001", "0.003")),
    Count(EVENT, ALL, (810, 1692, 3513), ("0.027", "0.057", "0.119")),
    Count(EVENT, NO_STATE, (129, 241, 561), ("0.004", "0.008", "0.019")),
    Count(EVENT, NO_YEAR, (112, 256, 588), ("0.004", "0.009", "0.020")),
    Count(EVENT, NEITHER, (14, 30, 58), ("0.000", "0.001", "0.002")),
)
"""Sections 3.4 and 4.2."""

HOMOGENEOUS = {"depression": 0.18, "alcohol": 0.0}
"""Section 3.8: the share of cells of 3 to 5 in which everyone has the diagnosis."""

SMALL_RECORDS = {DEATH: 58, EVENT: 44}
"""Section 4.2: "records that violate 2-anonymity or 3-anonymity", printed as fewer than 0.001 %."""
