"""Counting on every subset: the walk against counting each subset by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers import unique_subsets
from anonymizer.attackers.packed_tuples import lay_out
from anonymizer.attackers.unique_subsets import (
    MOST_ATTRIBUTES,
    Uniqueness,
    count_unique,
    memory_bound,
)
from anonymizer.errors import DataError


@st.composite
def frames(draw: st.DrawFn, most_attributes: int = 8, most_rows: int = 30) -> pd.DataFrame:
    """A table of texts, some missing, with up to eight attributes."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=most_attributes))
    row = st.tuples(*(st.integers(0, size) for size in sizes))
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    columns = zip(*rows, strict=True)
    return pd.DataFrame(
        {f"a{i}": [str(v) if v else None for v in column] for i, column in enumerate(columns)}
    )


def by_hand(ours: pd.DataFrame, theirs: pd.DataFrame | None, names: list[str]) -> tuple[int, ...]:
    """Count the records unique on some attributes, those found outside, and those found once."""
    mine = Counter(tuple(map(str, row)) for row in ours[names].to_numpy().tolist())
    alone = [key for key, count in mine.items() if count == 1]
    if theirs is None:
        return (len(alone),)
    outside = Counter(tuple(map(str, row)) for row in theirs[names].to_numpy().tolist())
    found = [outside[key] for key in alone if outside[key]]
    return len(alone), len(found), sum(count == 1 for count in found)


def subsets_of(counts: Uniqueness) -> list[list[str]]:
    return [list(counts.names(s)) for s in range(1 << len(counts.attributes))]


AT_ONCE = st.sampled_from([0, 60, unique_subsets.AT_ONCE])
"""Step by step, partly, or all in one kernel."""


@settings(max_examples=80)
@given(frames(), AT_ONCE)
def test_every_subset_has_the_count_of_brute_force(frame: pd.DataFrame, at_once: int) -> None:
    with patch.object(unique_subsets, "AT_ONCE", at_once):
        counts = count_unique(frame, list(frame), workers=2)
    assert counts.unique.tolist() == [
        by_hand(frame, None, names)[0] if names else int(len(frame) == 1)
        for names in subsets_of(counts)
    ]
    assert counts.e_uniqueness is None


@settings(max_examples=60)
@given(frames(5), AT_ONCE, st.data())
def test_an_external_table_is_counted_as_by_brute_force(frame, at_once: int, data) -> None:
    picked = data.draw(st.lists(st.integers(0, len(frame) - 1), min_size=1, max_size=30))
    changed = data.draw(st.booleans())
    external = frame.iloc[picked].reset_index(drop=True)
    if changed:
        external = external.assign(a0="new")
    with patch.object(unique_subsets, "AT_ONCE", at_once):
        counts = count_unique(frame, list(frame), external)
    for subset, names in enumerate(subsets_of(counts)):
        if names:
            expected = by_hand(frame, external, names)
            found = counts.unique[subset], counts.found[subset], counts.found_once[subset]
            assert found == expected


def test_neither_workers_nor_the_order_of_rows_or_attributes_changes_a_count(monkeypatch) -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame({f"a{i}": random.integers(0, 2 + i, 500) for i in range(7)})
    one = count_unique(frame, list(frame), workers=1)
    monkeypatch.setattr(unique_subsets, "AT_ONCE", 0)
    many = count_unique(frame.sample(frac=1, random_state=1), list(frame), workers=5)
    assert (one.unique == many.unique).all()
    other = count_unique(frame, list(frame)[::-1])
    for subset in range(1 << 7):
        assert one.unique[subset] == other.unique[other.number(one.names(subset))]


def test_keys_longer_than_one_word_count_the_same(monkeypatch) -> None:
    random = np.random.default_rng(4)
    frame = pd.DataFrame({f"a{i}": random.integers(0, 10**6, 40_000) for i in range(5)})
    frame["a5"] = frame["a0"] // 1000
    monkeypatch.setattr(unique_subsets, "AT_ONCE", 200_000)
    counts = count_unique(frame, list(frame))
    for names in (["a0"], ["a5"], ["a0", "a5"], ["a1", "a5"], list(frame)):
        sizes = frame.groupby(names).size()
        assert counts.unique[counts.number(names)] == (sizes == 1).sum()


def test_attributes_with_one_value_change_nothing() -> None:
    frame = pd.DataFrame({"a": [1, 1], "b": ["x", "x"]})
    assert count_unique(frame, ["a", "b"]).unique.tolist() == [0, 0, 0, 0]
    assert count_unique(frame.head(1), ["a", "b"]).unique.tolist() == [1, 1, 1, 1]
    frame["c"] = [1, 2]
    assert count_unique(frame, ["a", "c"]).unique.tolist() == [0, 0, 2, 2]


def test_no_field_crosses_a_word() -> None:
    layout = lay_out([20, 20, 20, 20, 0, 3], [3, 0, 1, 5, 4, 2])
    assert layout.words == 2
    assert all(field.low >= 0 and field.low + field.width <= 64 for field in layout.fields)


def test_progress_never_goes_back_and_ends_at_all_subsets(monkeypatch) -> None:
    real, seen = unique_subsets.wait, []
    monkeypatch.setattr(unique_subsets, "AT_ONCE", 0)
    monkeypatch.setattr(unique_subsets, "wait", lambda futures, **_: real(futures, timeout=0.0005))
    random = np.random.default_rng(3)
    frame = pd.DataFrame({f"a{i}": random.integers(0, 6, 3000) for i in range(9)})
    count_unique(frame, list(frame), on_subsets=lambda done, total: seen.append((done, total)))
    assert seen
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {512}
    assert seen[-1] == (512, 512)


def test_no_more_tables_wait_than_the_memory_is_known_for(monkeypatch) -> None:
    workers, most = 3, Counter()

    class Watched(unique_subsets.Walk):
        def put(self, steps, finished=0) -> None:
            super().put(steps, finished)
            with self.changed:
                waiting = {(step.position, id(step.above)) for *_, step in self.waiting}
            for position, number in Counter(position for position, _ in waiting).items():
                most[position] = max(most[position], number)

    monkeypatch.setattr(unique_subsets, "AT_ONCE", 0)
    monkeypatch.setattr(unique_subsets, "Walk", Watched)
    random = np.random.default_rng(3)
    frame = pd.DataFrame({f"a{i}": random.integers(0, 4, 2000) for i in range(9)})
    count_unique(frame, list(frame), workers=workers)
    assert set(most) == set(range(9))
    assert max(most.values()) <= workers


def test_a_subset_that_is_left_out_is_no_zero(monkeypatch) -> None:
    monkeypatch.setattr(unique_subsets.Walk, "note", lambda *_: None)
    with pytest.raises(RuntimeError, match="0 of 2 subsets are counted"):
        count_unique(pd.DataFrame({"a": [1, 2]}), ["a"])


def test_a_failing_worker_is_heard(monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr("anonymizer.attackers.packed_tuples.decide", broken)
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    with pytest.raises(MemoryError, match="no room"):
        count_unique(frame, ["a", "b"], workers=3)


def test_the_known_memory_grows_with_tuples_attributes_and_workers() -> None:
    assert memory_bound(1000, 16) == 2 * 19 * 1000 * 9
    assert memory_bound(1000, 16, words=2, workers=1) == 19 * 1000 * 17


def test_more_than_twenty_attributes_are_refused_with_what_it_would_take() -> None:
    names = [f"a{i}" for i in range(MOST_ATTRIBUTES + 1)]
    frame = pd.DataFrame({name: ["x"] for name in names})
    with pytest.raises(DataError) as refused:
        count_unique(frame, names)
    message = str(refused.value)
    assert "21 attributes have 2,097,152 subsets, 2 times as many" in message
    assert "GiB" in message
    assert "Leave out attributes" in message


def test_columns_that_are_not_there_are_named(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [1], "sex": ["f"]})
    with pytest.raises(DataError, match="no column 'zip'"):
        count_unique(frame, ["age", "zip"])
    with pytest.raises(DataError, match="'age' is named twice"):
        count_unique(frame, ["age", "age"])
    with pytest.raises(DataError, match="no attribute is named"):
        count_unique(frame, [])
    (tmp_path / "t.csv").write_text("age;sex\n1;f\n")
    with pytest.raises(DataError, match="delimiter ';'"):
        count_unique(tmp_path / "t.csv", ["age"], delimiter=",")
    assert count_unique(tmp_path / "t.csv", ["age"]).unique.tolist() == [1, 1]
    with pytest.raises(DataError, match="no column 'sex'"):
        count_unique(frame, ["age", "sex"], frame[["age"]])


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(DataError, match="no rows"):
        count_unique(pd.DataFrame({"age": pd.Series([], dtype=str)}), ["age"])
