"""Every kind of table meets the contract, and so does one that is defined here, in one class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
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
from anonymizer.data.coded import load
from anonymizer.data.column import Cells, text_of
from anonymizer.data.opening import open_table
from anonymizer.data.pandas import FrameTable
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import DataError
from anonymizer.hierarchy import Dates, Hierarchy, Intervals
from tests.data.formats import (
    KINDS,
    PLAIN_NAMES,
    RELEASED,
    OwnTable,
    make,
    rows_in,
    texts_in,
)
from tests.wards import POLICY, patients, write_files


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy.read(write_files(tmp_path, policy=POLICY.replace('delimiter = ";"\n', "")))


def made(kind: str, folder: Path, seed: int = 1) -> Any:
    return make(kind, folder, patients(seed=seed))


def opened(kind: str, folder: Path, seed: int = 1) -> Table:
    return open_table(made(kind, folder, seed))


# The contract


def test_the_contract_is_what_everybody_must_meet() -> None:
    assert {name for name in vars(Table) if not name.startswith("_")} == {
        "name", "columns", "types", "rows", "kind", "delimiter", "batches", "read", "aggregate",
        "digest", "release", "file_name", "is_own", "to_native", "write", "write_texts", "assemble",
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
    if kind not in (".xlsx", ".csv.gz", ".dta", ".sav", ".xpt"):  # their writers note the time
        assert first == again
    assert len(first) == 64
    assert opened(kind, tmp_path, seed=2).digest() != first


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_kind_comes_out(kind: str, tmp_path: Path, policy: Policy) -> None:
    solution = anonymize(made(kind, tmp_path), policy)
    frame, file = RELEASED[kind]
    assert isinstance(solution.to_frame(), frame)
    assert Path(write_release(solution, tmp_path / "out")["release"]).name == file


@pytest.mark.parametrize("redact", [False, True], ids=["drop", "redact"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_anonymized_released_and_verified_alike(
    kind: str, redact: bool, tmp_path: Path, policy: Policy
) -> None:
    if redact:
        kept = policy.release.model_copy(update={"suppressed": "redact"})
        policy = policy.model_copy(update={"release": kept})
    data = made(kind, tmp_path)
    solution, expected = anonymize(data, policy), anonymize(patients(), policy)
    assert (solution.scheme, solution.loss) == (expected.scheme, expected.loss)
    assert 0 < solution.suppressed == expected.suppressed
    released = solution.to_frame()
    assert rows_in(released) == rows_in(expected.to_frame())
    assert texts_in(released) == texts_in(solution.to_frame())
    assert verify(released, policy, make_manifest(solution, released), against=data).passed
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert rows_in(path) == rows_in(released)
    assert verify(path, policy, against=data).passed
    other = OwnTable([{**row, "days": 0} for row in patients().to_dict("records")])
    assert not verify(path, policy, against=other).passed


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_of_nobody_is_a_header(kind: str, tmp_path: Path, policy: Policy) -> None:
    untouched = {name: {"max_level": 0} for name in policy.quasi_identifiers}
    nobody = policy.with_attributes(untouched).model_copy(update={"risk": (KAnonymity(100),)})
    data = made(kind, tmp_path)
    solution = anonymize(data, nobody)
    assert solution.suppressed == solution.records
    released = solution.to_frame()
    if kind != "records":  # a list of no dicts has no header
        assert texts_in(released) == {
            name: [] for name in ("age", "sex", "zip", "diagnosis", "days")
        }
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert verify(path, nobody, against=data).passed


# Tables as people have them


WARDS = ["Innere, Süd", "Łódź", "a/b", None]


def visits(rows: int = 400, seed: int = 3) -> pd.DataFrame:
    """Draw visits, several for each person: missing cells, odd names, values of many types."""
    random = np.random.default_rng(seed)
    ages = pd.Series(random.integers(5, 110, rows), dtype="Int64")
    ages[random.random(rows) < 0.1] = pd.NA
    days = pd.Timestamp("2023-11-20") + pd.to_timedelta(random.integers(0, 300, rows), unit="D")
    return pd.DataFrame(
        {
            "id": [f"p{number}" for number in random.integers(0, rows // 2, rows)],
            "Alter.in/Jahren": ages,
            "größe": random.choice(["klein", "groß"], rows),
            "Wr.Hnd": random.random(rows) < 0.5,
            "seen on": [day.date() for day in days],
            "ward": random.choice(np.array(WARDS, object), rows),
            "cost": [Decimal(int(cents)) / 100 for cents in random.integers(100, 900, rows)],
            "score": random.integers(0, 40, rows) / 8,
        }
    )


@pytest.fixture
def visits_policy() -> Policy:
    ages = Intervals((0, 119), widths=(10, 20, 40)).build("age")
    seen = Dates("2023-11-01", "2024-12-31", ("day", "month", "quarter", "year")).build("seen")
    hands = Hierarchy.from_rows("hand", [("True", "*"), ("False", "*")])
    sizes = Hierarchy.from_rows("size", [("klein", "*"), ("groß", "*")])
    quasi = {"Alter.in/Jahren": ages, "größe": sizes, "Wr.Hnd": hands, "seen on": seen}
    return Policy(
        data={"id": "id"},
        attributes={
            "id": {"role": "identifying"},
            **{name: {"role": "quasi", "hierarchy": each} for name, each in quasi.items()},
            **{name: {"role": "sensitive"} for name in ("ward", "cost", "score")},
        },
        risk=[KAnonymity(3)],
    )


@pytest.mark.filterwarnings("ignore:.*missing cells")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in PLAIN_NAMES])
def test_hard_tables_give_the_same_release_in_every_kind(
    kind: str, tmp_path: Path, visits_policy: Policy
) -> None:
    data = make(kind, tmp_path, visits())
    solution, expected = anonymize(data, visits_policy), anonymize(visits(), visits_policy)
    assert (solution.scheme, solution.loss) == (expected.scheme, expected.loss)
    assert 0 < solution.suppressed == expected.suppressed
    assert solution.before == expected.before
    released = solution.to_frame()
    assert rows_in(released) == rows_in(expected.to_frame())
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert rows_in(path) == rows_in(released)
    for each, manifest in ((released, make_manifest(solution, released)), (path, None)):
        assert verify(each, visits_policy, manifest, against=data).passed


@pytest.mark.filterwarnings("ignore:.*missing cells")
@pytest.mark.parametrize("kind", KINDS)
def test_generalized_numbers_sort_as_numbers_where_the_kind_has_categories(
    kind: str, tmp_path: Path
) -> None:
    frame = visits()[["Alter.in/Jahren"]].rename(columns={"Alter.in/Jahren": "age"})
    ages = Intervals((0, 119), widths=(10,)).build("age")
    attributes = {"age": {"role": "quasi", "hierarchy": ages, "min_level": 1, "max_level": 1}}
    policy = Policy(attributes=attributes, risk=[KAnonymity(1)])
    solution = anonymize(make(kind, tmp_path, frame), policy)
    released = solution.to_frame()
    expected = [*pd.unique((frame["age"].dropna() // 10 * 10).sort_values())]
    expected = [f"{low}-{low + 9}" for low in expected]
    if kind == "polars":
        assert released.schema["age"] == pl.Enum(expected)
        assert released["age"].drop_nulls().sort().unique(maintain_order=True).to_list() == expected
    elif kind in ("arrow", "stream"):
        assert released.schema.field("age").type.ordered
        assert released["age"].chunk(0).dictionary.to_pylist() == expected
    elif isinstance(released, pd.DataFrame):
        assert released["age"].dtype == pd.CategoricalDtype(expected, ordered=True)
    path = Path(write_release(solution, tmp_path / "out")["release"])
    if kind in (".parquet", ".feather"):
        read = pd.read_parquet if kind == ".parquet" else pd.read_feather
        assert read(path)["age"].dtype == pd.CategoricalDtype(expected, ordered=True)


def test_a_kind_of_ones_own_works_everywhere(tmp_path: Path, policy: Policy) -> None:
    table = made("own", tmp_path)
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


def test_a_table_that_only_looks_like_one_is_told_what_to_derive_it_from() -> None:
    class Half:
        name, columns = "half", ("a",)

        def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
            yield [Cells(np.zeros(0, np.int64), []) for _ in columns]

    with pytest.raises(
        DataError, match="the data is a Half, which is no kind of table yet; derive it from "
    ):
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
