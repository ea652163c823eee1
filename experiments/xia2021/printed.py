"""Every number of Tables 3 and 4, ours beside it, and whether it is reproduced.

The paper's patients and the probabilities of its appendices cannot be had. So a figure that differs
contradicts nothing; it is not to be had. The probabilities for Twitter were set with Table 3 in view, so
that its rows there say little.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from experiments.xia2021 import published

REPRODUCED, NOT_HAD = "reproduced", "not to be had"
NEAR = 0.5
"""So many percentage points away counts as reproduced."""
COLUMNS = ["table", "scenario", "setting", "figure", "printed", "here", "verdict"]


def printed_table(table_3: pd.DataFrame, table_4: pd.DataFrame) -> pd.DataFrame:
    """Return a row for every printed number of the two tables."""
    return pd.DataFrame([*of_table_3(table_3), *of_table_4(table_4)], columns=COLUMNS)


def of_table_3(ours: pd.DataFrame) -> Iterator[list[object]]:
    """Compare the reductions of the marketer risk, by the size of the sample."""
    marketer = ours[ours["measure"] == "marketer"].set_index(["scenario", "size"])
    for scenario, sizes in published.TABLE_3.items():
        for size, printed in sizes.items():
            for name, theirs in zip(published.QUARTILES, printed, strict=True):
                mine = at(marketer, (scenario, size), name)
                yield [3, scenario, f"{size} records", name, theirs, mine, verdict(mine, theirs)]
    for scenario in published.TABLE_3:
        for measure in ("prosecutor", "journalist"):
            rows = ours[(ours["measure"] == measure) & (ours["scenario"] == scenario)]
            for size, mine in zip(rows["size"], rows["q1"], strict=True):
                setting = f"{size} records"
                yield [3, scenario, setting, f"q1, {measure}", 100.0, mine, verdict(mine, 100.0)]


def of_table_4(ours: pd.DataFrame) -> Iterator[list[object]]:
    """Compare the reductions of the overall risk, by the four parameters and over all settings."""
    keys = ["p_m", "p_c", "p_fm", "p_cu", "scenario"]
    by_setting = ours.set_index(keys)
    for parameters, scenarios in published.TABLE_4.items():
        for scenario, printed in scenarios.items():
            for name, theirs in zip(published.QUARTILES, printed, strict=True):
                mine = at(by_setting, (*parameters, scenario), name)
                setting = " ".join(map(str, parameters))
                yield [4, scenario, setting, name, theirs, mine, verdict(mine, theirs)]
    for scenario, printed in published.TABLE_4_AVERAGE.items():
        rows = ours[ours["scenario"] == scenario]
        for name, theirs in zip(published.QUARTILES, printed, strict=True):
            mine = float(rows[name].mean())
            yield [4, scenario, "average of all", name, theirs, mine, verdict(mine, theirs)]


def at(rows: pd.DataFrame, key: tuple[object, ...], name: str) -> float:
    """Return one figure, or NaN where it was not measured."""
    return float(rows.loc[key, name]) if key in rows.index else float("nan")


def verdict(mine: float, theirs: float) -> str:
    """Say whether ours is near.

    >>> verdict(99.9, 100.0), verdict(90.0, 100.0)
    ('reproduced', 'not to be had')
    """
    return REPRODUCED if abs(mine - theirs) <= NEAR else NOT_HAD
