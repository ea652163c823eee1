"""run for linked tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonymizer.cli.proof import prove
from anonymizer.cli.terminal import CommandResult, progress_line, status_line
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
    policy: Path, loaded: Policy, out: Path, seed: int | None, keys: Path | None, proof: bool
) -> CommandResult:
    """Find the best scheme of linked tables, and write the tables with their manifest and a proof."""
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
        files = stage_study(solution, staging, seed, keys, prove(solution, proof))
    described = {**solution.describe(), "seconds": solution.seconds, "files": files}

    def show(console: Console) -> None:
        console.print(summarize(solution))

    return CommandResult(described, show, files)


def init_study(
    paths: list[Path], out: Path, k: int, power: int, standard: str | None
) -> CommandResult:
    """Write a policy for linked tables, with its hierarchies."""
    from anonymizer.data.staging import Staging
    from anonymizer.proposal.place import find_tables
    from anonymizer.proposal.study import propose_study

    inputs = [place.path for place in find_tables(paths).values()]
    with Staging(out, inputs) as staging, status_line("reading the tables"):
        proposal = propose_study(paths, k, power, standard)
        files = proposal.stage(staging)

    def show(console: Console) -> None:
        for sentence in proposal.sentences():
            console.print(sentence, highlight=False)

    return CommandResult(
        proposal.describe(),
        show,
        files,
        then=lambda console: console.print(
            f"next: anonymizer run {files['policy']} --out release", soft_wrap=True
        ),
    )
