"""What was measured, and what in it has no explanation."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from experiments.prasser2016.frontier import compare, irregular
from experiments.prasser2016.tables import contradictions

OUTSIDE = "ARX's solution has risk"
"""So experiments.reference begins the reason where ARX is ahead because its solution breaks the model."""


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The tables and curves on the data sets at hand."""

    records: dict[str, int]
    absent: tuple[str, ...]
    quality: pd.DataFrame
    measures: pd.DataFrame
    safe_harbor: pd.DataFrame
    attackers: pd.DataFrame
    curves: pd.DataFrame
    lines: pd.DataFrame
    expected: pd.DataFrame
    orders: pd.DataFrame

    @property
    def behind(self) -> pd.DataFrame:
        """The points of Figure 6 that lie below ARX's."""
        return self.curves[compare(self.curves) == "below"]

    @property
    def faults(self) -> list[str]:
        """Everything that differs from the paper, or falls behind ARX, without an explanation."""
        unexplained = [n for n, others in contradictions(self.quality).items() if not others]
        cells = self.quality.loc[unexplained]
        behind = self.behind[~self.behind["why"].fillna("").str.startswith(OUTSIDE)]
        return [
            *(
                f"Table {cell['table']}, {cell['model']}, {cell['data'].upper()}: "
                f"{cell['quality']:.1f} where the paper prints {cell['paper']:.1f}"
                for _, cell in cells.iterrows()
            ),
            *(
                f"Figure 6, {point['data'].upper()}, {point['population']}, "
                f"{point['threshold']:g}: {point['quality']:.2f} where ARX reaches "
                f"{point['ARX quality']:.2f}"
                for _, point in behind.iterrows()
            ),
            *(f"Figure 6, {fault}" for fault in irregular(self.curves)),
        ]
