"""Proof files that a command writes beside what it found."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from anonymizer.errors import AnonymizerWarning

if TYPE_CHECKING:
    from anonymizer.data.staging import Staging
    from anonymizer.frontiers.frontier import Frontier
    from anonymizer.solution.solution import Solution
    from anonymizer.solution.study import StudySolution

PROOF_SECONDS = 1.0
"""What a proof file may take unless it is asked for, or else as long as the search."""


def prove(solution: Solution | StudySolution, always: bool) -> Any:
    """Write the proof of a solution if it takes little time, or in any case if asked to."""
    from anonymizer.proof.format import ProofError
    from anonymizer.proof.table import Unsupported

    seconds = None if always else max(PROOF_SECONDS, solution.seconds.get("search", 0.0))
    try:
        return solution.proof_file(seconds)
    except ProofError as error:
        # the release is as safe as it was: a proof that fails must be heard of, and stops nobody
        if always or not isinstance(error, Unsupported):
            warnings.warn(f"there is no proof file: {error}", AnonymizerWarning, stacklevel=2)
        return None


def stage_proofs(found: Frontier, staging: Staging) -> dict[str, str]:
    """Write the proof of every point for its owner alone; return what each file will be called."""
    files = {}
    for point in (*found.points, *found.by_layers):
        proof = prove(found.solution_at(point), always=True)
        if proof is None:
            continue
        more = "".join(f"-{name}-{value}" for name, value in point.changes.items())
        name = proof.file_name.replace("proof", f"proof-{point.value:g}{more}", 1)
        proof.write(staging.path(name))
        files[f"proof at {point.value:g}{more}"] = str(staging.folder / name)
    return files
