"""Opening tables of every kind, and checking their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import getattr_static
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, cast

from anonymizer.data.arrow import ArrowStream, ArrowTable, DataFrameTable
from anonymizer.data.csv import CsvTable
from anonymizer.data.engines.opening import (
    Address,
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
from anonymizer.data.parquet import ParquetTable
from anonymizer.data.table import Table
from anonymizer.data.text import check_delimiter, compression_of, hidden_delimiter
from anonymizer.errors import HIDDEN, DataError, quote_some, values_shown

if TYPE_CHECKING:
    import pandas as pd


class Query(Protocol):
    """A dataframe that is yet to be collected."""

    def collect(self) -> Any:
        """Return the rows."""


TableLike: TypeAlias = (
    "str | Path | pd.DataFrame | ArrowStream | Query | Sequence[Mapping[str, Any]] "
    "| Mapping[str, Sequence[Any]] | Address | Table"
)
"""A path, a dataframe of any library, an Arrow table or stream, a list of dicts, a dict of lists, or the
address of a database."""


class MarkedKind(NamedTuple):
    """A kind of file that begins with the same bytes."""

    name: str
    suffixes: tuple[str, ...]
    """How such files are called; nothing where they cannot be read."""
    remedy: str


SAVE = "save it as .xlsx, .csv or .parquet"


MARKS: dict[bytes, MarkedKind] = {
    b"PK\x03\x04": MarkedKind(
        "an Excel workbook or a zip archive",
        (".xlsx", ".xlsm"),
        "name a workbook .xlsx, and unpack an archive",
    ),
    b"\xd0\xcf\x11\xe0": MarkedKind(
        "an Excel workbook that is old (.xls) or has a password",
        (),
        "save it as .xlsx without a password",
    ),
    b"PAR1\x15": MarkedKind("a Parquet file", (".parquet",), "name it .parquet"),
    b"ARROW1\0\0": MarkedKind("a Feather file", (".feather", ".arrow", ".ipc"), "name it .feather"),
    b"\x1f\x8b": MarkedKind("compressed", (".gz",), "name it .csv.gz"),
    b"BZh91AY&SY": MarkedKind("compressed", (".bz2",), "name it .csv.bz2"),
    b"(\xb5/\xfd": MarkedKind("compressed", (".zst",), "name it .csv.zst"),
    b"\xfd7zXZ": MarkedKind("compressed", (".xz",), "name it .csv.xz"),
    b"<stata_dta>": MarkedKind("a Stata file", (".dta",), "name it .dta"),
    b"$FL2@(#)": MarkedKind("an SPSS file", (".sav", ".zsav"), "name it .sav"),
    b"$FL3@(#)": MarkedKind("an SPSS file", (".sav", ".zsav"), "name it .zsav"),
    b"SQLite format 3": MarkedKind("a database", (), "export the table as .csv or .parquet"),
    b"%PDF-": MarkedKind("a PDF file", (), SAVE),
}
"""Kinds of files by their first bytes."""


UNREADABLE = (
    ".xls",
    ".xlsb",
    ".ods",
    ".sas7bdat",
    ".rds",
    ".rdata",
    ".zip",
    ".7z",
    ".json",
)
"""Kinds of files that no reader is for."""


def check_kind(path: Path) -> None:
    """Raise a DataError if a file is not what its name says, or of a kind that cannot be read."""
    suffix = path.suffix.lower()
    if suffix == ".deid":
        raise DataError(f"{path}: this is an ARX project; import it with `anonymizer init`.")
    with path.open("rb") as file:
        head = file.read(max(map(len, MARKS)))
    kind = next((kind for mark, kind in MARKS.items() if head.startswith(mark)), None)
    if kind is not None and suffix not in kind.suffixes:
        raise DataError(f"{path}: this is {kind.name}; {kind.remedy}.")
    if suffix in UNREADABLE:
        raise DataError(f"{path}: {suffix} files cannot be read; {SAVE}.")
    inner = path.with_suffix("").suffix.lower()
    if compression_of(path) and any(inner in kind.suffixes for kind in MARKS.values()):
        raise DataError(f"{path}: of compressed files only CSV can be read; unpack it.")


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
XPT = PandasKind("whole", "XptTable")


FILES: dict[str, Callable[..., Table]] = {
    ".arrow": FEATHER,
    ".dta": STATA,
    ".feather": FEATHER,
    ".ipc": FEATHER,
    ".parquet": ParquetTable,
    ".sav": SPSS,
    ".xlsm": EXCEL,
    ".xlsx": EXCEL,
    ".xpt": XPT,
    ".zsav": SPSS,
}
"""Kinds of files by the end of their names; all others are CSV, which may be compressed."""


FRAMES: dict[str, Callable[[Any], Table]] = {
    "builtins.list": PandasKind("pandas", "RecordsTable.of"),
    "builtins.dict": PandasKind("pandas", "ColumnsTable.of"),
    "pandas.DataFrame": PandasKind("pandas", "FrameTable"),
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


def open_table(
    data: TableLike,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    memory: str | None = None,
    writable: bool = False,
) -> Table:
    """Open a file or a dataframe; a kind of table of one's own is taken as it is.

    Delimiter and encoding are of CSV files, and found where they are not stated; the sheet is of Excel.
    A folder, a path with wildcards, a DuckDB database and what an engine has stay there; `table` names
    one of a database. `memory` is what DuckDB may take. A database is `writable` if a release goes there.
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
    if isinstance(data, Table):
        return data
    if has(data, "batches"):
        raise DataError(
            f"the data is a {type(data).__name__}, which is no kind of table yet; derive it from "
            "`anonymizer.data.table.Table`."
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
    if table.delimiter is None or len(table.columns) != 1:
        return ""
    other = hidden_delimiter(table.columns[0])
    return f". Is the delimiter {other!r} rather than {table.delimiter!r}?" if other else ""
