"""How much memory the encoded table takes while it is built: 10,000,000 rows x 9 attributes.

Rows are drawn over the IHIS hierarchies, nearly all of them distinct: once batch by batch, so that
nothing but the encoding adds to the process, and once from a CSV file. A child process reports the
growth of its peak resident size.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from anonymizer.data.arrays import BATCH_ROWS
from anonymizer.data.column import Cells
from anonymizer.data.csv import CsvTable
from anonymizer.data.release import write_csv
from anonymizer.data.table import Table
from anonymizer.hierarchy import Hierarchy, load_hierarchy
from anonymizer.table.microdata import encode
from experiments.benchmark.clock import peak_bytes
from experiments.datasets import ROOT

ROWS = 10_000_000


class DrawnTable(Table):
    """A table that is drawn while it is read."""

    name = "drawn rows"
    rows = 0

    def __init__(self, hierarchies: Sequence[Hierarchy], rows: int) -> None:
        self.hierarchies, self.rows = hierarchies, rows

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(hierarchy.name for hierarchy in self.hierarchies)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        random = np.random.default_rng(1)
        leaves = {hierarchy.name: list(hierarchy.leaves) for hierarchy in self.hierarchies}
        for start in range(0, self.rows, BATCH_ROWS):
            size = min(BATCH_ROWS, self.rows - start)
            yield [
                # squared uniform: some leaves are far more frequent than others, as in real tables
                Cells((random.random(size) ** 2 * len(leaves[c])).astype(np.int64), leaves[c])
                for c in columns
            ]

    def digest(self) -> str:
        return ""


def ihis_hierarchies() -> list[Hierarchy]:
    """Load the nine hierarchies the rows are drawn over."""
    folder = ROOT / "hierarchies" / "ihis"
    return [load_hierarchy(path) for path in sorted(folder.glob("*.toml"))]


def write_drawn(rows: int, path: Path) -> None:
    """Write the drawn rows to a CSV file."""
    table = DrawnTable(ihis_hierarchies(), rows)
    parts = [
        pa.table(
            [pa.DictionaryArray.from_arrays(c.indices.astype(np.int32), c.distinct) for c in b],
            names=list(table.columns),
        )
        for b in table.batches(table.columns)
    ]
    write_csv(pa.concat_tables(parts), path, ";")


def encode_once(rows: int, path: Path | None, results: Any) -> None:
    """Encode in a fresh process and report what it took."""
    hierarchies = ihis_hierarchies()
    encode(DrawnTable(hierarchies, 1000), hierarchies)  # kernels and buffers are loaded
    table = DrawnTable(hierarchies, rows) if path is None else CsvTable(path, ";")
    before, started = peak_bytes(), time.perf_counter()
    microdata = encode(table, hierarchies)
    results.put((microdata.distinct, peak_bytes() - before, time.perf_counter() - started))


def measure(rows: int, path: Path | None) -> dict[str, Any]:
    """Compare the peak with the bytes of the same table as int32."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    child = context.Process(target=encode_once, args=(rows, path, results))
    child.start()
    distinct, peak, seconds = results.get()
    child.join()
    attributes = len(ihis_hierarchies())
    plain = rows * attributes * 4
    return {
        "rows": rows,
        "attributes": attributes,
        "from": "memory" if path is None else "CSV",
        "distinct": distinct,
        "as int32 MiB": plain >> 20,
        "peak while built MiB": peak >> 20,
        "ratio": round(peak / plain, 2),
        "seconds": round(seconds, 1),
    }


def measure_encoding(rows: int = ROWS) -> list[dict[str, Any]]:
    """Measure with rows from memory and from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.csv"
        write_drawn(rows, path)
        return [measure(rows, None), measure(rows, path)]
