"""Random trees, tables and problems, and what the engine makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Lattice, Scheme
from anonymizer.risk import MODELS, KAnonymity, RiskModel
from anonymizer.search import SearchResult
from anonymizer.table.microdata import Microdata, encode
from anonymizer.utility import Aggregate, Loss
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem, Row, Tree

THRESHOLDS = st.one_of(
    st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]),
    # shares of so many rows: what is just allowed, to the last bit
    st.builds(lambda part, whole: min(part, whole) / whole, st.integers(0, 25), st.integers(1, 25)),
)
LIMITS = st.lists(
    st.tuples(st.sampled_from(["average", "sample-uniqueness"]), THRESHOLDS), max_size=2
).map(tuple)
WEIGHTS = st.sampled_from([1.0, 1.0, 0.0, 0.5, 3.7])


@st.composite
def trees(draw: st.DrawFn, max_leaves: int = 6, max_height: int = 4) -> Tree:
    """Draw leaves, then merge the values of each level at random; the top may keep several."""
    leaves = [f"v{i}" for i in range(draw(st.integers(1, max_leaves)))]
    path = {leaf: (leaf,) for leaf in leaves}
    for level in range(1, draw(st.integers(1, max_height))):
        below = list(dict.fromkeys(labels[-1] for labels in path.values()))
        groups = draw(st.integers(1, len(below)))
        parent = {label: f"{level}.{draw(st.integers(1, groups))}" for label in below}
        path = {leaf: (*labels, parent[labels[-1]]) for leaf, labels in path.items()}
    return path


def tables(forest: Sequence[Tree], max_rows: int = 25) -> st.SearchStrategy[tuple[Row, ...]]:
    """Draw rows; with so few, some leaves seldom occur."""
    row = st.tuples(*(st.sampled_from(list(tree)) for tree in forest))
    return st.lists(row, min_size=1, max_size=max_rows).map(tuple)


@st.composite
def problems(
    draw: st.DrawFn,
    max_attributes: int = 4,
    max_rows: int = 25,
    ranges: bool = True,
    limits: bool = False,
) -> Problem:
    """Draw a whole problem of at most 256 schemes, feasible or not."""
    forest = tuple(draw(st.lists(trees(), min_size=1, max_size=max_attributes)))
    rows = draw(tables(forest, max_rows))
    whole = Problem(rows, forest, k=1)
    low, high = whole.low, whole.high
    if ranges and draw(st.booleans()):
        low = tuple(draw(st.integers(0, top)) for top in whole.high)
        high = tuple(
            draw(st.integers(level, top)) for level, top in zip(low, whole.high, strict=True)
        )
    return Problem(
        rows,
        forest,
        k=draw(st.integers(1, 6)),
        weights=tuple(draw(WEIGHTS) for _ in forest),
        aggregate=draw(st.sampled_from(["geometric", "arithmetic"])),
        suppression_limit=draw(st.one_of(st.just(len(rows)), st.integers(0, len(rows)))),
        low=low,
        high=high,
        limits=draw(LIMITS) if limits else (),
    )


def names_of(forest: Sequence[Tree]) -> list[str]:
    """Name the attributes."""
    return [f"a{number}" for number in range(len(forest))]


def hierarchies_of(forest: Sequence[Tree]) -> list[Hierarchy]:
    """Build the trees as the engine has them."""
    return [
        Hierarchy.from_rows(name, tree.values())
        for name, tree in zip(names_of(forest), forest, strict=True)
    ]


def frame_of(rows: Sequence[Row], forest: Sequence[Tree]) -> pd.DataFrame:
    """Put rows of strings into a dataframe."""
    return pd.DataFrame(list(rows), columns=names_of(forest), dtype=object)


def microdata_of(rows: Sequence[Row], forest: Sequence[Tree]) -> Microdata:
    """Encode rows of strings."""
    return encode(FrameTable(frame_of(rows, forest)), hierarchies_of(forest))


def models_of(problem: Problem) -> list[RiskModel]:
    """Make the models a problem asks for; k = 1 asks for nothing if there is another model."""
    models: list[RiskModel] = [MODELS[name](threshold=limit) for name, limit in problem.limits]  # type: ignore[call-arg]
    if problem.k > 1 or not models:
        models.append(KAnonymity(problem.k))
    return models


def evaluator_of(problem: Problem) -> Evaluator:
    """Make what evaluates the schemes of a problem."""
    return Evaluator(
        microdata_of(problem.rows, problem.trees),
        models_of(problem),
        Loss(Aggregate(problem.aggregate), problem.weights),
        problem.suppression_limit,
    )


def lattice_of(problem: Problem) -> Lattice:
    """Return the schemes that a problem allows."""
    return Lattice(problem.low, problem.high)


def assert_best(found: SearchResult, evaluator: Evaluator, lattice: Lattice) -> None:
    """Check that a search found what an exhaustive one finds: the same scheme, or none."""
    best, expected = found.best, search_exhaustively(evaluator, lattice).best
    assert (best is None) == (expected is None)
    if best is not None and expected is not None:
        assert (best.scheme, best.loss) == (expected.scheme, expected.loss)


class Recorder:
    """An evaluator that keeps a list of the schemes it was asked for."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.measure = evaluator.measure
        self.models = evaluator.models
        self.microdata, self.groups = evaluator.microdata, evaluator.groups
        self.suppression_limit = evaluator.suppression_limit
        self.suppressible, self.people = evaluator.suppressible, evaluator.people
        self.basis = evaluator.basis
        self.asked: list[Scheme] = []
        self.complete: list[Scheme] = []
        """Those of them that no bound dropped half way."""

    def evaluate(self, scheme: Scheme, cutoff: float = math.inf) -> Evaluation:
        """Evaluate and note."""
        self.asked.append(scheme)
        found = self.evaluator.evaluate(scheme, cutoff)
        self.complete += [scheme] * found.complete
        return found
