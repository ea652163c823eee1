"""What it takes to count the unique records of a CSV file on every subset of its attributes."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer.attackers.packed_tuples import read_tuples
from anonymizer.attackers.unique_subsets import (
    Uniqueness,
    Walk,
    count_unique,
    memory_bound,
)
from anonymizer.data.csv import CsvTable
from experiments.benchmark.memory import peak_bytes


def count_once(
    name: str, path: Path, attributes: Sequence[str], workers: int, results: Any
) -> None:
    """Count in a fresh process and report the counts and what they took."""
    count_unique(pd.DataFrame({"a": [1, 2]}), ["a"], workers=1)  # kernels are loaded
    load = os.getloadavg()[0]  # of other work: the times are only as good as the machine is idle
    started = time.perf_counter()
    records, layout, tuples = read_tuples([CsvTable(path)], attributes)
    read = time.perf_counter()
    unique = Walk(layout, len(attributes)).run(tuples, workers, None)[:, 0]
    done = time.perf_counter()
    row = {
        "table": name,
        "records": records,
        "attributes": len(attributes),
        "subsets": 1 << len(attributes),
        "distinct tuples": tuples.size,
        "threads": workers,
        "seconds to read and aggregate": round(read - started, 1),
        "seconds for all subsets": round(done - read, 1),
        "seconds": round(done - started, 1),
        "tables of the walk at most, MiB": memory_bound(
            tuples.size, len(attributes), layout.words, workers
        )
        >> 20,
        "peak of the process, MiB": peak_bytes() >> 20,
        "load of the machine before": round(load, 1),
    }
    results.put((row, Uniqueness(tuple(attributes), records, tuples.size, unique.copy())))


def measure(
    name: str, path: Path, attributes: Sequence[str], workers: int
) -> tuple[dict[str, Any], Uniqueness]:
    """Count in a process of its own, so that its peak memory is its own too."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    child = context.Process(target=count_once, args=(name, path, attributes, workers, results))
    child.start()
    row, uniqueness = results.get()
    child.join()
    return row, uniqueness
