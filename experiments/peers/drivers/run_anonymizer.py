"""This package, in a process of its own as the peers are."""

from __future__ import annotations

from typing import Any

import pandas as pd
from meter import measure, read_job

import anonymizer
from anonymizer import Hierarchy, InfeasibleError, Policy, Status, anonymize


def run(job: dict[str, Any], frame: pd.DataFrame) -> dict[str, Any]:
    """Search, and write the released rows."""
    quasi = {
        name: {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, rows)}
        for name, rows in job["hierarchies"].items()
    }
    policy = Policy(
        attributes=quasi,
        risk=[{"model": "k-anonymity", "k": job["k"]}],
        release={"suppression_limit": job["suppression"]},
    )
    try:
        found = anonymize(frame, policy)
    except InfeasibleError:
        return {"status": "none found"}
    found.to_frame().to_csv(job["release"], index=False)
    return {
        "status": "found",
        "proven": found.status is Status.OPTIMAL,
        "evaluated": found.proof.evaluated,
        "said": str(found.status),
    }


def main() -> None:
    job = read_job()
    frame = pd.read_csv(job["table"], dtype=str)
    measure(job, anonymizer.__version__, lambda: run(job, frame))


if __name__ == "__main__":
    main()
