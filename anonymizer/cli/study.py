"""run for linked tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonymizer.cli.terminal import CommandResult, progress_line
from anonymizer.errors import PolicyError, quote_some

if TYPE_CHECKING:
    from rich.console import Console

    from anonymizer.policy import Policy


def refuse_options(given: Mapping[str, Any]) -> None:
    """Raise a PolicyError for options that only a single table has."""
    if stated := [name for name, value in given.items() if value not in (None, False)]:
        raise PolicyError(
            f"{quote_some(stated)} looks at one table, and the policy links several; leave it out."
        )


def run_study(
    policy: Path, loaded: Policy, out: Path, seed: int | None, keys: Path | None
) -> CommandResult:
    """Find the best scheme of linked tables, and write the tables with their manifest."""
    from anonymizer.data.staging import Staging
    from anonymizer.report.study import summarize
    from anonymizer.solution.study import anonymize_study
    from anonymizer.solution.study_manifest import claim_names, stage_study

    with (
        Staging(out, [policy, *loaded.files]) as staging,
        progress_line(str(loaded.data_source)) as on_progress,
    ):
        claim_names(staging, loaded, keys)
        solution = anonymize_study(None, loaded, on_progress)
        files = stage_study(solution, staging, seed, keys)
    described = {**solution.describe(), "seconds": solution.seconds, "files": files}

    def show(console: Console) -> None:
        console.print(summarize(solution))

    return CommandResult(described, show, files)
