"""assess: what attackers can do with a table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonymizer.cli.terminal import (
    CommandResult,
    Evaluations,
    Memory,
    PolicyFile,
    command,
    is_watched,
    live_line,
)
from anonymizer.errors import PolicyError

if TYPE_CHECKING:
    from anonymizer.assessment.assessment import Assessment
    from anonymizer.assessment.scenario_risk import OnProgress
    from anonymizer.attackers.nrf import Reidentification
    from anonymizer.attackers.statement import Statement
    from anonymizer.policy import Policy
    from anonymizer.risk import Scenario


class ExampleFile(StrEnum):
    """The files of which an example can be printed."""

    SCENARIO = "scenario"
    STATEMENT = "statement"
    SOURCES = "sources"


def show_example(wanted: ExampleFile | None) -> None:
    """Print a file with every key there is, and leave."""
    if wanted is None:
        return
    from anonymizer.attackers import disclosure, scenario, statement

    examples = {
        ExampleFile.SCENARIO: scenario.EXAMPLE,
        ExampleFile.STATEMENT: statement.EXAMPLE,
        ExampleFile.SOURCES: disclosure.EXAMPLE,
    }
    print(examples[wanted].strip())
    raise typer.Exit


@command
def assess(
    policy: PolicyFile,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            help="What an attacker may know: a TOML file, or worst-case, voter-registration, "
            "social-media, social-media-account. May be repeated."
        ),
    ] = None,
    statement: Annotated[
        Path | None,
        typer.Option(help="What you state about external sources and sensitivity, a TOML file."),
    ] = None,
    sources: Annotated[
        Path | None, typer.Option(help="Where people disclose what, a TOML file.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The table, raw or released; default: the policy's.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="The folder for page, JSON, tables.")] = Path(
        "assessment"
    ),
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
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            help="Another value of p_m, p_fm, p_c or p_cu: p_m=0.2, or a range [0.2,0.8]."
        ),
    ] = None,
    external: Annotated[
        Path | None,
        typer.Option(help="A table of what is disclosed, to count E-uniqueness; default: 1."),
    ] = None,
    e_uniqueness: Annotated[
        float | None,
        typer.Option(help="E-uniqueness of all that is disclosed, from 0 to 1; default: 1."),
    ] = None,
    small_cells: Annotated[
        Path | None,
        typer.Option(
            help="Also list the statement's small cells in this CSV: real values, for your eyes only."
        ),
    ] = None,
    person_risks: Annotated[
        Path | None,
        typer.Option(
            help="Also write the risk through the sources row by row to this CSV: for your eyes only."
        ),
    ] = None,
    apply: Annotated[
        bool,
        typer.Option(
            "--apply", help="Also write the release of the statement's plan, and its policy."
        ),
    ] = False,
    workers: Annotated[int | None, typer.Option(help="Threads; default: all cores.", min=1)] = None,
    memory: Memory = None,
    evaluations: Evaluations = None,
    example: Annotated[  # noqa: ARG001 - the callback does all
        ExampleFile | None,
        typer.Option(
            help="Print such a file with every key there is.",
            callback=show_example,
            is_eager=True,
        ),
    ] = None,
) -> CommandResult:
    """Say what attackers could do with a table: for whom, by whom, why, and what could be done.

    Three questions, in any combination; where none is asked, it is the scenario `worst-case`:

    - `--scenario`: how likely is each record re-identified by attackers who know some things and not
    others? (Xia et al. 2021)
    - `--statement`: which external sources re-identify whom, with what probability, and is that
    acceptable? (Simon et al. 2020) Exit status 1 if it is not. With `--apply` what makes all of them
    acceptable together, at the least loss, is carried out: `anonymizer verify release.csv plan.toml`.
    - `--sources`: by which combinations of what people disclose elsewhere is somebody found, who, and
    which columns are better left out? (NRF) Exit status 1 if somebody is above a stated threshold.

    The policy says what the columns are. Into the folder go a page for a committee (`assessment.html`),
    all figures (`assessment.json`), and as CSV what is longer: risks by record and by value.

    Examples:

    `anonymizer assess policy.toml --scenario voter.toml --scenario worst-case`

    `anonymizer assess policy.toml --statement statement.toml --sources sources.toml --out assessment`

    `anonymizer assess policy.toml --statement statement.toml --apply --out release`

    `anonymizer assess --example scenario > scenario.toml`
    """
    from anonymizer.assessment.assessment import assess as assess_table
    from anonymizer.attackers.disclosure import read_disclosing
    from anonymizer.attackers.statement import Statement
    from anonymizer.cli.plan import apply_plan
    from anonymizer.data.staging import Staging
    from anonymizer.policy import Policy
    from anonymizer.problem import open_data
    from anonymizer.report.assessment import summarize, write_assessment
    from anonymizer.report.provenance import provenance_of

    check_options(statement, sources, small_cells, person_risks, apply)
    loaded = Policy.read(policy).on(memory=memory, evaluations=evaluations)
    disclosing = None if sources is None else read_disclosing(sources)
    stated = None if statement is None else Statement.read(statement)
    files = find_files(scenario, others=statement is not None or sources is not None)
    scenarios = load_all(files, column, constant, population, parameter)
    given = [path for path in (policy, statement, sources, data, external) if path is not None]
    named = [path for each in (stated, disclosing) if each is not None for path in each.files]
    read = [*given, *files, *loaded.files, *named]
    with Staging(out, read) as staging, step_line() as on_progress:
        table = open_data(data, loaded)
        assessment = assess_table(
            table,
            loaded,
            scenarios or None,
            statement=statement,
            sources=disclosing,
            external=external,
            e_uniqueness=e_uniqueness,
            workers=workers,
            on_progress=on_progress,
        )
        on_progress("writing", 0, 0)
        written = write_assessment(assessment, staging, provenance_of(loaded, table))
        if apply:
            written |= apply_plan(assessment.findings, staging, data)
        if small_cells is not None and stated is not None:
            others = [*read, *map(Path, written.values())]
            write_small_cells(small_cells, data, loaded, stated, others)
            written["small cells"] = str(small_cells)
        if person_risks is not None and assessment.disclosure is not None:
            others = [*read, *map(Path, written.values())]
            write_person_risks(person_risks, assessment.disclosure, others)
            written["person risks"] = str(person_risks)
    return CommandResult(
        assessment.describe(),
        lambda console: console.print(summarize(assessment)),
        written,
        passed=assessment.passes is not False or (apply and plan_passes(assessment)),
        listed=[kind for kind in written if not kind.endswith(" table")],
        then=lambda console: console.print(count_rest(written)),
    )


def check_options(
    statement: Path | None,
    sources: Path | None,
    small_cells: Path | None,
    person_risks: Path | None,
    apply: bool,
) -> None:
    """Refuse an option that is about a question which is not asked."""
    if small_cells is not None and statement is None:
        raise PolicyError("--small-cells: the cells are those of a statement; add --statement.")
    if person_risks is not None and sources is None:
        raise PolicyError("--person-risks: the risk is that through sources; add --sources.")
    if apply and statement is None:
        raise PolicyError("--apply: the plan is that of a statement; add --statement.")


def plan_passes(assessment: Assessment) -> bool:
    """Whether the table is acceptable once the plan, which is that of the statement, is carried out."""
    findings, disclosure = assessment.findings, assessment.disclosure
    if disclosure is not None and disclosure.passes is False:
        return False
    return findings is not None and findings.plan is not None and findings.plan.acceptable


def count_rest(written: Collection[str]) -> str:
    """Say how many tables are not listed."""
    return f"and beside them {sum(kind.endswith(' table') for kind in written)} tables"


def write_small_cells(
    path: Path, data: Path | None, policy: Policy, stated: Statement, others: list[Path]
) -> None:
    """List the small cells with their values in a file beside the report."""
    from anonymizer.assessment.procedure import list_small_cells
    from anonymizer.data.staging import Staging

    with Staging(path.parent, others) as beside:
        cells = list_small_cells(data, policy, stated)
        cells.to_csv(beside.private(path.name), index=False)


def write_person_risks(path: Path, risk: Reidentification, others: list[Path]) -> None:
    """Write the risk of the person of each row, row by row, beside the report."""
    import pandas as pd

    from anonymizer.data.staging import Staging

    risks = risk.row_risks()
    if risks is None:
        raise PolicyError(
            "--person-risks: there are too many combinations to tell the risk of each person; leave out "
            "attributes with the lowest disclosure rates."
        )
    table = pd.DataFrame({"row": range(1, risks.size + 1), "risk": risks})
    with Staging(path.parent, others) as beside:
        table.to_csv(beside.private(path.name), index=False)


def find_files(names: Sequence[str] | None, others: bool) -> list[Path]:
    """Find the files of the scenarios; where nothing else is asked either, it is the worst case."""
    from anonymizer.assessment.assessment import DEFAULT_SCENARIO
    from anonymizer.attackers.catalogue import find_scenario

    asked = names or ([] if others else [DEFAULT_SCENARIO])
    return [find_scenario(name) for name in asked]


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """Split name=value options."""
    split = dict(item.split("=", 1) for item in given or () if "=" in item)
    if wrong := [item for item in given or () if "=" not in item]:
        raise PolicyError(f"{option}: '{wrong[0]}' has no '='; write attribute=name.")
    return split


def read_value(name: str, text: str) -> Any:
    """Read the value of a parameter as TOML has it."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        raise PolicyError(
            f"--parameter: {name} is '{text}', which is not a number or a range; write {name}=0.5 or "
            f"{name}=[0.2,0.8]."
        ) from None


def load_all(
    files: Sequence[Path],
    column: Sequence[str] | None,
    constant: Sequence[str] | None,
    population: int | None,
    parameter: Sequence[str] | None,
) -> dict[str, Scenario]:
    """Load the scenarios, each with the options that concern it."""
    from anonymizer.attackers.catalogue import load_scenario

    columns, constants = pairs("--column", column), pairs("--constant", constant)
    given_values = pairs("--parameter", parameter)
    parameters = {name: read_value(name, text) for name, text in given_values.items()}
    check_scenario_options(files, columns, constants, population, parameters)
    scenarios = {}
    for file in files:
        named = names_in(file)
        if file.stem in scenarios:
            raise PolicyError(f"--scenario: two are called '{file.stem}'; rename a file.")
        scenarios[file.stem] = load_scenario(
            file,
            {name: value for name, value in columns.items() if name in named},
            {name: value for name, value in constants.items() if name in named},
            population,
            parameters,
        )
    return scenarios


def check_scenario_options(
    files: Sequence[Path],
    columns: dict[str, str],
    constants: dict[str, str],
    population: int | None,
    parameters: dict[str, Any],
) -> None:
    """Refuse options about scenarios where there is none, and names that no scenario has."""
    given = {
        "--column": columns,
        "--constant": constants,
        "--population": population,
        "--parameter": parameters,
    }
    if unused := [option for option, value in given.items() if value and not files]:
        raise PolicyError(f"{unused[0]}: it is about scenarios; name one with --scenario.")
    if population is not None and population < 1:
        raise PolicyError(f"--population: {population} is too small; use 1 or more.")
    known = {name for file in files for name in names_in(file)}
    for option, names in (("--column", columns), ("--constant", constants)):
        if unknown := [name for name in names if name not in known]:
            raise PolicyError(f"{option}: no scenario speaks of '{unknown[0]}'; check the name.")


def names_in(file: Path) -> Collection[str]:
    """Return the attributes that a scenario speaks of."""
    from anonymizer.risk import Scenario

    return Scenario.read(file).named


@contextmanager
def step_line() -> Iterator[OnProgress]:
    """Show which scenario is looked at and how far, on one line of the terminal; pipes see nothing."""
    if not is_watched():
        yield lambda *_: None
        return
    from rich.progress import BarColumn

    with live_line("reading the table", BarColumn()) as update:
        yield lambda what, done, steps: update(
            description=what, completed=done, total=steps or None
        )
