"""Tables 2 and 3 by other measures of quality: non-uniform entropy and the KL-divergence.

The paper has "performed our experiments with these models as well" and measured "improvements comparable
to the numbers presented" (section 6). Entropy is a measure of the package, so its optima are searched for
and proven. The KL-divergence is not: its optima are the best of all schemes, each of which is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.evaluation.suppression import suppress
from anonymizer.kernels.partition import sum_shares
from anonymizer.lattice import Scheme
from anonymizer.policy import Utility
from anonymizer.risk import KAnonymity, RiskModel
from anonymizer.risk.parsing import parse_model
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.domain import Domain
from anonymizer.table.microdata import Microdata
from experiments.prasser2016 import paper
from experiments.prasser2016.releases import Dataset, release
from experiments.prasser2016.tables import OnStep

LOSS, ENTROPY, DIVERGENCE = "loss", "entropy", "KL-divergence"
MEASURES = (LOSS, ENTROPY, DIVERGENCE)
MOST_TUPLES = 5_000_000_000
"""Up to so many schemes times distinct tuples all schemes are tried: minutes (CUP has 2.9 billion)."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best release by a measure."""

    quality: float
    scheme: Scheme
    suppressed: int


def measure_table(datasets: Sequence[Dataset], on_step: OnStep) -> pd.DataFrame:
    """Return every cell of Tables 2 and 3 by every measure, and what it gains over k-anonymity."""
    cells = [cell for dataset in datasets for cell in measure_dataset(dataset, on_step)]
    return with_gains(pd.DataFrame(cells))


def measure_dataset(dataset: Dataset, on_step: OnStep) -> Iterator[dict[str, Any]]:
    """Find the best release for every row by every measure."""
    models = [parse_model(row.risk) for row in paper.ROWS]
    on_step(f"{dataset.name.upper()}: Tables 2 and 3 by entropy")
    by_entropy = with_measure(dataset, ENTROPY)
    found = {
        LOSS: [searched(dataset, model) for model in models],
        ENTROPY: [searched(by_entropy, model) for model in models],
    }
    if dataset.problem.lattice.size * dataset.problem.microdata.distinct <= MOST_TUPLES:
        on_step(f"{dataset.name.upper()}: Tables 2 and 3 by KL-divergence")
        found[DIVERGENCE] = least_divergence(dataset, models)
    for measure, best in found.items():
        for row, each in zip(paper.ROWS, best, strict=True):
            yield describe_best(dataset, row, measure, each)


def describe_best(dataset: Dataset, row: paper.Row, measure: str, best: Best) -> dict[str, Any]:
    scheme = dataset.problem.named(best.scheme)
    return {
        "table": row.table,
        "data": dataset.name,
        "model": row.label,
        "measure": measure,
        "quality": 100 * best.quality,
        "suppressed": best.suppressed,
        "scheme": " ".join(f"{name}={level}" for name, level in scheme.items()),
    }


def with_gains(cells: pd.DataFrame) -> pd.DataFrame:
    """Add what each cell gains over k-anonymity, the first row of its table.

    `gain` is in points of quality. `avoided` is the same as a share of what k-anonymity loses, which does
    not depend on how a measure is scaled.
    """
    baseline = cells.groupby(["table", "data", "measure"])["quality"].transform("first")
    gain = cells["quality"] - baseline
    lost = (100 - baseline).where(baseline < 100)
    return cells.assign(gain=gain, avoided=gain / lost)


# --- entropy ---


def with_measure(dataset: Dataset, measure: str) -> Dataset:
    """Return the data set with quality measured in another way."""
    policy = dataset.problem.policy.model_copy(update={"utility": Utility(measure=measure)})
    return replace(dataset, problem=dataset.problem.with_policy(policy))


def searched(dataset: Dataset, model: RiskModel) -> Best:
    """Search for the best release; it is proven to be the best."""
    found = release(dataset, model)
    return Best(found.quality, dataset.problem.scheme_of(found.scheme), found.suppressed)


# --- KL-divergence ---


@dataclass(frozen=True, slots=True, eq=False)
class Divergence:
    """How far a release is from the table (Kifer and Gehrke 2006), in nats.

    KL(p || q) = sum over the distinct tuples t of p(t) log(p(t) / q(t)), with p the share of the records
    that are t, and q what the release says of t: the share of the records in its class, spread evenly
    over the leaves that the class covers. Suppressed records are a class that covers the whole domain, as
    in ARX; that other classes lie within it is not counted.
    """

    records: int
    entropy: float
    """Of p, in nats."""
    log_covered: NDArray[np.float64] = field(repr=False)
    """The logarithm of the leaves covered, as in `Domain.covered`."""
    log_domain: float
    """The logarithm of the number of tuples of leaves."""
    microdata: Microdata = field(repr=False)

    @staticmethod
    def of(microdata: Microdata) -> Divergence:
        """Prepare what does not depend on the scheme."""
        domain: Domain = microdata.domain
        shares = microdata.counts / microdata.records
        return Divergence(
            microdata.records,
            -float(shares @ np.log(shares)),
            np.log(np.maximum(domain.covered, 1)),  # 0 above a column's top
            float(np.log(domain.sizes).sum()),
            microdata,
        )

    @property
    def highest(self) -> float:
        """The divergence if everything is suppressed."""
        return self.log_domain - self.entropy

    def spread(self, classes: EquivalenceClasses) -> NDArray[np.float64]:
        """Return what each class adds if it is kept: the sum of -log q over its records."""
        levels = np.array(classes.scheme)
        logs: NDArray[np.float64] = sum_shares(
            classes.first_tuple,
            self.microdata.codes,
            self.log_covered,
            self.microdata.domain.offsets,
            levels,
        )
        sizes = classes.records
        return sizes * (logs - np.log(sizes / self.records))

    def total(self, spread: NDArray[np.float64], kept: NDArray[np.bool_], suppressed: int) -> float:
        """Return the divergence of a release, given what each of its classes adds."""
        total = float(spread[kept].sum())
        if suppressed:
            total += suppressed * (self.log_domain - math.log(suppressed / self.records))
        return total / self.records - self.entropy

    def quality(self, divergence: float) -> float:
        """Return one minus the divergence, as a share of the highest."""
        return 1 - divergence / self.highest if self.highest else 1.0


def least_divergence(dataset: Dataset, models: Sequence[RiskModel]) -> list[Best]:
    """Try all schemes, and return the best for each model; each scheme is partitioned once."""
    microdata = dataset.problem.microdata
    same = [by_class_size(model, microdata.number_of_people) for model in models]
    divergence = Divergence.of(microdata)
    best = {model: Best(-math.inf, (), 0) for model in same}
    for scheme in dataset.problem.lattice:
        classes = partition(microdata, scheme)
        spread = divergence.spread(classes)
        for model, so_far in best.items():
            gone = suppressed_by(microdata, classes, model)
            suppressed = int(classes.records[gone].sum())
            quality = divergence.quality(divergence.total(spread, ~gone, suppressed))
            if quality > so_far.quality:
                best[model] = Best(quality, scheme, suppressed)
    return [best[model] for model in same]


def by_class_size(model: RiskModel, people: int) -> RiskModel:
    """Return k-anonymity at k' for a model that asks for nothing else, such as an estimated k-map."""
    asked = model.asks(people)
    return KAnonymity(asked.least_class) if asked.only else model


def suppressed_by(
    microdata: Microdata, classes: EquivalenceClasses, model: RiskModel
) -> NDArray[np.bool_]:
    """Mark the classes that a model suppresses."""
    if model.asks(microdata.number_of_people).only:
        return model.violating(classes)
    return suppress(microdata, classes, [model]).suppressed
