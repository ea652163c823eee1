"""The page on the paper's indicators; every figure and verdict on it is computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anonymizer.assessment.published import Published
from experiments.kitamura.printed import (
    CONCLUDED,
    FIRST_OF_PATIENT,
    LAST_OF_PATIENT,
    PRINTED,
    patient_rows,
)
from experiments.nrf.page import grid

Rows = list[dict[str, Any]]


def write_page(table: Published, printed: Rows, concluded: Rows) -> str:
    """Write README.md."""
    agree = sum(row["agrees"] for row in printed)
    shown = [{**row, "agrees": "yes" if row["agrees"] else "NO"} for row in printed]
    sections = [
        "# Attacks on published patient characteristics",
        f"Indicators of Kitamura et al. (entropies in bits) for their table of {len(table.rows)} "
        f"characteristics in arms of {table.arms.treatment} and {table.arms.placebo} people. Written by "
        "`python -m experiments.kitamura`; every row is in `indicators.csv`, coloured in "
        "`published.html`.",
        f"## Every printed log(I)\n\n{agree} of {len(printed)} are found again to all their digits.\n\n"
        + grid(list(printed[0]), shown),
        "## The I that all categories keep\n\n" + grid(list(concluded[0]), concluded),
        "## What does not fit\n\n" + "\n".join(f"- {each}" for each in misfits(table, printed)),
        f"## Rows that break a chosen l\n\nl = {table.limits.pdp:g} for PDP, {table.limits.pfdoc:g} for "
        f"PFDOC and {table.limits.pfdptc:g} for PFDPTC, chosen here to show it:\n\n"
        + grid(["characteristic", "attacks"], broken_rows(table)),
    ]
    return "\n\n".join(sections) + "\n"


def broken_rows(table: Published) -> Rows:
    """List the rows that break the chosen l."""
    return [
        {"characteristic": name, "attacks": ", ".join(attacks).upper()}
        for name, attacks in table.broken.items()
    ]


def misfits(table: Published, printed: Rows) -> Iterator[str]:
    """Say where the paper's tables do not fit the table they are about."""
    for row in printed:
        if row["counts of the table"] != row["counts printed beside it"]:
            yield (
                f"{row['attack']}, {row['characteristic']}: {row['counts printed beside it']} is "
                f"printed beside {row['printed']}; the table has {row['counts of the table']}, and "
                f"from these {row['computed']} follows."
            )
    low = [row for row in table.rows if 2**row.pfdoc < float(CONCLUDED["PFDOC"]) - 0.0005]
    yield (
        f"PFDOC: I = {CONCLUDED['PFDOC']} is said to preserve all categories, but "
        + ", ".join(f"{row.characteristic.name} ({row.pfdoc:.3f})" for row in low)
        + " are lower. It holds for coexisting conditions and previous medications, the rows from "
        f"'{FIRST_OF_PATIENT}' to '{LAST_OF_PATIENT}'. With all rows I is {table.kept.pfdoc:g}."
    )
    yield from left_out(table)


def left_out(table: Published) -> Iterator[str]:
    """Say which rows the paper's list of PFDPTC leaves out though they are above its last one."""
    those = [p for p in PRINTED if p.attack == "PFDPTC"]
    least, named = min(float(p.log_l) for p in those), {p.characteristic for p in those}
    above = [
        row for row in table.rows if row.pfdptc >= least and row.characteristic.name not in named
    ]
    own = [row for row in above if row in patient_rows(table)]
    yield (
        "PFDPTC: these rows are not in the paper's list, though they are above its last one: "
        + ", ".join(f"{row.characteristic.name} ({row.pfdptc:.4f})" for row in above)
        + f". {len(own) or 'None'} of them are coexisting conditions or previous medications."
    )
