"""python -m experiments.soak: mutated inputs, killed runs, and random tables against an oracle.

Writes results/soak/: README.md and failures.csv. Every case has its own seed, so that one
that fails can be run again alone: `--seed 1 --only inputs --case 17 --work case`.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from anonymizer.data.staging import Staging
from experiments.soak.failure import Failure, OnCase
from experiments.soak.inputs import soak_inputs
from experiments.soak.kills import soak_kills
from experiments.soak.page import Part, write_page
from experiments.soak.tables import soak_tables

RESULTS = Path("results")
SIZES = {"inputs": 5_000, "kills": 200, "tables": 3_000}
Soak = Callable[[Iterable[int], int, Path, OnCase], list[Failure]]
PARTS: dict[str, Soak] = {"tables": soak_tables, "kills": soak_kills, "inputs": soak_inputs}


def main(arguments: Sequence[str] | None = None) -> None:
    given = read_options(arguments)
    wanted = {name: PARTS[name] for name in PARTS if given.only in (None, name)}
    parts = []
    with work_folder(given.work) as folder:
        for name, soak in wanted.items():
            cases = range(getattr(given, name)) if given.case is None else [given.case]
            started = time.monotonic()
            found = soak(cases, given.seed, folder, progress(name, len(cases)))
            parts.append(Part(name, len(cases), given.seed, time.monotonic() - started, found))
            for failure in found:
                print(f"{failure.part} {failure.case}: {failure.what}", flush=True)
            if given.case is None and (given.out or given.only is None):
                write(parts, given.out or RESULTS / "soak")
    sys.exit(1 if any(part.failures for part in parts) else 0)


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    options = argparse.ArgumentParser(prog="python -m experiments.soak", description=__doc__)
    for name, size in SIZES.items():
        options.add_argument(f"--{name}", type=int, default=size, help=f"cases; default {size:,}")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", choices=tuple(PARTS), help="one part alone")
    options.add_argument("--case", type=int, help="one case of that part alone")
    options.add_argument("--work", type=Path, help="folder to work in, which is left as it is")
    options.add_argument("--out", type=Path, help="folder to write to; default: results/soak")
    given = options.parse_args(arguments)
    if given.case is not None and given.only is None:
        options.error("--case needs --only")
    return given


@contextmanager
def work_folder(given: Path | None) -> Iterator[Path]:
    """Work in a folder that stays, or in one that goes."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()
        return
    with TemporaryDirectory(prefix="soak-") as folder:
        yield Path(folder)


def progress(name: str, cases: int) -> OnCase:
    """Print a line whenever a twentieth of the cases is done."""
    step, started = max(1, cases // 20), time.monotonic()

    def show(done: int, failures: int) -> None:
        if done % step == 0 or done == cases:
            seconds = time.monotonic() - started
            print(
                f"{name}: {done:,} of {cases:,}, {failures:,} failures, {seconds:,.0f} s",
                flush=True,
            )

    return show


def write(parts: Sequence[Part], folder: Path) -> None:
    """Write the report."""
    with Staging(folder) as staging:
        staging.path("README.md").write_text(write_page(parts), encoding="utf-8")
        with staging.path("failures.csv").open("w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(("part", "case", "what", "reproduce"))
            for part in parts:
                lines.writerows((f.part, f.case, f.what, f.reproduce) for f in part.failures)


if __name__ == "__main__":
    main()
