"""published: what a printed table of patient characteristics gives away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonymizer.cli.terminal import CommandResult, Delimiter, command

if TYPE_CHECKING:
    from rich.console import Console

Limit = float | None


@command
def published(
    table: Annotated[
        Path,
        typer.Argument(
            help="A CSV of characteristics with their counts in each arm.", show_default=False
        ),
    ],
    arms: Annotated[
        tuple[int, int] | None,
        typer.Option(help="People in each of two arms; default, and for more arms: the header's."),
    ] = None,
    pdp: Annotated[
        Limit, typer.Option(help="The l that PDP must keep, from 1 to the number of arms.")
    ] = None,
    pfdoc: Annotated[
        Limit, typer.Option(help="The l that PFDOC must keep, from 1 to the number of answers.")
    ] = None,
    pfdptc: Annotated[
        Limit, typer.Option(help="The l that PFDPTC must not exceed, 1 or more.")
    ] = None,
    advantage: Annotated[
        Limit,
        typer.Option(
            help="The most by which PDP, PFDPTC or a guess of a value may raise a probability above its "
            "baseline, from 0 to 1."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder for published.html and published.json.")
    ] = None,
    delimiter: Delimiter = ",",
) -> CommandResult:
    """Attack a published table of patient characteristics; exit status 1 if a row breaks a chosen limit.

    Each row of the CSV is a characteristic and its count in each arm, as it is printed:
    `Hypertension,111,48` or `Hypertension,111 (48.7),48 (45.7)`; `65/145` where only 145 were measured. A
    row with a name and empty cells is a heading: rows under it that add up to everybody are categories.
    Medians, quartiles and means, as in `Median age (IQR),62.5 (53-72.5),62 (49-71)`, are attacked too.
    The sizes of the arms stand in the header, as in `Placebo (N = 105)`, or are given.

    Example: `anonymizer published characteristics.csv --arms 228 105 --pdp 1.3 --out attacked`
    """
    from anonymizer.data.files import digest_of_file
    from anonymizer.data.staging import Staging
    from anonymizer.published import PublishedLimits, assess_published, read_published
    from anonymizer.report.provenance import Provenance
    from anonymizer.report.published import published_page, sections
    from anonymizer.report.sections import show_sections

    limits = PublishedLimits(pdp, pfdoc, pfdptc, advantage)
    found = assess_published(*read_published(table, arms, delimiter), limits)
    result = found.describe()
    if out is not None:
        result["files"] = {kind: str(out / f"published.{kind}") for kind in ("html", "json")}
        with Staging(out, [table]) as staging:
            made_of = Provenance(digests={"printed table (SHA-256)": digest_of_file(table)})
            page = published_page(found, f"Attacks on {table.name}", made_of)
            staging.path("published.html").write_text(page, encoding="utf-8")
            text = json.dumps(result, indent=1)
            staging.path("published.json").write_text(text, encoding="utf-8")

    def show(console: Console) -> None:
        console.print(show_sections(sections(found)))

    return CommandResult(result, show, result.get("files", {}), not found.broken)
