"""steward: the procedure of Simon et al. for a table, as a report for a committee."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from anonymizer.cli.terminal import FAILED, AsJson, PolicyFile

PAGE, FIGURES = "steward.html", "steward.json"


def show_example(wanted: bool) -> None:
    """Print a statement with every key there is, and leave."""
    if wanted:
        from anonymizer.attack.statement import EXAMPLE

        print(EXAMPLE.strip())
        raise typer.Exit


def steward(
    policy: PolicyFile,
    statement: Annotated[
        Path, typer.Argument(help="What you state about sources and sensitivity, a TOML file.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for report and figures.")] = Path(
        "assessment"
    ),
    data: Annotated[Path | None, typer.Option(help="The table; default: the policy's.")] = None,
    small_cells: Annotated[
        Path | None,
        typer.Option(
            help="Also list the small cells in this CSV: real values, for your eyes only."
        ),
    ] = None,
    json_: AsJson = False,
    example: Annotated[  # noqa: ARG001 - the callback does all
        bool,
        typer.Option(
            "--example",
            help="Print a statement with every key there is.",
            callback=show_example,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Assess who could be re-identified from which source; exit status 1 if that is not acceptable.

    The policy says what the columns are. The statement says which external sources there are and what
    you know about them, for example

    ```toml
    threshold = "general"      # 0.2; or "sensitive", 0.05; or a number
    id = "patient_id"          # where people have several rows

    [sensitive]
    diagnosis = ["F32", "F33"] # the values that would do harm

    [[source]]
    name = "death register"
    keys = ["age", "sex", "state"]
    p = 0.12                   # share of its people in your table

    [[source]]
    name = "voter list"
    keys = ["age", "sex", "zip"]
    table = "voters.csv"       # at hand, so it is linked
    ```

    Example: `anonymizer steward policy.toml statement.toml --out assessment`
    """
    from anonymizer.attack.procedure import follow_procedure, list_small_cells
    from anonymizer.attack.statement import Statement
    from anonymizer.files import Staging
    from anonymizer.policy import Policy
    from anonymizer.report.plot import import_matplotlib
    from anonymizer.report.steward import render_findings, summarize_findings

    import_matplotlib()  # what is missing is better known before the table is read
    loaded, stated = Policy.read(policy), Statement.read(statement)
    read = [policy, statement, *loaded.files, *stated.files, *([] if data is None else [data])]
    console = Console(stderr=True)
    with Staging(out, read) as staging:
        page, figures = staging.path(PAGE), staging.path(FIGURES)
        with console.status(f"reading {data or loaded.data_path}") as status:
            findings = follow_procedure(data, loaded, stated, status.update)
            status.update("writing the report")
            page.write_text(render_findings(findings), encoding="utf-8")
        described = findings.describe()
        figures.write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")
        if small_cells is not None:
            with Staging(small_cells.parent, [*read, out / PAGE, out / FIGURES]) as beside:
                cells = list_small_cells(data, loaded, stated)
                cells.to_csv(beside.path(small_cells.name), index=False)
    files = {"report": str(out / PAGE), "figures": str(out / FIGURES)}
    if small_cells is not None:
        files["small cells"] = str(small_cells)
    if json_:
        print(json.dumps({**described, "files": files}))
    else:
        Console().print(summarize_findings(findings))
        for kind, path in files.items():
            Console().print(f"{kind}: {path}", highlight=False, soft_wrap=True)
    if not findings.passes:
        raise typer.Exit(FAILED)
