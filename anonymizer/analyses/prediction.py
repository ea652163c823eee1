"""Prediction: learned from the release, tested on original records of people it was not learned from.

People are held out first, with all their rows. What is learned from is the release as it is, without the
rows of those people: the steward knows whose each released row is. So nobody's record is in both, and
what is measured is this release, not one of a smaller table. Held-out records are original: numbers as
they are, categories in the release's words, as whoever uses such a model has to put them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.analyses.design import MOST_CATEGORIES, indicator, variable
from anonymizer.analyses.pair import ABSENT, Categories, Codes, Floats, Numbers, Pair
from anonymizer.analyses.result import Result, need
from anonymizer.errors import DataError, percent
from anonymizer.policy.analysis import Prediction

FIGURE = "accuracy of the better model, learned from the release"
HELD_OUT = 0.3
"""The share of the people that nothing is learned from."""
SEED = 0
"""What draws and forests begin with: the same figures in every run."""
METHOD = (
    f"{percent(HELD_OUT, 0)} of the people are held out with all their rows before anything is learned. "
    "The models learn from the release without those rows, or from the same people's original rows; both "
    "are tested on the original records of those who are held out."
)
TREES, FEWEST_IN_LEAF, ITERATIONS = 100, 5, 1000
MAJORITY = "majority class"

Rows = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well a model predicts held-out records: means and standard deviations over the repeats."""

    model: str
    before: float
    """The accuracy learned from the original, 0 to 1."""
    before_deviation: float
    after: float | None
    """Learned from the release; None where it does not allow it."""
    after_deviation: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What a model learns from and is tested on, row by row of the original; NaN is missing."""

    learned: Floats
    tested: Floats
    classes_learned: Codes
    classes_tested: Codes

    def rows(self, held_out: Rows) -> tuple[Rows, Rows]:
        """Return the complete rows to learn from and to be tested on."""
        learned = np.isfinite(self.learned).all(axis=1) & (self.classes_learned != ABSENT)
        tested = np.isfinite(self.tested).all(axis=1) & (self.classes_tested != ABSENT)
        return learned & ~held_out, tested & held_out


def run(analysis: Prediction, pair: Pair) -> Result:
    """Learn from the release and from the original, and test both on the same people."""
    need("sklearn", "a prediction")
    classes = pair.categories(analysis.response, missing=False)
    if len(classes.labels) < 2:
        raise DataError(
            f"analysis '{analysis.name}': the response '{analysis.response}' has one value in the "
            "original, so there is nothing to predict; name another column."
        )
    sides = [original_features(analysis, pair, classes), released_features(analysis, pair, classes)]
    scores: dict[str, list[list[float | None]]] = {}
    for repeat, held_out in enumerate(draws(analysis, pair)):
        for name, made in models(SEED + repeat).items():
            found = [score(make_again(made), side, held_out) for side in sides]
            scores.setdefault(name, []).append(found)
    rows = tuple(summarize(name, np.array(each, float)) for name, each in scores.items())
    learned = [row for row in rows if row.model != MAJORITY]
    failed = any(row.after is None for row in rows)
    why = "The release has too little to learn from: one class, or no complete record."
    return Result(
        analysis,
        FIGURE,
        None if failed else max(row.after or 0.0 for row in learned),
        higher_is_better=True,
        rows=rows,
        method=METHOD,
        findings=(why,) if failed else (),
        original=max(row.before for row in learned),
    )


def draws(analysis: Prediction, pair: Pair) -> Iterator[Rows]:
    """Draw the rows that are held out, person by person, once for each repeat."""
    people = int(pair.person_of_row.max()) + 1
    for repeat in range(analysis.repeats):
        random = np.random.default_rng([SEED, repeat])
        chosen = np.zeros(people, np.bool_)
        chosen[random.permutation(people)[: round(HELD_OUT * people)]] = True
        yield chosen[pair.person_of_row]


def models(seed: int) -> dict[str, Any]:
    """Return the models by name; the majority class is what knows nothing of anybody."""
    dummy, linear, forests, pipeline, scaling = (
        need(f"sklearn.{module}", "a prediction")
        for module in ("dummy", "linear_model", "ensemble", "pipeline", "preprocessing")
    )
    return {
        MAJORITY: dummy.DummyClassifier(),
        "logistic regression": pipeline.make_pipeline(
            scaling.StandardScaler(), linear.LogisticRegression(max_iter=ITERATIONS)
        ),
        "random forest": forests.RandomForestClassifier(
            TREES, min_samples_leaf=FEWEST_IN_LEAF, random_state=seed
        ),
    }


def make_again(model: Any) -> Any:
    """Return a model that has learned nothing yet."""
    return need("sklearn.base", "a prediction").clone(model)


def score(model: Any, features: Features, held_out: Rows) -> float | None:
    """Return the accuracy on held-out records; None where there is nothing to learn from."""
    learned, tested = features.rows(held_out)
    classes = features.classes_learned[learned]
    if np.unique(classes).size < 2 or not tested.any():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that stopped at its limit is tested like any other
        model.fit(features.learned[learned], classes)
    return float(model.score(features.tested[tested], features.classes_tested[tested]))


def summarize(name: str, scores: Floats) -> Accuracy:
    """Return the means and deviations of a model's repeats; a repeat that failed fails the model."""
    means, deviations = scores.mean(axis=0).tolist(), scores.std(axis=0).tolist()
    if np.isnan(means[1]):
        return Accuracy(name, means[0], deviations[0], None, None)
    return Accuracy(name, means[0], deviations[0], means[1], deviations[1])


def released_features(analysis: Prediction, pair: Pair, classes: Categories) -> Features:
    """Return what is learned from the release, and original records in its words."""
    found = [variable(name, pair, analysis) for name in analysis.predictors]
    return Features(
        stack([columns_of(each, each.after) for each in found], pair),
        stack([columns_of(each, each.before) for each in found], pair),
        classes.after,
        classes.before,
    )


def original_features(analysis: Prediction, pair: Pair, classes: Categories) -> Features:
    """Return what is learned from the original: its own values."""
    found = [own_values(name, pair, analysis) for name in analysis.predictors]
    columns = stack([columns_of(each, each.before) for each in found], pair)
    return Features(columns, columns, classes.before, classes.before)


def own_values(name: str, pair: Pair, analysis: Prediction) -> Numbers | Categories:
    """Return a column of the original as it is; categories at the finest level that has few enough."""
    numbers = pair.numbers(name)
    if numbers is not None:
        return numbers
    if not pair.is_quasi(name):
        return pair.categories(name, analysis.missing == "category")
    for level in range(pair.height(name)):
        codes, labels = pair.at_level(name, level, analysis.missing == "category")
        if len(labels) <= MOST_CATEGORIES:
            break
    return Categories(labels, codes, codes)


def columns_of(found: Numbers | Categories, side: Floats | Codes) -> Floats:
    """Return a column of numbers, or one for each category; none for a column that is lost."""
    if isinstance(found, Numbers):
        return np.asarray(side, np.float64)[:, None]
    if found.lost:
        return np.empty((side.size, 0))
    codes = np.asarray(side, np.int64)
    return np.column_stack([indicator(codes, code) for code in range(len(found.labels))])


def stack(columns: Sequence[Floats], pair: Pair) -> Floats:
    """Put columns side by side; without any, a constant stands for them."""
    there = [each for each in columns if each.shape[1]]
    return np.column_stack(there) if there else np.zeros((pair.records, 1))
