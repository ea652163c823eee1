"""Our releases of ADULT, one for each model that pyCANON knows too, and what it measures on them.

Where its figure is not ours, its own formula is computed from the released cells: `explained` says that
it gives the figure, so that the reason is more than a guess.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer import AnonymizerWarning, Policy, Solution, anonymize
from anonymizer.risk import (
    BetaLikeness,
    DeltaDisclosure,
    RecursiveCL,
    Remaining,
    TCloseness,
)
from anonymizer.risk.sensitive import ComparingModel
from experiments.datasets import path_of, spec_of
from experiments.peers.environments import Environment
from experiments.peers.running import run_driver

CLOSE = 1e-9
K = 5
NUMBERS = ("age",)
"""Columns of numbers, which pyCANON tells by their type."""
COLUMNS = (
    "release", "measure", "limit", "ours_of_input", "ours_of_release", "by_its_formula", "pycanon",
    "same", "explained", "meets",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Promise:
    """What a release of ours promises beside k = 5, and which measure of pyCANON's that is."""

    model: str
    sensitive: str
    measure: str
    limit: float
    """In pyCANON's unit: its entropy l is rounded down, its delta is in nats."""
    keys: dict[str, Any]

    @property
    def risks(self) -> list[dict[str, Any]]:
        """The models as a policy has them."""
        if not self.sensitive:
            return [{"model": self.model, **self.keys}]
        own = {"model": self.model, "attribute": self.sensitive, **self.keys}
        return [{"model": "k-anonymity", "k": K}, own]

    def __str__(self) -> str:
        keys = ", ".join(f"{key} = {value}" for key, value in self.keys.items())
        of = f" of {self.sensitive}" if self.sensitive else ""
        return f"{self.model}{of}: {keys}"


def of_both(
    model: str, sensitive: str, measure: str, limit: float, keys: dict[str, Any]
) -> list[Promise]:
    """Promise it of the input, which is the default, and of the released table."""
    return [
        Promise(model, sensitive, measure, limit, {**keys, "reference": reference})
        for reference in ("input", "release")
    ]


PROMISES = [
    *(Promise("k-anonymity", "", "k", k, {"k": k}) for k in (2, 5, 10)),
    Promise("distinct-l", "occupation", "l", 3, {"l": 3}),
    Promise("entropy-l", "occupation", "entropy l", 3, {"l": 3}),
    Promise("entropy-l", "salary-class", "entropy l", 1, {"l": 1.5}),
    Promise("recursive-cl", "occupation", "c", 4, {"c": 4, "l": 2}),
    *of_both("t-closeness", "occupation", "t", 0.3, {"t": 0.3}),
    *of_both("t-closeness", "age", "t", 0.1, {"t": 0.1, "distance": "ordered"}),
    *of_both("beta-likeness", "occupation", "beta", 2, {"beta": 2}),
    *of_both("beta-likeness", "salary-class", "enhanced beta", 1, {"beta": 1, "enhanced": True}),
    *of_both(
        "delta-disclosure", "occupation", "delta", 2 * math.log(2), {"delta": 2, "absent": "skip"}
    ),
    *of_both("delta-disclosure", "salary-class", "delta", math.log(2), {"delta": 1}),
]


def judge_all(pycanon: Environment, folder: Path, seconds: int) -> pd.DataFrame:
    """Make and measure every release; without pyCANON, its column is empty."""
    rows = [row for each in PROMISES for row in judge(each, pycanon, folder, seconds)]
    return pd.DataFrame(rows, columns=COLUMNS).round(9)


def judge(
    promise: Promise, pycanon: Environment, folder: Path, seconds: int
) -> Iterator[dict[str, Any]]:
    """Make one release and hold pyCANON's measures of it against ours."""
    solution = release(promise)
    quasi, sensitive = list(solution.scheme), promise.sensitive
    frame = solution.to_frame()
    frame.to_csv(folder / "release.csv", index=False)
    job = {
        "table": str(folder / "release.csv"),
        "quasi": quasi,
        "sensitive": [sensitive] if sensitive else [],
        "numbers": [name for name in NUMBERS if name == sensitive],
    }
    found = run_driver(pycanon, job, folder, seconds) if pycanon.python else {}
    theirs = found.get("measures", {})
    formulas = theirs_by_formula(counts_of(frame, quasi, sensitive), sensitive in NUMBERS)
    for measure, (of_input, of_release) in ours(solution, promise).items():
        limit = promise.limit if measure == promise.measure else None
        value = theirs.get(measure)
        yield {
            "release": str(promise),
            "measure": measure,
            "limit": limit,
            "ours_of_input": of_input,
            "ours_of_release": of_release,
            "by_its_formula": formulas[measure],
            "pycanon": value,
            "same": is_close(value, of_release),
            "explained": is_close(value, formulas[measure]),
            "meets": None if limit is None or value is None else meets(measure, value, limit),
        }


def release(promise: Promise) -> Solution:
    """Return the best release that meets a promise."""
    path = path_of("adult")
    frame = pd.read_csv(path, sep=";", dtype=str)
    roles = {
        name: {"role": "sensitive"}
        if name == promise.sensitive
        else {"role": "quasi", "hierarchy": spec_of("adult", name)}
        for name in frame
    }
    policy = Policy(attributes=roles, risk=promise.risks)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", AnonymizerWarning
        )  # that the release is farther is what we ask
        return anonymize(frame, policy)


# --- what we compute ---


def ours(solution: Solution, promise: Promise) -> dict[str, tuple[float, float]]:
    """Return our figure for each measure, with the input and with the release as the reference."""
    sensitive, absent = promise.sensitive, promise.keys.get("absent", "fail")
    classes, gone = solution.outcome.classes, solution.outcome.suppressed
    k = int(classes.sizes[~gone].min())
    if not sensitive:
        return {"k": (k, k)}
    histograms = classes.histograms(sensitive, ~gone)
    least = int(histograms.distinct[~gone].min())
    entropy = float(np.exp(histograms.entropies[~gone].min()))
    c = float(RecursiveCL(sensitive, c=1, l=least).ratios(histograms)[~gone].max())
    how = "ordered" if sensitive in NUMBERS else "equal"
    remaining = Remaining(solution.problem.microdata, classes, gone)
    beta = distances(BetaLikeness(sensitive, 1.0), remaining)
    return {
        "k": (k, k),
        "l": (least, least),
        "entropy l": (entropy, entropy),
        "c": (c, c),
        "t": distances(TCloseness(sensitive, 1.0, how), remaining),
        "beta": beta,
        "enhanced beta": beta,
        "delta": distances(DeltaDisclosure(sensitive, 1.0, absent), remaining),
    }


def distances(model: ComparingModel, remaining: Remaining) -> tuple[float, float]:
    """Return how far the farthest class is from the input, and from the release."""
    model.prepare(remaining.microdata)
    found = model.reference_distances(remaining)
    near, far = found.from_input, found.from_release
    return (math.inf if near is None else near), (math.inf if far is None else far)


# --- what pyCANON computes, by the formulas in its source ---


def counts_of(frame: pd.DataFrame, quasi: list[str], sensitive: str) -> NDArray[np.int64]:
    """Count each value in each class: a row for each class, values in their order."""
    if not sensitive:
        return frame.groupby(quasi).size().to_numpy()[:, np.newaxis]
    values = pd.to_numeric(frame[sensitive]) if sensitive in NUMBERS else frame[sensitive]
    classes = frame.groupby(quasi).ngroup()
    return pd.crosstab(classes, values).to_numpy()


def theirs_by_formula(counts: NDArray[np.int64], ordered: bool) -> dict[str, float]:
    """Return what pyCANON's formulas give for counts of values in classes.

    >>> found = theirs_by_formula(np.array([[3, 1], [1, 3]]), ordered=False)
    >>> found["k"], found["l"], found["entropy l"], found["c"], found["t"], found["beta"]
    (4, 2, 1, 1, 0.25, 0.5)
    """
    sizes = counts.sum(axis=1)
    shares, overall = counts / sizes[:, np.newaxis], counts.sum(axis=0) / sizes.sum()
    least = int((counts > 0).sum(axis=1).min())
    gain = float(((shares - overall) / overall).max())
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = -np.where(counts > 0, shares * np.log(shares), 0.0).sum(axis=1)
        moved = np.abs(np.log(shares / overall))
    return {
        "k": int(sizes.min()),
        "l": least,
        "entropy l": math.floor(float(np.exp(surprise.min())) + 1e-12),
        "c": max(rarest_ratio(row[row > 0], least) for row in counts),
        "t": distance(shares - overall, ordered),
        "beta": gain,
        "enhanced beta": min(gain, float(-np.log(overall.min()))),
        "delta": float(moved[counts > 0].max()),
    }


def rarest_ratio(counts: NDArray[np.int64], l: int) -> float:  # noqa: E741 - as it is called in the field
    """Return 1 + the least count over all but the l - 1 least, rounded down; nan for l = 1."""
    ascending = np.sort(counts)
    return math.floor(1 + ascending[0] / ascending[l - 1 :].sum()) if l > 1 else math.nan


def distance(moved: NDArray[np.float64], ordered: bool) -> float:
    """Return the largest earth mover's distance of a class, over the values that the release has."""
    if ordered:
        return float(np.abs(moved.cumsum(axis=1)).sum(axis=1).max() / (moved.shape[1] - 1))
    return float(np.abs(moved).sum(axis=1).max() / 2)


def is_close(theirs: float | None, figure: float) -> bool | None:
    """Whether a figure is theirs; None where they have none."""
    return None if theirs is None else abs(theirs - figure) <= CLOSE


def meets(measure: str, value: float, limit: float) -> bool:
    """Whether pyCANON's figure is within the promised limit, in its unit."""
    if measure in ("k", "l", "entropy l"):
        return value >= limit
    return value <= limit + CLOSE
