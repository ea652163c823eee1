"""Tables 7 and 8 and the curves of Figure 2, recomputed from what the paper prints.

The paper gives usage (Table 5) and the disclosure rates of four demographic attributes (Table 6). The
rates of twelve conditions and the counts of unique records are not printed; `reconstruction.json` has
them as recovered from Tables 7 and 8.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.disclosure import (
    Source,
    disclosure_likelihood,
    subset_likelihood,
)
from anonymizer.attackers.nrf import Reidentification
from anonymizer.attackers.unique_subsets import Uniqueness
from experiments.datasets import figures_of
from experiments.nrf.sizes import means_by_size

USAGE = {"Twitter": 0.19, "Instagram": 0.21, "Pinterest": 0.22, "LinkedIn": 0.23, "Facebook": 0.58}
DEMOGRAPHIC = {"age": 0.216, "gender": 0.7629, "location": 0.193, "race": 0.681}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reconstruction:
    """What the paper prints and what was recovered from it."""

    records: int
    conditions: dict[str, float]
    """The disclosure rate of each condition, the same in every source."""
    counts: dict[frozenset[str], int]
    """Unique records of the twenty subsets of Table 8."""
    table7: dict[str, str]
    table8: dict[tuple[str, ...], str]
    facts: dict[str, Any]

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        return (*DEMOGRAPHIC, *self.conditions)

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        rates = {**DEMOGRAPHIC, **self.conditions}
        return tuple(Source(name, usage, rates) for name, usage in USAGE.items())

    def number(self, names: frozenset[str] | tuple[str, ...]) -> int:
        return sum(1 << self.attributes.index(name) for name in names)

    @cached_property
    def likelihood(self) -> Floats:
        """Equation 4 for every subset, with all five sources."""
        return subset_likelihood(disclosure_likelihood(self.sources, self.attributes))

    def marginal(self, attribute: str) -> float:
        """Equation 5 for one attribute, with all five sources."""
        return float(disclosure_likelihood(self.sources, [attribute])[0])

    @cached_property
    def least(self) -> Uniqueness:
        """The listed subsets with their counts, and nobody unique on any other."""
        unique = np.zeros(1 << len(self.attributes), np.int64)
        for names, count in self.counts.items():
            unique[self.number(names)] = count
        return Uniqueness(self.attributes, self.records, self.records, unique)

    @cached_property
    def greatest(self) -> Uniqueness:
        """On a subset that is not listed, as many as its absence and the listed supersets allow."""
        subsets = np.arange(1 << len(self.attributes))
        last = min(float(printed) for printed in self.table8.values())
        most = np.minimum(last / self.likelihood * self.records, self.records)
        for names, count in self.counts.items():
            most[subsets & ~self.number(names) == 0] = np.minimum(
                most[subsets & ~self.number(names) == 0], count
            )
        unique = np.floor(most * (1 + 1e-9)).astype(np.int64)
        for names, count in self.counts.items():
            unique[self.number(names)] = count
        return Uniqueness(self.attributes, self.records, self.records, unique)

    def bounds(self, sources: tuple[Source, ...]) -> tuple[Reidentification, Reidentification]:
        """The least and the greatest risk through some sources that the paper's tables allow."""
        return Reidentification(self.least, sources), Reidentification(self.greatest, sources)

    def chosen(self, initials: str) -> tuple[Source, ...]:
        """Return the sources with these initials, as the legend of Figure 2 has them."""
        return tuple(source for source in self.sources if source.name[0].lower() in initials)


def read_reconstruction() -> Reconstruction:
    """Read the recovered parameters."""
    facts = json.loads(figures_of("nrf", "reconstruction.json").read_text(encoding="utf-8"))
    with figures_of("nrf", "table_7.csv").open(newline="") as file:
        table7 = {row["attribute"]: row["published_table7"] for row in csv.DictReader(file)}
    with figures_of("nrf", "table_8.csv").open(newline="") as file:
        rows = [(row["combination"], row["published_probability"]) for row in csv.DictReader(file)]
    return Reconstruction(
        facts["N"],
        facts["per_platform_P_Z_condition"],
        {frozenset(names.split("+")): count for names, count in facts["counts"].items()},
        table7,
        {tuple(names.split("+")): printed for names, printed in rows},
        facts,
    )


def last_digits(computed: float, printed: str) -> int:
    """Return how far a figure is from a printed one of six digits, in units of the last digit.

    >>> last_digits(0.12763341, "0.127633"), last_digits(6.66842e-09, "6.66843e-09")
    (0, -1)
    """
    exponent = int(f"{float(printed):.5e}".split("e")[1])
    unit = 10.0 ** (exponent - 5)
    return round(float(f"{computed:.5e}") / unit) - round(float(printed) / unit)


def table_7(paper: Reconstruction) -> list[dict[str, Any]]:
    """Set the printed likelihoods beside equation 4 for the attribute alone, and equation 5."""
    rows = []
    for attribute, printed in paper.table7.items():
        alone = float(paper.likelihood[paper.number((attribute,))])
        rows.append(
            {
                "attribute": attribute,
                "printed": printed,
                "equation 4": f"{alone:.5e}",
                "units of the last digit off": last_digits(alone, printed),
                "equation 5": f"{paper.marginal(attribute):.5e}",
                "rate": "Table 6" if attribute in DEMOGRAPHIC else "recovered from this table",
            }
        )
    return rows


def table_8(paper: Reconstruction) -> list[dict[str, Any]]:
    """Set the printed probabilities beside unique records / N times equation 4."""
    risk = Reidentification(paper.least, paper.sources)
    rows = []
    for names, printed in paper.table8.items():
        found = risk.combination(paper.number(names))
        rows.append(
            {
                "combination": " ".join(names),
                "size": len(names),
                "unique records": found.unique_records,
                "printed": printed,
                "recomputed": f"{found.probability:.5e}",
                "units of the last digit off": last_digits(found.probability, printed),
            }
        )
    return rows


def figure_2(paper: Reconstruction) -> list[dict[str, Any]]:
    """Bound the individual risk, and that of four million records, for combinations of sources."""
    rows = []
    initials = [name[0].lower() for name in USAGE]
    for size in range(1, len(initials) + 1):
        for those in combinations(initials, size):
            low, high = paper.bounds(paper.chosen("".join(those)))
            known = paper.facts["rD_bounds"].get("".join(those))
            rows.append(
                {
                    "sources": "+".join(those),
                    "individual, at least": low.individual,
                    "individual, at most": high.individual,
                    "n = 4,000,000, at least": float(low.over_records(4_000_000)),
                    "n = 4,000,000, at most": float(high.over_records(4_000_000)),
                    "facts, at least": known[0] if known else None,
                    "facts, at most": known[1] if known else None,
                }
            )
    return rows


def figure_3(paper: Reconstruction) -> list[dict[str, Any]]:
    """The green curve of Figure 3: the mean disclosure likelihood by size of the subset."""
    means = means_by_size(Reidentification(paper.least, paper.sources))
    return [
        {"size": mean.size, "disclosure likelihood": mean.disclosure_likelihood, "facts": known}
        for mean, known in zip(means, paper.facts["fig3_mean_z"], strict=True)
    ]
