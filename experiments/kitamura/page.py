"""The page on the paper's indicators; every figure and verdict on it is computed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from anonymizer.published import Indicator, Indicators, Published
from anonymizer.published.partition import Answer, AnswerGroup
from experiments.kitamura.printed import (
    CONCLUDED,
    FIRST_OF_PATIENT,
    LAST_OF_PATIENT,
    PRINTED,
    name_of,
    patient_rows,
)
from experiments.nrf.page import grid

Rows = list[dict[str, Any]]
SHOWN = 6
"""How many rows the lists of the largest advantages have."""


def write_page(table: Published, printed: Rows, concluded: Rows) -> str:
    """Write README.md."""
    agree = sum(row["agrees"] for row in printed)
    shown = [{**row, "agrees": "yes" if row["agrees"] else "NO"} for row in printed]
    arms = " and ".join(map(str, table.arms.sizes))
    sections = [
        "# Attacks on published patient characteristics",
        f"Indicators of Kitamura et al. (entropies in bits) for their table of {len(table.printed)} "
        f"characteristics in arms of {arms} people. Written by `python -m experiments.kitamura`; every "
        "row is in `indicators.csv`, coloured in `published.html`.",
        f"## Every printed log(I)\n\n{agree} of {len(printed)} are found again to all their digits.\n\n"
        + grid(list(printed[0]), shown),
        "## The I that all categories keep\n\nThe first two as the paper counts: who has a "
        "characteristic, also where nobody has it. The last counts who does not have it and who was "
        "not measured as well, and leaves out what nobody has.\n\n"
        + grid(list(concluded[0]), concluded),
        "## What does not fit\n\n" + "\n".join(f"- {each}" for each in misfits(table, printed)),
        "## The complement\n\n" + describe_complement(table),
        "## The allocation as baseline\n\n" + describe_baseline(table),
        "## The titre row\n\n" + describe_titre(table),
        "## Categories of one characteristic\n\n" + describe_categories(table),
        "## Medians and quartiles\n\n" + describe_summaries(table),
        "## Rows that break a chosen limit\n\n" + describe_limits(table),
    ]
    return "\n\n".join(sections) + "\n"


# --- what does not fit ---


def misfits(table: Published, printed: Rows) -> Iterator[str]:
    """Say where the paper's tables do not fit the table they are about."""
    for row in printed:
        if row["counts of the table"] != row["counts printed beside it"]:
            yield (
                f"{row['attack']}, {row['characteristic']}: {row['counts printed beside it']} is "
                f"printed beside {row['printed']}; the table has {row['counts of the table']}, and "
                f"from these {row['computed']} follows."
            )
    low = [row for row in table.printed if 2**row.pfdoc.bits < float(CONCLUDED["PFDOC"]) - 0.0005]
    yield (
        f"PFDOC: I = {CONCLUDED['PFDOC']} is said to preserve all categories, but "
        + ", ".join(f"{name_of(row)} ({row.pfdoc.bits:.3f})" for row in low)
        + " are lower. It holds for coexisting conditions and previous medications, the rows from "
        f"'{FIRST_OF_PATIENT}' to '{LAST_OF_PATIENT}'. With all rows I is {table.paper.pfdoc:g}."
    )
    yield from left_out(table)


def left_out(table: Published) -> Iterator[str]:
    """Say which rows the paper's list of PFDPTC leaves out though they are above its last one."""
    those = [p for p in PRINTED if p.attack == "PFDPTC"]
    least, named = min(float(p.log_l) for p in those), {p.characteristic for p in those}
    above = [
        row for row in table.printed if largest_change(row) >= least and name_of(row) not in named
    ]
    own = [row for row in above if row in patient_rows(table)]
    yield (
        "PFDPTC: these rows are not in the paper's list, though they are above its last one: "
        + ", ".join(f"{name_of(row)} ({largest_change(row):.4f})" for row in above)
        + f". {len(own) or 'None'} of them are coexisting conditions or previous medications."
    )


def largest_change(row: Indicators) -> float:
    """Return the largest PFDPTC of a row, in bits."""
    return max(attack.bits for attack in row.pfdptc)


# --- the complement and the baseline ---


def pdp_row(
    row: Indicators, group: AnswerGroup, attack: Indicator, table: Published
) -> dict[str, Any]:
    """List PDP of one group with its guess; the guess needs somebody in the group."""
    guess = attack.guess
    assert guess is not None
    return {
        "characteristic": name_of(row),
        "who": group.name,
        **dict(zip(table.arms.names, group.counts, strict=True)),
        "PDP": f"{attack.bits:.3f}",
        "arm that rises most": guess.answer,
        "probability": f"{guess.probability:.3f}",
        "baseline": f"{guess.baseline:.3f}",
        "advantage": f"{guess.advantage:.3f}",
    }


def largest_advantages(table: Published, answer: Answer) -> Rows:
    """List the groups with one answer whose PDP has the largest advantages."""
    found = [
        (row, group, attack)
        for row in table.printed
        for group, attack in row.attackers
        if group.answer is answer
    ]
    found.sort(key=lambda each: -each[2].advantage)
    return [pdp_row(*each, table) for each in found[:SHOWN]]


def describe_complement(table: Published) -> str:
    """Say what rows give away to those who do not have the characteristic."""
    pairs = [(row, row.pdp_of(Answer.HAS), row.pdp_of(Answer.LACKS)) for row in table.printed]
    more = [row for row, has, lacks in pairs if has and lacks and lacks.advantage > has.advantage]
    rows = largest_advantages(table, Answer.LACKS)
    return (
        "Who does not have a characteristic is in a group too, and a small one where nearly everybody "
        "has it. PFDOC and PFDPTC are the same for both; PDP is not. In "
        f"{len(more)} of {len(table.printed)} rows not having it says more about the arm than having "
        f"it. The {SHOWN} largest advantages of the complement:\n\n" + grid(list(rows[0]), rows)
    )


def describe_baseline(table: Published) -> str:
    """Say what the paper's l compares with, and what differs from the allocation."""
    bits, guess = table.allocation_entropy, table.allocation_guess
    over = [row for row in table.printed if row.pdp[0].bits > bits + 1e-12]
    rows = largest_advantages(table, Answer.HAS)
    return (
        "The paper's l compares with arms of equal size: PDP is at its best, 1 bit, where half of those "
        f"who have it are in either arm. But the sizes of the arms alone put a patient into the "
        f"{guess.answer} arm with probability {guess.probability:.3f}, which is {bits:.3f} bits, "
        f"l = {2**bits:.3f}. {len(over)} of {len(table.printed)} rows have more, as if they hid better "
        "than no table at all; in truth they move a patient towards the smaller arm. So beside the "
        "paper's indicator stands the arm whose probability rises most above its share of the trial. "
        f"The {SHOWN} largest advantages of those who have it:\n\n" + grid(list(rows[0]), rows)
    )


# --- more than yes or no ---


def describe_titre(table: Published) -> str:
    """Analyse the row with its own totals in three groups, as the paper says."""
    row, measured = (row for row in table.rows if row.partition.rows[0].totals is not None)
    rows = [pdp_row(row, group, attack, table) for group, attack in row.attackers]
    return (
        f"'{name_of(row)}' is printed with its own totals, for the others were not sampled. The paper "
        "analyses it as {No sampling, Sampling & Negative, Sampling & Positive}, and prints no figure "
        f"of it. PFDOC of the three groups is {row.pfdoc.bits:.3f} of at most "
        f"{math.log2(len(row.partition.groups)):.3f}, PFDPTC "
        f"{largest_change(row):.4f}. An attacker who knows that somebody was sampled has "
        f"{measured.pfdoc.bits:.3f} and {largest_change(measured):.4f}.\n\n"
        + grid(list(rows[0]), rows)
    )


def describe_categories(table: Published) -> str:
    """Measure the categories under a heading together."""
    rows = [
        {
            "characteristic": row.partition.rows[0].heading,
            "answers": ", ".join(group.name for group in row.partition.groups),
            "PFDOC": f"{row.pfdoc.bits:.3f}",
            **{
                f"PFDPTC {arm}": f"{attack.bits:.4f}"
                for arm, attack in zip(table.arms.names, row.pfdptc, strict=True)
            },
        }
        for row in table.rows
        if len(row.partition.rows) > 1
    ]
    return (
        "Rows under one heading that add up to everybody in each arm, or to the people that the heading "
        "states, exclude each other: they are one characteristic with several answers.\n\n"
        + grid(list(rows[0]), rows)
    )


def describe_summaries(table: Published) -> str:
    """Say what the rows of figures give away; the paper attacks counts alone."""
    rows = [
        {
            "characteristic": each.row.label,
            "arm": attack.arm,
            "printed": attack.cell.text,
            "guesses of a value that are right": f"at most {attack.advantage:.4f}",
        }
        for each in table.summaries
        for attack in each.attacks
    ]
    return (
        "The paper names no attack on these rows. Of so many people a median is at most one person's "
        "value, and nobody's in particular:\n\n" + grid(list(rows[0]), rows)
    )


def describe_limits(table: Published) -> str:
    """List the rows that break the chosen limits."""
    rows = [
        {"characteristic": label, "breaks": ", ".join(map(str, breaches))}
        for label, breaches in table.broken.items()
    ]
    limits = table.limits
    return (
        f"l = {limits.pdp:g} for PDP, {limits.pfdoc:g} for PFDOC and {limits.pfdptc:g} for PFDPTC, and "
        f"an advantage of {limits.advantage:g}, chosen here to show it:\n\n"
        + grid(list(rows[0]), rows)
    )
