"""hierarchy check, build, show, suggest and import."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonymizer.cli.terminal import (
    CommandResult,
    DataDelimiter,
    DataEncoding,
    DataSheet,
    Delimiter,
    ShowValues,
    command,
    make_console,
)
from anonymizer.errors import AnonymizerError, counted

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    help="Check, build, show, suggest and import generalization hierarchies.", no_args_is_help=True
)


@app.command("check")
@command
def check_hierarchies(
    files: Annotated[list[Path], typer.Argument(help="Hierarchies: ARX CSV files or TOML specs.")],
    data: Annotated[
        Path | None, typer.Option(help="A table: are its values covered? Columns by file name.")
    ] = None,
    delimiter: DataDelimiter = None,
    data_delimiter: DataDelimiter = None,
) -> CommandResult:
    """Find every defect at once; exit status 1 if a hierarchy cannot be used.

    Example: `anonymizer hierarchy check hierarchies/*.csv --data discharges.csv`
    """
    from dataclasses import asdict

    from anonymizer.hierarchy.files import check_files

    defects = check_files(files, data, delimiter, data_delimiter)
    errors = sum(defect.severity == "error" for _, defect in defects)
    warned = len(defects) - errors

    def show(console: Console) -> None:
        for file, defect in defects:
            console.print(f"{file}: {defect}", soft_wrap=True)
        numbers = f"{counted(errors, 'error')}, {counted(warned, 'warning')}"
        console.print(f"{len(files)} checked: {numbers}", soft_wrap=True)

    described = [{"file": str(file), **asdict(defect)} for file, defect in defects]
    return CommandResult(described, show, passed=not errors)


@app.command("build")
def build_hierarchy(
    spec: Annotated[Path, typer.Argument(help="A TOML spec (or an ARX CSV file).")],
    out: Annotated[Path | None, typer.Option("--out", help="The CSV file to write.")] = None,
    delimiter: Delimiter = ";",
) -> None:
    """Expand a spec to a CSV file as ARX reads it; without --out, to the terminal.

    Example: `anonymizer hierarchy build hierarchies/adult/age.toml --out age.csv`
    """
    from anonymizer.hierarchy import load_hierarchy, write_arx

    hierarchy = load_hierarchy(spec)
    if out is not None and out.is_dir():
        raise AnonymizerError(f"{out}: this is a folder; name the CSV file to write.")
    if out is not None:
        write_arx(hierarchy, out, delimiter)
        print(f"{out}: {hierarchy.size:,} values, {hierarchy.height} levels")
        return
    import csv

    from anonymizer.hierarchy.arx import check_listed

    check_listed(hierarchy)
    writer = csv.writer(sys.stdout, delimiter=delimiter, lineterminator="\n")
    writer.writerows(hierarchy.rows())


@app.command("show")
def show_hierarchy(
    file: Annotated[Path, typer.Argument(help="A TOML spec or an ARX CSV file.")],
    most: Annotated[int, typer.Option(help="How many values to show below each.")] = 10,
    delimiter: DataDelimiter = None,
) -> None:
    """Draw the tree of a hierarchy.

    Example: `anonymizer hierarchy show hierarchies/adult/education.toml`
    """
    from anonymizer.hierarchy import draw, load_hierarchy

    make_console().print(draw(load_hierarchy(file, delimiter=delimiter), most))


@app.command("suggest")
def suggest_hierarchies(
    table: Annotated[Path, typer.Argument(help="A file: CSV, Parquet, Excel and others.")],
    column: Annotated[list[str] | None, typer.Option(help="Only these columns.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for the specs; none is overwritten.")
    ] = None,
    delimiter: DataDelimiter = None,
    encoding: DataEncoding = None,
    sheet: DataSheet = None,
    show_values: ShowValues = False,  # noqa: ARG001 - the callback does all
) -> None:
    """Propose a spec for each column of a table, to be looked over and filled in.

    Example: `anonymizer hierarchy suggest discharges.csv --column age --column zip --out specs`
    """
    from anonymizer.hierarchy.files import suggest_specs, write_suggestions

    specs = suggest_specs(table, column or [], delimiter, encoding, sheet)
    if out is not None:
        for path in write_suggestions(specs, out):
            print(path)
        return
    for name, spec in specs.items():
        print(f"# {name}.toml\n{spec}")


@app.command("import")
@command
def import_hierarchies(
    project: Annotated[Path, typer.Argument(help="An ARX project: a .deid file.")],
    out: Annotated[Path, typer.Option("--out", help="A folder for policy, hierarchies and data.")],
    without_data: Annotated[
        bool,
        typer.Option("--without-data", help="Leave the table out; add its path to the policy."),
    ] = False,
) -> CommandResult:
    """Write the policy, the hierarchies and the table of an ARX project; say what has no counterpart.

    Example: `anonymizer hierarchy import project.deid --out project`
    """
    return import_arx(project, out, not without_data)


def import_arx(project: Path, out: Path, with_data: bool = True) -> CommandResult:
    """Import an ARX project, and say what came of it."""
    from anonymizer.hierarchy.spec import refuse_ahs
    from anonymizer.proposal.arx_import import import_project

    refuse_ahs(project)
    imported = import_project(project, out, with_data)

    def show(console: Console) -> None:
        for path in imported.files:
            console.print(path, soft_wrap=True)
        for note in imported.notes:
            console.print(f"not carried over: {note}", soft_wrap=True)

    return CommandResult(imported.describe(), show)
