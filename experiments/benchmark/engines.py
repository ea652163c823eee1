"""Tables that stay in an engine: folders of Parquet files in DuckDB, beside its own GROUP BY and COPY.

    python -m experiments.benchmark.engines [--rows 1e8] [--tuples 2e7] [--spark 1e7] [--drawn FOLDER]

Writes results/benchmark/engines.csv; rows that are not measured now stay as they were. The rows of a
table are those of the registry (make_standins.py), drawn over the IHIS domains; --tuples draws rows of
which 19 in 20 are distinct. Each run is a process of its own, whose peak memory is that of all it does.
"""

from __future__ import annotations

import argparse
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from experiments.benchmark.commands import high_water, run_command
from experiments.datasets import DATA

RESULTS = Path("results/benchmark/engines.csv")
ROWS = 10_000_000
FILE_ROWS = 1_000_000
MEMORY = "2000MB"
"""What DuckDB may take, so that all fits 4 GiB."""
Row = dict[str, Any]


def stand_ins() -> Any:
    """Load the program that draws the registry."""
    spec = spec_from_file_location("make_standins", DATA / "make_standins.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(rows: int) -> Iterator[pa.Table]:
    """Draw the registry, a file at a time."""
    made = stand_ins()
    random = np.random.default_rng(sum(b"registry"))
    leaves = [made.leaves("ihis", column) for column in made.COLUMNS["ihis"]]
    weights = [made.class_weights(random, len(each), made.SKEW["registry"]) for each in leaves]
    mix = np.cumsum(random.dirichlet(np.full(made.CLASSES, 2.0)))
    for start in range(0, rows, FILE_ROWS):
        size = min(FILE_ROWS, rows - start)
        classes = np.minimum(np.searchsorted(mix, random.random(size)), made.CLASSES - 1)
        yield as_table(leaves, [made.draw(random, classes, each) for each in weights])


def drawn_apart(rows: int) -> Iterator[pa.Table]:
    """Draw rows that are distinct but for one in twenty, a file at a time."""
    made = stand_ins()
    random = np.random.default_rng(19)
    leaves = [made.leaves("ihis", column) for column in made.COLUMNS["ihis"]]
    for start in range(0, rows, FILE_ROWS):
        size = min(FILE_ROWS, rows - start)
        codes = [random.integers(0, len(each), size) for each in leaves]
        repeated = size // 20
        for column in codes:
            column[:repeated] = column[repeated : 2 * repeated]
        yield as_table(leaves, codes)


def as_table(leaves: Sequence[Sequence[str]], codes: Sequence[Any]) -> pa.Table:
    """Write codes as texts."""
    names = stand_ins().COLUMNS["ihis"]
    columns = [
        pa.DictionaryArray.from_arrays(pa.array(each.astype(np.int32)), pa.array(texts))
        for texts, each in zip(leaves, codes, strict=True)
    ]
    schema = pa.schema([(name, pa.string()) for name in names])
    return pa.table(columns, names=names).cast(schema)


def write_parts(tables: Iterator[pa.Table], folder: Path) -> Path:
    """Write a folder of Parquet files."""
    folder.mkdir()
    for at, table in enumerate(tables):
        parquet.write_table(table, folder / f"part-{at:04d}.parquet")
    return folder


def parts_of(rows: int, folder: Path, draw: Callable[[int], Iterator[pa.Table]]) -> Path:
    """Return a folder of drawn files; draw them unless they are there."""
    parts = folder / f"{draw.__name__}-{rows}"
    return parts if parts.is_dir() else write_parts(draw(rows), parts)


def write_policy(parts: Path, folder: Path) -> Path:
    """Write a policy for a folder of files: 9 attributes, k = 5."""
    hierarchies = DATA / "ihis" / "hierarchies"
    lines = ["[data]", f"path = '{parts}'", "[attributes]"]
    lines += [
        f"'{name}' = {{ role = 'quasi', hierarchy = '{hierarchies / name}.csv' }}"
        for name in stand_ins().COLUMNS["ihis"]
    ]
    lines += ["[[risk]]", "model = 'k-anonymity'", "k = 5"]
    path = folder / f"{parts.name}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def in_child(work: Callable[..., Any], *given: Any) -> Any:
    """Do some work in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


def plain(parts: Path, folder: Path) -> tuple[float, float, int]:
    """Have DuckDB group and copy the same columns; return the seconds of each and the peak in bytes."""
    import duckdb

    spill = {"memory_limit": MEMORY, "temp_directory": str(folder / "spill")}
    connection = duckdb.connect(config=spill)
    source, started = f"read_parquet('{parts}/*.parquet')", time.perf_counter()
    connection.execute(
        f"CREATE TEMP TABLE t AS SELECT *, count(*) FROM {source} GROUP BY ALL"
    ).fetchall()
    grouped = time.perf_counter()
    connection.execute("DROP TABLE t").fetchall()
    target, options = folder / "copy", "FORMAT parquet, FILE_SIZE_BYTES '256MB'"
    began = time.perf_counter()
    connection.execute(f"COPY (SELECT * FROM {source}) TO '{target}' ({options})").fetchall()
    peak = high_water(Path("/proc/self/status"))
    return grouped - started, time.perf_counter() - began, peak


def measure_folder(
    rows: int, folder: Path, draw: Callable[[int], Iterator[pa.Table]], kept: Path | None = None
) -> Row:
    """Anonymize a folder of files to a verified release, beside DuckDB's own operations."""
    parts = parts_of(rows, kept or folder, draw)
    group, copy, plain_peak = in_child(plain, parts, folder)
    policy, out = write_policy(parts, folder), folder / "out"
    found, peak = run_command(policy, out, "--memory", MEMORY)
    started = time.perf_counter()
    verify = [sys.executable, "-m", "anonymizer", "verify", out / "release", policy]
    passed = subprocess.run(verify, capture_output=True).returncode == 0
    seconds = found["seconds"]
    return {
        "engine": "DuckDB",
        "rows": rows,
        "distinct": "most" if draw is drawn_apart else "few",
        **{f"{phase} s": round(seconds[phase], 1) for phase in ("read", "search", "write")},
        "verify s": round(time.perf_counter() - started, 1),
        "verified": passed,
        "peak MiB": peak >> 20,
        "GROUP BY s": round(group, 1),
        "COPY s": round(copy, 1),
        "plain peak MiB": plain_peak >> 20,
        "read / GROUP BY": round(seconds["read"] / group, 2),
        "write / COPY": round(seconds["write"] / copy, 2),
    }


def on_spark(parts: Path, folder: Path) -> Row:
    """Anonymize a dataframe of Spark's, beside its own group-by and copy."""
    import warnings

    warnings.simplefilter("ignore")  # of pandas 3
    from pyspark.sql import SparkSession

    from anonymizer import Policy, anonymize, write_release

    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    frame = session.read.parquet(str(parts))
    started = time.perf_counter()
    frame.groupBy(*frame.columns).count().write.parquet(str(folder / "spark-groups"))
    grouped = time.perf_counter()
    frame.write.parquet(str(folder / "spark-copy"))
    copied = time.perf_counter()
    solution = anonymize(frame, Policy.read(write_policy(parts, folder)))
    write_release(solution, folder / "spark-out")
    return {
        "engine": "Spark local[2]",
        "rows": solution.records,
        **{
            f"{phase} s": round(solution.seconds[phase], 1) for phase in ("read", "search", "write")
        },
        "GROUP BY s": round(grouped - started, 1),
        "COPY s": round(copied - grouped, 1),
        "read / GROUP BY": round(solution.seconds["read"] / (grouped - started), 2),
        "write / COPY": round(solution.seconds["write"] / (copied - grouped), 2),
    }


def measure_engines(
    rows: int = ROWS, tuples: int = 0, spark: int = 0, kept: Path | None = None
) -> list[Row]:
    """Measure what is asked for, one after the other."""
    if not (DATA / "make_standins.py").exists():
        print("engines: skipped, the program that draws the registry is not at hand")
        return []
    found = []
    for count, draw in ((rows, drawn), (tuples, drawn_apart)):
        if count:
            with tempfile.TemporaryDirectory() as name:
                found.append(measure_folder(count, Path(name), draw, kept))
    if spark:
        with tempfile.TemporaryDirectory() as name:
            parts = parts_of(spark, kept or Path(name), drawn)
            found.append(in_child(on_spark, parts, Path(name)))
    return found


def main() -> None:
    """Measure, and print what was found."""
    options = argparse.ArgumentParser(description=__doc__)
    for name, rows in (("--rows", ROWS), ("--tuples", 0), ("--spark", 0)):
        options.add_argument(name, type=float, default=rows)
    options.add_argument("--drawn", type=Path, help="a folder that keeps what is drawn")
    given = options.parse_args()
    sizes = (int(given.rows), int(given.tuples), int(given.spark))
    found = measure_engines(*sizes, given.drawn)
    for row in found:
        print(row)
    if found:
        save(found)


def save(found: list[Row], path: Path = RESULTS) -> None:
    """Write what was measured; other rows stay as they were."""
    keys = ["engine", "rows", "distinct"]
    rows = pd.DataFrame(found).reindex(columns=dict.fromkeys([*keys, *found[0]]))
    if path.is_file():
        rows = pd.concat([pd.read_csv(path), rows])
    rows.drop_duplicates(keys, keep="last").sort_values(keys).to_csv(path, index=False)


if __name__ == "__main__":
    main()
