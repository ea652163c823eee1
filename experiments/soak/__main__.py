"""python -m experiments.soak: mutated inputs, killed runs, and random tables against an oracle.

Writes results/soak/: README.md and three tables, after every 500 cases; with `--only`, the other parts
stay as they were, and with `--resume` a part goes on where its report ends. Every case has its own seed,
so that one that fails can be run again alone: `--seed 1 --only inputs --case 17 --work case`.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from tempfile import TemporaryDirectory

import joblib

from anonymizer.data.staging import Staging
from experiments.parallel import run_settings
from experiments.running import run_main
from experiments.soak.depth import DEPTHS
from experiments.soak.failure import Failure, Found, OnCase
from experiments.soak.files import soak_files
from experiments.soak.inputs import soak_inputs
from experiments.soak.kills import soak_kills
from experiments.soak.page import SIZES, Part, write_page
from experiments.soak.servers import soak_servers
from experiments.soak.studio import soak_studio
from experiments.soak.tables import soak_tables

RESULTS = Path("results")
FIGURES = ("name", "cases", "seed", "seconds", "code")
FAILURES = tuple(each.name for each in fields(Failure))
TURN = 500
"""So many cases of a part are run before the report is written, and the next are run."""
Soak = Callable[[Iterable[int], int, Path, OnCase], Found]
PARTS: dict[str, Soak] = {
    "tables": soak_tables,
    "kills": soak_kills,
    "inputs": soak_inputs,
    "studio": soak_studio,
    "files": soak_files,
    "servers": soak_servers,
}


def main(arguments: Sequence[str] | None = None) -> None:
    given = read_options(arguments)
    out = given.out or RESULTS / "soak"
    wanted = {
        name: PARTS[name]
        for name in PARTS
        if given.only in (None, name) and (getattr(given, name) or given.case is not None)
    }
    earlier = read_parts(out) if given.resume else {}
    failed = False
    with work_folder(given.work) as folder:
        for name, soak in wanted.items():
            part = earlier.get(name) or Part(name, 0, given.seed, 0.0, day_of_code(), [])
            if part.seed != given.seed:
                sys.exit(f"error: {name} was run with the seed {part.seed}; go on with that.")
            began = time.monotonic()
            for cases in in_turns(part.cases, getattr(given, name), given.case):
                if time.monotonic() - began > 60 * given.minutes:
                    break
                started = time.monotonic()
                found = in_parallel(soak, name, cases, given.seed, folder, given.workers)
                part = part.and_then(found, round(time.monotonic() - started), day_of_code())
                if given.case is None:
                    write([part], out)
            failed |= bool(part.failures)
    sys.exit(1 if failed else 0)


def in_turns(first: int, end: int, case: int | None) -> list[Sequence[int]]:
    """Split the cases that are left into turns, unless one is asked for.

    >>> in_turns(400, 1200, None)
    [range(400, 900), range(900, 1200)]
    """
    if case is not None:
        return [[case]]
    return [range(start, min(start + TURN, end)) for start in range(first, end, TURN)]


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    options = argparse.ArgumentParser(prog="python -m experiments.soak", description=__doc__)
    for name, size in SIZES.items():
        options.add_argument(f"--{name}", type=int, default=size, help=f"cases; default {size:,}")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workers", type=int, default=os.cpu_count(), help="default: all cores")
    options.add_argument(
        "--minutes", type=float, default=float("inf"), help="no turn of a part begins after so many"
    )
    options.add_argument(
        "--resume", action="store_true", help="go on after the cases that the report has"
    )
    options.add_argument("--only", choices=tuple(PARTS), help="one part alone")
    options.add_argument("--case", type=int, help="one case of that part alone")
    options.add_argument("--work", type=Path, help="folder to work in, which is left as it is")
    options.add_argument("--out", type=Path, help="folder to write to; default: results/soak")
    given = options.parse_args(arguments)
    if given.case is not None and given.only is None:
        options.error("--case needs --only")
    return given


def in_parallel(
    soak: Soak, name: str, cases: Sequence[int], seed: int, folder: Path, workers: int
) -> Found:
    """Share the cases among some processes, each with a folder of its own."""
    workers = min(workers, len(cases))
    if workers < 2:
        return soak_some(soak, name, cases, seed, folder)
    with joblib.parallel_config(backend="loky", n_jobs=workers):
        settings = [
            (soak, name, part, seed, folder / f"{name}-{at}")
            for at, part in enumerate(in_a_row(cases, workers))
        ]
        together = Found()
        for found in run_settings(soak_some, settings):
            together.add(found)
    together.failures.sort(key=lambda failure: failure.case)
    return together


def in_a_row(cases: Sequence[int], parts: int) -> list[Sequence[int]]:
    """Share cases so that those in a row stay together.

    >>> in_a_row(range(5), 2)
    [range(0, 2), range(2, 5)]
    """
    ends = [len(cases) * part // parts for part in range(parts + 1)]
    return [cases[start:end] for start, end in itertools.pairwise(ends)]


def soak_some(soak: Soak, name: str, cases: Sequence[int], seed: int, folder: Path) -> Found:
    """Do some of the cases."""
    folder.mkdir(exist_ok=True)
    found = soak(cases, seed, folder, progress(name, len(cases)))
    found.cases = len(cases)
    return found


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
    """Print a line whenever a fifth of the cases is done."""
    step, started = max(1, cases // 5), time.monotonic()

    def show(done: int, failures: int) -> None:
        if done % step == 0 or done == cases:
            seconds = time.monotonic() - started
            print(
                f"{name}: {done:,} of {cases:,}, {failures:,} failures, {seconds:,.0f} s",
                flush=True,
            )

    return show


def write(parts: Sequence[Part], folder: Path) -> None:
    """Write the report; a part that was not run now stays as it was."""
    now = {part.name: part for part in parts}
    together = {**read_parts(folder), **now}
    parts = [together[name] for name in PARTS if name in together]
    failures = [asdict(failure) for part in parts for failure in part.failures]
    figures = [{key: getattr(part, key) for key in FIGURES} for part in parts]
    depths = [
        {"part": part.name, "kind": kind, **counts}
        for part in parts
        for kind, counts in part.by_kind().items()
    ]
    with Staging(folder) as staging:
        staging.path("README.md").write_text(write_page(parts), encoding="utf-8")
        for name, keys, rows in (
            ("figures.csv", FIGURES, figures),
            ("failures.csv", FAILURES, failures),
            ("depths.csv", ("part", "kind", *DEPTHS), depths),
        ):
            with staging.path(name).open("w", encoding="utf-8", newline="") as file:
                lines = csv.DictWriter(file, keys)
                lines.writeheader()
                lines.writerows(rows)


def read_parts(folder: Path) -> dict[str, Part]:
    """Read the parts of a report that was written before, by name."""
    if not (folder / "figures.csv").exists():
        return {}
    failures = [
        Failure(row["part"], int(row["case"]), int(row["seed"]), row["what"])
        for row in read_rows(folder / "failures.csv")
    ]
    return {
        row["name"]: Part(
            row["name"],
            int(row["cases"]),
            int(row["seed"]),
            float(row["seconds"]),
            row.get("code") or "earlier",
            [failure for failure in failures if failure.part == row["name"]],
            read_depths(folder / "depths.csv", row["name"]),
        )
        for row in read_rows(folder / "figures.csv")
    }


def read_depths(path: Path, part: str) -> Counter[tuple[str, str]]:
    """Read how deep the cases of a part got."""
    rows = [row for row in read_rows(path) if row["part"] == part] if path.exists() else []
    return Counter({(row["kind"], depth): int(row[depth]) for row in rows for depth in DEPTHS})


def day_of_code() -> str:
    """Return the day of the newest revision, which a part was run with."""
    asked = ["git", "log", "-1", "--format=%cs"]
    found = subprocess.run(
        asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    return found.stdout.strip()


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a table of the report."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    run_main(main, "soak")
