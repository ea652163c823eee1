"""Screening against evaluating every scheme."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.data.frame import FrameTable
from anonymizer.engine.classes import partition
from anonymizer.engine.microdata import encode
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.hierarchy import Hierarchy
from anonymizer.kernels.merging import merge_box
from anonymizer.lattice import Lattice
from anonymizer.risk import BetaLikeness, DistinctL, KAnonymity, RiskModel, TCloseness
from anonymizer.search import Limits, search
from anonymizer.search import screening as module
from anonymizer.search.params import SearchParams
from anonymizer.search.screening import Classes
from anonymizer.utility import Aggregate, Loss

ALWAYS = SearchParams(screening_batches=1, least_decided=1e9)
NEVER = SearchParams(max_screened_schemes=0)


def evaluator(models: list[RiskModel], seed: int = 1, rows: int = 400) -> Evaluator:
    """Put models to a random table of three attributes and one sensitive one."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            **{name: random.integers(0, 8, rows).astype(str) for name in "abc"},
            "s": random.choice(["u", "v", "w", "x"], rows, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )
    trees = [
        Hierarchy.from_rows(name, [(str(i), str(i // 2), str(i // 4), "*") for i in range(8)])
        for name in "abc"
    ]
    microdata = encode(FrameTable(frame), trees, sensitive=["s"])
    return Evaluator(microdata, models, Loss(Aggregate("geometric"), (1.0,) * 3), rows)


MODELS: list[list[RiskModel]] = [
    [TCloseness("s", 0.2), KAnonymity(3)],
    [BetaLikeness("s", 0.8)],
    [TCloseness("s", 0.25), DistinctL("s", 3), KAnonymity(4)],
]


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_screening_changes_what_a_proof_costs_and_nothing_else(
    models: list[RiskModel], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    monkeypatch.setattr(
        module.Screening, "run", lambda self, run=module.Screening.run: runs.append(1) or run(self)
    )
    asked = evaluator(models, seed)
    lattice = Lattice((0, 0, 0), (3, 3, 3))
    screened, other = (search(asked, lattice, params=params) for params in (ALWAYS, NEVER))
    assert runs
    assert screened.status == other.status
    assert screened.best is not None
    assert other.best is not None
    assert screened.best.scheme == other.best.scheme
    assert screened.best.loss == other.best.loss
    proof = screened.proof
    assert proof.evaluated + sum(proof.pruned.values()) == lattice.size
    assert proof.bound == screened.best.loss


def test_nothing_is_screened_where_evaluations_are_limited_or_bounds_are_tight() -> None:
    lattice = Lattice((0, 0, 0), (3, 3, 3))
    limited = search(evaluator(MODELS[0]), lattice, Limits(evaluations=5), params=ALWAYS)
    assert limited.proof.effort <= 6
    tight = search(evaluator([DistinctL("s", 2)]), lattice, params=ALWAYS)
    assert tight.proof.evaluated < 64


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 99),
    least=st.integers(1, 6),
    wanted=st.lists(st.booleans(), min_size=64, max_size=64),
)
def test_classes_merged_from_finer_ones_are_those_of_a_partition(
    seed: int, least: int, wanted: list[bool]
) -> None:
    asked = evaluator([KAnonymity(2)], seed, rows=60)
    microdata, lattice = asked.microdata, Lattice((0, 0, 0), (3, 3, 3))
    masks, full = microdata.domain.paths.masks, microdata.domain.paths.mask((0, 0, 0))
    each = np.array(
        [[full & ~masks[a, 0] | masks[a, level] for level in range(4)] for a in range(3)]
    )
    tops = np.array([full & each[1, 3] & each[2, 3], full & each[2, 3], full])
    classes = Classes.of(microdata, ["s"], np.array([0, 4]))
    ends, _, sizes, starts, values, counts = merge_box(
        *classes.arrays, each, tops, np.array([4, 4, 4]), np.array(wanted), least, 4
    )
    begin = 0
    for at, scheme in enumerate(lattice):
        found = sorted(
            (int(sizes[c]), *entries(starts, values, counts, c)) for c in range(begin, ends[at])
        )
        begin = ends[at]
        split = partition(microdata, scheme)
        own = split.histograms("s")
        expected = sorted(
            (int(size), *entries(own.starts, own.values, own.counts, c))
            for c, size in enumerate(split.sizes)
            if size >= least
        )
        assert found == (expected if wanted[at] else [])


def entries(starts: np.ndarray, values: np.ndarray, counts: np.ndarray, at: int) -> list[tuple]:
    """List the values of a class with their counts."""
    here = slice(starts[at], starts[at + 1])
    return list(zip(values[here].tolist(), counts[here].tolist(), strict=True))
