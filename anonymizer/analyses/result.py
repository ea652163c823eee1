"""Results: what came of an analysis on both tables, in one shape for JSON, pages and frontiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from anonymizer.analyses.pair import Pair
from anonymizer.errors import ReleaseError, import_extra
from anonymizer.policy import Analysis

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Curve:
    """A survival curve at round times: the share to whom the event has not happened yet."""

    group: str
    times: tuple[float, ...]
    before: tuple[float, ...]
    after: tuple[float, ...] | None
    """None where the release has nobody of the group, or no groups."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one analysis."""

    analysis: Analysis
    figure: str
    """What `value` is, in words."""
    value: float | None
    """What is left, or lost, in one number; None where the release does not allow the analysis."""
    higher_is_better: bool
    rows: tuple[Any, ...]
    """The figures in full: frozen dataclasses of one kind."""
    method: str
    """How it was done, in sentences."""
    findings: tuple[str, ...] = ()
    """What failed or stands out, one sentence each."""
    original: float | None = None
    """The same figure on the original, where it has one."""
    curves: tuple[Curve, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "name": self.analysis.name,
            "kind": self.analysis.kind,
            "stated": self.analysis.describe(),
            "figure": self.figure,
            "value": self.value,
            "original": self.original,
            "higher_is_better": self.higher_is_better,
            "findings": list(self.findings),
            "method": self.method,
            "rows": [asdict(row) for row in self.rows],
            "curves": [asdict(curve) for curve in self.curves],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the figures as a table."""
        import pandas as pd

        names = [field.name for field in fields(self.rows[0])] if self.rows else []
        return pd.DataFrame([asdict(row) for row in self.rows], columns=names)


Run = Callable[[Any, Pair], Result]
"""Runs an analysis of one kind; what only the release does not allow is a note, not an error."""


def need(module: str, what: str) -> Any:
    """Import a module of the extra `evidence`, or say how to install it."""
    return import_extra(module, what, "evidence", ReleaseError)
