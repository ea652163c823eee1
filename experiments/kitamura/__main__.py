"""python -m experiments.kitamura: every log(I) that the paper prints, computed from its table.

Writes results/kitamura/: indicators.csv (every row of the table), printed.csv (beside what is printed),
the coloured table as a page, and a summary.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer.assessment.published import (
    Indicators,
    Limits,
    Published,
    assess_published,
    read_published,
)
from anonymizer.data.staging import Staging
from anonymizer.report.published import published_page
from experiments.datasets import REFERENCE, RESULTS
from experiments.kitamura.page import write_page
from experiments.kitamura.printed import (
    ARMS,
    CONCLUDED,
    PRINTED,
    Printed,
    patient_rows,
)

TABLE = REFERENCE / "kitamura_characteristics.csv"
CHOSEN = Limits(pdp=1.4, pfdoc=1.107, pfdptc=1.1)
"""An l for each attack, to show which rows break it."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m experiments.kitamura", description=__doc__)
    options.add_argument("--out", type=Path, help="folder to write to")
    folder = options.parse_args(arguments).out or RESULTS / "kitamura"
    if not TABLE.is_file():
        sys.exit("skipped: the paper's table is not at hand (../shared)")
    rows, arms = read_published(TABLE, ARMS)
    table = assess_published(rows, arms, CHOSEN)
    with Staging(folder) as staging:
        indicators = pd.DataFrame(indicator_rows(table))
        indicators.to_csv(staging.path("indicators.csv"), index=False, float_format="%.6f")
        printed = pd.DataFrame(printed_rows(table))
        printed.to_csv(staging.path("printed.csv"), index=False)
        page = published_page(table, "Attacks on a table of patient characteristics")
        staging.path("published.html").write_text(page, encoding="utf-8")
        text = write_page(table, printed_rows(table), concluded_rows(table))
        staging.path("README.md").write_text(text, encoding="utf-8")
    print(f"written to {folder}", file=sys.stderr)


def indicator_rows(table: Published) -> list[dict[str, Any]]:
    """List the indicators of every row, and under which attack it breaks the chosen l."""
    return [
        {
            "characteristic": row.characteristic.name,
            "treatment": row.characteristic.treatment,
            "placebo": row.characteristic.placebo,
            "PDP": row.pdp,
            "PFDOC": row.pfdoc,
            "PFDPTC treatment": row.pfdptc_treatment,
            "PFDPTC placebo": row.pfdptc_placebo,
            "breaks": " ".join(table.limits.broken_by(row)).upper(),
        }
        for row in table.rows
    ]


def indicator(row: Indicators, printed: Printed) -> float:
    """Return the indicator of a row that a printed figure is about."""
    if printed.attack == "PFDPTC":
        return row.pfdptc_treatment if printed.arm == "treatment" else row.pfdptc_placebo
    return row.pdp if printed.attack == "PDP" else row.pfdoc


def printed_rows(table: Published) -> list[dict[str, Any]]:
    """Set every printed log(I) beside the computed one, to as many digits."""
    by_name = {row.characteristic.name: row for row in table.rows}
    listed = []
    for printed in PRINTED:
        row = by_name[printed.characteristic]
        digits = len(printed.log_l.partition(".")[2])
        computed = f"{indicator(row, printed):.{digits}f}"
        arm = getattr(row.characteristic, printed.arm) if printed.arm else None
        counts = (arm, row.characteristic.total)
        listed.append(
            {
                "attack": printed.attack,
                "characteristic": printed.characteristic,
                "arm": printed.arm,
                "printed": printed.log_l,
                "computed": computed,
                "agrees": computed == printed.log_l,
                "counts of the table": beside(*counts),
                "counts printed beside it": beside(printed.count, printed.total),
            }
        )
    return listed


def beside(count: int | None, total: int | None) -> str:
    """Write the count of an arm and the total."""
    return f"{total}" if count is None else f"{count} of {total}"


def concluded_rows(table: Published) -> list[dict[str, Any]]:
    """Set the I that the paper concludes beside that of all rows, and of the patients' own ones."""
    part = Published(table.arms, patient_rows(table))
    listed = []
    for attack, printed in CONCLUDED.items():
        every, some = (getattr(each.kept, attack.lower()) for each in (table, part))
        listed.append(
            {
                "attack": attack,
                "printed": printed,
                "all rows": f"{every:.3f}",
                "conditions and medications": f"{some:.3f}",
            }
        )
    return listed


if __name__ == "__main__":
    main()
