"""Releases that are written as another kind of file than the original."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from anonymizer.data.assemble import assemble
from anonymizer.data.batched import write_texts
from anonymizer.data.contract import Table
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.parquet import write_parquet
from anonymizer.data.plan import ReleasePlan
from anonymizer.errors import ReleaseError

FileKind = Literal["csv", "parquet"]
"""A kind of file that any table can be released as."""


def is_own(table: Table, kind: FileKind | None) -> bool:
    """Whether a table's releases are of a kind anyway; a compressed CSV file is one too."""
    return kind is None or table.file_name.startswith(f"release.{kind}")


def release_name(table: Table, kind: FileKind | None) -> str:
    """Return what the file of a release is called; the kind None is that of the table."""
    if is_own(table, kind):
        return table.file_name
    if isinstance(table, EngineTable):
        raise ReleaseError(
            f"{table.name}: an engine writes its release itself; leave out file in [release]."
        )
    return f"release.{kind}"


def write_released(
    table: Table, plan: ReleasePlan, path: Path, delimiter: str | None, kind: FileKind | None
) -> None:
    """Write a release as a kind of file; in Parquet, the cells of a CSV file stay texts."""
    if is_own(table, kind):
        table.write(plan, path, delimiter)
    elif kind == "parquet":
        write_parquet(assemble(table, plan, stored_once=True), path)
    else:
        write_texts(table, plan, path, delimiter)
