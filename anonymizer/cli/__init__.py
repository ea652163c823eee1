"""The command line: each command reads, makes one call, writes."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from anonymizer import __version__
from anonymizer.cli import (
    assess,
    attack,
    decision,
    evidence,
    frontier,
    hierarchy,
    init,
    published,
    register,
    release,
    reproduce,
    studio,
)
from anonymizer.cli.terminal import BAD_INPUT, FAILED, fail, show_warning
from anonymizer.errors import AnonymizerError, InfeasibleError

NO_MEMORY = (
    "the memory is not enough; end other programs, take fewer columns or coarser hierarchies, or "
    "leave the table to an engine: a folder of Parquet files, with --memory."
)
app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command()(init.init)
app.command()(release.run)
app.command()(frontier.frontier)
app.command()(release.verify)
app.command()(evidence.evidence)
app.command()(release.apply)
app.command()(attack.attack)
app.command()(decision.decision)
app.command()(release.demo)
app.command()(assess.assess)
app.command()(published.published)
app.command()(reproduce.reproduce)
app.command()(studio.studio)
app.add_typer(hierarchy.app, name="hierarchy", rich_help_panel="Commands")
app.add_typer(register.app, name="register", rich_help_panel="Commands")


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        print(f"anonymizer {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True),
    ] = False,
) -> None:
    """The most useful version of a table about people whose risk is acceptable, with a proof."""


def main() -> None:
    """Run the command line; a user's mistake is one message and an exit status, no traceback."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            # how long a picture takes on a busy machine is nobody's concern
            warnings.filterwarnings("ignore", "Creating legend", UserWarning)
            app()
    except InfeasibleError as error:
        fail(str(error), FAILED)
    except AnonymizerError as error:
        fail(str(error), BAD_INPUT)
    except MemoryError:
        fail(NO_MEMORY, BAD_INPUT)
    except OSError as error:
        fail(f"{error.filename or 'a file'}: {error.strerror or error}.", BAD_INPUT)
