"""python -m experiments.profiles: the shipped attackers against the demo register, figure by figure.

Each attacker whose attributes the register has is asked about a release that was made to keep them out.
Writes results/profiles/: how far each figure may be wrong before the release no longer does, whether it
was measured or assumed, and a page on both.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import Problem, anonymize
from anonymizer.attackers.catalogue import shipped_scenarios
from anonymizer.attackers.scenario import ALL_OTHERS, Scenario, stated_chances
from anonymizer.data.staging import Staging
from anonymizer.decision.sensitivity import find_turnings
from anonymizer.demo.example import write_example
from anonymizer.risk import Overall
from experiments.datasets import RESULTS
from experiments.running import run_main

PEOPLE, LIMIT = 200_000, 0.05
MARK = re.compile(r"\[([FDA])\]")
MEANING = {"F": "measured", "D": "computed", "A": "assumed"}


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m experiments.profiles", description=__doc__)
    options.add_argument("--people", type=int, default=PEOPLE, help="of the synthetic population")
    options.add_argument("--out", type=Path, help="folder to write to")
    given = options.parse_args(arguments)
    with Staging(given.out or RESULTS / "profiles") as staging:
        rows = pd.DataFrame(measure(given.people, staging.staged / "register"))
        rows.to_csv(staging.path("turnings.csv"), index=False, float_format="%.6g")
        marks = pd.DataFrame(count_marks())
        marks.to_csv(staging.path("marks.csv"), index=False)
        staging.path("README.md").write_text(write_page(rows, marks), encoding="utf-8")


def measure(people: int, folder: Path) -> list[dict[str, Any]]:
    """Return for each attacker and figure how far it may be wrong."""
    with Staging(folder) as register:
        write_example(register, seed=1, people=people)
    problem = Problem.read(None, folder / "policy.toml", warn=False)
    rows = []
    for name, path in shipped_scenarios().items():
        scenario = Scenario.read(path)
        if set(scenario.named) <= {*problem.microdata.attributes, ALL_OTHERS}:
            rows += ask(problem, name, scenario)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()
    return rows


def ask(problem: Problem, name: str, scenario: Scenario) -> list[dict[str, Any]]:
    """Make the best release that keeps one attacker out, and change one figure after the other."""
    solution = anonymize(problem.with_models(Overall(LIMIT, scenario, "mean")))
    marks = marks_of(shipped_scenarios()[name], scenario)
    return [
        {
            "attacker": name,
            "quality": 100 * solution.quality,
            "suppressed": solution.suppressed,
            "figure": turning.figure,
            "stated": turning.stated,
            "holds up to": turning.highest,
            "holds down to": turning.lowest,
            "mark": MEANING[marks.get(turning.figure, "A")],
        }
        for turning in find_turnings(solution)
    ]


def marks_of(path: Path, scenario: Scenario) -> dict[str, str]:
    """Return the mark of each figure of a scenario by its name; without one it is taken as assumed.

    A figure whose line has several marks is as sure as the least sure of them.
    """
    learned = iter([each.name for each in stated_chances(scenario) if "learned" in each.name])
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if stated := re.match(r"([\w-]+) *= *[\d._]+(.*)", line):
            key, marks = stated[1], MARK.findall(stated[2])
            if key == "probability":
                key = next(learned)
            elif key in scenario.causes:
                key = f"that {key} is found"
            found[key] = "A" if "A" in marks or not marks else marks[0]
    return found


def count_marks() -> list[dict[str, Any]]:
    """Count how many figures of each shipped scenario are measured, computed and assumed."""
    rows = []
    for name, path in shipped_scenarios().items():
        marks = MARK.findall(re.sub(r"(?m)^#.*$", "", path.read_text(encoding="utf-8")))
        counts = {meaning: marks.count(mark) for mark, meaning in MEANING.items()}
        rows.append({"scenario": name, **counts})
    return rows


def write_page(rows: pd.DataFrame, marks: pd.DataFrame) -> str:
    """Write README.md."""
    lines = [
        "# On which figure the verdict hangs",
        "",
        "Written by `python -m experiments.profiles`. Each shipped attacker whose attributes the demo "
        "register has, and the best release whose mean overall risk from them is at most "
        f"{LIMIT:g}. One figure at a time is changed: how far may it be wrong before the release no "
        "longer holds? A figure without an end does not decide.",
        "",
        "| attacker | quality | figure | stated | holds up to | holds down to | |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows.to_dict("records"):
        ends = [write_end(row[key]) for key in ("holds up to", "holds down to")]
        lines.append(
            f"| {row['attacker']} | {row['quality']:.1f} | {row['figure']} | {row['stated']:g} | "
            f"{ends[0]} | {ends[1]} | {row['mark']} |"
        )
    lines += ["", "## What is measured", "", "Figures with a mark, by scenario.", ""]
    lines += ["| scenario | measured | computed | assumed |", "|---|---|---|---|"]
    lines += [
        f"| {row['scenario']} | {row['measured']} | {row['computed']} | {row['assumed']} |"
        for row in marks.to_dict("records")
    ]
    total = marks[["measured", "computed", "assumed"]].sum()
    lines += ["", f"Together {total['assumed']} of {total.sum()} are assumed."]
    deciding = rows[rows["holds up to"].notna() & (rows["mark"] == "assumed")]
    said = f"Of {len(rows)} figures of the attackers above {len(deciding)} are assumed and decide."
    lines += [said, ""]
    return "\n".join(lines)


def write_end(value: float) -> str:
    """Write an end; one that there is not is empty.

    >>> write_end(0.25), write_end(float("nan"))
    ('0.25', '')
    """
    return "" if pd.isna(value) else f"{value:.3g}"


if __name__ == "__main__":
    run_main(main, "profiles")
