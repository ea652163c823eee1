"""What the commands share: options, exit status, messages, progress."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonymizer.errors import AnonymizerWarning, legible, printable, show_values

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.progress import ProgressColumn

    from anonymizer.search.state import OnProgress

FAILED, BAD_INPUT = 1, 2

PolicyFile = Annotated[Path, typer.Argument(help="The policy, a TOML file.", show_default=False)]
ReleaseFile = Annotated[Path, typer.Argument(help="The released file.", show_default=False)]
ManifestFile = Annotated[
    Path | None, typer.Option(help="The manifest; default: manifest.json beside the release.")
]
OriginalFile = Annotated[
    Path | None, typer.Option(help="The original; default: the policy's table.")
]
OutFolder = Annotated[Path, typer.Option("--out", help="The folder for release and manifest.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts.")]
Backend = Annotated[
    str | None,
    typer.Option(help="Search in other processes: loky, dask, ray or spark. Default: threads."),
]
MappingFile = Annotated[
    Path | None,
    typer.Option(help="Also write the applied mapping (attribute, value, released) to this CSV."),
]
Person = Annotated[
    str | None,
    typer.Option(help="The column that tells whose each row is, where the policy names none."),
]
RowsArePeople = Annotated[
    bool, typer.Option("--rows-are-people", help="Each row is a person: no column tells whose.")
]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Seed of the shuffle, for tests: a known seed undoes it.")
]


Workers = Annotated[
    int | None,
    typer.Option(help="Threads of the search, or processes of a backend.", min=1, max=256),
]
Memory = Annotated[
    str | None,
    typer.Option(
        help="What DuckDB may take and a search may leave open, such as 2GB; the rest spills."
    ),
]
Evaluations = Annotated[
    int | None, typer.Option(help="The most schemes that a search evaluates.", min=1)
]


def known_delimiter(delimiter: str | None) -> str | None:
    """Refuse what cannot separate cells."""
    from anonymizer.validation import parse_delimiter

    return parsed(parse_delimiter, delimiter)


def known_encoding(encoding: str | None) -> str | None:
    """Refuse the name of an encoding that does not exist."""
    from anonymizer.validation import parse_encoding

    return parsed(parse_encoding, encoding)


def parsed(parse: Callable[[object], object], given: str | None) -> str | None:
    """Return what a check takes an option for; nothing where it is left out."""
    try:
        return None if given is None else str(parse(given))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


Delimiter = Annotated[
    str, typer.Option(help="What separates the cells of a CSV file.", callback=known_delimiter)
]
DataDelimiter = Annotated[
    str | None,
    typer.Option(
        help="What separates the cells of the table; found if not stated.", callback=known_delimiter
    ),
]


DataEncoding = Annotated[
    str | None,
    typer.Option(help="The encoding of a CSV file that is not UTF-8.", callback=known_encoding),
]
DataSheet = Annotated[str | None, typer.Option(help="The sheet of an Excel file that has several.")]


def allow_values(context: typer.Context, wanted: bool) -> bool:
    """Let messages show cells until the command ends."""
    context.with_resource(show_values(wanted))
    return wanted


ShowValues = Annotated[
    bool,
    typer.Option(
        "--show-values",
        help="Let messages show cells of the tables, which they otherwise count and locate.",
        callback=allow_values,
        is_eager=True,
    ),
]


def make_console(stderr: bool = False) -> Console:
    """Return a console that prints what it is given: names and paths may look like markup.

    What a terminal would obey comes from rich alone, never from a name.
    """
    from rich.console import Console
    from rich.segment import Segment

    class Careful(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for text, style, control in super().render(renderable, options):
                lines = [text] if control else map(printable, text.split("\n"))
                yield Segment("\n".join(lines), style, control)

    return Careful(stderr=stderr, markup=False, emoji=False, highlight=False)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What came of a command."""

    described: Any
    """What `--json` prints."""
    show: Callable[[Console], object]
    """Prints it for people."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Where files were written, by kind."""
    passed: bool = True
    """Whether the exit status is 0."""
    listed: Collection[str] | None = None
    """The kinds of files that people are told of; None: all."""
    then: Callable[[Console], object] | None = None
    """Prints what stands below the files."""


def command(function: Callable[..., CommandResult]) -> Callable[..., None]:
    """Give a command --json and --show-values, print its outcome, and leave with its status."""

    @wraps(function)
    def run(*, json_: bool, show_values: bool, **options: Any) -> None:  # noqa: ARG001
        outcome = function(**options)
        if json_:
            files = {**outcome.described, "files": outcome.files} if outcome.files else None
            print(json.dumps(files or outcome.described))
        else:
            show(outcome)
        if not outcome.passed:
            raise typer.Exit(FAILED)

    added = {"json_": AsJson, "show_values": ShowValues}
    own = signature(function, eval_str=True)
    parameters = [
        *own.parameters.values(),
        *(
            Parameter(n, Parameter.KEYWORD_ONLY, default=False, annotation=a)
            for n, a in added.items()
        ),
    ]
    run.__signature__ = own.replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
    run.__annotations__ = {**function.__annotations__, **added, "return": None}
    return run


def show(outcome: CommandResult) -> None:
    """Print an outcome for people."""
    console = make_console()
    outcome.show(console)
    for kind in outcome.files if outcome.listed is None else outcome.listed:
        console.print(f"{kind}: {outcome.files[kind]}", soft_wrap=True)
    if outcome.then is not None:
        outcome.then(console)


def fail(message: str, status: int) -> None:
    """Say what went wrong and leave."""
    print(f"error: {legible(message)}", file=sys.stderr)
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
        print(f"warning: {legible(str(message))}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), file=sys.stderr)


def is_watched() -> bool:
    """Whether messages go to a terminal; where they do not, nothing is imported to draw there."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def status_line(text: str) -> Iterator[Callable[[str], None]]:
    """Show what is going on, on one line of the terminal; pipes and files see nothing of it."""
    if not is_watched():
        yield lambda _: None
        return
    from anonymizer.kernels.compilation import while_compiling
    from anonymizer.report.progress import COMPILING

    with live_line(text) as update:

        def say(line: str) -> None:
            update(description=line)

        with while_compiling(lambda: say(COMPILING)):
            yield say


@contextmanager
def live_line(text: str, *more: ProgressColumn) -> Iterator[Callable[..., None]]:
    """Keep one line of the terminal up to date, with other columns beside the text and the time."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = make_console(stderr=True)
    said = TextColumn("{task.description}", markup=False)
    columns = SpinnerColumn(), said, *more, TimeElapsedColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as line:
        yield partial(line.update, line.add_task(text))


@contextmanager
def progress_line(reading: str) -> Iterator[OnProgress]:
    """Show how far a search is."""
    if not is_watched():
        yield lambda _: None
        return
    from anonymizer.report.progress import describe_progress

    with status_line(f"reading {reading}") as say:
        yield lambda progress: say(describe_progress(progress))
