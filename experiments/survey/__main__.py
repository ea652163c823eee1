"""python -m experiments.survey: k-map by sampling weights, on populations that are known in full.

Writes results/survey/: the worst case of every k up to 12, and samples of drawn populations, with how
many classes of fewer than k people pass: by the sum of weights, by one fraction for all, by weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.data.staging import Staging
from anonymizer.estimators.derived_k import derived_k
from anonymizer.estimators.survey import (
    LOOKED_AT,
    SIGNIFICANCES,
    large_enough,
    largest_fractions,
    rarities,
    wrong_at_most,
)
from experiments.datasets import RESULTS
from experiments.running import options_of, run_main

KS = (3, 5, 10)
PEOPLE = 400_000
DRAWS = 20
NEARLY_ALL = 1 - 1e-12
Marks = NDArray[np.bool_]


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("survey", __doc__)
    options.add_argument("--draws", type=int, default=DRAWS, help="samples of each population")
    options.add_argument("--most", type=int, default=LOOKED_AT, help="the largest k of all cases")
    given = options.parse_args(arguments)
    cases = pd.DataFrame(worst_cases(given.most))
    drawn = pd.DataFrame(sampled(given.draws))
    with Staging(given.out or RESULTS / "survey") as staging:
        cases.to_csv(staging.path("worst.csv"), index=False)
        drawn.to_csv(staging.path("drawn.csv"), index=False)
        staging.path("README.md").write_text(describe(cases, drawn), encoding="utf-8")


def worst_cases(most: int) -> Iterator[dict[str, Any]]:
    """Look at every class of fewer than k people whose fractions are the largest for some number."""
    for k in range(3, most + 1):
        for significance in SIGNIFICANCES:
            fractions = [min(p, NEARLY_ALL) for p in largest_fractions(k, significance)]
            cases, worst = 0, 0.0
            for passing in all_cases(fractions, k - 1):
                cases, worst = cases + 1, max(worst, passing)
            yield {"k": k, "significance": significance, "cases": cases, "worst": worst}


def all_cases(fractions: Sequence[float], people: int) -> Iterator[float]:
    """Yield how likely each class passes, given that it has a record.

    Fractions come in ascending order. `waiting[x]` is how likely x records are drawn, and none of the
    numbers so far was reached.
    """

    def extend(at: int, left: int, waiting: Any, passed: float, nobody: float) -> Iterator[float]:
        if at == len(fractions) or left == 0:
            if nobody < 1:
                yield passed / (1 - nobody)
            return
        yield from extend(at + 1, left, waiting, passed, nobody)
        p = fractions[at]
        for _ in range(left):
            more = waiting * (1 - p)
            more[1:] += p * waiting[:-1]
            passed += more[at + 2 :].sum() + p * waiting[-1]
            waiting = more.copy()
            waiting[at + 2 :] = 0.0
            nobody, left = nobody * (1 - p), left - 1
            yield from extend(at + 1, left, waiting, passed, nobody)

    start = np.zeros(people + 2)
    start[0] = 1.0
    return extend(0, people, start, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Surveyed:
    """A population: the class of everybody, and how likely each is drawn."""

    name: str
    classes: NDArray[np.int64]
    fractions: NDArray[np.float64]


def populations() -> Iterator[Surveyed]:
    """Draw populations whose classes are uneven, each with fractions of another kind."""
    random = np.random.default_rng(36)
    region = random.zipf(1.6, PEOPLE).clip(max=400)
    classes = np.unique(
        np.stack([
            region,
            random.binomial(90, 0.45, PEOPLE),
            random.integers(0, 2, PEOPLE),
            random.zipf(2.2, PEOPLE).clip(max=30),
        ]),
        axis=1, return_inverse=True,
    )[1].reshape(-1)  # fmt: skip
    size = np.bincount(classes)[classes]
    yield Surveyed("1 % of everybody", classes, np.full(PEOPLE, 0.01))
    yield Surveyed("10 % of everybody", classes, np.full(PEOPLE, 0.1))
    strata = random.choice([0.002, 0.02, 0.3], PEOPLE, p=[0.6, 0.3, 0.1])
    yield Surveyed("0.2, 2 or 30 % by chance", classes, strata)
    yield Surveyed("small regions more often", classes, np.where(region > 20, 0.3, 0.01))
    yield Surveyed("rare people more often", classes, np.minimum(0.9, 0.005 + 1 / (1 + size)))
    spread = np.exp(random.normal(np.log(0.03), 1.2, PEOPLE))
    yield Surveyed("a fraction of one's own", classes, np.minimum(1.0, spread))


def sampled(draws: int) -> Iterator[dict[str, Any]]:
    """Sample every population several times, and count what passes wrongly."""
    for place, population in enumerate(populations()):
        for k in KS:
            for significance in (0.05, 0.1):
                random = np.random.default_rng([place, k])
                each = [look(population, k, significance, random) for _ in range(draws)]
                yield {"population": population.name, "k": k, **summarize(each, significance)}


def look(
    population: Surveyed, k: int, significance: float, random: np.random.Generator
) -> dict[str, Any]:
    """Draw a sample, and count the classes of fewer than k people that pass by each rule."""
    drawn = random.random(PEOPLE) < population.fractions
    known, labels = np.unique(population.classes[drawn], return_inverse=True)
    people = np.bincount(population.classes)[known]
    fractions, records = population.fractions[drawn], np.bincount(labels)
    rarity, ones = rarities(fractions, k, significance), np.ones(labels.size, np.int64)
    rules: dict[str, Marks] = {
        "sum of weights": np.bincount(labels, 1 / fractions) >= k - 1e-9,
        "one fraction": records >= derived_k(k, significance, labels.size, PEOPLE),
        "by weights": large_enough(labels, rarity, ones, known.size, k),
    }
    small, found = people < k, dict[str, Any]({"small": int((people < k).sum())})
    for name, passes in rules.items():
        found[name] = int((passes & small).sum())
        found[f"{name}, people"] = int(records[passes].sum())
        found[f"{name}, people wrongly"] = int(records[passes & small].sum())
    doubtful = np.sort(records[rules["by weights"] & (records < k)])
    most = min(wrong_at_most(int((records < k).sum()), significance), doubtful.size)
    limit = int(doubtful[doubtful.size - most :].sum())
    found["within"] = found["by weights, people wrongly"] <= limit
    return found


def summarize(each: list[dict[str, Any]], significance: float) -> dict[str, Any]:
    """Put samples together."""
    table = pd.DataFrame(each)
    found: dict[str, Any] = {"significance": significance, "small classes": table["small"].mean()}
    for name in ("sum of weights", "one fraction", "by weights"):
        found[f"{name}: passes"] = table[name].sum() / max(1, table["small"].sum())
        found[f"{name}: people"] = table[f"{name}, people"].mean()
        found[f"{name}: wrongly"] = table[f"{name}, people wrongly"].mean()
    return {**found, "interval holds": table["within"].mean()}


def describe(cases: pd.DataFrame, drawn: pd.DataFrame) -> str:
    """Write the page that says what came out."""
    excess = (cases["worst"] - cases["significance"]).max()
    lines = [
        "# k-map by sampling weights",
        "",
        "Written by `python -m experiments.survey`.",
        "",
        f"For k = 3 to {cases['k'].max()} and significances of {join(SIGNIFICANCES)}, all "
        f"{cases['cases'].sum():,} extreme cases were looked at. A class of fewer than k people that has "
        f"a record passes with no more than the significance (largest excess {excess:.0e}).",
        "",
        f"Populations of {PEOPLE:,} people in uneven classes, each drawn with a fraction of their own. "
        "Of the classes with fewer than k people that the sample has, the share that passes: by the sum "
        "of weights, by the zero-truncated test with one fraction for all, and by weights. Beside them, "
        "the people who are kept, and of those the people whose class has fewer than k.",
        "",
        "| fractions | k | significance | sum of weights | kept, wrongly | one fraction | kept, wrongly "
        "| by weights | kept, wrongly | interval holds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in drawn.to_dict("records"):
        cells = [
            f"{100 * row[f'{name}: passes']:.1f} % | {row[f'{name}: people']:,.0f}, "
            f"{row[f'{name}: wrongly']:,.0f}"
            for name in ("sum of weights", "one fraction", "by weights")
        ]
        lines.append(
            f"| {row['population']} | {row['k']} | {row['significance']} | {' | '.join(cells)} | "
            f"{100 * row['interval holds']:.0f} % |"
        )
    return "\n".join(lines) + "\n"


def join(values: Sequence[float]) -> str:
    """List some numbers."""
    return ", ".join(f"{value:g}" for value in values[:-1]) + f" and {values[-1]:g}"


if __name__ == "__main__":
    run_main(main, "survey")
