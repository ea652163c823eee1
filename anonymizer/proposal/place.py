"""Where the tables of a study are: in files, or in a DuckDB database."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from anonymizer.data.coded import fetch
from anonymizer.data.engines.opening import is_database, list_tables
from anonymizer.data.opening import FILES, open_table
from anonymizer.data.table import Table
from anonymizer.errors import PolicyError

READ = {".csv", ".tsv", ".gz", *FILES}
"""How the names of tables end."""


class Place(NamedTuple):
    """A file, or a table of a database."""

    path: Path
    table: str | None = None

    def open(self) -> Table:
        """Open the table."""
        return fetch(open_table(self.path, table=self.table))

    def keys(self, folder: Path) -> dict[str, str]:
        """Return where it is, for a policy in a folder."""
        path = Path(os.path.relpath(self.path.resolve(), folder.resolve())).as_posix()
        return {"path": path, **({} if self.table is None else {"table": self.table})}

    def __str__(self) -> str:
        return str(self.path) if self.table is None else f"{self.path}: table '{self.table}'"


def are_linked(paths: Sequence[Path]) -> bool:
    """Whether some paths are several tables: files, a database, or a folder of unlike files."""
    if len(paths) != 1 or is_database(paths[0]):
        return True
    if not paths[0].is_dir():
        return False
    files = [p for p in paths[0].iterdir() if p.is_file() and READ & set(p.suffixes)]
    return len({frozenset(open_table(path).columns) for path in files}) > 1


def find_tables(paths: Sequence[Path]) -> dict[str, Place]:
    """Return the tables by name: those of a folder or of a database, or several files."""
    where = f"{paths[0]}" if paths else "the folder"
    if len(paths) == 1 and is_database(paths[0]):
        places = [Place(paths[0], name) for name in list_tables(paths[0])]
    else:
        if len(paths) == 1 and paths[0].is_dir():
            paths = sorted(p for p in paths[0].iterdir() if p.is_file() and READ & set(p.suffixes))
        places = [Place(path) for path in paths]
    named: dict[str, Place] = {}
    for place in places:
        called = place.table or place.path.name.partition(".")[0]
        name = re.sub(r"[^\w-]+", "_", called)
        if name.lower() in {each.lower() for each in named}:
            raise PolicyError(f"{place}: two tables are called '{name}'; give one of each.")
        named[name] = place
    if len(named) < 2:
        raise PolicyError(
            f"{where}: linked tables are two or more; name their folder or their database, or give one "
            "file to look at a single table."
        )
    return named
