"""assess: what attackers can do with a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from anonymizer.cli.terminal import AsJson, PolicyFile
from anonymizer.errors import PolicyError

if TYPE_CHECKING:
    from anonymizer.attack.assessment import OnProgress
    from anonymizer.risk import Scenario


def assess(
    policy: PolicyFile,
    scenario: Annotated[
        list[str],
        typer.Option(
            help="A scenario: a TOML file, or worst-case, voter-registration, social-media."
        ),
    ],
    data: Annotated[
        Path | None, typer.Option(help="The table, raw or released; default: the policy's.")
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", help="The folder for page, tables, pictures.")
    ] = Path("assessment"),
    json_: AsJson = False,
    column: Annotated[
        list[str] | None,
        typer.Option(help="What a scenario's attribute is called in the table: state=residence."),
    ] = None,
    constant: Annotated[
        list[str] | None,
        typer.Option(help="An attribute that is the same for all in the table: state=TN."),
    ] = None,
    population: Annotated[
        int | None,
        typer.Option(help="The people the table is drawn from; default: the scenario's."),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads; default: all cores.")] = None,
) -> None:
    """Say how likely the people in a table are re-identified: for whom, by whom, and why.

    Of the policy only the quasi-identifiers and their hierarchies count.

    Example: `anonymizer assess policy.toml --scenario voter.toml --scenario worst-case --out assessment`
    """
    from anonymizer.attack.assessment import assess as assess_table
    from anonymizer.attack.catalogue import find_scenario
    from anonymizer.files import Staging
    from anonymizer.policy import Policy
    from anonymizer.report.assessment import summarize, write_assessment

    loaded = Policy.read(policy)
    files = [find_scenario(name) for name in scenario]
    scenarios = load_all(
        files, pairs("--column", column), pairs("--constant", constant), population
    )
    read = [policy, *loaded.files, *files, *([] if data is None else [data])]
    with Staging(out, read) as staging, step_line() as on_progress:
        assessment = assess_table(data, loaded, scenarios, workers, on_progress)
        on_progress("drawing", 0, 1)
        written = write_assessment(assessment, staging)
    if json_:
        print(json.dumps(assessment.describe() | {"files": written}))
        return
    console = Console()
    console.print(summarize(assessment))
    for kind, path in written.items():
        console.print(f"{kind}: {path}", highlight=False, soft_wrap=True)


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """Split name=value options."""
    split = dict(item.split("=", 1) for item in given or () if "=" in item)
    if wrong := [item for item in given or () if "=" not in item]:
        raise PolicyError(f"{option}: '{wrong[0]}' has no '='; write attribute=name.")
    return split


def load_all(
    files: Sequence[Path],
    columns: dict[str, str],
    constants: dict[str, str],
    population: int | None,
) -> dict[str, Scenario]:
    """Load the scenarios, each with the options that concern it."""
    from anonymizer.attack.catalogue import load_scenario
    from anonymizer.risk import Scenario

    if population is not None and population < 1:
        raise PolicyError(f"--population: {population} is too small; use 1 or more.")
    known = {name for file in files for name in Scenario.read(file).named}
    for option, names in (("--column", columns), ("--constant", constants)):
        if unknown := [name for name in names if name not in known]:
            raise PolicyError(f"{option}: no scenario speaks of '{unknown[0]}'; check the name.")
    scenarios = {}
    for file in files:
        named = Scenario.read(file).named
        if file.stem in scenarios:
            raise PolicyError(f"--scenario: two are called '{file.stem}'; rename a file.")
        scenarios[file.stem] = load_scenario(
            file,
            {name: value for name, value in columns.items() if name in named},
            {name: value for name, value in constants.items() if name in named},
            population,
        )
    return scenarios


@contextmanager
def step_line() -> Iterator[OnProgress]:
    """Show which scenario is looked at and how far, on one line of the terminal."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("reading the table")
        yield lambda what, done, steps: bar.update(
            task, description=what, completed=done, total=steps
        )
