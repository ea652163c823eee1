"""Writing files so that an interrupted run leaves the old ones or none."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

import pyarrow as pa

from anonymizer.errors import ReleaseError

SLICE_ROWS = 1 << 18


def specs_folder() -> Path:
    """Return where the shipped hierarchies and scenarios are: in the package, or beside it."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "specs"
    return installed if installed.is_dir() else package.parent / "hierarchies"


class Staging:
    """A folder whose new files appear together when all is done, or not at all.

    Entering checks that the folder can be written, so that a long run does not end in that error.
    """

    def __init__(self, folder: str | Path, inputs: Iterable[Path] = ()) -> None:
        """`inputs` are files that the run reads and must never overwrite."""
        self.folder = Path(folder)
        self.inputs = {path.resolve() for path in inputs}
        self.removed: list[Path] = []
        self.created = [path for path in (self.folder, *self.folder.parents) if not path.exists()]

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.staged = Path(tempfile.mkdtemp(prefix=".anonymizer-", dir=self.folder))
        except OSError as error:
            self.remove_created()
            reason = error.strerror or str(error)
            raise ReleaseError(
                f"{self.folder}: the folder cannot be written ({reason}); choose another with --out."
            ) from error
        return self

    def path(self, name: str) -> Path:
        """Return where to write a file that will be called so; refuse what must not be replaced."""
        target = self.folder / name
        if target.resolve() in self.inputs:
            raise ReleaseError(
                f"{target}: this file is read by the run and would be overwritten; choose another "
                "folder with --out."
            )
        if target.is_dir() and target.suffix:
            raise ReleaseError(f"{target}: there is a folder of that name; remove it.")
        return self.staged / name

    def remove(self, name: str) -> None:
        """Let an old file go, if it is there, when all is done."""
        self.removed.append(self.folder / name)

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        try:
            if failure is None:
                for path in sorted(self.staged.rglob("*")):
                    target = self.folder / path.relative_to(self.staged)
                    if path.is_dir():
                        target.mkdir(exist_ok=True)
                    else:
                        os.replace(path, target)
                for path in self.removed:
                    path.unlink(missing_ok=True)
        finally:
            shutil.rmtree(self.staged, ignore_errors=True)
            if failure is not None:
                self.remove_created()

    def remove_created(self) -> None:
        """Remove the folders that were made for this run."""
        for path in self.created:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def slices(table: pa.Table) -> Iterator[pa.Table]:
    """Cut a table into slices small enough to write at once."""
    for start in range(0, table.num_rows, SLICE_ROWS):
        yield table.slice(start, SLICE_ROWS)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of a dictionary column; any other type as it is."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a Parquet file; columns of released values are written as plain text."""
    from pyarrow import parquet

    schema = pa.schema([(field.name, plain_type(field.type)) for field in table.schema])
    with parquet.ParquetWriter(path, schema) as writer:
        for part in slices(table):
            writer.write_table(part.cast(schema))


def write_csv(table: pa.Table, path: Path, delimiter: str) -> None:
    """Write a CSV file with quotes only where they are needed; a missing cell is empty.

    Arrow joins the cells of a slice into lines outside Python; its own writer quotes every text.
    """
    from pyarrow import compute

    header = delimiter.join(quote(pa.array(table.column_names), delimiter).to_pylist())
    with path.open("wb") as file:
        file.write(header.encode() + b"\n")
        for part in slices(table):
            cells = [csv_cells(column.combine_chunks(), delimiter) for column in part.columns]
            if len(cells) == 1:  # an empty line would be no row
                cells = [compute.if_else(compute.equal(cells[0], ""), '""', cells[0])]
            lines = compute.binary_join_element_wise(*cells, delimiter)
            file.write("\n".join(lines.to_pylist()).encode() + b"\n")


def csv_cells(column: pa.Array, delimiter: str) -> pa.Array:
    """Write the cells of a column as they stand in a CSV file."""
    if isinstance(column, pa.ChunkedArray):  # what combine_chunks leaves of a column without rows
        column = pa.concat_arrays(column.chunks)
    if pa.types.is_dictionary(column.type):
        cells = quote(column.dictionary, delimiter).take(column.indices)
    else:
        cells = quote(column, delimiter)
    return cells.fill_null("")


def quote(texts: pa.Array, delimiter: str) -> pa.Array:
    """Put quotes around the texts that contain the delimiter, a quote or a line break.

    >>> quote(pa.array(["a;b", "c"]), ";").to_pylist()
    ['"a;b"', 'c']
    """
    from pyarrow import compute

    unsafe = compute.match_substring_regex(texts, f'[{re.escape(delimiter)}"\\r\\n]')
    if not compute.any(unsafe).as_py():
        return texts
    doubled = compute.replace_substring(texts, '"', '""')
    quoted = compute.binary_join_element_wise('"', doubled, '"', "")
    return compute.if_else(unsafe, quoted, texts)
