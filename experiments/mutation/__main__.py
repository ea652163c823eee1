"""python -m experiments.mutation: which small mistakes in the code would its tests notice?

Writes results/mutation/: README.md and mutants.csv. A sample of the mutants of six rooms is put to the
tests of the room and to the frozen figures: at most 20 processor seconds of those that call the function,
with ten random examples each. Slow tests are left out.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scipy.special import betaincinv

from anonymizer.data.staging import Staging
from experiments.mutation.mutants import ROOMS, ROOT, Mutant, mutants_of
from experiments.mutation.trials import try_mutants

RESULTS = Path("results")
SIZE, SEED = 400, 1
ALSO = {"evaluation": ("tests/search/test_models.py", "tests/search/test_people.py")}
"""Tests beside those of the room: evaluation is compared with an oracle where it is searched."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant and what became of it."""

    room: str
    mutant: Mutant
    fate: str

    @property
    def killed(self) -> bool:
        """Whether a test noticed."""
        return self.fate in ("killed", "timeout")


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m experiments.mutation", description=__doc__)
    options.add_argument("--out", type=Path, help="folder to write to")
    options.add_argument("--size", type=int, default=SIZE, help="mutants in the sample")
    options.add_argument("--seed", type=int, default=SEED, help="seed of the sample")
    options.add_argument("--room", choices=ROOMS, action="append", help="only this room")
    given = options.parse_args(arguments)
    os.environ["HYPOTHESIS_PROFILE"] = "quick"
    rooms = tuple(given.room or ROOMS)
    drawn, found = sample(given.size, given.seed), []
    for room in rooms:
        found += try_room(room, drawn[room])
    write(found, given.seed, given.out or RESULTS / "mutation", rooms)


def write(found: Sequence[Tried], seed: int, folder: Path, rooms: Sequence[str]) -> None:
    """Write the list and the page."""
    mutants = everything()
    with Staging(folder) as staging:
        write_list(found, staging.path("mutants.csv"))
        text = page(found, sum(len(mutants[room]) for room in rooms), seed)
        staging.path("README.md").write_text(text, encoding="utf-8")


def everything() -> dict[str, list[Mutant]]:
    """List all mutants of each room."""
    return {
        room: [
            mutant
            for path in sorted((ROOT / "anonymizer" / room).rglob("*.py"))
            for mutant in mutants_of(path)
        ]
        for room in ROOMS
    }


def sample(size: int, seed: int) -> dict[str, list[Mutant]]:
    """Draw mutants at random from all rooms together."""
    mutants = [(room, mutant) for room, listed in everything().items() for mutant in listed]
    drawn = random.Random(seed).sample(mutants, min(size, len(mutants)))
    return {room: [mutant for where, mutant in drawn if where == room] for room in ROOMS}


def try_room(room: str, mutants: Sequence[Mutant]) -> list[Tried]:
    """Put the mutants of a room to its tests; one that cannot be loaded does not count."""
    found: list[Tried] = []

    def tell(mutant: Mutant, fate: str) -> None:
        if fate != "invalid":
            found.append(Tried(room, mutant, fate))
        if fate not in ("killed", "timeout"):
            print(f"{fate}: {say(mutant)}", flush=True)

    try_mutants(mutants, [f"tests/{room}", *ALSO.get(room, ()), "tests/frozen"], tell)
    return found


def say(mutant: Mutant) -> str:
    """Name a mutant: where, and what stands for what."""
    return f"{mutant.path}:{mutant.line} {mutant.function}: {mutant.before} -> {mutant.after}"


def write_list(found: Sequence[Tried], path: Path) -> None:
    """Write every mutant that was tried and what became of it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        names = ["room", "path", "function", "line", "number", "kind", "before", "after", "fate"]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {"room": each.room, **asdict(each.mutant), "fate": each.fate} for each in found
        )


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Clopper and Pearson 1934).

    >>> [round(end, 3) for end in interval(9, 10)]
    [0.555, 0.997]
    """
    low = 0.0 if killed == 0 else float(betaincinv(killed, tried - killed + 1, 0.025))
    high = 1.0 if killed == tried else float(betaincinv(killed + 1, tried - killed, 0.975))
    return low, high


def page(found: Sequence[Tried], all_of_them: int, seed: int) -> str:
    """Say how many were killed, by room and by kind, and list the survivors."""
    lines = [
        "# Mutants",
        "",
        "Written by `python -m experiments.mutation`. A mutant is one small mistake in one function:",
        "another comparison, constant or operator, a result that is None, a statement or condition that",
        "is gone. It is killed if a test of its room, or a frozen figure, fails. A survivor may be",
        "equivalent: where faster code is switched off, the result is the same.",
        "",
        f"{len(found)} of {all_of_them:,} mutants, drawn with seed {seed}.",
        "",
        *table("room", [(each.room, each.killed) for each in found]),
        "",
        *table("mistake", [(each.mutant.kind, each.killed) for each in found]),
        "",
        "## Survivors",
        "",
        *(
            f"- `{each.mutant.path}:{each.mutant.line}` {each.mutant.function}: `{each.mutant.before}` "
            f"became `{each.mutant.after}`{' (no test calls it)' if each.fate == 'no test' else ''}"
            for each in found
            if not each.killed
        ),
    ]
    return "\n".join(lines) + "\n"


def table(of: str, outcomes: Sequence[tuple[str, bool]]) -> list[str]:
    """Tabulate how many were killed, the whole last."""
    lines = [f"| {of} | mutants | killed | share | 95 % interval |", "|---|---|---|---|---|"]
    for name in [*dict.fromkeys(sorted(name for name, _ in outcomes)), "all"]:
        fates = [killed for where, killed in outcomes if name in (where, "all")]
        low, high = interval(sum(fates), len(fates))
        share = f"{sum(fates) / len(fates):.1%} | {low:.1%} to {high:.1%}"
        lines.append(f"| {name} | {len(fates)} | {sum(fates)} | {share} |")
    return lines


if __name__ == "__main__":
    main()
