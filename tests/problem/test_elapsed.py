"""Dates of events as days since each person's index date, compared with counting them one by one."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import anonymize
from anonymizer.errors import AnonymizerWarning, DataError, HierarchyError, PolicyError
from anonymizer.policy import Policy
from anonymizer.problem.study import StudyProblem

DAY = date(2014, 1, 1)
SEX = {"role": "quasi", "hierarchy": {"builder": "ordered", "values": ["f", "m"]}}
IDENTIFYING = {"role": "identifying"}
PEOPLE = pd.DataFrame({"id": list("abcd"), "sex": list("ffmm"), "index": ["2014-01-01"] * 4})
EVENTS = pd.DataFrame(
    {
        "id": list("aabbcd"),
        "when": ["2014-01-03", "2013-12-30", "2014-01-04", "2013-12-31T10:15", "2014-02-01", None],
    }
)


def policy_of(since: str, more: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    """A policy for people with events, also with visits that have diagnoses."""
    tables = {
        "event": {
            "id": "id",
            "attributes": {"id": IDENTIFYING, "when": {"role": "quasi", "since": since, **keys}},
        }
    }
    return {
        "data": {"id": "id"},
        "attributes": {"id": IDENTIFYING, "sex": SEX, "index": {"role": "removed"}},
        "tables": {**tables, **(more or {})},
        "risk": [{"model": "study", "k": 2, "power": 1}],
    }


@st.composite
def visited(draw: st.DrawFn) -> tuple[list[date], list[tuple[int, date | None]], list[Any]]:
    """Draw an index date of each person, their visits, and diagnoses at these."""
    days = st.integers(-400, 2000).map(lambda number: DAY + timedelta(number))
    index = draw(st.lists(days, min_size=2, max_size=5))
    person = st.integers(0, len(index) - 1)
    visits = draw(st.lists(st.tuples(person, st.one_of(days, st.none())), min_size=1, max_size=6))
    at = st.integers(0, len(visits) - 1)
    diagnoses = draw(st.lists(st.tuples(at, days), min_size=1, max_size=6))
    return index, visits, diagnoses


@given(case=visited(), first=st.booleans())
def test_days_are_those_counted_one_by_one_also_below_visits(case: Any, first: bool) -> None:
    index, visits, diagnoses = case
    frames = {
        "people": pd.DataFrame({"id": range(len(index)), "sex": "f", "index": index}),
        "event": pd.DataFrame(
            {
                "key": range(len(visits)),
                "id": [p for p, _ in visits],
                "when": [d for _, d in visits],
            }
        ),
        "finding": pd.DataFrame(diagnoses, columns=["visit", "on"]),
    }
    since = "first" if first else "index"
    finding = {
        "id": "visit",
        "parent": "event",
        "attributes": {"visit": IDENTIFYING, "on": {"role": "quasi", "since": since}},
    }
    policy = policy_of(since, {"finding": finding})
    policy["tables"]["event"] |= {"key": "key"}
    policy["tables"]["event"]["attributes"]["key"] = IDENTIFYING
    policy["risk"][0]["k"] = 1
    problem = StudyProblem.read(frames, policy)
    if first:
        dated = [(p, d) for p, d in visits if d] + [(visits[v][0], d) for v, d in diagnoses]
        index = [
            min((d for p, d in dated if p == person), default=DAY) for person in range(len(index))
        ]
    expected = ["" if day is None else str((day - index[p]).days) for p, day in visits]
    assert texts_of(problem, 1) == expected
    assert texts_of(problem, 2) == [str((day - index[visits[v][0]]).days) for v, day in diagnoses]


def texts_of(problem: StudyProblem, place: int) -> list[str]:
    """The days of each row of a table."""
    [name] = problem.microdata(place).attributes
    table = problem.parts[place].table
    return [text or "" for text in table.read([name]).column(0).to_pylist()]


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "arrow"])
def test_every_kind_of_table_releases_the_same_days(kind: str, tmp_path: Path) -> None:
    events: Any = EVENTS
    if kind == "csv":
        events = tmp_path / "event.csv"
        EVENTS.to_csv(events, index=False)
    elif kind == "parquet":
        events = tmp_path / "event.parquet"
        EVENTS.to_parquet(events)
    elif kind == "arrow":
        events = pa.Table.from_pandas(EVENTS)
    solution = anonymize(
        {"people": PEOPLE, "event": events}, policy_of("index", min_level=1, max_level=1)
    )
    released = solution.to_frames(seed=1)["event"]
    rows = released.to_pylist() if kind == "arrow" else released.to_dict("records")
    found = sorted(str(row["when"]) if isinstance(row["when"], str) else "" for row in rows)
    assert found == ["0-6", "0-6", "7-1 before", "7-1 before"]
    assert solution.scheme["event.when"] == 1
    assert solution.suppressed == 2  # whose events nobody else has


def test_half_a_date_counts_as_missing_and_is_said() -> None:
    events = EVENTS.assign(when=["2014", "2014-01", None, None, None, None])
    with pytest.warns(AnonymizerWarning, match=r"only the year or the month is known \(2\)"):
        problem = StudyProblem.read({"people": PEOPLE, "event": events}, policy_of("first"))
    assert set(texts_of(problem, 1)) == {""}


def test_a_format_of_dates_is_read() -> None:
    events = EVENTS.assign(when=["03.01.2014"] * 6)
    frames = {"people": PEOPLE, "event": events}
    problem = StudyProblem.read(frames, policy_of("index", format="%d.%m.%Y"))
    assert texts_of(problem, 1) == ["2"] * 6


@pytest.mark.filterwarnings("ignore:.*only the year or the month")
@pytest.mark.parametrize(
    ("people", "events", "since", "sentence"),
    [
        (
            PEOPLE.assign(index=None),
            EVENTS,
            "index",
            "row 1 has no day in 'index', from which 'when'",
        ),
        (
            PEOPLE.assign(index="2014-01"),
            EVENTS,
            "index",
            "(3 people in all); fill it in, leave the",
        ),
        (PEOPLE, EVENTS.assign(when="soon"), "index", "row 1 has no date in column 'when'"),
        (PEOPLE, EVENTS.assign(id="z"), "first", "belongs to nobody"),
    ],
)
def test_what_cannot_be_counted_is_a_sentence(
    people: Any, events: Any, since: str, sentence: str
) -> None:
    with pytest.raises(DataError) as error:
        StudyProblem.read({"people": people, "event": events}, policy_of(since))
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"since": "indx"}, "tables: event.attributes.when.since names 'indx', which is no column"),
        ({"type": "date"}, "since makes its cells numbers of days, and its type is date"),
        ({"role": "insensitive"}, "only a quasi-identifier has 'since'"),
    ],
)
def test_a_wrong_index_is_a_fault_of_the_policy(change: dict[str, Any], sentence: str) -> None:
    policy = policy_of("index")
    policy["tables"]["event"]["attributes"]["when"] |= change
    with pytest.raises(PolicyError) as error:
        Policy.of(policy)
    assert sentence in str(error.value)


def test_an_index_date_that_is_released_as_it_is_would_tell_every_date() -> None:
    policy = policy_of("index")
    policy["attributes"]["index"] = {"role": "insensitive"}
    with pytest.raises(PolicyError, match="which is released as it is and would tell every date"):
        Policy.of(policy)


def test_only_events_are_counted_from_an_index_date() -> None:
    policy = policy_of("index")
    policy["attributes"]["index"] = {"role": "quasi", "since": "first"}
    with pytest.raises(PolicyError, match="index has since, which counts the days of events"):
        Policy.of(policy)


def test_a_hierarchy_of_dates_does_not_fit_days() -> None:
    dates = {"builder": "dates", "from": "2013-01-01", "to": "2014-12-31"}
    frames = {"people": PEOPLE, "event": EVENTS}
    with pytest.raises(
        HierarchyError, match="its hierarchy is one of dates; leave the hierarchy out"
    ):
        StudyProblem.read(frames, policy_of("index", hierarchy=dates))


def test_dates_that_are_kept_beside_days_are_warned_of() -> None:
    policy = policy_of("index")
    policy["tables"]["event"]["attributes"]["end"] = {"role": "insensitive"}
    kept = EVENTS.assign(end=EVENTS["when"].fillna("2014-02-02"))
    with pytest.warns(AnonymizerWarning, match=r"tables\.event\.attributes\.end: .*tell that date"):
        StudyProblem.read({"people": PEOPLE, "event": kept}, policy)
