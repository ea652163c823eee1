"""python -m experiments.over_time: four quarterly releases, each alone and with a register.

Of the demo register and of ADULT, people arrive, leave and are corrected from quarter to quarter. Each
quarter is released with k = 5 in three ways: the best release alone, the first quarter's scheme again,
and the best beside all earlier ones. Counted are the people among fewer than k for whoever has all
releases so far: by intersecting the classes that somebody was in, and by subtracting those that they
were not in as well. Writes results/over_time/. `--quick` takes a part of each table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Policy, Solution, anonymize, apply, write_release
from anonymizer.demo import population, register
from anonymizer.register.folder import Register
from anonymizer.register.promise import ABSENT, Classes, by_intersection, exposed
from experiments.datasets import (
    RESULTS,
    add_data_option,
    data_from,
    describe_absent,
    path_of,
    spec_of,
)
from experiments.running import run_main
from experiments.writing import markdown

K = 5
QUARTERS = 4
TURNOVERS = (0.01, 0.05)
"""The share of the people who leave in a quarter; as many arrive."""
CORRECTED = 0.01
"""The share of those who stay and get somebody else's value of a column."""
SEED = 39
ALONE, AGAIN, BESIDE = "alone", "first scheme again", "register"


@dataclass(frozen=True, eq=False)
class Data:
    """A table with an id, and its quasi-identifiers; some of its people are there in each quarter."""

    name: str
    table: pd.DataFrame
    hierarchies: dict[str, Path]
    corrected: str
    """The column in which values are corrected."""
    size: int
    """How many people there are in a quarter."""

    def policy(self, folder: Path | None) -> Policy:
        """Ask for k-anonymity, with a register in a folder if there is one."""
        quasi = {name: {"role": "quasi", "hierarchy": h} for name, h in self.hierarchies.items()}
        return Policy(
            data={"id": "id"},
            attributes={"id": {"role": "identifying"}, **quasi},
            risk=[{"model": "k-anonymity", "k": K}],
            release={} if folder is None else {"register": folder},
        )

    def quarters(self, turnover: float) -> Iterator[pd.DataFrame]:
        """Draw who is there in each quarter, and with which values."""
        random = np.random.default_rng([SEED, round(1000 * turnover)])
        table = self.table.sample(frac=1, random_state=SEED, ignore_index=True)
        there, waiting = np.arange(self.size), self.size
        for _ in range(QUARTERS):
            yield table.iloc[there]
            left = max(1, round(turnover * self.size))
            stay = random.permutation(there)[left:]
            there = np.concatenate([stay, np.arange(waiting, waiting + left)])
            waiting += left
            wrong = random.permutation(stay)[: round(CORRECTED * self.size)]
            values = table[self.corrected].to_numpy(copy=True)
            values[wrong] = random.permutation(values)[: wrong.size]
            table = table.assign(**{self.corrected: values})


@dataclass
class Releases:
    """All releases so far of one kind: the class of everybody in each."""

    people: list[str]
    classes: Classes = field(init=False)

    def __post_init__(self) -> None:
        self.classes = np.empty((len(self.people), 0), np.int64)

    def add(self, table: pd.DataFrame, solution: Solution) -> None:
        """Add the release of a table."""
        labels = solution.outcome.classes.label_of_tuple
        kept = ~solution.outcome.suppressed[labels]
        of_row = np.where(kept, labels, ABSENT)[solution.problem.microdata.tuple_of_row]
        found = pd.Series(of_row, index=table["id"]).reindex(self.people, fill_value=ABSENT)
        self.classes = np.column_stack([self.classes, found.to_numpy(np.int64)])

    def figures(self) -> dict[str, int]:
        """Count who is among fewer than k."""
        inside = by_intersection(self.classes, K)
        either = exposed(self.classes, K)
        absent = (self.classes == ABSENT).any(axis=1)
        return {
            "ever released": int((self.classes != ABSENT).any(axis=1).sum()),
            "by intersection": int(inside.sum()),
            "with subtraction": int(either.sum()),
            "alone": int(exposed(self.classes, 2).sum()),
            "of whom absent once": int((either & absent).sum()),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m experiments.over_time", description=__doc__)
    options.add_argument("--out", type=Path, help="folder to write to")
    options.add_argument("--quick", action="store_true", help="a part of each table; needs --out")
    add_data_option(options)
    given = options.parse_args(arguments)
    if given.quick and given.out is None:
        options.error("--quick needs --out: the results are of whole tables")
    with data_from(given.data):
        rows = [
            row
            for data in every_table(given.quick)
            for turnover in TURNOVERS
            for row in release_all(data, turnover)
        ]
    out = given.out or RESULTS / "over_time"
    out.mkdir(parents=True, exist_ok=True)
    found = pd.DataFrame(rows)
    found.to_csv(out / "releases.csv", index=False)
    (out / "README.md").write_text(describe(found), encoding="utf-8")


def every_table(quick: bool) -> Iterator[Data]:
    """Read the tables that are at hand."""
    size = 600 if quick else 9_000
    names = ("age", "sex", "zip", "race")
    people = register(population(20 * size), size=size + size // 3)
    yield Data(
        "demo register",
        people.rename(columns={"patient_id": "id"})[["id", *names]],
        {name: spec_of("demo", name) for name in names},
        "zip",
        size,
    )
    if (path := path_of("adult")) is None:
        print(describe_absent("adult"), file=sys.stderr)
        return
    table = pd.read_csv(path, sep=";", dtype=str)
    columns = [*table.columns]
    table["id"] = [f"p{number}" for number in range(len(table))]
    table = table.head(1_000) if quick else table
    size = 600 if quick else 24_000
    yield Data("ADULT", table, {c: spec_of("adult", c) for c in columns}, "marital-status", size)


def release_all(data: Data, turnover: float) -> Iterator[dict[str, Any]]:
    """Release each quarter in three ways, and count what all releases so far give away."""
    people = data.table["id"].tolist()
    ways = {way: Releases(people) for way in (ALONE, AGAIN, BESIDE)}
    first: dict[str, int] = {}
    with TemporaryDirectory() as folder:
        path = Register.begin(Path(folder) / "register", "2026-01-01").path
        for quarter, table in enumerate(data.quarters(turnover), 1):
            for way, releases in ways.items():
                if way == AGAIN:
                    found = apply(table, data.policy(None), first)
                else:
                    found = anonymize(table, data.policy(path if way == BESIDE else None))
                if way == BESIDE:
                    write_release(found, Path(folder) / str(quarter))
                first = first or found.scheme
                releases.add(table, found)
                yield {
                    "data": data.name,
                    "turnover": turnover,
                    "quarter": quarter,
                    "way": way,
                    "people": found.records,
                    "suppressed": found.suppressed,
                    "quality": found.quality,
                    "status": found.status.value,
                    "gap": found.gap,
                    **releases.figures(),
                }


def describe(found: pd.DataFrame) -> str:
    """Write the page that says what came out."""
    lines = [
        "# Four quarterly releases",
        "",
        f"Written by `python -m experiments.over_time`. k = {K}; {CORRECTED:.0%} of the people are "
        "corrected in a quarter, and as many arrive as leave (turnover). Counted are the people among "
        f"fewer than {K} for whoever has all releases so far and knows who is in them: by intersecting "
        "the classes that somebody was in, and by subtracting those that they were not in as well.",
        "",
    ]
    header = (
        "quarter", "way", "quality", "suppressed", f"below {K} by intersection",
        "with subtraction", "alone",
    )  # fmt: skip
    for (name, turnover), part in found.groupby(["data", "turnover"], sort=False):
        cells = [
            (
                str(row["quarter"]),
                row["way"],
                f"{row['quality']:.4f}",
                f"{row['suppressed']:,}",
                f"{row['by intersection']:,}",
                f"{row['with subtraction']:,}",
                f"{row['alone']:,}",
            )
            for row in part.to_dict("records")
        ]
        people = part["people"].iloc[0]
        title = f"## {name}, {people:,} people, turnover {turnover:.0%}"
        lines += [title, "", markdown(header, cells), ""]
    broken = found[(found["way"] != BESIDE) & (found["quarter"] > 1)]
    kept = found[found["way"] == BESIDE]
    below, without = kept["with subtraction"].sum(), (broken["with subtraction"] > 0).sum()
    lines += [
        f"With the register {below} people are below {K} in any of its releases. Without it, {without} "
        f"of {len(broken)} releases after the first leave somebody below {K}.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run_main(main, "over_time")
