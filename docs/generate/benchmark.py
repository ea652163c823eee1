"""Tables of measurements, taken from results/."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "results"
STAND_INS = ("atus", "ihis")
"""Data sets that are not at hand: tables with the same counts stand in for them."""

ENGINE_SECONDS = ("read", "GROUP BY", "search", "write", "COPY")
"""The phases of a run in an engine, and the engine's own operations."""


def measured(name: str) -> list[dict[str, str]]:
    """Read a table of results."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines)


def describe_searches() -> str:
    """Write what it costs to prove the optimum for k-anonymity, beside ARX."""
    head = ["data", "k", "schemes", "ARX evaluates", "anonymizer evaluates", "search, in group-bys"]
    rows = [row for row in measured("benchmark/searches") if row["model"] == "k-anonymity"]
    return write_table(head, map(search_row, rows))


def search_row(row: dict[str, str]) -> list[str]:
    """Write one search."""
    by_arx = row["ARX evaluated"]
    return [
        row["data"].upper() + (" stand-in" if row["data"] in STAND_INS else ""),
        row["parameters"].removeprefix("k="),
        f"{int(row['schemes']):,}",
        f"{float(by_arx):,.0f}" if by_arx else "",
        f"{int(row['evaluated']):,}",
        f"{float(row['search / group-by']):.1f}",
    ]


def describe_other_models() -> str:
    """Write what the searches with other models cost."""
    head = ["model", "searches", "schemes evaluated", "search, in group-bys"]
    rows = measured("benchmark/searches")
    names = dict.fromkeys(row["model"] for row in rows if row["model"] != "k-anonymity")
    return write_table(head, (model_row(name, rows) for name in names))


def model_row(name: str, rows: Iterable[dict[str, str]]) -> list[str]:
    """Write the least and the most that searches with one model cost."""
    own = [row for row in rows if row["model"] == name]
    evaluated = [int(row["evaluated"]) for row in own]
    cost = [float(row["search / group-by"]) for row in own]
    return [
        name,
        str(len(own)),
        f"{min(evaluated):,} to {max(evaluated):,}",
        f"{min(cost):.0f} to {max(cost):.0f}",
    ]


def describe_large() -> str:
    """Write what large tables take."""
    head = ["10,000,000 records from", "read", "search", "write", "peak memory"]
    rows = [
        [
            {"csv": "CSV", "parquet": "Parquet"}[row["from"]],
            *(f"{float(row[f'{phase} s']):.0f} s" for phase in ("read", "search", "write")),
            f"{int(row['peak MiB']):,} MiB",
        ]
        for row in measured("benchmark/registry")
    ]
    return write_table(head, rows)


def describe_engines() -> str:
    """Write what tables in an engine take, beside the engine's own operations."""
    head = ["engine", "rows", "distinct tuples", "read (plain `GROUP BY`)", "search"]
    head += ["write (plain `COPY`)", "peak memory"]
    return write_table(head, map(engine_row, measured("benchmark/engines")))


def engine_row(row: dict[str, str]) -> list[str]:
    """Write one run in an engine, in seconds."""
    seconds = {name: f"{float(row[f'{name} s']):.0f}" for name in ENGINE_SECONDS}
    return [
        row["engine"],
        f"{int(row['rows']):,}",
        row["distinct"] or "few",
        f"{seconds['read']} ({seconds['GROUP BY']})",
        seconds["search"],
        f"{seconds['write']} ({seconds['COPY']})",
        f"{float(row['peak MiB']) / 1024:.1f} GiB" if row["peak MiB"] else "",
    ]


def describe_layers() -> str:
    """Write what fewer layers cost, and what they give away."""
    head = ["`layers`", "quality", "suppressed", "cells narrowed down", "records with one"]
    rows = measured("layers/number_of_layers")
    return write_table(head, (layers_row(row, row is rows[-1]) for row in rows))


def layers_row(row: dict[str, str], as_many_as_help: bool) -> list[str]:
    """Write the release with at most so many layers."""
    return [
        f"as many as help ({row['layers']})" if as_many_as_help else row["layers"],
        f"{float(row['quality']):.3f}",
        *(f"{int(row[name]):,}" for name in ("suppressed", "cells narrowed down")),
        f"{int(row['records with one']):,}",
    ]


def describe_growth() -> str:
    """Write how the search grows with the number of quasi-identifiers."""
    head = ["quasi-identifiers", "schemes", "seconds", "gap left"]
    rows = [row for row in measured("benchmark/growth") if row["over"] == "attributes"]
    return write_table(head, map(growth_row, rows))


def growth_row(row: dict[str, str]) -> list[str]:
    """Write the search with so many attributes."""
    schemes, seconds, gap = (float(row[key]) for key in ("schemes", "seconds", "gap"))
    return [row["at"], f"{schemes:.1e}", f"{seconds:.1f}", f"{gap:.2f}"]


def describe_reference() -> str:
    """Write how the optima compare with those of ARX."""
    gains = [
        float(row["gain"])
        for name in ("optima", "uniqueness")
        for row in measured(f"reference/{name}")
    ]
    same = sum(abs(gain) <= 1e-9 for gain in gains)
    better, worse = (sum(sign * gain > 1e-9 for gain in gains) for sign in (1, -1))
    head = ["optima of ARX", "the same to 1e-9", "better here", "better in ARX"]
    return write_table(head, [[str(len(gains)), str(same), str(better), str(worse)]])
