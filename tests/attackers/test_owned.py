"""The risk of each person against brute force, with several rows for each and an external table."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers.disclosed import assess_disclosure
from anonymizer.attackers.disclosure import Disclosing, ExternalTable, Source
from anonymizer.attackers.owned import check_steps, read_owned
from anonymizer.attackers.unique_subsets import count_unique
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import DataError
from tests.attackers.test_unique_subsets import frames

Row = tuple[str, ...]


def rows_of(frame: pd.DataFrame, names: list[str]) -> list[Row]:
    return [tuple(map(str, row)) for row in frame[names].to_numpy().tolist()]


def holders(frame: pd.DataFrame, person: list[int], names: list[str]) -> dict[Row, set[int]]:
    """Who has each combination of values."""
    found: dict[Row, set[int]] = {}
    for row, whose in zip(rows_of(frame, names), person, strict=True):
        found.setdefault(row, set()).add(whose)
    return found


def by_hand(
    frame: pd.DataFrame,
    person: list[int],
    outside: tuple[pd.DataFrame, list[int]] | None,
    rates: dict[str, float],
) -> tuple[list[float], dict[tuple[str, ...], tuple[int, int, int]]]:
    """The risk of each person subset by subset, and the people counted on each."""
    names = list(rates)
    risks, counts = [0.0] * (max(person) + 1), {}
    for size in range(len(names) + 1):
        for chosen in combinations(names, size):
            z = math.prod(rates[x] if x in chosen else 1 - rates[x] for x in names)
            here = holders(frame, person, list(chosen))
            there = {} if outside is None else holders(*outside, list(chosen))
            rows: dict[
                int, list[int]
            ] = {}  # of each unique person, how many outside have their rows
            for row, people in here.items():
                if len(people) == 1:
                    rows.setdefault(min(people), []).append(len(there.get(row, ())))
            found = sum(any(each) for each in rows.values())
            once = sum(1 in each for each in rows.values())
            counts[chosen] = len(rows), found, once
            q = once / found if found else 1.0
            for whose, each in rows.items():
                risks[whose] += z * (1.0 if 1 in each else q if 0 in each else 0.0)
    return risks, counts


@settings(max_examples=60)
@given(frames(5, 14), st.data())
def test_risks_and_counts_of_people_are_those_of_brute_force(frame: pd.DataFrame, data) -> None:
    names, n = list(frame), len(frame)
    rates = {name: data.draw(st.floats(0, 1, allow_subnormal=False)) for name in names}
    whose = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    person = np.unique(whose, return_inverse=True)[1].tolist()
    picked = data.draw(st.lists(st.integers(0, n - 1), max_size=10))
    outside = None
    external = None
    table = frame.assign(id=[f"p{number:02}" for number in person])
    if picked:
        theirs = frame.iloc[picked].reset_index(drop=True)
        ids = data.draw(st.lists(st.integers(0, 3), min_size=len(picked), max_size=len(picked)))
        outside = theirs, np.unique(ids, return_inverse=True)[1].tolist()
        external = FrameTable(theirs.assign(user=[f"u{number}" for number in outside[1]]))
    owned = read_owned(
        FrameTable(table), names, "id", external, None if external is None else "user"
    )
    numbers = pd.Series(owned.person_of_row)  # people may be numbered otherwise
    assert numbers.groupby(person).nunique().eq(1).all()
    risks, counts = by_hand(frame, owned.person_of_row.tolist(), outside, rates)
    counted = owned.count()
    assert counted.records == len(risks)
    for chosen, (unique, found, once) in counts.items():
        at = counted.number(chosen)
        assert counted.unique[at] == unique
        if counted.found is not None and counted.found_once is not None:
            assert (counted.found[at], counted.found_once[at]) == (found, once)
    asked = Disclosing((Source("all", 1.0, rates),), id="id")
    if external is not None:
        named = ExternalTable(path="here.csv", id="user")
        asked = Disclosing(asked.sources, id="id", external=named)
        risk = assess_disclosure(table, asked, external)
    else:
        risk = assess_disclosure(table, asked)
    assert risk.person_risks is not None
    assert risk.person_risks == pytest.approx(risks, abs=1e-9)
    assert risk.highest == pytest.approx(max(risks), abs=1e-9)


@settings(max_examples=60)
@given(frames(6), st.data())
def test_where_each_row_is_a_person_counts_are_those_of_the_other_walk(frame, data) -> None:
    picked = data.draw(st.lists(st.integers(0, len(frame) - 1), max_size=20))
    external = frame.iloc[picked].reset_index(drop=True) if picked else None
    names = list(frame)
    other = None if external is None else FrameTable(external)
    mine = read_owned(FrameTable(frame), names, external=other).count()
    theirs = count_unique(frame, names, external)
    for kind in ("unique", "found", "found_once"):
        one, another = getattr(mine, kind), getattr(theirs, kind)
        assert (one is None) == (another is None)
        assert one is None or np.array_equal(one, another)
    rates = {name: data.draw(st.floats(0, 1, allow_subnormal=False)) for name in names}
    risk = assess_disclosure(frame, [Source("all", 1.0, rates)], external)
    assert risk.person_risks is not None
    assert risk.person_risks.mean() == pytest.approx(risk.individual_exact, abs=1e-9)


def test_columns_of_many_values_are_told_apart_too() -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame({f"a{i}": random.integers(0, 900, 1000) for i in range(3)})
    mine = read_owned(FrameTable(frame), list(frame)).count()
    assert np.array_equal(mine.unique, count_unique(frame, list(frame)).unique)


def test_the_threshold_gives_a_verdict_on_every_person() -> None:
    frame = pd.DataFrame({"age": [30, 30, 41], "sex": ["f", "m", "f"]})
    source = (Source("forum", 1.0, {"age": 0.5, "sex": 0.2}),)
    risk = assess_disclosure(frame, Disclosing(source, threshold=0.5))
    # 41 is alone by age, the man by sex, the young woman only by both
    assert risk.person_risks == pytest.approx([0.1, 0.2, 0.5])
    assert risk.passes is True
    assert assess_disclosure(frame, Disclosing(source, threshold=0.49)).passes is False
    assert assess_disclosure(frame, source).passes is None
    assert risk.above(0.15) == 2
    assert risk.row_risks() == pytest.approx([0.1, 0.2, 0.5])


def test_rows_of_one_person_do_not_hide_each_other() -> None:
    frame = pd.DataFrame({"id": ["a", "a", "b", "b"], "age": [30, 30, 41, 42]})
    rates = (Source("forum", 1.0, {"age": 0.4}),)
    assert assess_disclosure(frame, rates).person_risks == pytest.approx([0, 0, 0.4, 0.4])
    risk = assess_disclosure(frame, Disclosing(rates, id="id"))
    assert risk.person_risks == pytest.approx([0.4, 0.4])
    assert risk.uniqueness.records == 2
    assert risk.uniqueness.unique.tolist() == [0, 2]


def test_an_id_with_missing_cells_is_refused() -> None:
    frame = pd.DataFrame({"id": ["a", None], "age": [30, 41]})
    with pytest.raises(DataError, match="row 2 has no 'id', so it is not known whose it is"):
        assess_disclosure(frame, Disclosing((Source("forum", 1.0, {"age": 0.4}),), id="id"))
    with pytest.raises(DataError, match="no column 'nobody'"):
        assess_disclosure(frame, Disclosing((Source("forum", 1.0, {"age": 0.4}),), id="nobody"))


def test_what_would_take_hours_is_refused() -> None:
    check_steps(1 << 14, 20)
    with pytest.raises(DataError, match="too many to tell the risk of each person; leave out"):
        check_steps(1 << 15, 20)


def test_without_the_time_for_each_person_there_is_no_verdict(monkeypatch) -> None:
    frame = pd.DataFrame({"age": [30, 30, 41]})
    monkeypatch.setattr("anonymizer.attackers.owned.MOST_STEPS", 1)
    source = (Source("forum", 1.0, {"age": 0.5}),)
    risk = assess_disclosure(frame, source)
    assert (risk.person_risks, risk.highest, risk.above(0.1)) == (None, None, None)
    with pytest.raises(DataError, match="too many"):
        assess_disclosure(frame, Disclosing(source, threshold=0.5))
