"""Samples of a population whose class sizes are known, and what is estimated from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.estimators.derived_k import DERIVATIONS, derived_k
from anonymizer.estimators.pitman import fit_pitman
from anonymizer.estimators.uniques import ESTIMATORS, Integers, histogram
from anonymizer.hierarchy import load_hierarchy
from experiments.datasets import spec_of

ALPHA = 0.1
KS = (2, 5, 10)
FACTOR = 2
"""An estimate is close if neither it nor the truth is more than so many times the other."""


@dataclass(frozen=True, slots=True)
class QuasiIdentifiers:
    """Attributes of the demo population, each with the level of its shipped hierarchy."""

    name: str
    description: str
    levels: dict[str, int]


SETS = (
    QuasiIdentifiers(
        "three coarse",
        "age in 10-year groups, sex, zip at 3 digits",
        {"age": 2, "sex": 0, "zip": 2},
    ),
    QuasiIdentifiers("three", "age in years, sex, zip at 5 digits", {"age": 0, "sex": 0, "zip": 0}),
    QuasiIdentifiers(
        "seven coarse",
        "age in 5-year groups, sex, zip at 3 digits; marital status, race, education and "
        "occupation one level up",
        {
            "age": 1,
            "sex": 0,
            "zip": 2,
            "marital_status": 1,
            "race": 1,
            "education": 1,
            "occupation": 1,
        },
    ),
    QuasiIdentifiers(
        "five",
        "age, sex, zip, marital status, race, untouched",
        {"age": 0, "sex": 0, "zip": 0, "marital_status": 0, "race": 0},
    ),
    QuasiIdentifiers(
        "seven",
        "all seven attributes, untouched",
        {
            "age": 0,
            "sex": 0,
            "zip": 0,
            "marital_status": 0,
            "race": 0,
            "education": 0,
            "occupation": 0,
        },
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The class of every person under a set of quasi-identifiers, and the size of every class."""

    quasi_identifiers: QuasiIdentifiers
    class_of_person: Integers
    sizes: Integers

    @staticmethod
    def of(people: pd.DataFrame, quasi_identifiers: QuasiIdentifiers) -> Truth:
        """Number the classes of a population."""
        key = np.zeros(len(people), np.int64)
        for attribute, level in quasi_identifiers.levels.items():
            hierarchy = load_hierarchy(spec_of("demo", attribute))
            code_of_person, values = pd.factorize(people[attribute])
            leaves = pd.Index(hierarchy.leaves).get_indexer(values.astype(str))
            assert leaves.min() >= 0, f"{attribute}: a value has no leaf"
            key *= len(hierarchy.labels[level])
            key += hierarchy.codes[level][leaves][code_of_person]
        _, class_of_person, sizes = np.unique(key, return_inverse=True, return_counts=True)
        return Truth(quasi_identifiers, class_of_person, sizes)

    @property
    def population(self) -> int:
        return self.class_of_person.size

    @property
    def uniques(self) -> int:
        return self.smaller(2)

    def smaller(self, k: int) -> int:
        """Count the classes smaller than k."""
        return int(np.count_nonzero(self.sizes < k))

    def count(self, sample: Integers) -> Integers:
        """Count the sampled people of each class, 0 where there are none."""
        return np.bincount(self.class_of_person[sample], minlength=self.sizes.size)


def draw(
    population: int, fraction: float, repeats: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Draw simple random samples without replacement, as positions of people."""
    records = round(fraction * population)
    for _ in range(repeats):
        yield rng.choice(population, records, replace=False, shuffle=False)


def measure(
    truths: Sequence[Truth], fraction: float, samples: Sequence[Integers] | Iterator[Integers]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare what each sample says with the truth: rows of uniques.csv and of k_map.csv."""
    estimates = []
    passing = []
    for sample in samples:
        for truth in truths:
            counts = truth.count(sample)
            estimates.append(estimate(truth, counts))
            passing.append(check_classes(truth, counts))
    uniques = pd.concat(estimates).groupby(["set", "estimator"], sort=False)
    k_map = pd.concat(passing).groupby(["set", "k", "derivation"], sort=False)
    by_estimator = pd.DataFrame(summarize_estimates(group) for _, group in uniques)
    by_check = pd.DataFrame(summarize_checks(group) for _, group in k_map)
    for table in by_estimator, by_check:
        table.insert(1, "fraction", fraction)
    return by_estimator, by_check


# --- population uniques ---


def estimate(truth: Truth, counts: Integers) -> pd.DataFrame:
    """Estimate the population uniques by every estimator from one sample."""
    sizes = histogram(counts[counts > 0])
    found = {name: method(*sizes, truth.population) for name, method in ESTIMATORS.items()}
    both = {"pitman": found.pop("pitman"), "pitman exact": pitman_exact(*sizes, truth.population)}
    found = both | found
    return pd.DataFrame(
        {
            "set": truth.quasi_identifiers.name,
            "population": truth.population,
            "records": int(counts.sum()),
            "estimator": list(found),
            "true_uniques": truth.uniques,
            "estimate": list(found.values()),
        }
    )


def pitman_exact(sizes: Integers, counts: Integers, population: int) -> float:
    """Estimate the population uniques by the exact expectation under Pitman's model."""
    if sizes[0] > 1:
        return 0.0  # as the estimators of the package do without sample uniques
    model = fit_pitman(sizes, counts)
    return math.nan if model is None else model.population_uniques(population, exact=True)


def summarize_estimates(group: pd.DataFrame) -> dict[str, object]:
    """Compare the estimates from repeated samples with the truth; NaN estimates are counted."""
    first = group.iloc[0]
    truth, population = int(first["true_uniques"]), int(first["population"])
    found = group["estimate"].dropna()
    bias = found.mean() - truth
    rmse = float(np.sqrt(((found - truth) ** 2).mean()))
    close = (found <= FACTOR * truth) & (found * FACTOR >= truth)
    low, median, high = found.quantile([0.05, 0.5, 0.95])
    return {
        "set": first["set"],
        "population": population,
        "records": int(first["records"]),
        "repeats": len(group),
        "estimator": first["estimator"],
        "true_uniques": truth,
        "no_estimate": len(group) - len(found),
        "mean": found.mean(),
        "quantile_05": low,
        "median": median,
        "quantile_95": high,
        "bias": bias,
        "rmse": rmse,
        "relative_bias": bias / truth if truth else math.nan,
        "relative_rmse": rmse / truth if truth else math.nan,
        "bias_of_population": bias / population,
        "rmse_of_population": rmse / population,
        "within_factor_2": close.sum() / len(group) if truth else math.nan,
    }


# --- estimated k-map ---


def check_classes(truth: Truth, counts: Integers) -> pd.DataFrame:
    """Count the classes of one sample that pass k-map, and those that should not."""
    present = counts > 0
    records = int(counts.sum())
    rows = []
    for k in KS:
        small = present & (truth.sizes < k)
        for derivation in DERIVATIONS:
            needed = derived_k(k, ALPHA, records, truth.population, derivation)
            passes = counts >= needed
            wrong = passes & small
            rows.append(
                {
                    "set": truth.quasi_identifiers.name,
                    "records": records,
                    "k": k,
                    "derivation": derivation,
                    "derived_k": needed,
                    "true_classes": truth.sizes.size,
                    "true_small_classes": truth.smaller(k),
                    "classes": np.count_nonzero(present),
                    "small_classes": np.count_nonzero(small),
                    "passing_classes": np.count_nonzero(passes),
                    "passing_records": int(counts[passes].sum()),
                    "wrong_classes": np.count_nonzero(wrong),
                    "wrong_records": int(counts[wrong].sum()),
                }
            )
    return pd.DataFrame(rows)


def summarize_checks(group: pd.DataFrame) -> dict[str, object]:
    """Pool the classes of repeated samples; shares of nothing are NaN."""
    first = group.iloc[0]
    mean = group.iloc[:, group.columns.get_loc("classes") :].mean()
    return {
        "set": first["set"],
        "records": int(first["records"]),
        "repeats": len(group),
        "alpha": ALPHA,
        **first.loc["k":"true_small_classes"].to_dict(),
        "classes": mean["classes"],
        "passing_classes": mean["passing_classes"],
        "passing_records": mean["passing_records"],
        "wrong_of_passing_classes": share(mean["wrong_classes"], mean["passing_classes"]),
        "wrong_of_passing_records": share(mean["wrong_records"], mean["passing_records"]),
        "passing_of_small_classes": share(mean["wrong_classes"], mean["small_classes"]),
    }


def share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
