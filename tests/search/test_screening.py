"""Screening against evaluating every scheme."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.hierarchy import Hierarchy
from anonymizer.kernels.compilation import working_seconds
from anonymizer.kernels.merging import raise_levels
from anonymizer.lattice import Lattice, with_level
from anonymizer.risk import (
    BetaLikeness,
    DeltaDisclosure,
    DistinctL,
    EntropyL,
    KAnonymity,
    RiskModel,
    TCloseness,
)
from anonymizer.search import Limits, merged_classes, ordered_attributes, search
from anonymizer.search import screening as module
from anonymizer.search.interrupt import Interrupt
from anonymizer.search.limits import Usage
from anonymizer.search.merged_classes import Classes
from anonymizer.search.params import SearchParams
from anonymizer.search.state import State
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from anonymizer.table.sensitive import ClassHistograms
from anonymizer.utility import Aggregate, Loss

# subtree bounds may leave nothing to screen
ALWAYS = SearchParams(least_decided=1e9, boxes_work=10**18, unscreened_work=0)
NEVER = SearchParams(least_decided=0)


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
    assert proof.evaluated < proof.effort  # what is screened is partitioned, and pruned
    assert proof.bound == screened.best.loss


def test_nothing_is_screened_where_evaluations_are_limited_or_bounds_are_tight() -> None:
    lattice = Lattice((0, 0, 0), (3, 3, 3))
    limited = search(evaluator(MODELS[0]), lattice, Limits(evaluations=5), params=ALWAYS)
    assert limited.proof.effort <= 6
    tight = search(evaluator([DistinctL("s", 2)]), lattice, params=ALWAYS)
    assert tight.proof.evaluated < 64


def screening(asked: Evaluator, lattice: Lattice, params: SearchParams) -> module.Screening:
    """Prepare to screen a lattice of which nothing is known yet."""
    usage, one_by_one = Usage(Limits(), working_seconds), lambda job, *items: list(map(job, *items))
    state = State(asked, lattice, usage, params, one_by_one, None, Interrupt())
    return module.Screening(state)


def root_of(found: module.Screening) -> Classes:
    """Return the classes of the lowest scheme."""
    mask = found.microdata.domain.paths.mask(found.search.lattice.low)
    return Classes.of(found.microdata, found.counts, mask)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 999),
    models=st.sampled_from(
        [
            *MODELS,
            [DeltaDisclosure("s", 1.2)],
            [DeltaDisclosure("s", 1.0, "skip"), KAnonymity(2)],
            [EntropyL("s", 2.1), KAnonymity(2)],
            [TCloseness("s", 0.2, values=("w",))],
            [TCloseness("s", 0.2), BetaLikeness("s", 1.5), DistinctL("s", 2)],
        ]
    ),
    rows=st.integers(20, 200),
    at=st.floats(0, 1),
    limit=st.sampled_from([0.2, 0.6, 1.0]),
    low=st.tuples(*[st.integers(0, 1)] * 3),
    cells=st.sampled_from([1, 300, 1 << 18]),
    finished=st.sampled_from([1, 5, 1000]),
    parts=st.integers(1, 4),
    word_bits=st.sampled_from([16, 64]),
)
def test_what_is_screened_out_is_worse_and_nothing_else_is(
    seed: int,
    models: list[RiskModel],
    rows: int,
    at: float,
    limit: float,
    low: tuple[int, int, int],
    cells: int,
    finished: int,
    parts: int,
    word_bits: int,
) -> None:
    """Whatever the loss to beat: dropped groups and closed schemes never hide a scheme that beats it.

    Counts are in one word, or in several.
    """
    asked = replace_limit(evaluator(models, seed, rows), int(limit * rows))
    lattice = Lattice(low, (3, 3, 3))
    losses = {scheme: each for scheme in lattice if (each := asked.evaluate(scheme)).feasible}
    ordered = sorted(each.loss for each in losses.values())
    cutoff = ordered[int(at * (len(ordered) - 1))] if ordered else 1.0
    with (
        mock.patch.object(merged_classes, "WORD_BITS", word_bits),
        mock.patch.object(ordered_attributes, "FINISHED_SCHEMES", finished),
        mock.patch.object(module, "FINISHED_PARTS", parts),
    ):
        found = screening(asked, lattice, SearchParams(screened_cells=cells))
        found.search.evaluated.cutoff = asked.measure.aggregate.to_terms(cutoff)
        listed = [scheme for batch in found.candidates() for scheme in batch]
    assert len(listed) == len(set(listed))
    assert {s for s, each in losses.items() if each.loss <= cutoff} <= set(listed)
    assert set(listed) <= {s for s, each in losses.items() if each.loss <= cutoff + 1e-8}


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 99),
    low=st.tuples(*[st.integers(0, 2)] * 3),
    wanted=st.lists(st.booleans(), min_size=4, max_size=4),
    depth=st.integers(0, 2),
)
def test_classes_merged_from_finer_ones_are_those_of_a_partition(
    seed: int, low: tuple[int, int, int], wanted: list[bool], depth: int
) -> None:
    asked = evaluator([KAnonymity(2), DistinctL("s", 2)], seed, rows=60)
    found = screening(asked, Lattice(low, (3, 3, 3)), SearchParams())
    root, a = root_of(found), found.attributes.order[depth]
    levels = np.flatnonzero(wanted[: 4 - low[a]])
    masks = found.attributes.masks[depth, levels]
    *_, sizes, packed, starts = raise_levels(
        *root.arrays, np.ones(root.sizes.size, bool), np.zeros(levels.size, np.int64), masks
    )
    entries = found.counts.entries(packed, np.arange(sizes.size), "s")
    values = len(asked.microdata.sensitive["s"].texts)
    merged = ClassHistograms(*entries, sizes, np.ones(sizes.size, bool))
    rows = [dense(merged, c, values) for c in range(sizes.size)]
    for at, level in enumerate(levels):
        here = slice(starts[at], starts[at + 1])
        split = partition(asked.microdata, with_level(low, a, low[a] + int(level)))
        own = split.histograms("s")
        assert sorted(zip(sizes[here].tolist(), rows[here], strict=True)) == sorted(
            (int(size), dense(own, c, values)) for c, size in enumerate(split.sizes)
        )


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 999),
    low=st.tuples(*[st.integers(0, 2)] * 3),
    rows=st.integers(10, 150),
    closed=st.floats(0, 1),
    depth=st.integers(0, 2),
)
def test_all_open_schemes_lie_between_the_classes_and_the_groups_of_a_block(
    seed: int, low: tuple[int, int, int], rows: int, closed: float, depth: int
) -> None:
    """Classes of a block are parts of those of its open schemes, and these of its groups."""
    asked = evaluator([KAnonymity(2), DistinctL("s", 2)], seed, rows)
    found = screening(asked, Lattice(low, (3, 3, 3)), SearchParams())
    found.open &= np.random.default_rng(seed).random(found.open.shape) >= closed
    classes = root_of(found)
    for _ in range(depth + 1):
        block = found.raised(classes, np.ones(classes.sizes.size, bool))
        if block is None:
            return
        classes = block.classes
    opened = np.argwhere(found.open)
    for digits, least, most in zip(classes.digits, block.low, block.high, strict=True):
        inside = opened[(opened[:, : depth + 1] == digits).all(axis=1)]
        assert inside.size
        assert (inside.min(axis=0) == least).all()
        assert (inside.max(axis=0) == most).all()
    for each, levels in ((classes, block.low), (block.groups, block.high)):
        for at, scheme in enumerate(found.attributes.schemes(levels).tolist()):
            sizes = each.sizes[each.starts[at] : each.starts[at + 1]]
            own = partition(asked.microdata, tuple(scheme)).sizes
            assert sorted(sizes.tolist()) == sorted(own.tolist())


def dense(histograms: ClassHistograms, at: int, values: int) -> list[int]:
    """Return the counts of all values of a class."""
    counts = [0] * values
    for entry in range(histograms.starts[at], histograms.starts[at + 1]):
        counts[histograms.values[entry]] = int(histograms.counts[entry])  # noqa: PD011
    return counts


def replace_limit(asked: Evaluator, limit: int) -> Evaluator:
    """Return an evaluator that lets no more records be suppressed."""
    return Evaluator(asked.microdata, asked.models, asked.measure, limit)
