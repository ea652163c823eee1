"""A published table with its indicators, coloured, as an HTML page and for the terminal."""

from __future__ import annotations

import math
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from anonymizer.assessment.published import SLACK, Indicators, Published, say_attacks
from anonymizer.report.page import render

BAD, GOOD = (222, 110, 95), (255, 255, 255)  # dark letters stay readable on both
ATTACKS = {
    "pdp": "PDP",
    "pfdoc": "PFDOC",
    "pfdptc": "PFDPTC",
}
PFDPTC_FULL = 0.25
"""A change of so many bits has the full colour."""


def published_page(table: Published, title: str) -> str:
    """Write the coloured table as a page that stands alone."""
    return render(
        "published.html",
        title=title,
        arms=table.arms,
        kept=table.kept,
        limits=table.limits,
        asked=any(asked is not None for asked in limits_of(table).values()),
        broken=[{"name": n, "attacks": list(map(ATTACKS.get, a))} for n, a in table.broken.items()],
        rows=[page_row(row, table) for row in table.rows],
    )


def limits_of(table: Published) -> dict[str, float | None]:
    """Return the l that is asked for under each attack."""
    return {name: getattr(table.limits, name) for name in ATTACKS}


def page_row(row: Indicators, table: Published) -> dict[str, Any]:
    """Prepare one row of the page: counts, and each indicator with its colour and what it tells."""
    says = say_attacks(row.characteristic, table.arms)
    broken = table.limits.broken_by(row)
    return {
        "name": row.characteristic.name,
        "counts": (row.characteristic.treatment, row.characteristic.placebo),
        "broken": [ATTACKS[attack] for attack in broken],
        "cells": [
            cell(row.pdp, 1 - row.pdp, says["pdp"], "pdp" in broken),
            cell(row.pfdoc, 1 - row.pfdoc, says["pfdoc"], "pfdoc" in broken),
            *(
                cell(
                    value, value / PFDPTC_FULL, says["pfdptc"], value in broken_changes(row, table)
                )
                for value in (row.pfdptc_treatment, row.pfdptc_placebo)
            ),
        ],
    }


def broken_changes(row: Indicators, table: Published) -> list[float]:
    """Return which of the two PFDPTC changes break the limit."""
    asked = table.limits.pfdptc
    if asked is None or "pfdptc" not in table.limits.broken_by(row):
        return []
    changes = row.pfdptc_treatment, row.pfdptc_placebo
    return [value for value in changes if value > math.log2(asked) + SLACK]


def cell(value: float, danger: float, says: str, broken: bool) -> dict[str, Any]:
    """Prepare one cell; danger runs from 0 to 1."""
    return {"value": f"{value:.4f}", "colour": colour(danger), "says": says, "broken": broken}


def colour(danger: float) -> str:
    """Mix a colour between white and red.

    >>> colour(0.0), colour(1.0)
    ('#ffffff', '#de6e5f')
    """
    part = min(max(danger, 0.0), 1.0)
    mixed = (round(good + part * (bad - good)) for good, bad in zip(GOOD, BAD, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def published_grid(table: Published) -> Grid:
    """Show the table on the terminal; what breaks the chosen l is red."""
    grid = Grid("characteristic", title="Indicators in bits", title_justify="left")
    for name in ("treatment", "placebo", "PDP", "PFDOC", "PFDPTC treatment", "PFDPTC placebo"):
        grid.add_column(name, justify="right")
    for row in table.rows:
        broken = table.limits.broken_by(row)
        counts = str(row.characteristic.treatment), str(row.characteristic.placebo)
        changes = broken_changes(row, table)
        grid.add_row(
            Text(row.characteristic.name),
            *counts,
            mark(row.pdp, "pdp" in broken),
            mark(row.pfdoc, "pfdoc" in broken),
            *(mark(v, v in changes) for v in (row.pfdptc_treatment, row.pfdptc_placebo)),
        )
    return grid


def mark(value: float, broken: bool) -> Text:
    """Write an indicator, red with a mark where it breaks the chosen l."""
    return Text(f"{value:.4f}" + ("!" if broken else ""), style="bold red" if broken else "")


def verdict(table: Published) -> str:
    """Say what l the table keeps, and how many rows break the chosen one."""
    kept = table.kept
    lines = [
        f"All rows keep l = {kept.pdp:.3f} under PDP (who has a characteristic guesses his arm), "
        f"l = {kept.pfdoc:.3f} under PFDOC (who knows a participant guesses what he has) and "
        f"l = {kept.pfdptc:.3f} under PFDPTC (who knows his arm too guesses better; lower is safer)."
    ]
    if table.broken:
        lines.append(f"{len(table.broken)} of {len(table.rows)} rows break the chosen l.")
    return "\n".join(lines)
