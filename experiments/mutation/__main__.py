"""python -m experiments.mutation: which small mistakes in the code would its tests notice?

Writes results/mutation/: README.md and mutants.csv. A sample of the mutants of each of six rooms is put
to the tests of the room, its docstrings and the frozen figures: at most 10 processor seconds of those
that call the function, with ten random examples each. Slow tests are left out. The mistakes in
by_hand.csv are tried with every room's sample. A survivor that equivalent.csv names does what the code
does, for the reason there, and is counted apart. Rooms that are not asked for keep their lines; with
`--again`, so do mutants that were killed before.
"""

from __future__ import annotations

import csv
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scipy.special import betaincinv

from anonymizer.data.staging import Staging
from experiments.mutation.mutants import BY_HAND, ROOMS, ROOT, Mutant, mutants_by_hand, mutants_of
from experiments.mutation.trials import try_mutants
from experiments.running import options_of, run_main

RESULTS = Path("results")
SIZE, SEED = 60, 1
KILLED = ("killed", "timeout")
"""A timeout is of processor time: the mutant never ends. One that only waits is stuck, and survives."""
EQUIVALENT = Path(__file__).parent / "equivalent.csv"
"""Survivors that no test can kill, and why. `which` tells mutants of one function with the same words."""
ALSO = {
    "evaluation": (
        "tests/search/test_models.py",
        "tests/search/test_people.py",
        "tests/risk/test_contract.py",
    )
}
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
        return self.fate in KILLED

    @property
    def equivalent(self) -> bool:
        """Whether there is nothing to notice."""
        return self.fate == "equivalent"

    @property
    def alive(self) -> bool:
        """Whether a test should have noticed."""
        return not self.killed and not self.equivalent


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("mutation", __doc__)
    options.add_argument("--size", type=int, default=SIZE, help="mutants of each room")
    options.add_argument("--seed", type=int, default=SEED, help="seed of the sample")
    options.add_argument("--room", choices=ROOMS, action="append", help="only this room")
    options.add_argument("--again", action="store_true", help="only what survived in --out")
    given = options.parse_args(arguments)
    os.environ["HYPOTHESIS_PROFILE"] = "brief"
    folder = given.out or RESULTS / "mutation"
    before = read_list(folder / "mutants.csv")
    for room in given.room or ROOMS:
        mutants = everything(room)
        if given.again:
            alive = [each.mutant for each in before if each.room == room and each.alive]
            drawn = [same for mutant in alive for same in found_again(mutant, mutants)]
            kept = [each for each in before if each.room == room and not each.alive]
        else:
            drawn, kept = sample(mutants, given.size, f"{given.seed} {room}"), []
            drawn += mutants_by_hand(room)
        others = [each for each in before if each.room != room]
        before = [*others, *kept, *try_room(room, drawn)]
        write(before, given.seed, folder)


def write(found: Sequence[Tried], seed: int, folder: Path) -> None:
    """Write the list and the page."""
    rooms = {each.room for each in found}
    number = sum(len(everything(room)) for room in rooms)
    found = sorted(found, key=lambda each: (each.room, each.mutant.path, each.mutant.number))
    with Staging(folder) as staging:
        write_list(found, staging.path("mutants.csv"))
        staging.path("README.md").write_text(page(found, number, seed), encoding="utf-8")


def everything(room: str) -> list[Mutant]:
    """List all mutants of a room."""
    paths = sorted((ROOT / "anonymizer" / room).rglob("*.py"))
    return [mutant for path in paths for mutant in mutants_of(path)]


def sample(mutants: Sequence[Mutant], size: int, seed: str) -> list[Mutant]:
    """Draw mutants at random."""
    return random.Random(seed).sample(mutants, min(size, len(mutants)))


def found_again(mutant: Mutant, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Return the mutant as the code is now, the nearest one with the same words; none if it is gone."""
    same = [other for other in mutants if words(other) == words(mutant)]
    return sorted(same, key=lambda other: abs(other.line - mutant.line))[:1]


def words(of: Mutant) -> tuple[str, ...]:
    """Return what names a mutant, wherever its line has moved to."""
    return of.path, of.function, of.kind, of.before, of.after


def reasons(mutants: Sequence[Mutant]) -> dict[Mutant, str]:
    """Return why some mutants are equivalent; of code that has changed, the list says nothing."""
    seen: Counter[tuple[str, ...]] = Counter()
    by_name = {}
    for mutant in mutants:
        seen[words(mutant)] += 1
        by_name[*words(mutant), str(seen[words(mutant)])] = mutant
    with EQUIVALENT.open(encoding="utf-8", newline="") as file:
        listed = {tuple(row[:-1]): row[-1] for row in list(csv.reader(file))[1:]}
    return {by_name[name]: reason for name, reason in listed.items() if name in by_name}


def try_room(room: str, mutants: Sequence[Mutant]) -> list[Tried]:
    """Put the mutants of a room to its tests; one that cannot be loaded does not count."""
    found: list[Tried] = []
    known = reasons(everything(room))

    def tell(mutant: Mutant, fate: str) -> None:
        if fate not in KILLED and mutant in known:
            fate = "equivalent"
        elif mutant in known:
            print(f"killed, though it is in {EQUIVALENT.name}: {say(mutant)}", flush=True)
        if fate != "invalid":
            found.append(Tried(room, mutant, fate))
        if fate not in KILLED:
            print(f"{fate}: {say(mutant)}", flush=True)

    tests = [f"tests/{room}", f"anonymizer/{room}", *ALSO.get(room, ()), "tests/frozen"]
    try_mutants(mutants, tests, tell)
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


def read_list(path: Path) -> list[Tried]:
    """Read what an earlier run wrote; nothing if there was none."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Tried(row.pop("room"), Mutant(**{**row, **numbers(row)}), fate)
        for row, fate in ((row, row.pop("fate")) for row in rows)
    ]


def numbers(row: dict[str, str]) -> dict[str, int]:
    """Return the fields of a mutant that are numbers."""
    return {name: int(row[name]) for name in ("line", "number")}


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
    drawn = [each for each in found if each.mutant.kind != BY_HAND]
    made_up = [each for each in found if each.mutant.kind == BY_HAND]
    lines = [
        "# Mutants",
        "",
        "Written by `python -m experiments.mutation`. A mutant is one small mistake in one function:",
        "another comparison, constant or operator, a result that is None, a statement or condition that",
        "is gone. It is killed if a test of its room, an example in its docstrings or a frozen figure",
        "fails. One that does what the",
        "code does is equivalent, and not part of the share: where faster code is switched off, the",
        "result is the same.",
        "",
        f"{len(drawn)} of {all_of_them:,} mutants, drawn room by room with seed {seed}.",
        "Tests have been written for survivors of this sample. So what share of all mutants would be",
        "killed only a new sample says (`--seed`, with `--out`).",
        "",
        *table("room", [(each.room, each) for each in drawn]),
        "",
        *table("mistake", [(each.mutant.kind, each) for each in drawn]),
        "",
        f"Made by hand: {len(made_up)}, killed: {sum(each.killed for each in made_up)}.",
        "",
        "## Survivors",
        "",
        *(line(each) for each in found if each.alive),
        "",
        "## Equivalent",
        "",
        "The reasons are in `experiments/mutation/equivalent.csv`.",
        "",
        *(line(each) for each in found if each.equivalent),
    ]
    return "\n".join(lines) + "\n"


def line(of: Tried) -> str:
    """Say in a line of the page what became of a mutant."""
    uncalled = " (no test calls it)" if of.fate == "no test" else ""
    change = f"`{of.mutant.before}` became `{of.mutant.after}`"
    return f"- `{of.mutant.path}:{of.mutant.line}` {of.mutant.function}: {change}{uncalled}"


def table(of: str, outcomes: Sequence[tuple[str, Tried]]) -> list[str]:
    """Tabulate how many were killed, the whole last."""
    lines = [
        f"| {of} | mutants | equivalent | killed | share | 95 % interval |",
        "|---|---|---|---|---|---|",
    ]
    for name in [*dict.fromkeys(sorted(name for name, _ in outcomes)), "all"]:
        tried = [each for where, each in outcomes if name in (where, "all")]
        killed = sum(each.killed for each in tried)
        equivalent = sum(each.equivalent for each in tried)
        cells = name, len(tried), equivalent, killed, share(killed, len(tried) - equivalent)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def share(killed: int, tried: int) -> str:
    """Say what share was killed, and the interval."""
    if not tried:
        return "- | -"
    low, high = interval(killed, tried)
    return f"{killed / tried:.1%} | {low:.1%} to {high:.1%}"


if __name__ == "__main__":
    run_main(main, "mutation")
