"""What Kitamura et al. print: every log(I) of their three result tables, and the I they conclude."""

from __future__ import annotations

from dataclasses import dataclass

from anonymizer.published import Indicators, Published


@dataclass(frozen=True, slots=True)
class Printed:
    """One figure of a result table: attack, row, the arm it is about, counts beside it, and log(I)."""

    attack: str
    characteristic: str
    log_l: str
    arm: str = ""
    count: int | None = None
    total: int | None = None


PRINTED = (
    Printed("PDP", "Noninvasive ventilatory support", "0", total=0),
    Printed("PDP", "Hydroxychloroquine", "0", total=1),
    Printed("PDP", "Chronic obstructive pulmonary disease", "0.402", total=25),
    Printed("PFDOC", "Hematologic cancer", "0.147", total=7),
    Printed("PFDOC", "Thromboembolic disease", "0.147", total=7),
    Printed("PFDOC", "Corticosteroids", "0.179", total=9),
    Printed("PFDOC", "Immunosuppressants", "0.179", total=9),
    Printed("PFDPTC", "Frequent or recent use of NSAID", "0.0700", "placebo", 15, 82),
    Printed("PFDPTC", "Statins", "0.0833", "placebo", 21, 82),
    Printed("PFDPTC", "Chronic obstructive pulmonary disease", "0.0872", "treatment", 23, 25),
    Printed("PFDPTC", "Current tobacco use", "0.0922", "placebo", 6, 12),
    Printed("PFDPTC", "Chronic obstructive pulmonary disease", "0.2485", "placebo", 2, 25),
)

CONCLUDED = {"PDP": "1", "PFDOC": "1.107", "PFDPTC": "1.188"}
"""The I that the paper says all categories keep."""

FIRST_OF_PATIENT, LAST_OF_PATIENT = "No other conditions", "Statins"
"""Coexisting conditions and previous medications: the rows from the one to the other."""


def patient_rows(table: Published) -> tuple[Indicators, ...]:
    """Return the rows on coexisting conditions and previous medications."""
    rows = table.printed
    names = [name_of(row) for row in rows]
    return rows[names.index(FIRST_OF_PATIENT) : names.index(LAST_OF_PATIENT) + 1]


def name_of(row: Indicators) -> str:
    """Return the name of a printed row, without its heading."""
    return row.partition.rows[0].name
