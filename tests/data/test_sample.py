from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Hierarchy, Policy, PolicyError, anonymize, verify, write_release
from anonymizer.data.coded import load
from anonymizer.data.csv import CsvTable
from anonymizer.data.pandas import FrameTable
from anonymizer.data.selection import Sample, draw_sample
from anonymizer.data.table import read_columns
from anonymizer.errors import DataError
from anonymizer.problem import Problem

ROWS = 600
FRAME = pd.DataFrame(
    {
        "who": [f"p{row // 3}" for row in range(ROWS)],
        "sex": ["F" if row % 3 else "M" for row in range(ROWS)],
        "note": [f"note{row}" for row in range(ROWS)],
    }
)
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])


@pytest.fixture(autouse=True)
def own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "state"))


def policy_of(share: float, person: str | None = "who") -> Policy:
    return Policy(
        data={"sample": share, **({} if person is None else {"id": person})},
        attributes={
            "who": {"role": "identifying" if person else "insensitive"},
            "sex": {"role": "quasi", "hierarchy": SEX},
            "note": {"role": "insensitive"},
        },
        risk=[{"model": "k-anonymity", "k": 2}],
    )


def test_people_are_drawn_with_all_their_rows_or_none() -> None:
    sample = draw_sample(FrameTable(FRAME), 0.5, "who")
    drawn = read_columns(sample, ["who"])["who"]
    times = np.bincount(drawn.codes)
    assert set(times.tolist()) == {3}
    assert 60 < len(drawn.texts) < 140


def test_who_is_drawn_follows_from_key_and_person_alone() -> None:
    first = read_columns(draw_sample(FrameTable(FRAME), 0.5, "who"), ["who"])["who"]
    turned = FRAME.iloc[::-1].iloc[:450]
    again = read_columns(draw_sample(FrameTable(turned), 0.5, "who"), ["who"])["who"]
    assert set(again.texts) == set(first.texts) & set(turned["who"])


def test_another_key_draws_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_columns(draw_sample(FrameTable(FRAME), 0.5, None), ["note"])["note"].texts
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "elsewhere"))
    assert read_columns(draw_sample(FrameTable(FRAME), 0.5, None), ["note"])["note"].texts != first


def test_a_sample_is_not_drawn_from_again() -> None:
    sample = draw_sample(FrameTable(FRAME), 0.5, None)
    assert draw_sample(sample, 0.5, None) is sample
    problem = Problem.read(FRAME, policy_of(0.5))
    assert problem.with_policy(problem.policy).microdata.records == problem.microdata.records
    weighted = problem.with_weights({"sex": 0.5})
    assert weighted.microdata.records == problem.microdata.records


def test_everybody_is_the_table_itself() -> None:
    table = FrameTable(FRAME)
    assert draw_sample(table, 1, "who") is table


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 7))
def test_a_sample_is_the_table_of_its_rows(drawn: list[bool], size: int) -> None:
    frame = FRAME.iloc[: len(drawn)]

    class Small(FrameTable):
        def batches(self, columns):  # type: ignore[no-untyped-def]
            for start in range(0, len(drawn), size):
                yield from FrameTable(frame.iloc[start : start + size]).batches(columns)

    sample = Sample(Small(frame), np.array(drawn))
    expected = FrameTable(frame[drawn])
    assert sample.rows == expected.rows
    for name in FRAME:
        mine, theirs = (read_columns(table, [name])[name] for table in (sample, expected))
        texts = [np.array([*c.texts, ""], object)[c.codes].tolist() for c in (mine, theirs)]
        assert texts[0] == texts[1]
        assert sample.read([name]).column(name).to_pylist() == frame[drawn][name].tolist()


def test_a_loaded_table_and_a_text_file_draw_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    tables = [FrameTable(FRAME), CsvTable(path, ","), load(FrameTable(FRAME), ["note"])]
    notes = [
        read_columns(draw_sample(table, 0.3, None), ["note"])["note"].texts for table in tables
    ]
    assert notes[0] == notes[1] == notes[2]


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(DataError, match=r"none of 600 rows is in a sample of 1e-07 %"):
        draw_sample(FrameTable(FRAME), 1e-9, None)


@pytest.mark.parametrize("share", [0, -0.5, 1.5, "half"])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(PolicyError, match=r"data\.sample"):
        policy_of(share)


@pytest.mark.parametrize("person", ["who", None])
def test_a_release_of_a_sample_verifies_against_the_original(
    person: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    solution = anonymize(path, policy_of(0.5, person))
    files = write_release(solution, tmp_path / "out")
    released = pd.read_csv(files["release"])
    assert len(released) == solution.records - solution.suppressed < ROWS
    assert set(released["note"]) < set(FRAME["note"])
    found = verify(files["release"], policy_of(0.5, person), against=path)
    assert found.passed, [check for check in found.checks if not check.passed]
    assert not verify(files["release"], policy_of(0.6, person), against=path).passed


def test_without_the_key_people_of_a_sample_are_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solution = anonymize(FRAME, policy_of(0.5))
    files = write_release(solution, tmp_path / "out")
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "elsewhere"))
    found = verify(files["release"], policy_of(0.5), against=FRAME)
    assert not found.failures
    assert not found.passed
    assert any("only with the key that drew it" in check.detail for check in found.checks)


def test_nobody_who_was_not_drawn_is_in_the_bytes_of_a_release(tmp_path: Path) -> None:
    arrow = pa.Table.from_pandas(FRAME.astype({"note": "category"}), preserve_index=False)
    solution = anonymize(arrow, policy_of(0.5))
    released = solution.to_frame()
    path = tmp_path / "released.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, released.schema) as writer:
        writer.write_table(released)
    drawn, content = set(released.column("note").to_pylist()), path.read_bytes()
    absent = [note for note in FRAME["note"] if note not in drawn and len(note) == 7]
    assert absent
    assert all(note.encode() not in content for note in absent)


def test_a_sample_is_verified_where_no_column_is_kept() -> None:
    sample = draw_sample(FrameTable(FRAME), 0.5, None)
    assert read_columns(sample, []) == {}
