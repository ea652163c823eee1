"""published: what a printed table of patient characteristics gives away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from anonymizer.cli.terminal import FAILED, AsJson, Delimiter, make_console

Limit = float | None


def published(
    table: Annotated[
        Path,
        typer.Argument(
            help="A CSV of characteristics with their counts in two arms.", show_default=False
        ),
    ],
    arms: Annotated[
        tuple[int, int] | None,
        typer.Option(help="People in the treatment and in the placebo arm; default: the header's."),
    ] = None,
    pdp: Annotated[Limit, typer.Option(help="The l that PDP must keep, from 1 to 2.")] = None,
    pfdoc: Annotated[Limit, typer.Option(help="The l that PFDOC must keep, from 1 to 2.")] = None,
    pfdptc: Annotated[
        Limit, typer.Option(help="The l that PFDPTC must not exceed, from 1 to 2.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder for published.html and published.json.")
    ] = None,
    json_: AsJson = False,
    delimiter: Delimiter = ",",
) -> None:
    """Attack a published table of patient characteristics; exit status 1 if a row breaks a chosen l.

    Each row of the CSV is a characteristic, its count in the treatment arm and in the placebo arm, such
    as `Hypertension,111,48`; a count may be followed by its percentage, as in `111 (48.7)`.

    Example: `anonymizer published characteristics.csv --arms 228 105 --pdp 1.3 --out attacked`
    """
    from anonymizer.assessment.published import Arms, Limits, assess_published, read_published
    from anonymizer.data.staging import Staging
    from anonymizer.report.published import published_grid, published_page, verdict

    limits = Limits(pdp, pfdoc, pfdptc)
    rows, sizes = read_published(table, None if arms is None else Arms(*arms), delimiter)
    found = assess_published(rows, sizes, limits)
    result = found.describe()
    if out is not None:
        result["files"] = {kind: str(out / f"published.{kind}") for kind in ("html", "json")}
        with Staging(out, [table]) as staging:
            page = published_page(found, f"Attacks on {table.name}")
            staging.path("published.html").write_text(page, encoding="utf-8")
            text = json.dumps(result, indent=1)
            staging.path("published.json").write_text(text, encoding="utf-8")
    if json_:
        print(json.dumps(result))
    else:
        make_console().print(published_grid(found))
        print(verdict(found))
        for kind, path in result.get("files", {}).items():
            print(f"{kind}: {path}")
    if found.broken:
        raise typer.Exit(FAILED)
