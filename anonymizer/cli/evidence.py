"""evidence: what a release is worth, by the analyses that the policy states."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonymizer.cli.terminal import (
    CommandResult,
    ManifestFile,
    Memory,
    OriginalFile,
    ReleaseFile,
    command,
    progress_line,
)


@command
def evidence(
    release: ReleaseFile,
    policy: Annotated[
        Path,
        typer.Option(help="The policy, with an [[analysis]] table for each.", show_default=False),
    ],
    against: OriginalFile = None,
    manifest: ManifestFile = None,
    out: Annotated[Path, typer.Option("--out", help="The folder for all files.")] = Path(
        "evidence"
    ),
    memory: Memory = None,
) -> CommandResult:
    """Make the policy's analyses on the original and on the release, and compare what comes of them.

    Writes evidence.json, .html and .csv, and the pictures of each analysis. They have statistics
    of the original: they are for the steward.

    Example: `anonymizer evidence release/release.csv --against discharges.csv --policy policy.toml`
    """
    from anonymizer.analyses.evidence import evidence as measure
    from anonymizer.data.staging import Staging
    from anonymizer.policy import Policy
    from anonymizer.problem import open_data
    from anonymizer.report.evidence import render_text, stage_evidence
    from anonymizer.report.provenance import provenance_of

    loaded = Policy.read(policy).on(memory=memory)
    read = [policy, release, *loaded.files, *([] if against is None else [against])]
    with Staging(out, read) as staging, progress_line(str(release)):
        found = measure(release, against, loaded, manifest)
        made_of = provenance_of(loaded, open_data(against, loaded), release)
        files = stage_evidence(found, staging, made_of)
    return CommandResult(
        found.describe(),
        lambda console: console.print(render_text(found), "", sep="\n"),
        files,
        listed=("html", "json", "csv"),
    )
