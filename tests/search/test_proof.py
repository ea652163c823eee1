from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.search import Proof, Pruning


@given(st.lists(st.integers(0, 10**6), max_size=3), st.integers(0, 10**6))
def test_what_is_neither_evaluated_nor_pruned_is_open(pruned: list[int], evaluated: int) -> None:
    schemes = sum(pruned) + evaluated + 5
    counts = dict(zip(Pruning, pruned, strict=False))
    assert Proof(0.0, schemes, evaluated, counts).open == 5


def test_its_effort_is_evaluations_and_partitions() -> None:
    assert Proof(0.1, schemes=100, evaluated=7, partitions=30).effort == 37
