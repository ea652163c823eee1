"""init: from a raw table to a policy that works at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from anonymizer.cli.hierarchy import import_arx
from anonymizer.cli.study import init_study, refuse_options
from anonymizer.cli.terminal import (
    CommandResult,
    DataDelimiter,
    DataEncoding,
    DataSheet,
    RowsArePeople,
    command,
    status_line,
)
from anonymizer.errors import DataError, PolicyError

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
    tables: Annotated[
        list[Path],
        typer.Argument(
            help="A file: CSV, Parquet, Excel and others, or an ARX project (.deid); or the folder, "
            "the files or the DuckDB database of linked tables.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The folder for policy, hierarchies and page.")
    ] = Path("proposal"),
    k: Annotated[int, typer.Option(help="The people that everybody must look like.")] = LEAST,
    study: Annotated[
        str | None,
        typer.Option(
            help="The standard that linked tables follow: sdtm or omop.", show_default=False
        ),
    ] = None,
    power: Annotated[
        int | None,
        typer.Option(
            help="Of linked tables: how many events of a person somebody knows, 1 by default."
        ),
    ] = None,
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
    template: Annotated[
        str | None,
        typer.Option(
            help="A rule to follow instead of a risk: safe-harbor, HIPAA's list of eighteen identifiers.",
            show_default=False,
        ),
    ] = None,
    populations: Annotated[
        Path | None,
        typer.Option(
            help="For safe-harbor: a table of ZIP codes and how many people live there; default: 2000's.",
            show_default=False,
        ),
    ] = None,
) -> CommandResult:
    """Look at a table and write a policy with hierarchies for it, and a page that says why.

    Of an ARX project, the policy is what the project says; see `anonymizer hierarchy import`.

    Example: `anonymizer init discharges.csv --out discharges`, then
    `anonymizer run discharges/policy.toml --out release`

    Of linked tables, such as `anonymizer init trial --study sdtm`, keys are found too.

    With `--template safe-harbor` the policy does what HIPAA's Safe Harbor asks for, whatever the risk.
    """
    if template is not None or populations is not None:
        stated = (quasi, id_, identifying, sensitive, keep, need, delimiter, encoding, sheet, study)
        others = rows_are_people or k != LEAST or for_ != PUBLIC or power is not None
        return init_template(tables, out, template, populations, others or any(stated))
    if len(tables) == 1 and tables[0].suffix.lower() == ARX:
        stated = (quasi, id_, identifying, sensitive, keep, need, delimiter, encoding, sheet, study)
        others = rows_are_people or k != LEAST or for_ != PUBLIC or power is not None
        check_alone(tables[0], others or any(stated))
        return import_arx(tables[0], out)
    from anonymizer.data.opening import open_table
    from anonymizer.data.staging import Staging
    from anonymizer.proposal.choices import split_names
    from anonymizer.proposal.place import are_linked
    from anonymizer.proposal.proposal import check_new, propose
    from anonymizer.report.proposal import stage_proposal, summarize

    check_new(out)
    if study is not None or are_linked(tables):
        options: dict[str, Any] = {
            "--quasi": quasi,
            "--id": id_,
            "--identifying": identifying,
            "--keep": keep,
        }
        options |= {"--sensitive": sensitive, "--need": need, "--delimiter": delimiter}
        options |= {"--encoding": encoding, "--sheet": sheet, "--rows-are-people": rows_are_people}
        refuse_options({**options, "--for": None if for_ == PUBLIC else for_})
        return init_study(tables, out, k, 1 if power is None else power, study)
    if power is not None:
        raise PolicyError("--power is of linked tables, and there is one; leave it out.")
    table = tables[0]
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


def init_template(
    tables: list[Path], out: Path, template: str | None, populations: Path | None, stated: bool
) -> CommandResult:
    """Write the policy of a rule; a PolicyError says what does not go together."""
    from anonymizer.data.staging import Staging
    from anonymizer.errors import suggest_name
    from anonymizer.proposal.proposal import POLICY, check_new
    from anonymizer.proposal.safe_harbor import NAME, stage_safe_harbor

    if template != NAME:
        given = (
            "--populations is for a template"
            if template is None
            else f"--template: '{template}' is unknown"
        )
        raise PolicyError(f"{given}; {suggest_name(template or '', [NAME])}")
    if stated or len(tables) > 1:
        raise PolicyError(
            "--template: the rule says roles itself, of one table; give --out and --populations alone, "
            "and change the policy that is written."
        )
    check_new(out)
    inputs = [tables[0], *([] if populations is None else [populations])]
    with Staging(out, inputs) as staging, status_line(f"reading {tables[0]}"):
        ruled = stage_safe_harbor(tables[0], staging, populations)
    policy = str(out / POLICY)
    return CommandResult(
        {"template": NAME, "columns": {each.column: each.role.value for each in ruled}},
        lambda console: console.print(
            "\n".join(f"{each.column}: {each.role.value}, {each.reason}" for each in ruled)
        ),
        {"policy": policy},
        then=lambda console: console.print(
            f"next: anonymizer run {policy} --out release", soft_wrap=True
        ),
    )
