"""How many released people are expected to be unique in the population, and what a limit costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from anonymizer.risk import ExpectedUniques, PUniqueness, Remaining, RiskModel
from anonymizer.solution.solution import anonymize
from experiments.prasser2016 import paper
from experiments.prasser2016.releases import Dataset
from experiments.prasser2016.tables import OnStep

LIMITS = (100, 10, 1)
SHARE = max(paper.THRESHOLDS)


def expected_table(datasets: Sequence[Dataset], on_step: OnStep) -> pd.DataFrame:
    """Return the best release under 1 % p-uniqueness and under each limit, for each population."""
    rows = []
    for dataset in datasets:
        for city, population in paper.POPULATIONS.items():
            on_step(f"{dataset.name.upper()}: expected uniques, {city}")
            models: list[RiskModel] = [PUniqueness(SHARE, population)]
            models += [ExpectedUniques(limit, population) for limit in LIMITS]
            rows += [measure(dataset, city, population, model) for model in models]
    return pd.DataFrame(rows)


def measure(dataset: Dataset, city: str, population: int, model: RiskModel) -> dict[str, Any]:
    """Count who is released alone, and estimate how many of them are unique in the population."""
    found = anonymize(dataset.problem.with_models(model))
    classes, suppressed = found.outcome.classes, found.outcome.suppressed
    left = Remaining(dataset.problem.microdata, classes, suppressed)
    judge = ExpectedUniques(1, population)
    uniques, interval = int(np.count_nonzero(classes.sizes[~suppressed] == 1)), judge.interval(left)
    return {
        "data": dataset.name,
        "population": city,
        "model": model.name,
        "limit": getattr(model, model.parameters[0].name),
        "quality": 100 * found.quality,
        "suppressed": found.suppressed,
        "sample uniques": uniques,
        "expected": judge.expected(left),
        "low": uniques * interval.low,
        "high": uniques * interval.high,
        "scheme": " ".join(f"{name}={level}" for name, level in found.scheme.items()),
    }
