"""A date shift: every person by one number of days, intervals exact, and what verify tells of it."""

from __future__ import annotations

import warnings
from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import anonymize, verify
from anonymizer.data.dates import draw_shifts
from anonymizer.errors import AnonymizerError, PolicyError
from anonymizer.policy import Policy
from anonymizer.solution.manifest import make_manifest
from anonymizer.solution.study_manifest import make_study_manifest
from anonymizer.verification.claims import Verification

DAY = date(2014, 1, 1)
IDENTIFYING = {"role": "identifying"}
MOVED = {"role": "insensitive", "shift": True}
SEX = {"role": "quasi", "hierarchy": {"builder": "ordered", "values": ["f", "m"]}}
TERM = {"role": "quasi", "hierarchy": {"builder": "ordered", "values": ["x", "y"]}}
KEPT = {"role": "insensitive"}


def study(most: int = 30) -> dict[str, Any]:
    """A policy of people with events; all dates move."""
    return {
        "data": {"id": "id"},
        "attributes": {"id": IDENTIFYING, "sex": SEX, "mark": KEPT, "born": MOVED},
        "tables": {
            "event": {"id": "id", "attributes": {"id": IDENTIFYING, "term": TERM, "on": MOVED}}
        },
        "risk": [{"model": "study", "k": 1, "power": 1}],
        "release": {"date_shift": most},
    }


def flat(**keys: Any) -> dict[str, Any]:
    """A policy of one table in which a person may have several rows."""
    return {
        "data": {"id": "id"},
        "attributes": {"id": IDENTIFYING, "sex": SEX, "mark": KEPT, "from": MOVED, "to": MOVED},
        "risk": [{"model": "k-anonymity", "k": 1}],
        "release": {"date_shift": 30},
        **keys,
    }


@st.composite
def people(draw: st.DrawFn) -> dict[str, pd.DataFrame]:
    """Draw people who are told apart by a mark, and dates of theirs."""
    days = st.one_of(st.none(), st.integers(-900, 900).map(lambda n: DAY + timedelta(n)))
    number = draw(st.integers(1, 4))
    born = draw(st.lists(days, min_size=number, max_size=number))
    ids = st.integers(0, number - 1)
    events = draw(st.lists(st.tuples(ids, st.sampled_from("xy"), days), min_size=1, max_size=8))
    marks = [f"mark {n}" for n in range(number)]
    return {
        "people": pd.DataFrame({"id": range(number), "sex": "f", "mark": marks, "born": born}),
        "event": pd.DataFrame(events, columns=["id", "term", "on"]),
    }


def day_of(cell: Any) -> date | None:
    """Read a released date."""
    return None if pd.isna(cell) else date.fromisoformat(str(cell)[:10])


@given(frames=people(), seed=st.integers(0, 9))
def test_all_dates_of_a_person_move_by_one_number_within_the_range(
    frames: dict[str, pd.DataFrame], seed: int
) -> None:
    solution = anonymize(frames, study())
    released = solution.to_frames(seed=seed)
    mark_of = dict(zip(released["people"]["id"], released["people"]["mark"], strict=True))
    moved, unmoved = defaultdict(list), defaultdict(list)
    for row in released["people"].to_dict("records"):
        moved[row["mark"]].append(("born", row["born"]))
    for row in released["event"].to_dict("records"):
        moved[mark_of[row["id"]]].append((row["term"], row["on"]))
    for row in frames["people"].to_dict("records"):
        unmoved[row["mark"]].append(("born", row["born"]))
    for row in frames["event"].to_dict("records"):
        unmoved[f"mark {row['id']}"].append((row["term"], row["on"]))
    for mark, dates in unmoved.items():
        own = sorted((what, day_of(cell)) for what, cell in moved[mark] if day_of(cell))
        shifts = [by for by in range(-30, 31) if own == moved_by(dates, by)]
        assert shifts, "one number moves all dates of a person"
    manifest = make_study_manifest(solution, released)
    checked = verify(released, Policy.of(study()), manifest, against=frames)
    assert checked.passed, str(checked)


def moved_by(dates: list[tuple[str, Any]], by: int) -> list[tuple[str, date]]:
    """Move all dates that there are by so many days."""
    found = [(what, day_of(cell)) for what, cell in dates]
    return sorted((what, day + timedelta(by)) for what, day in found if day is not None)


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 900), st.integers(0, 9)), min_size=1)
)
def test_a_flat_table_moves_all_rows_of_a_person_alike(rows: list[tuple[int, int, int]]) -> None:
    frame = pd.DataFrame(
        {
            "id": [person for person, _, _ in rows],
            "sex": "f",
            "mark": [f"{person} {row}" for row, (person, _, _) in enumerate(rows)],
            "from": [DAY + timedelta(start) for _, start, _ in rows],
            "to": [datetime(2014, 1, 1, 10) + timedelta(start + stay) for _, start, stay in rows],
        }
    )
    solution = anonymize(frame, flat())
    released = solution.to_frame(seed=3)
    shifts: dict[str, set[int]] = defaultdict(set)
    for row in released.to_dict("records"):
        person, at = map(int, row["mark"].split())
        start, end = (pd.Timestamp(row[name]) for name in ("from", "to"))
        shifts[str(person)].add((start.date() - frame["from"][at]).days)
        assert end - start == pd.Timestamp(frame["to"][at]) - pd.Timestamp(frame["from"][at])
    assert all(len(some) == 1 and abs(min(some)) <= 30 for some in shifts.values())
    manifest = make_manifest(solution, released)
    assert verify(released, Policy.of(flat()), manifest, against=frame).passed


def patients() -> pd.DataFrame:
    """Sixty stays, two of each person, no two alike."""
    starts = [DAY + timedelta(n) for n in range(60)]
    ends = [day + timedelta(n % 7) for n, day in enumerate(starts)]
    marks = [str(n % 4) for n in range(60)]
    return pd.DataFrame(
        {"id": [n // 2 for n in range(60)], "sex": "f", "mark": marks, "from": starts, "to": ends}
    )


def test_every_release_moves_anew_and_a_seed_moves_alike() -> None:
    solution = anonymize(patients(), flat())
    assert anonymize(patients(), flat()).to_frame().to_csv() != solution.to_frame().to_csv()
    again = anonymize(patients(), flat()).to_frame(seed=1)
    assert again.to_csv() == solution.to_frame(seed=1).to_csv()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_keep_the_type_of_dates(kind: str, tmp_path: Path) -> None:
    frame, path = patients(), tmp_path / f"stays.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    released = anonymize(path, flat()).to_frame(seed=1)
    assert released["from"].notna().all()
    if kind == "parquet":
        assert {type(cell) for cell in released["from"]} == {date}


def details(checked: Verification) -> str:
    """All that is said of what was checked."""
    return " ".join(check.detail for check in checked.checks)


def forged(column: str, days: int) -> Verification:
    """Verify a release in which the dates of one row are further away, or one of them alone is."""
    solution = anonymize(patients(), flat())
    released = solution.to_frame(seed=1)
    for name in ["from", "to"] if column == "both" else [column]:
        cells = released[name].map(day_of).tolist()
        cells[0] = cells[0] + timedelta(days)
        released[name] = cells
    manifest = make_manifest(solution, released)
    return verify(released, Policy.of(flat()), manifest, against=patients())


def test_a_date_that_is_moved_alone_or_too_far_is_found() -> None:
    assert forged("both", 0).passed
    assert not forged("to", 1).passed
    assert not forged("both", 5000).passed
    assert "are further than 30 days away" in details(forged("both", 5000))


def test_dates_that_have_not_moved_are_found() -> None:
    policy, frame = flat(), patients()
    solution = anonymize(frame, policy)
    released = solution.to_frame(seed=1).assign(**{"from": frame["from"], "to": frame["to"]})
    still = released.assign(mark=frame["mark"])
    checked = verify(still, Policy.of(policy), make_manifest(solution, still), against=frame)
    assert "no date has moved" in details(checked)


def test_without_the_original_nobody_tells_whether_dates_moved() -> None:
    solution = anonymize(patients(), flat())
    released = solution.to_frame(seed=1)
    checked = verify(released, Policy.of(flat()), make_manifest(solution, released))
    [check] = [check for check in checked.checks if check.claim.startswith("dates are moved")]
    assert check.passed is None
    assert "only the original tells" in check.detail
    assert "A shift is no generalization" in solution.describe()["date_shift"][1]


def test_half_a_date_is_released_as_missing_and_dates_keep_their_format() -> None:
    frame = patients().astype(str)
    frame["from"] = [f"{day[8:]}.{day[5:7]}.{day[:4]}" for day in frame["from"]]
    frame["to"] = ["2014-01"] * 59 + ["2014-02-01T10:30:05"]
    policy = flat()
    policy["attributes"]["from"] = {**MOVED, "format": "%d.%m.%Y"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        released = anonymize(frame, policy).to_frame(seed=1)
    assert all(datetime.strptime(cell, "%d.%m.%Y") for cell in released["from"])
    [kept] = [cell for cell in released["to"] if isinstance(cell, str) and cell]
    assert kept.endswith("T10:30:05")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"data": {}}, "nothing says whose a row is; name the column as data.id"),
        ({"release": {}}, "from has shift, and [release] does not say how far dates move"),
        ({"attributes": {"from": KEPT, "to": KEPT}}, "release.date_shift moves no column"),
        (
            {"attributes": {"from": {**SEX, "shift": True}}},
            "from has shift and is quasi: a shift is no",
        ),
        (
            {"attributes": {"from": KEPT}},
            "attributes.from has dates that do not move, from which the",
        ),
        (
            {"attributes": {"mark": {**KEPT, "format": "%d.%m.%Y"}}},
            "or dates with shift = true, have",
        ),
        ({"attributes": {"mark": MOVED}}, "row 1 has no date in column 'mark'"),
    ],
)
def test_what_cannot_be_moved_is_a_sentence(change: dict[str, Any], sentence: str) -> None:
    policy = flat()
    policy |= {key: value for key, value in change.items() if key != "attributes"}
    policy["attributes"] = {**policy["attributes"], **change.get("attributes", {})}
    with pytest.raises(AnonymizerError) as error:
        anonymize(patients(), policy).to_frame()
    assert sentence in str(error.value)


def test_a_date_that_is_generalized_would_tell_the_shift() -> None:
    policy, dates = flat(), {"builder": "dates", "from": "2014-01-01", "to": "2014-12-31"}
    policy["attributes"]["from"] = {"role": "quasi", "hierarchy": dates}
    with pytest.raises(PolicyError, match="from has dates that do not move"):
        anonymize(patients(), policy)
    policy["attributes"]["from"]["shift"] = False
    policy["attributes"]["to"] = {**MOVED, "reveals": ["from"]}
    anonymize(patients(), policy)


@given(secret=st.binary(min_size=1), most=st.integers(1, 400))
def test_shifts_are_within_the_range_and_nobody_else_changes_them(secret: bytes, most: int) -> None:
    drawn = draw_shifts(secret, 20, most)
    assert abs(drawn).max() <= most
    assert draw_shifts(secret, 5, most).tolist() == drawn[:5].tolist()
