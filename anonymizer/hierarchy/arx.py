"""ARX hierarchy files: no header, one row for each leaf, one column for each level."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
from pathlib import Path

import pyarrow as pa
from pyarrow import csv as arrow_csv

from anonymizer.data.staging import replace_file
from anonymizer.data.text import CANDIDATES, QUOTED, check_delimiter
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy.fields import check_size
from anonymizer.hierarchy.hierarchy import Hierarchy
from anonymizer.hierarchy.levels import Levels

ARX = ";"
"""What ARX puts between cells."""


def read_arx(path: str | Path, name: str | None = None, delimiter: str | None = None) -> Hierarchy:
    """Read a hierarchy as ARX writes it; its name is the file's unless another is given."""
    path = Path(path)
    if delimiter is not None:
        check_delimiter(delimiter, HierarchyError)
    plain = read_bytes(path).removeprefix(codecs.BOM_UTF8)
    levels = read_levels(plain, delimiter, path)
    if levels is None:
        return Hierarchy.from_rows(name or path.stem, read_rows(path, delimiter), str(path))
    return Hierarchy.from_levels(name or path.stem, levels, str(path))


def read_levels(plain: bytes, delimiter: str | None, path: Path) -> Levels | None:
    """Read a plain file column by column, as `read_rows` would: rows all as wide, none empty, no quotes.

    None where the file is not as plain as that: there, `read_rows` says what is wrong with which row.
    """
    end = plain.find(b"\n")
    if delimiter is None and any(
        each.encode() in plain[:end] for each in CANDIDATES if each != ARX
    ):
        return None  # another one may be meant
    delimiter = delimiter or ARX
    width = plain.count(delimiter.encode(), 0, len(plain) if end < 0 else end) + 1
    empty_lines = plain[:1] in b"\r\n" or b"\n\n" in plain or b"\n\r" in plain
    if width < 2 or empty_lines or b'"' in plain or plain.count(b"\r") != plain.count(b"\r\n"):
        return None
    _check_size(plain.count(b"\n") + 1, width, path)
    names = [str(level) for level in range(width)]
    rows = arrow_csv.ParseOptions(
        delimiter=delimiter, quote_char=False, ignore_empty_lines=False, newlines_in_values=False
    )
    texts = arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    try:
        table = arrow_csv.read_csv(
            pa.py_buffer(plain), arrow_csv.ReadOptions(column_names=names), rows, texts
        )
    except (pa.ArrowInvalid, ValueError):
        return None
    levels = Levels.of_arrow(table.columns)
    longest = max(map(len, itertools.chain(*levels.labels)))
    return levels if longest <= csv.field_size_limit() else None


def read_rows(path: str | Path, delimiter: str | None = None) -> list[list[str]]:
    """Read the cells of a file, sound or not; an empty line is an empty row."""
    if delimiter is not None:
        check_delimiter(delimiter, HierarchyError)
    # Excel puts a byte order mark first; it is no part of the first value
    text = read_text(Path(path), encoding="utf-8-sig")
    delimiter = find_delimiter(text) if delimiter is None else delimiter
    _check_size(text.count("\n") + 1, text.partition("\n")[0].count(delimiter) + 1, path)
    rows: list[list[str]] = []
    try:
        rows.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise HierarchyError(
            f"{path}: row {len(rows) + 1} cannot be read ({error}); check its quotes."
        ) from None
    return rows


def write_arx(hierarchy: Hierarchy, path: str | Path, delimiter: str = ";") -> None:
    """Write a hierarchy as ARX reads it; an interrupted write leaves the old file or none."""
    check_delimiter(delimiter, HierarchyError)
    check_listed(hierarchy)
    quoted = [[_quote(label, delimiter) for label in labels] for labels in hierarchy.labels]
    if hierarchy.height == 1:
        # a line with nothing on it would be no row at all
        quoted = [[cell or '""' for cell in quoted[0]]]
    columns = [
        map(labels.__getitem__, codes.tolist())
        for labels, codes in zip(quoted, hierarchy.codes, strict=True)
    ]
    text = "".join(f"{delimiter.join(row)}\n" for row in zip(*columns, strict=True))
    _replace(Path(path), text)


def check_listed(hierarchy: Hierarchy) -> None:
    """Raise a HierarchyError if there are values that no row has."""
    if hierarchy.continuous:
        raise HierarchyError(
            f"hierarchy '{hierarchy.name}' is continuous: there is no list of its values to write; keep "
            "its .toml file."
        )
    if hierarchy.has_examples:
        raise HierarchyError(
            f"hierarchy '{hierarchy.name}' covers {hierarchy.extent:,} values, which are not listed; "
            "keep its .toml file, or list those that exist in `values`."
        )


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Read a file as text, or say in one sentence why not."""
    try:
        return read_bytes(path).decode(encoding)
    except UnicodeDecodeError as error:
        where = f"byte {error.start + 1}"
        raise HierarchyError(f"{path}: {where} is not UTF-8; save the file as UTF-8.") from None


def read_bytes(path: Path) -> bytes:
    """Read a file, or say in one sentence why not."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise HierarchyError(f"{path}: there is no such file; check the path.") from None
    except OSError as error:
        raise HierarchyError(
            f"{path}: cannot be read ({error.strerror}); check the path."
        ) from None
    except ValueError:  # a NUL character
        raise HierarchyError(f"{str(path)!r} cannot be the path of a file; correct it.") from None


def _check_size(leaves: int, levels: int, path: str | Path) -> None:
    """Refuse a file with too many levels for so many lines, before all of it is split into cells."""
    try:
        check_size(leaves, levels)
    except ValueError as error:
        raise HierarchyError(f"{path}: {error}.") from None


def find_delimiter(text: str) -> str:
    """Find what separates the cells: ARX's semicolon, unless another one cuts all rows evenly to one top.

    >>> find_delimiter("1,5;low;*"), find_delimiter("a,b,*\\nc,b,*"), find_delimiter("a\\nb")
    (';', ',', ';')
    """
    first = QUOTED.sub("", text.lstrip("\r\n").partition("\n")[0])
    others = [each for each in CANDIDATES if each in first and each != ARX]
    tried = [ARX, *others] if others else []
    return next((each for each in tried if is_tree(text, each)), ARX)


def is_tree(text: str, delimiter: str) -> bool:
    """Whether a delimiter cuts several rows into equally many cells, of which the last ones are equal."""
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        ends = [(len(row), row[-1]) for row in rows if row]
    except csv.Error:
        return False
    return len(ends) > 1 and len(set(ends)) == 1 and ends[0][0] > 1


def _quote(cell: str, delimiter: str) -> str:
    """Quote a cell that would otherwise read back as something else.

    >>> _quote("a;b", ";"), _quote("a b", ";")
    ('"a;b"', 'a b')
    """
    if any(special in cell for special in (delimiter, '"', "\n", "\r", "\ufeff")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _replace(path: Path, text: str) -> None:
    """Write a file; nobody ever sees half of it."""
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise HierarchyError(
            f"{path}: cannot be written ({error.strerror}); check the folder."
        ) from None
