"""init, run and verify on one table, without editing, and an independent count of what came of it."""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import (
    AnonymizerError,
    AnonymizerWarning,
    Policy,
    Proposal,
    Solution,
    anonymize,
    make_manifest,
    propose,
    verify,
    write_proposal,
)
from anonymizer.layers.retained import COLLAPSED

K = 5


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one table."""

    table: str
    rows: int
    columns: int
    id: str = ""
    """The column by which people are counted."""
    asked: bool = False
    """Whether that was a question, which was answered by naming the first candidate."""
    recoding: str = ""
    quality: float | None = None
    dropped: float | None = None
    """The share of the records."""
    collapsed: str = ""
    """The quasi-identifiers that have one value in more than 95 % of the released rows."""
    said: bool = True
    """Whether a warning, or a line after the run, named each of those that had more in the original."""
    smallest: int | None = None
    """The fewest people in a class, over every candidate for an id."""
    seconds: float = 0.0
    """Of init, of the processor."""
    run_seconds: float = 0.0
    verified: bool = False
    fault: str = ""
    """What stopped it."""

    def describe(self) -> dict[str, Any]:
        """Return it as a line of the CSV file."""
        return asdict(self)


COLUMNS = [field.name for field in fields(Row)]


def measure(name: str, frame: pd.DataFrame, folder: Path, seconds: float | None) -> Row:
    """Propose, anonymize and verify a table; `seconds` end the search of the run early."""
    size = {"table": name, "rows": frame.shape[0], "columns": frame.shape[1]}
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", AnonymizerWarning)
            started = time.process_time()
            proposal, asked = propose_answered(path)
            took = time.process_time() - started
            written = write_proposal(proposal, folder / "proposal")
            started = time.process_time()
            policy = Policy.read(written["policy"]).with_search(time_limit=seconds)
            solution = anonymize(None, policy)
            released = solution.to_frame()
            passed = verify(released, policy, make_manifest(solution, released), path).passed
            ran = time.process_time() - started
    except AnonymizerError as error:
        return Row(**size, fault=str(error).replace(str(folder), ""))
    sentences = [*(str(each.message) for each in said), *solution.findings.sentences()]
    return Row(
        **size,
        id=proposal.id or "",
        asked=asked,
        recoding="layers" if policy.release.in_layers else "full-domain",
        quality=solution.quality,
        dropped=solution.suppressed / solution.records,
        collapsed=" ".join(collapsed_columns(released, policy)),
        said=all_said(released, frame, policy, sentences),
        smallest=smallest_class(solution, frame, proposal),
        seconds=took,
        run_seconds=ran,
        verified=passed,
    )


def propose_answered(path: Path) -> tuple[Proposal, bool]:
    """Propose; where it is asked who is a person, answer with the first candidate."""
    proposal = propose(path, K)
    if not proposal.whose.candidates:
        return proposal, False
    return propose(path, K, id=proposal.whose.doubtful[0]), True


def collapsed_columns(table: pd.DataFrame, policy: Policy) -> list[str]:
    """List the quasi-identifiers in which one value has more than 95 % of the rows."""
    return [
        name
        for name in policy.quasi_identifiers
        if len(table) and table[name].value_counts(dropna=False).iloc[0] > COLLAPSED * len(table)
    ]


def all_said(
    released: pd.DataFrame, original: pd.DataFrame, policy: Policy, sentences: list[str]
) -> bool:
    """Whether every column that collapsed is named in a warning; one that was so before needs none."""
    before = collapsed_columns(original, policy)
    after = [name for name in collapsed_columns(released, policy) if name not in before]
    return all(any(f"'{name}'" in sentence for sentence in sentences) for name in after)


def smallest_class(solution: Solution, frame: pd.DataFrame, proposal: Proposal) -> int | None:
    """Count the people of each class anew, by the id and by every other candidate; None without rows."""
    release = solution.release
    rows = release.rows(None)
    if not rows.size:
        return None
    released = solution.release.to_frame(None).reset_index(drop=True)
    quasi = list(solution.problem.policy.quasi_identifiers)
    classes = released.groupby(quasi, dropna=False, observed=True, sort=False).ngroup()
    whose = {proposal.id, *proposal.whose.doubtful} - {None}
    counts = [classes.value_counts().min()] if not whose else []
    for name in whose:
        people = frame[str(name)].iloc[rows].reset_index(drop=True)
        counts.append(people.groupby(classes).nunique(dropna=False).min())
    return int(min(counts))
