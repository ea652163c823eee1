"""nrf: the risk of re-identification over all subsets of the attributes that people disclose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from anonymizer.cli.terminal import AsJson, Delimiter

if TYPE_CHECKING:
    from anonymizer.attack.uniqueness import OnSubsets


@contextmanager
def subset_bar(reading: str) -> Iterator[OnSubsets]:
    """Show how many subsets are done; pipes and files see nothing of it."""
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"reading {reading}", total=None)

        def show(done: int, subsets: int) -> None:
            what = f"{done:,} of {subsets:,} subsets"
            bar.update(task, completed=done, total=subsets, description=what)

        yield show


def nrf(
    table: Annotated[Path, typer.Argument(help="The table, CSV or Parquet.", show_default=False)],
    sources: Annotated[
        Path, typer.Argument(help="Where people disclose what, a TOML file.", show_default=False)
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder for nrf.json and the curves.")
    ] = None,
    json_: AsJson = False,
    external: Annotated[
        Path | None,
        typer.Option(help="A table of what is disclosed, to count E-uniqueness; default: 1."),
    ] = None,
    e_uniqueness: Annotated[
        float | None,
        typer.Option(help="E-uniqueness of every subset, from 0 to 1; default: 1, an upper bound."),
    ] = None,
    most: Annotated[int, typer.Option(help="How many dangerous combinations to list.", min=1)] = 20,
    delimiter: Delimiter = ",",
    workers: Annotated[int | None, typer.Option(help="Threads; default: all cores.", min=1)] = None,
) -> None:
    """Tell how likely people of a table are found through what they disclose elsewhere.

    Every subset of the attributes that the sources name is looked at (at most 20 attributes).

    Example: `anonymizer nrf discharges.csv sources.toml --out risk`, with sources.toml such as

        disclosure = { age = 0.216, gender = 0.7629 }       # in every source

        [[sources]]
        name = "Twitter"
        usage = 0.19                                        # share of people who are in it

        [[sources]]
        name = "Facebook"
        usage = 0.58
        disclosure = { location = 0.193 }                   # and here also this
    """
    from contextlib import nullcontext

    from anonymizer.attack.disclosure import read_sources
    from anonymizer.attack.nrf import assess_disclosure
    from anonymizer.files import Staging
    from anonymizer.report.nrf import stage_curves, summarize

    read = [table, sources, *([] if external is None else [external])]
    with nullcontext() if out is None else Staging(out, read) as staging:
        with subset_bar(str(table)) as on_subsets:
            risk = assess_disclosure(
                table,
                read_sources(sources),
                external,
                e_uniqueness=e_uniqueness,
                delimiter=delimiter,
                workers=workers,
                on_subsets=on_subsets,
            )
        result = risk.describe(most)
        if staging is not None:
            result["files"] = stage_curves(risk, staging)
            result["files"]["json"] = str(staging.folder / "nrf.json")
            text = json.dumps(result, indent=1)
            staging.path("nrf.json").write_text(text, encoding="utf-8")
    if json_:
        print(json.dumps(result))
        return
    console = Console()
    console.print(summarize(risk, most))
    for kind, path in result.get("files", {}).items():
        console.print(f"{kind}: {path}", highlight=False, soft_wrap=True)
