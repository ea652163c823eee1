"""Small tables with an id, and policies that release them one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import Policy, Solution, anonymize, write_release
from anonymizer.policy import PolicyLike
from anonymizer.register.folder import Register

GROUPS = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}


def policy_of(register: Path | None, k: int = 2, **release: Any) -> Policy:
    """A policy of one quasi-identifier, with an id and a column that is kept."""
    keys: dict[str, Any] = {
        "data": {"id": "id"},
        "attributes": {
            "id": {"role": "identifying"},
            "value": {"role": "quasi", "hierarchy": GROUPS},
            "note": {"role": "insensitive"},
        },
        "risk": [{"model": "k-anonymity", "k": k}],
        "release": release if register is None else {"register": str(register), **release},
    }
    return Policy.of(keys)


def frame_of(people: dict[str, str]) -> pd.DataFrame:
    """A row for each person."""
    return pd.DataFrame(
        {"id": [*people], "value": [*people.values()], "note": ["x"] * len(people)}, dtype=object
    )


def release(people: dict[str, str], policy: PolicyLike, folder: Path) -> Solution:
    """Anonymize a table, and write its release."""
    solution = anonymize(frame_of(people), policy)
    write_release(solution, folder, seed=1)
    return solution


def released(solution: Solution) -> dict[str, str]:
    """Return the released class of everybody who is in a release."""
    found = solution.outcome
    column = solution.problem.microdata.beside["id"]
    labels, suppressed = found.classes.label_of_tuple, found.suppressed
    return {
        column.texts[code]: str(label)
        for code, label in zip(column.codes.tolist(), labels.tolist(), strict=True)
        if not suppressed[label]
    }


def begin(folder: Path) -> Path:
    """Begin a register, and return where it is."""
    return Register.begin(folder / "register", "2026-01-01").path


def people(values: Sequence[str], start: int = 0) -> dict[str, str]:
    """Name people by their numbers."""
    return {f"p{number}": value for number, value in enumerate(values, start)}
