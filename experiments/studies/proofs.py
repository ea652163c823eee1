"""Proof files for the optima of the reference's studies: boxes, witnesses, and the time they take."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import pandas as pd

from anonymizer.proof.case import case_of_study
from anonymizer.proof.checker import check
from anonymizer.proof.writer import by_engine, write_proof
from anonymizer.risk.study import StudyAnonymity
from anonymizer.search import search
from experiments.studies.reading import evaluator_of, read_study

Found = TypeVar("Found")


def measure(row: dict[str, str]) -> dict[str, Any]:
    """Search for an optimum of the reference, write its proof, and check it."""
    power = row["power"] if row["power"] == "profile" else int(row["power"])
    study = read_study(row["study"])
    evaluator = evaluator_of(study, StudyAnonymity(int(row["k"]), power))  # type: ignore[arg-type]
    best = search(evaluator, study.lattice).best
    assert best is not None
    case = case_of_study(evaluator, study.lattice)
    writing, proof = timed(lambda: write_proof(by_engine(case, evaluator), best.scheme))
    assert proof is not None
    checking, checked = timed(lambda: check(proof, case_of_study(evaluator, study.lattice)))
    reasons = Counter(closed.reason for _, _, closed in proof.boxes())
    agrees = abs(proof.claim.loss - float(row["loss"])) < 1e-9
    return {
        "study": row["study"],
        "k": row["k"],
        "power": row["power"],
        "accepted": "yes" if agrees else "another loss",
        "loss": proof.claim.loss,
        "people dropped": proof.claim.suppressed,
        "schemes": checked.schemes,
        "closed boxes": checked.boxes,
        "evaluated": reasons["evaluated"],
        "witnesses": checked.witnesses,
        "bytes": len(proof.to_bytes()),
        "seconds to write": writing,
        "seconds to check": checking,
        "on trust": "; ".join(checked.trusted),
    }


def timed(work: Callable[[], Found]) -> tuple[float, Found]:
    """Return the processor time that something takes, and what it gives."""
    started = time.process_time()
    found = work()
    return round(time.process_time() - started, 2), found


def describe(table: pd.DataFrame) -> list[str]:
    """Say which proof files are accepted, and what they took."""
    accepted = (table["accepted"] == "yes").sum()
    lines = [
        "",
        "## Proof files",
        "",
        f"{accepted} of {len(table)} optima have a proof file, and the checker, which counts who shows "
        "what set by set in plain Python, accepts each of them; nothing is taken on trust.",
        "",
        "| study | power | schemes | closed boxes | witnesses | kB | write | check |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in table.to_dict("records"):
        lines.append(
            f"| {row['study']} | {row['power']} | {row['schemes']} | {row['closed boxes']} | "
            f"{row['witnesses']} | {row['bytes'] / 1000:.1f} | {row['seconds to write']:.2f} | "
            f"{row['seconds to check']:.2f} |"
        )
    return lines
