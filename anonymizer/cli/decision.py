"""decision: one page for whoever answers for a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonymizer.cli.terminal import (
    CommandResult,
    ManifestFile,
    OriginalFile,
    PolicyFile,
    ReleaseFile,
    command,
    progress_line,
)
from anonymizer.decision.authorities import Authority

if TYPE_CHECKING:
    from rich.console import Console

PAGE, FIGURES = "decision.html", "decision.json"


@command
def decision(
    policy: PolicyFile,
    release: ReleaseFile,
    context: Annotated[
        Path | None,
        typer.Option(help="Who releases what to whom and why, a TOML file; --example shows one."),
    ] = None,
    attacks: Annotated[
        Path | None, typer.Option(help="The JSON file of the attacks that were tried.")
    ] = None,
    evidence: Annotated[
        Path | None, typer.Option(help="The JSON file of the analyses that were repeated.")
    ] = None,
    for_: Annotated[
        Authority | None,
        typer.Option("--for", help="Whose headings the page follows; by default our order."),
    ] = None,
    against: OriginalFile = None,
    manifest: ManifestFile = None,
    out: Annotated[Path, typer.Option("--out", help="The folder for page and JSON.")] = Path(
        "decision"
    ),
    example: Annotated[  # noqa: ARG001 - the callback does all
        bool,
        typer.Option(
            "--example",
            help="Print a context with every key there is.",
            callback=lambda wanted: show_example(wanted),
            is_eager=True,
        ),
    ] = False,
) -> CommandResult:
    """Put all that is known of a release on one page for whoever answers for it.

    Context, classification of columns, threshold and how it follows, transformation by variable, initial
    and residual risk, utility by analysis, who was lost, attacks, how far stated figures may be wrong,
    versions and digests, and what it does not cover. `--for ema` puts that under the headings of EMA's
    Policy 0070, and likewise for others. A browser prints it on at most six pages. Exit status 1 if the
    release does not hold.

    Example: `anonymizer decision policy.toml release/release.csv --context context.toml --out decision`
    """
    from anonymizer.data.staging import Staging
    from anonymizer.decision.context import Context
    from anonymizer.decision.decision import decide, read_figures
    from anonymizer.policy import Policy
    from anonymizer.report.decision import render_decision, verdict_of
    from anonymizer.report.provenance import provenance_of

    loaded = Policy.read(policy)
    stated = None if context is None else Context.read(context)
    tried = None if attacks is None else read_figures(attacks, "attacks", "attack")
    repeated = None if evidence is None else read_figures(evidence, "analyses", "evidence")
    given = [path for path in (context, attacks, evidence, against, manifest) if path is not None]
    read = [policy, release, *loaded.files, *given]
    with Staging(out, read) as staging, progress_line(str(release)):
        staging.path(PAGE)
        made = decide(release, loaded, against, manifest, stated, tried, repeated)
        table = made.solution.release.table
        page = render_decision(made, provenance_of(loaded, table, release), for_)
        staging.path(PAGE).write_text(page, encoding="utf-8")
        figures = made.describe()
        staging.path(FIGURES).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    files = {"page": str(out / PAGE), "figures": str(out / FIGURES)}

    def show(console: Console) -> None:
        for line in verdict_of(made):
            console.print(line)

    return CommandResult(figures, show, files, made.acceptable)


def show_example(wanted: bool) -> None:
    """Print an example of a context and leave."""
    if wanted:
        from anonymizer.decision.context import EXAMPLE

        print(EXAMPLE.strip())
        raise typer.Exit
