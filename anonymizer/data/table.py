"""Opening tables of every kind, and checking their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import getattr_static
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

from anonymizer.data.arrow import ArrowTable
from anonymizer.data.coded import LoadedTable
from anonymizer.data.contract import ArrowStream
from anonymizer.data.contract import Table as Table
from anonymizer.data.contract import TableLike as TableLike
from anonymizer.data.csv import CsvTable
from anonymizer.data.dataframes import DataFrameTable
from anonymizer.data.delimiters import check_delimiter, hidden_delimiter
from anonymizer.data.engines.addresses import Address
from anonymizer.data.engines.opening import (
    is_database,
    is_several,
    open_address,
    open_database,
    open_files,
    open_ibis,
    open_relation,
    open_spark,
)
from anonymizer.data.files import check_readable
from anonymizer.data.kinds import check_kind
from anonymizer.data.parquet import ParquetTable
from anonymizer.errors import HIDDEN, DataError, quote_some, values_shown


@dataclass(frozen=True)
class PandasKind:
    """A kind of table that needs pandas: imported when a table of it is opened."""

    module: str
    name: str

    def __call__(self, *given: Any) -> Table:
        """Open a table."""
        make: Callable[..., Table] = attrgetter(self.name)(
            import_module(f"anonymizer.data.{self.module}")
        )
        return make(*given)


EXCEL, FEATHER = PandasKind("excel", "ExcelTable"), PandasKind("whole", "FeatherTable")
SPSS, STATA = PandasKind("whole", "SpssTable"), PandasKind("whole", "StataTable")

FILES: dict[str, Callable[..., Table]] = {
    ".arrow": FEATHER,
    ".dta": STATA,
    ".feather": FEATHER,
    ".ipc": FEATHER,
    ".parquet": ParquetTable,
    ".sav": SPSS,
    ".xlsm": EXCEL,
    ".xlsx": EXCEL,
    ".zsav": SPSS,
}
"""Kinds of files by the end of their names; all others are CSV, which may be compressed."""

FRAMES: dict[str, Callable[[Any], Table]] = {
    "builtins.list": PandasKind("records", "RecordsTable.of"),
    "builtins.dict": PandasKind("records", "ColumnsTable.of"),
    "pandas.DataFrame": PandasKind("frame", "FrameTable"),
    "pyarrow.Table": ArrowTable,
    "polars.DataFrame": DataFrameTable.of,
    "polars.LazyFrame": DataFrameTable.of,
    "modin.DataFrame": DataFrameTable.of,
    "cudf.DataFrame": DataFrameTable.of,
    "ibis.Table": open_ibis,
    "duckdb.DuckDBPyRelation": open_relation,
    "pyspark.DataFrame": open_spark,
}
"""Kinds of dataframes by library and class, so that none is imported before it is used."""
STREAM = "__arrow_c_stream__"
"""What any other object has that Arrow can read."""

ABSENT = object()
CONTRACT = tuple(name for name in vars(Table) if not name.startswith("_"))
"""What every table has."""


def open_table(
    data: TableLike,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    memory: str | None = None,
    writable: bool = False,
) -> Table:
    """Open a file or a dataframe; an object that meets the contract of a table is taken as it is.

    Delimiter and encoding are of CSV files, and found where they are not stated; the sheet is of Excel.
    A folder, a path with wildcards, a DuckDB database, of which `table` names one, and what an engine has
    stay there; `memory` is what DuckDB may take, and a database is `writable` if a release goes there.
    """
    if delimiter is not None:
        check_delimiter(delimiter)
    if isinstance(data, Address):
        return open_address(data, table)
    if not isinstance(data, str | Path):
        return open_object(data)
    path = Path(data)
    if is_several(path):
        return open_files(path, delimiter, encoding, memory)
    if is_database(path):
        return open_database(path, table, memory, writable)
    check_readable(path)
    check_kind(path)
    return open_file(path, delimiter, encoding, sheet)


def open_object(data: Any) -> Table:
    """Open a dataframe, a table of one's own, or what Arrow can read."""
    for kind in type(data).__mro__:
        if make := FRAMES.get(f"{kind.__module__.split('.')[0]}.{kind.__name__}"):
            return make(data)
    given = cast(Table, data)
    missing = [name for name in CONTRACT if not has(given, name)]
    if not missing:
        return given
    if has(data, "batches"):
        raise DataError(
            f"the data is a {type(data).__name__}, a table without {quote_some(missing)}; see "
            "`anonymizer.data.contract.Table`."
        )
    if has(data, STREAM):
        return ArrowTable.of_stream(cast(ArrowStream, data))
    raise DataError(
        f"the data is a {type(data).__name__}: give the path of a file, a dataframe, an Arrow table or "
        "a list of dicts."
    )


def open_file(
    path: Path,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Choose the kind of a file by its name."""
    make = FILES.get(path.suffix.lower(), CsvTable)
    stated: dict[Callable[..., Table], tuple[str | None, ...]] = {
        CsvTable: (delimiter, encoding),
        EXCEL: (sheet,),
    }
    return make(path, *stated.get(make, ()))


def has(data: object, name: str) -> bool:
    """Whether an object has an attribute; it is not asked for its value, which may take time."""
    return getattr_static(data, name, ABSENT) is not ABSENT


def check_columns(table: Table, expected: Sequence[str]) -> None:
    """Raise a DataError that names every difference between a table's columns and the policy's."""
    times, known = Counter(table.columns), set(expected)
    faults, shown = [], is_shown(table, expected)
    repeated = sorted(column for column, count in times.items() if count > 1)
    if repeated and shown:
        faults.append(f"columns that occur twice: {quote_some(repeated)}; rename one of each")
    if absent := [column for column in expected if column not in times]:
        faults.append(
            f"no column {quote_some(absent)}, which the policy gives a role; "
            f"{describe_header(table, expected)}"
        )
    undeclared = [column for column in table.columns if column not in known]
    if undeclared and shown:
        faults.append(f"no role in the policy for {quote_some(undeclared)}; add it to [attributes]")
    if faults:
        raise DataError(f"{table.name}: {end_sentence('; '.join(faults))}")


def check_present(table: Table, needed: Sequence[str]) -> None:
    """Raise a DataError unless a table has some columns, each once; others do not matter."""
    times = Counter(table.columns)
    if absent := [name for name in needed if name not in times]:
        raise DataError(
            f"{table.name}: no column {quote_some(absent)}; "
            f"{end_sentence(describe_header(table, needed, 20))}"
        )
    if twice := [name for name in dict.fromkeys(needed) if times[name] > 1]:
        raise DataError(f"{table.name}: column {quote_some(twice)} occurs twice; rename one.")


def describe_header(table: Table, expected: Sequence[str], most: int = 5) -> str:
    """Say what the header reads; one with no name that is expected may be a row of somebody's cells."""
    if is_shown(table, expected):
        return f"the header reads {quote_some(table.columns, most)}{guess_delimiter(table)}"
    return f"the header has no name that is expected{HIDDEN}{guess_delimiter(table)}"


def end_sentence(text: str) -> str:
    """End with a full stop, unless it is a question.

    >>> end_sentence("the header reads 'age'"), end_sentence("Is the delimiter ';'?")
    ("the header reads 'age'.", "Is the delimiter ';'?")
    """
    return text if text.endswith("?") else f"{text}."


def is_shown(table: Table, expected: Sequence[str]) -> bool:
    """Whether messages may show what stands in the place of the header."""
    return values_shown() or not set(expected).isdisjoint(table.columns)


def guess_delimiter(table: Table) -> str:
    """Suggest another delimiter where the header looks like one long name."""
    if isinstance(table, LoadedTable):
        return guess_delimiter(table.origin)
    if not isinstance(table, CsvTable) or len(table.columns) != 1:
        return ""
    other = hidden_delimiter(table.columns[0])
    return f". Is the delimiter {other!r} rather than {table.delimiter!r}?" if other else ""
