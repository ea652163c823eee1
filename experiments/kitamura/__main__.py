"""python -m experiments.kitamura: every log(I) that the paper prints, computed from its table.

Reads characteristics.csv, the paper's table as it is printed. Writes
results/kitamura/: indicators.csv (every row of the table), printed.csv (beside what is printed), the
coloured table as a page, and a summary.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer.data.staging import Staging
from anonymizer.published import (
    Indicator,
    Indicators,
    Published,
    PublishedLimits,
    assess_published,
    read_published,
)
from anonymizer.published.partition import Answer
from anonymizer.report.provenance import Provenance
from anonymizer.report.published import published_page
from experiments.datasets import RESULTS
from experiments.kitamura.page import write_page
from experiments.kitamura.printed import (
    CONCLUDED,
    PRINTED,
    Printed,
    name_of,
    patient_rows,
)
from experiments.running import options_of, run_main

TABLE = Path(__file__).with_name("characteristics.csv")
CHOSEN = PublishedLimits(pdp=1.4, pfdoc=1.107, pfdptc=1.1, advantage=0.2)
"""A limit for each attack, to show which rows break it."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("kitamura", __doc__)
    folder = options.parse_args(arguments).out or RESULTS / "kitamura"
    table = assess_published(*read_published(TABLE), CHOSEN)
    with Staging(folder) as staging:
        indicators = pd.DataFrame(indicator_rows(table))
        indicators.to_csv(staging.path("indicators.csv"), index=False, float_format="%.6f")
        printed = pd.DataFrame(printed_rows(table))
        printed.to_csv(staging.path("printed.csv"), index=False)
        title = "Attacks on a table of patient characteristics"
        page = published_page(table, title, Provenance(made=None))
        staging.path("published.html").write_text(page, encoding="utf-8")
        text = write_page(table, printed_rows(table), concluded_rows(table))
        staging.path("README.md").write_text(text, encoding="utf-8")
    print(f"written to {folder}", file=sys.stderr)


def indicator_rows(table: Published) -> list[dict[str, Any]]:
    """List the indicators and advantages of every row, and which limits it breaks."""
    return [
        {
            "characteristic": row.partition.label,
            **{
                arm: sum(each.counts[index] for each in row.partition.rows)
                for index, arm in enumerate(table.arms.names)
            },
            **{f"{arm} measured": size for arm, size in measured(row, table).items()},
            **pdp_columns(row),
            "PFDOC": row.pfdoc.bits,
            **{
                f"PFDPTC {arm}": attack.bits
                for arm, attack in zip(table.arms.names, row.pfdptc, strict=True)
            },
            "PFDPTC advantage": max(attack.advantage for attack in row.pfdptc),
            "breaks": ", ".join(map(str, table.breaches(row))),
        }
        for row in table.rows
    ]


def measured(row: Indicators, table: Published) -> dict[str, int]:
    """Return how many people of each arm were measured."""
    people = row.partition.rows[0].measured(table.arms)
    return dict(zip(table.arms.names, people, strict=True))


def pdp_columns(row: Indicators) -> dict[str, float | None]:
    """Return PDP in bits, and its advantage, for who has it, who does not and who was not measured."""
    columns: dict[str, float | None] = {}
    for answer in (Answer.HAS, Answer.LACKS, Answer.MISSING):
        group = row.partition.group(answer)
        attack = row.pdp_of(answer) if group and group.attacks else None
        columns[f"PDP {answer}"] = None if attack is None else attack.bits
        columns[f"PDP {answer}, advantage"] = None if attack is None else attack.advantage
    return columns


def attack_on(row: Indicators, printed: Printed, arms: Sequence[str]) -> Indicator:
    """Return the attack on a row that a printed figure is about."""
    if printed.attack == "PFDPTC":
        return row.pfdptc[arms.index(printed.arm)]
    return row.pdp[0] if printed.attack == "PDP" else row.pfdoc


def printed_rows(table: Published) -> list[dict[str, Any]]:
    """Set every printed log(I) beside the computed one, to as many digits."""
    by_name = {name_of(row): row for row in table.printed}
    arms = table.arms.names
    listed = []
    for printed in PRINTED:
        row = by_name[printed.characteristic]
        digits = len(printed.log_l.partition(".")[2])
        computed = f"{attack_on(row, printed, arms).bits:.{digits}f}"
        counts = row.partition.rows[0].counts
        arm = counts[arms.index(printed.arm)] if printed.arm else None
        listed.append(
            {
                "attack": printed.attack,
                "characteristic": printed.characteristic,
                "arm": printed.arm,
                "printed": printed.log_l,
                "computed": computed,
                "agrees": computed == printed.log_l,
                "counts of the table": beside(arm, sum(counts)),
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
    return [
        {
            "attack": attack,
            "printed": printed,
            "all rows": f"{l_of(table.paper, attack):.3f}",
            "conditions and medications": f"{l_of(part.paper, attack):.3f}",
            "with complement and baseline": f"{l_of(table.kept, attack):.3f}",
        }
        for attack, printed in CONCLUDED.items()
    ]


def l_of(limits: PublishedLimits, attack: str) -> float | None:
    """Return the l of one attack."""
    return {"PDP": limits.pdp, "PFDOC": limits.pfdoc, "PFDPTC": limits.pfdptc}[attack]


if __name__ == "__main__":
    run_main(main, "kitamura")
