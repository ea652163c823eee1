"""What a file is by its first bytes, and whether its name says so."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from anonymizer.data.unpacking import compression_of
from anonymizer.errors import DataError


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
    ".xpt",
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
