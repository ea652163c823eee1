"""What is released is what was counted: in every type, and down to the bytes.

Values of suppressed records are nowhere in a release, and cells that count as one value come out as one.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from anonymizer import Hierarchy, Policy, anonymize, make_manifest, verify, write_release
from anonymizer.data.column import text_of
from anonymizer.data.rebuild import from_values
from anonymizer.data.text import decompress
from anonymizer.errors import DataError
from anonymizer.hierarchy import Ordered
from tests.data.formats import KINDS, make
from tests.data.kinds import ARROW, PANDAS, SECRET, WORD

GROUP = ["a", "z", "a", "a"]
"""Whoever is alone in a group is suppressed."""


def policy_of(**attributes: Any) -> Policy:
    group = Hierarchy.from_rows("group", [("a", "*"), ("z", "*")])
    kept = {"role": "quasi", "hierarchy": group, "max_level": 0}
    return Policy(attributes={"group": kept, **attributes}, risk=[{"model": "k-anonymity", "k": 2}])


KEEPING = policy_of(cell={"role": "sensitive"})


def bytes_of(table: pa.Table) -> bytes:
    """Write an Arrow table as it is in memory, with its dictionaries."""
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def texts(values: Any) -> list[str]:
    return sorted(map(text_of, values))


# Columns that are kept


@pytest.mark.parametrize("name", ARROW)
def test_an_arrow_table_is_released_without_values_of_suppressed_records(name: str) -> None:
    column, secret = ARROW[name]
    original = pa.table({"group": GROUP, "cell": column})
    solution = anonymize(original, KEEPING)
    released = solution.to_frame()
    released.validate(full=True)
    assert released.schema.types == original.schema.types
    assert texts(released["cell"].to_pylist()) == texts(others(column))
    assert secret in bytes_of(original)
    assert secret not in bytes_of(released)
    assert verify(released, KEEPING, make_manifest(solution, released), original).passed


def others(column: pa.Array) -> list[Any]:
    return [value for at, value in enumerate(column.to_pylist()) if at != 1]


def write_plain(folder: Path, table: pa.Table) -> Path:
    """Write a Parquet file with nothing compressed."""
    parquet.write_table(table, folder / "people.parquet", compression="none")
    return folder / "people.parquet"


def storable(column: pa.Array) -> bool:
    """Whether Parquet has the type, and gives it back."""
    try:
        sink = io.BytesIO()
        parquet.write_table(pa.table({"cell": column}), sink)
        return bool(parquet.read_table(sink).schema.types == [column.type])
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return False


STORABLE = [name for name, (column, _) in ARROW.items() if storable(column)]


def test_most_types_can_be_stored_in_a_parquet_file() -> None:
    assert len(STORABLE) > 25


@pytest.mark.parametrize("name", STORABLE)
def test_a_parquet_file_is_released_without_values_of_suppressed_records(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    column, secret = ARROW[name]
    if pa.types.is_decimal(column.type):
        secret = secret.rstrip(b"\0")[::-1]  # Parquet has the other end first
    original = write_plain(tmp_path, pa.table({"group": GROUP, "cell": column}))
    plain = partial(parquet.ParquetWriter, compression="none")
    monkeypatch.setattr(parquet, "ParquetWriter", plain)
    solution = anonymize(original, KEEPING)
    path = Path(write_release(solution, tmp_path / "out")["release"])
    released = parquet.read_table(path)["cell"]
    assert texts(released.to_pylist()) == texts(others(column))
    assert secret in original.read_bytes()
    assert secret not in path.read_bytes()
    assert verify(path, KEEPING, against=original).passed
    assert "cell" in solution.to_frame()


@pytest.mark.parametrize("name", PANDAS)
def test_a_dataframe_is_released_without_values_of_suppressed_records(
    name: str, tmp_path: Path
) -> None:
    column, secret = PANDAS[name]
    original = pd.DataFrame({"group": GROUP, "cell": column})
    solution = anonymize(original, KEEPING)
    released = solution.to_frame()
    if not isinstance(column.dtype, pd.CategoricalDtype):
        assert released["cell"].dtype == column.dtype
    assert texts(released["cell"]) == texts(column.drop(1))
    assert secret in pickle.dumps(original)
    assert secret not in pickle.dumps(released)
    assert verify(released, KEEPING, make_manifest(solution, released), original).passed
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert text_of(column[1]).encode() not in path.read_bytes()
    assert verify(path, KEEPING, against=original).passed


@pytest.mark.parametrize("name", ["dictionary", "list of dictionaries", "struct of dictionaries"])
def test_a_structure_or_list_that_is_null_hides_nothing(name: str) -> None:
    column, _ = ARROW[name]
    hidden = pa.array([False, True, False, False])
    hiding = pa.StructArray.from_arrays([column], ["inside"], mask=hidden)
    original = pa.table({"group": ["a"] * 4, "cell": hiding})
    released = anonymize(original, KEEPING).to_frame()
    assert WORD in bytes_of(original)
    assert WORD not in bytes_of(released)


def test_a_masked_cell_of_a_dataframe_hides_nothing() -> None:
    column, secret = PANDAS["Int64"]
    column = pd.Series(column.array.copy())
    column.array._mask[1] = True
    original = pd.DataFrame({"group": ["a"] * 4, "cell": column})
    assert secret in pickle.dumps(original)
    assert secret not in pickle.dumps(anonymize(original, KEEPING).to_frame())


def test_a_parquet_release_says_nothing_of_the_original_but_its_types(tmp_path: Path) -> None:
    fields = [pa.field("p", pa.string(), metadata={"note": SECRET})]
    column = pa.array([{"p": "u"}] * 4, pa.struct(fields))
    field = pa.field("cell", column.type, metadata={"note": SECRET})
    schema = pa.schema([("group", pa.string()), field], metadata={"pandas": SECRET})
    original = write_plain(tmp_path, pa.table([pa.array(GROUP), column], schema=schema))
    solution = anonymize(original, KEEPING)
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert WORD in original.read_bytes()
    assert WORD not in path.read_bytes()
    assert "pandas" not in (parquet.read_schema(path).metadata or {})


def test_an_arrow_release_says_nothing_of_the_original_but_its_types() -> None:
    column = pa.array(
        [{"p": "u"}] * 4, pa.struct([pa.field("p", pa.string(), metadata={"n": SECRET})])
    )
    schema = pa.schema(
        [pa.field("group", pa.string()), pa.field("cell", column.type, metadata={"n": SECRET})],
        metadata={"pandas": SECRET},
    )
    original = pa.table([pa.array(GROUP), column], schema=schema)
    assert WORD in bytes_of(original)
    assert WORD not in bytes_of(anonymize(original, KEEPING).to_frame())


# Quasi-identifiers that are not generalized

FLAT = [name for name, (column, _) in ARROW.items() if not pa.types.is_nested(column.type)]

MIDNIGHT = 1_709_251_200  # 2024-03-01 in seconds
NANOSECONDS, MILLISECONDS = MIDNIGHT * 10**9, MIDNIGHT * 1000

SAME: dict[str, pa.Array] = {
    "timestamp below the day": pa.array([NANOSECONDS, NANOSECONDS + 1], pa.timestamp("ns")),
    "date with a time": pa.array([MILLISECONDS, MILLISECONDS + 5]).cast(pa.date64()),
    "zero and minus zero": pa.array([0.0, -0.0]),
    "zero and minus zero as float": pa.array([-0.0, 0.0], pa.float32()),
    "none and not a number": pa.array([None, float("nan")]),
    "empty and missing": pa.array(["", None]),
    "bytes that are no text": pa.array([b"\xff", b"\xfe"]),
    "dictionary with a value twice": pa.DictionaryArray.from_arrays([0, 1], ["u", "u"]),
    "dictionary with a missing value": pa.DictionaryArray.from_arrays(
        [0, None], pa.array([None, "u"])
    ),
}
"""Two cells that count as one value."""


def leaves_of(*columns: Any) -> Hierarchy:
    found = {text_of(value) for column in columns for value in column}
    return Hierarchy.from_rows("cell", [(text, "*") for text in sorted(found)])


def quasi(hierarchy: Hierarchy) -> Policy:
    return policy_of(cell={"role": "quasi", "hierarchy": hierarchy, "max_level": 0})


def stored(column: pa.ChunkedArray) -> list[bytes]:
    """Return the bytes of each cell by itself."""
    return [bytes_of(pa.table({"cell": column.take([at])})) for at in range(len(column))]


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("kind", ["arrow", "parquet", "frame", "frame of Arrow"])
def test_cells_that_count_as_one_value_come_out_as_one(
    name: str, kind: str, tmp_path: Path
) -> None:
    column = SAME[name]
    policy = quasi(leaves_of(column.to_pylist()))
    table = pa.table({"group": ["a", "a"], "cell": column})
    made: dict[str, Callable[[], Any]] = {
        "arrow": lambda: table,
        "parquet": lambda: write_plain(tmp_path, table),
        "frame": table.to_pandas,
        "frame of Arrow": lambda: table.to_pandas(types_mapper=pd.ArrowDtype),
    }
    try:
        original = made[kind]()
    except (ValueError, pa.ArrowNotImplementedError):
        pytest.skip("such a table cannot be made")
    solution = anonymize(original, policy)
    assert solution.suppressed == 0
    released = solution.to_frame()
    cells = released["cell"]
    if isinstance(released, pa.Table):
        assert len(set(stored(cells))) == 1
    else:
        assert len({pickle.dumps(cells.iloc[[at]].reset_index(drop=True)) for at in (0, 1)}) == 1
    path = Path(write_release(solution, tmp_path / "out")["release"])
    if kind == "parquet":
        assert len(set(stored(parquet.read_table(path)["cell"]))) == 1
    else:
        assert len(set(path.read_text().splitlines())) == 2


TEXT_INSTEAD = {
    "duration", "timestamp with zone", "interval", "uuid",
}  # fmt: skip
"""Types that cannot be read from text, or have several values with one text."""


CAST = {"string view", "binary view", "runs"}
"""Types that are cast from text, which not every version of Arrow can do."""


def can_be_cast(kind: pa.DataType) -> bool:
    """Whether this version of Arrow makes the type from text."""
    try:
        pa.array([], pa.string()).cast(kind)
    except pa.ArrowNotImplementedError:
        return False
    return True


@pytest.mark.parametrize("name", FLAT)
def test_a_quasi_identifier_keeps_its_type_where_it_can_hold_what_was_counted(name: str) -> None:
    column, secret = ARROW[name]
    policy = quasi(leaves_of(column.to_pylist()))
    rows = [0, 1, 2, 3, 0, 2, 3]  # nobody else has the second value
    cells = from_values([column[row].as_py() for row in rows], column.type)
    original = pa.table({"group": ["a"] * len(rows), "cell": cells})
    solution = anonymize(original, policy)
    released = solution.to_frame()
    assert texts(released["cell"].to_pylist()) == texts(others(column) * 2)
    as_text = name in TEXT_INSTEAD or (name in CAST and not can_be_cast(column.type))
    assert (released.schema.field("cell").type != column.type) == as_text
    assert secret in bytes_of(original)
    assert secret not in bytes_of(released)
    assert verify(released, policy, make_manifest(solution, released), original).passed


def test_a_quasi_identifier_of_lists_is_refused() -> None:
    table = pa.table({"group": ["a"], "cell": [["u"]]})
    with pytest.raises(
        DataError, match="the table: column 'cell' holds lists or structures; a quasi"
    ):
        anonymize(table, quasi(leaves_of(["u"])))


@pytest.mark.parametrize("kind", ["arrow", "frame", "frame of Arrow"])
def test_a_value_that_only_suppressed_records_had_is_in_no_dictionary(kind: str) -> None:
    coded = pa.array(["u", SECRET, "u", "v", "v"]).dictionary_encode()
    table = pa.table({"group": ["a"] * 5, "cell": coded})
    original = {
        "arrow": table,
        "frame": table.to_pandas(),
        "frame of Arrow": table.to_pandas(types_mapper=pd.ArrowDtype),
    }[kind]
    generalized = Hierarchy.from_rows("cell", [("u", "U"), ("v", "V"), (SECRET, SECRET)])
    for level in (0, 1):
        levels = {"min_level": level, "max_level": level}
        policy = policy_of(cell={"role": "quasi", "hierarchy": generalized, **levels})
        released = anonymize(original, policy).to_frame()
        content = bytes_of(released) if kind == "arrow" else pickle.dumps(released)
        assert len(released) == 4
        assert WORD not in content


# Every kind of table, with a value that is gone and one that never was there

GONE, NEVER = f"{SECRET}GONE", f"{SECRET}NEVER"
SIZES = Ordered(values=("small", GONE, NEVER, "large"), sizes=((2, 2),)).build("size")


def unpacked(released: Any) -> bytes:
    """Return all bytes of a release: of a file as it was before it was compressed."""
    if not isinstance(released, Path):
        table = released.collect() if isinstance(released, pl.LazyFrame) else released
        return pickle.dumps(table)
    if released.suffix == ".xlsx":
        with zipfile.ZipFile(released) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    with released.open("rb") as file:
        return b"".join(iter(partial(decompress(file, released).read, 1 << 16), b""))


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_gone_or_never_were_are_in_no_release_of_any_kind(
    kind: str, level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        parquet, "ParquetWriter", partial(parquet.ParquetWriter, compression="none")
    )
    size = {"role": "quasi", "hierarchy": SIZES, "min_level": level, "max_level": level}
    policy = policy_of(size=size, cell={"role": "sensitive"})
    frame = pd.DataFrame(
        {
            "group": ["a", "z", "a", "a", "a"],
            "size": ["large", GONE, "small", "large", "small"],
            "cell": ["u", SECRET, "v", "w", "x"],
        }
    )
    data = make(kind, tmp_path, frame)
    solution = anonymize(data, policy)
    path = Path(write_release(solution, tmp_path / "out")["release"])
    for released in (solution.to_frame(), path):
        content = unpacked(released)
        if level == 0:
            assert SECRET.encode() not in content
        assert b"large" in content
        assert verify(released, policy, make_manifest(solution, released), data).passed


POLARS = {
    "text": pl.Series(["u", SECRET, "v", "u"]),
    "category": pl.Series(["u", SECRET, "v", None], dtype=pl.Categorical),
    "enum": pl.Series(["u", SECRET, "v", "u"], dtype=pl.Enum(["u", SECRET, "v", NEVER])),
    "list": pl.Series([["u"], [SECRET], ["v"], None]),
    "struct": pl.Series([{"p": "u"}, {"p": SECRET}, {"p": "v"}, None]),
    "binary": pl.Series([b"u", WORD, b"v", None]),
}


@pytest.mark.parametrize("name", POLARS)
def test_a_polars_dataframe_is_released_without_values_of_suppressed_records(name: str) -> None:
    column = POLARS[name]
    original = pl.DataFrame({"group": GROUP, "cell": column})
    solution = anonymize(original, KEEPING)
    released = solution.to_frame()
    if name == "enum":
        assert released.schema["cell"] == pl.Enum(["u", "v"])
    else:
        assert released.schema == original.schema
    for write in (pickle.dumps, ipc_of):
        assert WORD in write(original)
        assert WORD not in write(released)
    assert verify(released, KEEPING, make_manifest(solution, released), original).passed


def ipc_of(frame: pl.DataFrame) -> bytes:
    sink = io.BytesIO()
    frame.write_ipc(sink)
    return sink.getvalue()


@pytest.mark.parametrize("name", ARROW)
def test_a_feather_file_is_released_without_values_of_suppressed_records(
    name: str, tmp_path: Path
) -> None:
    column, secret = ARROW[name]
    original = tmp_path / "people.feather"
    original.write_bytes(bytes_of(pa.table({"group": GROUP, "cell": column})))
    solution = anonymize(original, KEEPING)
    path = Path(write_release(solution, tmp_path / "out")["release"])
    released = pa.ipc.open_file(path).read_all()["cell"]
    assert released.type == column.type
    assert texts(released.to_pylist()) == texts(others(column))
    assert secret in original.read_bytes()
    assert secret not in path.read_bytes()
    assert verify(path, KEEPING, against=original).passed
