"""delta-presence: the search finds the optimum whatever the population table knows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.risk import DeltaPresence
from anonymizer.search import search
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from tests.exhaustive import search_exhaustively

TREE = [(str(v), f"{v // 2}h", f"{v // 4}q", "*") for v in range(8)]


@pytest.mark.parametrize("seed", range(8))
def test_the_same_people_may_match_parts_that_the_population_table_does_not_tell_apart(
    seed: int,
) -> None:
    """It lacks two of three attributes: each part of a class is a small share of the same people."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({name: draw.integers(0, 8, 40).astype(str) for name in "abc"})
    others = pd.DataFrame({"a": draw.integers(0, 8, 40).astype(str)})
    people = pd.concat([frame[["a"]], others], ignore_index=True)
    attributes = {
        name: {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, TREE)} for name in frame
    }
    model = {"model": "delta-presence", "minimum": 0.0, "maximum": 0.2, "population_table": people}
    policy = Policy(attributes=attributes, risk=[model], release={"suppression_limit": 0.3})
    problem = Problem.read(frame, policy, warn=False)
    found = search(problem.evaluator, problem.lattice).best
    best = search_exhaustively(problem.evaluator, problem.lattice).best
    assert found is not None
    assert best is not None
    assert found.loss == best.loss


def test_a_share_at_either_limit_passes_and_one_beyond_it_does_not() -> None:
    tree = Hierarchy.from_rows("a", [("x", "*"), ("y", "*"), ("z", "*")])
    frame, others = (pd.DataFrame({"a": list(text)}) for text in ("xxyyz", "xxyyyyyyyyzz"))
    microdata = encode(FrameTable(frame), [tree], FrameTable(others))
    classes = partition(microdata, (0,))  # all of x, a quarter of y, half of z
    for minimum, maximum, expected in (
        (0.25, 1.0, [False, False, False]),
        (0.3, 1.0, [False, True, False]),
        (0.25, 0.5, [True, False, False]),
        (0.3, 0.4, [True, True, True]),
    ):
        model = DeltaPresence(maximum, minimum, population_table="people.csv")
        assert model.violating(classes).tolist() == expected, str(model)
