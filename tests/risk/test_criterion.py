"""Criteria against the models that give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.kernels.finishing import passes
from anonymizer.risk import BetaLikeness, DeltaDisclosure, EntropyL, TCloseness
from anonymizer.risk.sensitive import SensitiveModel
from anonymizer.search.merged_classes import Classes, Counts
from anonymizer.table.microdata import Microdata, encode
from anonymizer.table.sensitive import ClassHistograms

VALUES = "uvwx"
TREE = Hierarchy.from_rows(
    "s", [("u", "p", "*"), ("v", "p", "*"), ("w", "q", "*"), ("x", "q", "*")]
)
MODELS: list[SensitiveModel] = [
    BetaLikeness("s", 0.5),
    BetaLikeness("s", 1, enhanced=True, values=("w",)),
    DeltaDisclosure("s", 1),
    DeltaDisclosure("s", 1, "skip"),
    DeltaDisclosure("s", 0.7, values=("u", "x")),
    EntropyL("s", 1.5),
    EntropyL("s", 3),
    TCloseness("s", 0.2),
    TCloseness("s", 0.25, "hierarchical", hierarchy=TREE),
]
OTHERS: list[SensitiveModel] = [
    EntropyL("s", 1.5, values=("u",)),
    TCloseness("s", 0.2, values=("u",)),
    TCloseness("s", 0.2, "ordered", ranking=tuple(VALUES)),
]


def table(counts: list[list[int]]) -> Microdata:
    """Return a table with a class for each list of counts, and a record of every value besides."""
    rows = [
        (str(c), value)
        for c, own in enumerate([*counts, [1] * len(VALUES)])
        for value, count in zip(VALUES, own, strict=True)
        for _ in range(count)
    ]
    frame = pd.DataFrame(rows, columns=["a", "s"])
    tree = Hierarchy.from_rows("a", [(str(c), "*") for c in range(len(counts) + 1)])
    return encode(FrameTable(frame), [tree], sensitive=["s"])


def passing_rows(rows: Any, sizes: Any, criterion: Any, layout: Any) -> list[bool]:
    """Ask the kernel of each class by itself."""
    kind, least, most, groups, limit, needed = criterion
    words, shifts, ones = layout
    counts, sums = np.zeros(words.size, np.int64), np.zeros(max(words.size, most.size))
    return [
        passes(
            rows.reshape(1, *rows.shape), 0, c, sizes[c], kind, least, most, groups, limit, needed,
            words, shifts, ones, counts, sums,
        )
        for c in range(sizes.size)
    ]  # fmt: skip


COUNTS = st.lists(
    st.lists(st.integers(0, 12), min_size=4, max_size=4).filter(any), min_size=1, max_size=8
)


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=60, deadline=None)
@given(counts=COUNTS)
def test_a_criterion_says_what_its_model_says(
    model: SensitiveModel, counts: list[list[int]]
) -> None:
    microdata = table(counts)
    model.prepare(microdata)
    layout = Counts.of(microdata, ["s"])
    classes = Classes.of(microdata, layout, microdata.domain.paths.mask((0,)))
    every = np.ones(classes.sizes.size, np.bool_)
    entries = layout.entries(classes.rows, np.arange(every.size), "s")
    exceeds = model.exceeds(ClassHistograms(*entries, classes.sizes, every), microdata)
    criterion = model.criterion(microdata)
    assert criterion is not None
    found = passing_rows(classes.rows, classes.sizes, criterion.numbers, layout.layout("s"))
    assert found == (~exceeds).tolist()


@pytest.mark.parametrize("model", OTHERS, ids=str)
def test_a_model_that_judges_only_some_classes_or_by_an_order_has_none(
    model: SensitiveModel,
) -> None:
    assert model.criterion(table([[1, 2, 3, 4]])) is None
