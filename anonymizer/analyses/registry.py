"""The analyses that can be run, by kind."""

from __future__ import annotations

from anonymizer.analyses import (
    cox,
    linear,
    logistic,
    marginals,
    prediction,
    queries,
    subgroups,
    survival,
    two_way,
)
from anonymizer.analyses.result import Run

RUNS: dict[str, Run] = {
    "linear": linear.run,
    "logistic": logistic.run,
    "cox": cox.run,
    "survival": survival.run,
    "prediction": prediction.run,
    "marginals": marginals.run,
    "two-way": two_way.run,
    "queries": queries.run,
    "subgroups": subgroups.run,
}
"""What runs each kind of analysis that a policy may state."""
