"""python -m experiments.layers: each record generalized as little as it needs, with the gap.

Writes results/layers/: a table for ADULT, CUP and FARS beside ARX's local recoding (k = 5, as measured in
the reference) and the best single scheme, sources on ADULT, and quality over the number of layers, with
the bound above it. `--quick` takes a part of ADULT alone and writes only to `--out`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from rich.console import Console

from anonymizer import Policy, Progress, Solution, anonymize, frontier
from anonymizer.search.state import OnProgress
from anonymizer.utility import Aggregate
from experiments.datasets import (
    RESULTS,
    at_hand,
    data_from,
    figures_of,
    path_of,
    policy_of,
)
from experiments.layers.picture import draw
from experiments.parallel import run_settings
from experiments.running import options_of, run_main

KS = (2, 5, 10)
MEANS = (Aggregate.GEOMETRIC, Aggregate.ARITHMETIC)
OnStep = Callable[[str], None]
SOURCES = """
[[source]]
name = "register"
keys = ["age", "sex", "race", "marital-status"]
threshold = 0.25

[[source]]
name = "employer"
keys = ["workclass", "occupation", "education", "sex"]
threshold = 0.5

[[source]]
name = "voters"
keys = ["sex", "age", "race", "native-country"]
threshold = 0.2
"""


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("layers", __doc__, data=True, quick="a part of ADULT; writes to --out")
    options.add_argument("--part", choices=("comparison", "numbers"), help="one part alone")
    given = options.parse_args(arguments)
    with data_from(given.data):
        make(given.quick, given.out or (None if given.quick else RESULTS / "layers"), given.part)


def make(quick: bool, folder: Path | None, part: str | None) -> None:
    """Measure and write what the data at hand allows."""
    names = at_hand(("adult",) if quick else ("adult", "cup", "fars"))
    records = 600 if quick else None
    with Console(stderr=True).status("starting") as status:
        if part != "numbers":
            report(list(compare(names, records, status.update)), folder, "comparison")
        if part != "comparison" and "adult" in names:
            curve = list(over_layers(records, status.update))
            report(curve, folder, "number_of_layers")
            if folder is not None:
                draw(curve, folder / "number_of_layers.png")


def report(rows: Sequence[dict[str, Any]], folder: Path | None, name: str) -> None:
    """Print a table, and write it if there is a folder to write to."""
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6f")


def compare(names: Sequence[str], records: int | None, step: OnStep) -> Iterator[dict[str, Any]]:
    """Compare layers with the best single scheme and with ARX, data set by data set."""
    arx = read_arx()
    pairs = [(name, k) for name in names for k in ((5,) if records else KS)]
    asked = [(name, f"k = {k}", {"model": "k-anonymity", "k": k}, records) for name, k in pairs]
    step("k-anonymity")
    for (name, k), rows in zip(pairs, run_settings(measure, asked), strict=True):
        step(f"{name}, k = {k}: done")
        for row in rows:
            yield {**row, **arx.get((name, k, row["aggregate"]), {})}
    if records is None and "adult" in names:
        step("adult, three sources")
        with TemporaryDirectory() as folder:
            statement = Path(folder) / "sources.toml"
            statement.write_text(SOURCES, encoding="utf-8")
            risk = {"model": "sources", "statement": statement}
            yield from measure("adult", "three sources", risk, None)


def measure(
    name: str, model: str, risk: dict[str, Any], records: int | None
) -> list[dict[str, Any]]:
    """Find the layers of a data set and their bound, and the best single scheme, by either aggregate.

    The layers are the same by both. The time is that of the processor, with reading; when progress is
    first told, the layers are found.
    """
    rows = []
    for aggregate in MEANS:
        times = [time.process_time()]
        note = partial(note_time, times)
        found = solve(name, risk, aggregate, records, {"layers": True}, note)
        times.append(time.process_time())
        one = solve(name, risk, aggregate, records, {})
        rows.append({
            "data": name,
            "model": model,
            "aggregate": aggregate.value,
            "loss": found.loss,
            "suppressed": found.suppressed,
            "layers": len(found.layers),
            "bound": found.bound,
            "gap": found.gap,
            "CPU s until found": round(times[1] - times[0], 1),
            "CPU s": round(times[-1] - times[0], 1),
            "loss of one scheme": one.loss,
            "suppressed by one scheme": one.suppressed,
        })  # fmt: skip
    return rows


def note_time(times: list[float], _: Progress) -> None:
    """Note the processor time of some progress."""
    times.append(time.process_time())


def solve(
    name: str,
    risk: dict[str, Any],
    aggregate: Aggregate,
    records: int | None,
    release: dict[str, Any],
    on_progress: OnProgress | None = None,
) -> Solution:
    """Anonymize a data set, or its first records."""
    path = path_of(name)
    assert path is not None
    policy: Policy = policy_of(
        name, path, risk, utility={"aggregate": aggregate.value}, release=release
    )
    if records is None:
        return anonymize(None, policy, on_progress)
    return anonymize(pd.read_csv(path, sep=";", dtype=str).head(records), policy, on_progress)


def read_arx() -> dict[tuple[str, int, str], dict[str, Any]]:
    """Return the least loss of ARX's local recoding, and its CPU s, by data set, k and aggregate."""
    table = pd.read_csv(figures_of("layers", "arx_local.csv"))
    best: dict[tuple[str, int, str], dict[str, Any]] = {}
    for aggregate in MEANS:
        least = table.loc[table.groupby("dataset")[f"loss_{aggregate}"].idxmin()]
        for row in least.to_dict("records"):
            k = int(str(row["parameters"]).removeprefix("k="))
            best[row["dataset"], k, aggregate.value] = {
                "loss of ARX": row[f"loss_{aggregate}"],
                "CPU s of ARX": row["cpu_seconds"],
            }
    return best


def over_layers(records: int | None, step: OnStep) -> Iterator[dict[str, Any]]:
    """Find the quality of ADULT with k = 5 over the number of layers, and what these give away."""
    step("adult, k = 5, over the number of layers")
    path = path_of("adult")
    assert path is not None
    risk, release = {"model": "k-anonymity", "k": 5}, {"layers": True}
    utility = {"aggregate": "arithmetic"}
    policy = policy_of("adult", path, risk, utility=utility, release=release)
    data = None if records is None else pd.read_csv(path, sep=";", dtype=str).head(records)
    curve = frontier(data, policy, [5])
    for point in curve.by_layers:
        narrowed = curve.pick(5, max_layers=point.number_of_layers).narrowed
        assert narrowed is not None
        yield {
            "layers": point.number_of_layers,
            "quality": point.quality,
            "suppressed": point.evaluation.suppressed_records,
            "quality at most": 1 - point.proof.bound,
            "cells narrowed down": narrowed.cells,
            "records with one": narrowed.records,
        }


if __name__ == "__main__":
    run_main(main, "layers")
