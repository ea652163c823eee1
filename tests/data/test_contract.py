"""Every kind of table meets the contract, and so does one that is defined here, in one class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from anonymizer import (
    KAnonymity,
    Policy,
    anonymize,
    apply,
    assess,
    explain,
    frontier,
    make_manifest,
    verify,
    write_release,
)
from anonymizer.data.arrow import ArrowTable
from anonymizer.data.batched import BatchedTable
from anonymizer.data.cells import Cells, text_of
from anonymizer.data.coded import load
from anonymizer.data.columns import read_columns
from anonymizer.data.frame import FrameTable
from anonymizer.data.table import CONTRACT, Table, open_table
from anonymizer.errors import DataError
from tests.wards import patients, rows_of, write_files


class Records(BatchedTable):
    """A kind of table: a list of dictionaries, read a few at a time."""

    name = "the records"

    def __init__(self, records: Sequence[dict[str, Any]]) -> None:
        self.records = list(records)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.records[0])

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        for start in range(0, len(self.records), 7):
            part = self.records[start : start + 7]
            indices = np.arange(len(part))
            yield [Cells(indices, [record[column] for record in part]) for column in columns]


KINDS = ["csv", "parquet", "frame", "arrow", "records"]


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy.read(write_files(tmp_path))


def make(kind: str, folder: Path) -> Any:
    """Return what a user would give for a table of each kind."""
    frame = patients()
    made = {
        "frame": lambda: frame,
        "arrow": lambda: pa.Table.from_pandas(frame),
        "records": lambda: Records(frame.to_dict("records")),
    }
    return made[kind]() if kind in made else folder / f"patients.{kind}"


def opened(kind: str, folder: Path) -> Table:
    return open_table(make(kind, folder), ";")


def frame_of(released: Any) -> pd.DataFrame:
    return released.to_pandas() if isinstance(released, pa.Table) else released


# The contract


def test_the_contract_is_what_everybody_must_meet() -> None:
    assert set(CONTRACT) == {
        "name", "columns", "types", "rows", "file_name", "batches", "read", "aggregate", "release",
        "write", "digest",
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_tell_the_same_table(kind: str, tmp_path: Path, policy: Policy) -> None:
    table, frame = opened(kind, tmp_path), patients()
    assert table.columns == tuple(frame)
    assert set(table.types) == set(frame)
    assert table.rows in (None, len(frame))
    read = table.read(["zip", "age"])
    assert read.column_names == ["zip", "age"]
    assert [text_of(value) for value in read["age"].to_pylist()] == frame["age"].map(str).tolist()
    coded = read_columns(table, ["diagnosis"])["diagnosis"]
    assert [coded.texts[code] for code in coded.codes] == frame["diagnosis"].tolist()
    tuples = table.aggregate(["sex", "zip"])
    assert tuples.counts.sum() == len(frame)
    assert tuples.counts.size == len(frame[["sex", "zip"]].drop_duplicates())


@pytest.mark.parametrize("kind", KINDS)
def test_a_digest_tells_one_table_from_another(kind: str, tmp_path: Path, policy: Policy) -> None:
    first, again = opened(kind, tmp_path).digest(), opened(kind, tmp_path).digest()
    write_files(tmp_path, patients(seed=2))
    other = Records(patients(seed=2).to_dict("records")) if kind == "records" else None
    assert first == again
    assert len(first) == 64
    if kind in ("csv", "parquet"):
        assert opened(kind, tmp_path).digest() != first
    if other is not None:
        assert other.digest() != first


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_kind_comes_out(kind: str, tmp_path: Path, policy: Policy) -> None:
    solution = anonymize(make(kind, tmp_path), policy)
    released = solution.to_frame()
    assert isinstance(released, pa.Table if kind in ("arrow", "records") else pd.DataFrame)
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert path.name == ("release.parquet" if kind == "parquet" else "release.csv")


@pytest.mark.parametrize("redact", [False, True], ids=["drop", "redact"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_anonymized_released_and_verified_alike(
    kind: str, redact: bool, tmp_path: Path, policy: Policy
) -> None:
    if redact:
        kept = policy.release.model_copy(update={"suppressed": "redact"})
        policy = policy.model_copy(update={"release": kept})
    data = make(kind, tmp_path)
    solution, expected = anonymize(data, policy), anonymize(patients(), policy)
    assert solution.scheme == expected.scheme
    assert 0 < solution.suppressed == expected.suppressed
    released = solution.to_frame()
    assert rows_of(frame_of(released)) == rows_of(expected.to_frame())
    assert verify(released, policy, make_manifest(solution, released), against=data).passed
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert verify(path, policy, against=data).passed
    other = Records([{**row, "days": 0} for row in patients().to_dict("records")])
    assert not verify(path, policy, against=other).passed


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_of_nobody_is_a_header(kind: str, tmp_path: Path, policy: Policy) -> None:
    untouched = {name: {"max_level": 0} for name in policy.quasi_identifiers}
    nobody = policy.with_attributes(untouched).model_copy(update={"risk": (KAnonymity(100),)})
    solution = anonymize(make(kind, tmp_path), nobody)
    assert solution.suppressed == solution.records
    released = solution.to_frame()
    assert len(released) == 0
    assert list(frame_of(released)) == ["age", "sex", "zip", "diagnosis", "days"]
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert verify(path, nobody, against=make(kind, tmp_path)).passed


def test_a_kind_of_ones_own_works_everywhere(tmp_path: Path, policy: Policy) -> None:
    table = make("records", tmp_path)
    found = frontier(table, policy, [2, 3, 5])
    for k in (2, 5):
        picked = found.pick(k)
        released = picked.to_frame()
        at = policy.model_copy(update={"risk": picked.release.policy.risk})
        assert verify(released, at, make_manifest(picked, released), against=table).passed
    solution = anonymize(table, policy)
    assert explain(solution).describe()
    assert apply(table, policy, solution.scheme).loss == solution.loss
    assert assess(table, policy).records == len(patients())


def test_a_table_that_only_looks_like_one_is_told_what_it_lacks() -> None:
    class Half:
        name, columns = "half", ("a",)

        def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
            yield [Cells(np.zeros(0, np.int64), []) for _ in columns]

    with pytest.raises(DataError, match="the data is a Half, a table without 'types', 'rows', "):
        open_table(Half())  # type: ignore[arg-type]


# Tables that are open already, and tables in memory


@pytest.mark.parametrize("kind", KINDS)
def test_an_open_table_is_taken_as_it_is(kind: str, tmp_path: Path, policy: Policy) -> None:
    table = opened(kind, tmp_path)
    assert open_table(table) is table


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_table_stands_for_the_one_it_was_read_from(
    kind: str, tmp_path: Path, policy: Policy
) -> None:
    table = opened(kind, tmp_path)
    loaded = load(table, policy.quasi_identifiers)
    assert (loaded.name, loaded.columns) == (table.name, table.columns)
    assert loaded.rows == 120
    assert loaded.digest() == table.digest()
    ours, theirs = (each.aggregate(policy.quasi_identifiers) for each in (loaded, table))
    assert ours.texts == theirs.texts
    assert [codes.tolist() for codes in ours.codes] == [codes.tolist() for codes in theirs.codes]
    assert ours.tuple_of_row.tolist() == theirs.tuple_of_row.tolist()


def test_a_subclass_of_a_dataframe_is_a_dataframe() -> None:
    class Labelled(pd.DataFrame):
        pass

    assert isinstance(open_table(Labelled({"a": ["x"]})), FrameTable)
    assert isinstance(open_table(pa.table({"a": ["x"]})), ArrowTable)
