"""The command line: each command reads, makes one call, writes."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from anonymizer.errors import AnonymizerError, AnonymizerWarning, InfeasibleError

if TYPE_CHECKING:
    from anonymizer.claims import Verification
    from anonymizer.search.branch_and_bound import OnProgress
    from anonymizer.solution import Solution

FAILED, BAD_INPUT = 1, 2

app = typer.Typer(
    help="The most useful version of a table about people whose risk is acceptable, with a proof.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
hierarchy_app = typer.Typer(
    help="Check, build, show and suggest generalization hierarchies.", no_args_is_help=True
)
app.add_typer(hierarchy_app, name="hierarchy", rich_help_panel="Commands")

PolicyFile = Annotated[Path, typer.Argument(help="The policy, a TOML file.", show_default=False)]
OutFolder = Annotated[Path, typer.Option("--out", help="The folder for release and manifest.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts.")]
MappingFile = Annotated[
    Path | None,
    typer.Option(help="Also write the applied mapping (attribute, value, released) to this CSV."),
]
Seed = Annotated[
    int | None, typer.Option(help="Seed of the shuffle, for tests: a known seed undoes it.")
]


def one_character(delimiter: str) -> str:
    """Refuse a delimiter of another length."""
    if len(delimiter) != 1:
        raise typer.BadParameter(f"a delimiter is one character, got {delimiter!r}")
    return delimiter


Delimiter = Annotated[
    str, typer.Option(help="What separates the cells of a CSV file.", callback=one_character)
]


def main() -> None:
    """Run the command line; a user's mistake is one message and an exit status, no traceback."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            app()
    except InfeasibleError as error:
        fail(str(error), FAILED)
    except AnonymizerError as error:
        fail(str(error), BAD_INPUT)
    except OSError as error:
        fail(f"{error.filename or 'a file'}: {error.strerror or error}.", BAD_INPUT)


def fail(message: str, status: int) -> None:
    """Say what went wrong and leave."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,  # noqa: ARG001 - the signature is Python's
    line: str | None = None,
) -> None:
    """Show our own warnings as plain sentences and others as Python does."""
    if issubclass(category, AnonymizerWarning):
        print(f"warning: {message}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), file=sys.stderr)


@contextmanager
def progress_line(reading: str) -> Iterator[OnProgress]:
    """Show what is going on, on one line of the terminal; pipes and files see nothing of it."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from anonymizer.report.text import describe_progress

    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(f"reading {reading}")
        yield lambda progress: bar.update(task, description=describe_progress(progress))


def publish(
    solution: Solution, staging: Any, mapping: Path | None = None, seed: int | None = None
) -> dict[str, Any]:
    """Write the release with its manifest and return what `--json` prints."""
    from anonymizer.files import Staging
    from anonymizer.manifest import stage_release
    from anonymizer.release import write_mapping

    files = stage_release(solution, staging, seed)
    if mapping is not None:
        outputs = [staging.folder / Path(path).name for path in files.values()]
        with Staging(mapping.parent, {*staging.inputs, *outputs}) as beside:
            write_mapping(solution.release.policy, solution.scheme, beside.path(mapping.name))
        files["mapping"] = str(mapping)
    return {**solution.describe(), "seconds": solution.seconds, "files": files}


def claim_names(staging: Any, table: Path | None) -> None:
    """Find out before the search whether release and manifest can be written where they will go."""
    from anonymizer.manifest import FILE_NAME
    from anonymizer.release import file_name

    staging.path(FILE_NAME)
    staging.path(file_name(table))


def show(solution: Solution, result: dict[str, Any], as_json: bool) -> None:
    """Print a solution as JSON or for people."""
    if as_json:
        print(json.dumps(result))
        return
    from anonymizer.report.text import summarize

    console = Console()
    console.print(summarize(solution))
    for kind, path in result["files"].items():
        console.print(f"{kind}: {path}", highlight=False, soft_wrap=True)


@app.command()
def run(
    policy: PolicyFile,
    out: OutFolder = Path("release"),
    json_: AsJson = False,
    mapping: MappingFile = None,
    seed: Seed = None,
    workers: Annotated[int | None, typer.Option(help="Threads; overrides the policy.")] = None,
) -> None:
    """Find the best scheme and write the release with its manifest.

    Example: `anonymizer run policy.toml --out release`
    """
    from anonymizer.files import Staging
    from anonymizer.policy import Policy
    from anonymizer.solution import anonymize

    loaded = Policy.read(policy)
    if workers is not None:
        search = loaded.search.model_copy(update={"workers": max(1, workers)})
        loaded = loaded.model_copy(update={"search": search})
    with (
        Staging(out, [policy, *loaded.files]) as staging,
        progress_line(str(loaded.data_path)) as on_progress,
    ):
        claim_names(staging, loaded.data_path)
        solution = anonymize(None, loaded, on_progress)
        result = publish(solution, staging, mapping, seed)
    show(solution, result, json_)


def verdict(verification: Verification) -> str:
    """Say in one line what came of a verification."""
    unchecked = sum(check.passed is None for check in verification.checks)
    rest = f", {unchecked} could not be checked" if unchecked else ""
    if verification.passed:
        return f"verified: every claim that was checked holds{rest}"
    return f"NOT verified: {len(verification.failures)} claims fail{rest}"


@app.command()
def verify(
    release: Annotated[Path, typer.Argument(help="The released file.", show_default=False)],
    policy: PolicyFile,
    manifest: Annotated[
        Path | None, typer.Option(help="The manifest; default: manifest.json beside the release.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="The original: proves each row and searches again.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """Recompute every claim about a release; exit status 1 if one does not hold.

    Example: `anonymizer verify release/release.csv policy.toml --against discharges.csv`
    """
    from dataclasses import asdict

    from anonymizer.report.text import verification_grid
    from anonymizer.verification import verify as check

    with progress_line(str(release)):
        verification = check(release, policy, manifest, against)
    if json_:
        checks = [asdict(check) for check in verification.checks]
        print(json.dumps({"passed": verification.passed, "checks": checks}))
    else:
        Console().print(verification_grid(verification))
        print(verdict(verification))
    if not verification.passed:
        raise typer.Exit(FAILED)


@app.command()
def apply(
    policy: PolicyFile,
    manifest: Annotated[
        Path, typer.Argument(help="The manifest of the release whose scheme to apply.")
    ],
    data: Annotated[Path | None, typer.Option(help="The new table; default: the policy's.")] = None,
    out: OutFolder = Path("release"),
    json_: AsJson = False,
    mapping: MappingFile = None,
    seed: Seed = None,
) -> None:
    """Apply a scheme found before to new data, with its risks checked again.

    Example: `anonymizer apply policy.toml release/manifest.json --data july.csv --out july`
    """
    from anonymizer.files import Staging
    from anonymizer.manifest import read_manifest
    from anonymizer.policy import Policy
    from anonymizer.solution import apply as apply_scheme

    scheme = read_manifest(manifest)["scheme"]
    loaded = Policy.read(policy)
    table = data or loaded.data_path
    read = [policy, manifest, *loaded.files, *([] if data is None else [data])]
    with Staging(out, read) as staging, progress_line(str(table)):
        claim_names(staging, table)
        solution = apply_scheme(data, loaded, scheme)
        result = publish(solution, staging, mapping, seed)
    show(solution, result, json_)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="The folder for all files.")] = Path("demo"),
    json_: AsJson = False,
    seed: Annotated[int, typer.Option(help="Seed of the synthetic people.")] = 2024,
) -> None:
    """Anonymize the built-in hospital register, and leave everything needed to play with it.

    Example: `anonymizer demo --out demo`
    """
    from anonymizer.demo.example import write_example
    from anonymizer.files import Staging
    from anonymizer.report.plot import plot_solution
    from anonymizer.solution import anonymize

    with Staging(out) as staging:
        with progress_line("drawing people") as on_progress:
            policy = write_example(staging, seed)
            solution = anonymize(None, policy, on_progress)
            result = publish(solution, staging)
        plot_solution(solution, staging.path("solution.png"))
        result["files"]["picture"] = str(out / "solution.png")
    show(solution, result, json_)


@hierarchy_app.command("check")
def check_hierarchies(
    files: Annotated[list[Path], typer.Argument(help="Hierarchies: ARX CSV files or TOML specs.")],
    data: Annotated[
        Path | None, typer.Option(help="A table: are its values covered? Columns by file name.")
    ] = None,
    delimiter: Delimiter = ";",
    data_delimiter: Delimiter = ",",
    json_: AsJson = False,
) -> None:
    """Find every defect at once; exit status 1 if a hierarchy cannot be used.

    Example: `anonymizer hierarchy check hierarchies/*.csv --data discharges.csv`
    """
    from dataclasses import asdict

    from anonymizer.fitting import check_files

    defects = check_files(files, data, delimiter, data_delimiter)
    if json_:
        print(json.dumps([{"file": str(file), **asdict(defect)} for file, defect in defects]))
    else:
        for file, defect in defects:
            print(f"{file}: {defect}")
        errors = sum(defect.severity == "error" for _, defect in defects)
        print(f"{len(files)} checked: {errors} errors, {len(defects) - errors} warnings")
    if any(defect.severity == "error" for _, defect in defects):
        raise typer.Exit(FAILED)


@hierarchy_app.command("build")
def build_hierarchy(
    spec: Annotated[Path, typer.Argument(help="A TOML spec (or an ARX CSV file).")],
    out: Annotated[Path | None, typer.Option("--out", help="The CSV file to write.")] = None,
    delimiter: Delimiter = ";",
) -> None:
    """Expand a spec to a CSV file as ARX reads it; without --out, to the terminal.

    Example: `anonymizer hierarchy build hierarchies/adult/age.toml --out age.csv`
    """
    from anonymizer.hierarchy import load_hierarchy, write_arx

    hierarchy = load_hierarchy(spec, delimiter=delimiter)
    if out is not None and out.is_dir():
        raise AnonymizerError(f"{out}: this is a folder; name the CSV file to write.")
    if out is not None:
        write_arx(hierarchy, out, delimiter)
        print(f"{out}: {hierarchy.size:,} values, {hierarchy.height} levels")
        return
    import csv

    writer = csv.writer(sys.stdout, delimiter=delimiter, lineterminator="\n")
    writer.writerows(hierarchy.rows())


@hierarchy_app.command("show")
def show_hierarchy(
    file: Annotated[Path, typer.Argument(help="A TOML spec or an ARX CSV file.")],
    most: Annotated[int, typer.Option(help="How many values to show below each.")] = 10,
    delimiter: Delimiter = ";",
) -> None:
    """Draw the tree of a hierarchy.

    Example: `anonymizer hierarchy show hierarchies/adult/education.toml`
    """
    from anonymizer.hierarchy import draw, load_hierarchy

    Console().print(draw(load_hierarchy(file, delimiter=delimiter), most))


@hierarchy_app.command("suggest")
def suggest_hierarchies(
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file.")],
    column: Annotated[list[str] | None, typer.Option(help="Only these columns.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for the specs; none is overwritten.")
    ] = None,
    delimiter: Delimiter = ",",
) -> None:
    """Propose a spec for each column of a table, to be looked over and filled in.

    Example: `anonymizer hierarchy suggest discharges.csv --column age --column zip --out specs`
    """
    from anonymizer.fitting import suggest_for, write_suggestions

    specs = suggest_for(table, column or [], delimiter)
    if out is not None:
        for path in write_suggestions(specs, out):
            print(path)
        return
    for name, spec in specs.items():
        print(f"# {name}.toml\n{spec}")
