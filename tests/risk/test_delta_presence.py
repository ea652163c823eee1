"""delta-presence: the search finds the optimum whatever the population table knows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.search import search
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
