"""init: from a raw table to a policy that works at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from anonymizer.cli.hierarchy import import_arx
from anonymizer.cli.terminal import (
    CommandResult,
    DataDelimiter,
    DataEncoding,
    DataSheet,
    RowsArePeople,
    command,
    status_line,
)
from anonymizer.errors import DataError

Names = list[str] | None
ARX = ".deid"
"""How ARX calls the files of its projects."""
LEAST, PUBLIC = 5, "public"


def columns_option(meaning: str) -> Any:
    """Declare an option that names columns."""
    return typer.Option(help=f"{meaning} May be repeated, or names with commas between.")


def check_alone(project: Path, stated: bool) -> None:
    """Raise a DataError where options are given beside a project, which says it all."""
    if stated:
        raise DataError(
            f"{project}: an ARX project says roles, models and delimiter itself; give --out alone, and "
            "change the policy that is written."
        )


@command
def init(
    table: Annotated[
        Path,
        typer.Argument(
            help="A file: CSV, Parquet, Excel and others, or an ARX project (.deid).",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The folder for policy, hierarchies and page.")
    ] = Path("proposal"),
    k: Annotated[int, typer.Option(help="The people that everybody must look like.")] = LEAST,
    quasi: Annotated[Names, columns_option("Columns that others may know.")] = None,
    id_: Annotated[
        str | None,
        typer.Option("--person", "--id", help="The column that tells whose each row is."),
    ] = None,
    rows_are_people: RowsArePeople = False,
    identifying: Annotated[Names, columns_option("Columns to remove.")] = None,
    sensitive: Annotated[Names, columns_option("Columns that others would like to know.")] = None,
    keep: Annotated[Names, columns_option("Columns to keep as they are.")] = None,
    for_: Annotated[
        str,
        typer.Option("--for", help="Who receives the release: public, agreement or enclave."),
    ] = PUBLIC,
    need: Annotated[Names, columns_option("Columns that the analysis needs.")] = None,
    delimiter: DataDelimiter = None,
    encoding: DataEncoding = None,
    sheet: DataSheet = None,
) -> CommandResult:
    """Look at a table and write a policy with hierarchies for it, and a page that says why.

    Of an ARX project, the policy is what the project says; see `anonymizer hierarchy import`.

    Example: `anonymizer init discharges.csv --out discharges`, then
    `anonymizer run discharges/policy.toml --out release`
    """
    if table.suffix.lower() == ARX:
        stated = (quasi, id_, identifying, sensitive, keep, need, delimiter, encoding, sheet)
        check_alone(table, rows_are_people or k != LEAST or for_ != PUBLIC or any(stated))
        return import_arx(table, out)
    from anonymizer.data.opening import open_table
    from anonymizer.data.staging import Staging
    from anonymizer.proposal.choices import split_names
    from anonymizer.proposal.proposal import check_new, propose
    from anonymizer.report.proposal import stage_proposal, summarize

    check_new(out)
    columns = open_table(table, delimiter, encoding, sheet).columns
    with Staging(out, [table]) as staging, status_line(f"reading {table}"):
        proposal = propose(
            table,
            k,
            split_names(quasi or [], columns),
            id_,
            split_names(identifying or [], columns),
            split_names(sensitive or [], columns),
            split_names(keep or [], columns),
            delimiter,
            encoding,
            sheet,
            rows_are_people,
            recipient=for_,
            need=split_names(need or [], columns),
        )
        files = stage_proposal(proposal, staging)
    return CommandResult(
        proposal.describe(),
        lambda console: console.print(summarize(proposal)),
        files,
        then=lambda console: console.print(
            f"next: anonymizer run {files['policy']} --out release", soft_wrap=True
        ),
    )
