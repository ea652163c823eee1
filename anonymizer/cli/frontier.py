"""frontier: the best release at every threshold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonymizer.cli.proof import prove, stage_proofs
from anonymizer.cli.terminal import (
    Backend,
    CommandResult,
    Evaluations,
    Memory,
    PolicyFile,
    Workers,
    command,
    status_line,
)
from anonymizer.errors import PolicyError

if TYPE_CHECKING:
    from rich.console import Console

    from anonymizer.frontiers.frontier import Frontier
    from anonymizer.frontiers.points import OnStage


MOST = 10_000
"""The most thresholds of a frontier: a range that is mistyped would fill the memory."""


def parse_values(texts: list[str]) -> list[float] | None:
    """Read thresholds: single values, and ranges of whole numbers such as 2..50; None if none is given.

    >>> parse_values(["2..4", "10"])
    [2, 3, 4, 10]
    """
    values: list[float] = []
    for text in texts:
        low, dots, high = text.partition("..")
        try:
            if dots:
                whole = range(int(low), int(high) + 1)
                values += whole[: MOST + 1]
            else:
                values.append(int(text) if text.isdecimal() else float(text))
        except ValueError:
            raise PolicyError(
                f"--at {text}: this is not a threshold; give a number such as 0.05, or a range such as "
                "2..50."
            ) from None
        if dots and not whole:
            raise PolicyError(f"--at {text}: this range is empty; swap its ends: {high}..{low}.")
        if len(values) > MOST:
            raise PolicyError(f"--at {text}: more than {MOST:,} thresholds; narrow the range.")
    return values if texts else None


@command
def frontier(
    policy: PolicyFile,
    out: Annotated[Path, typer.Option("--out", help="The folder for all files.")] = Path(
        "frontier"
    ),
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="A threshold, or a range such as 2..50; default: the model's usual ones."
        ),
    ] = None,
    population: Annotated[
        list[int] | None, typer.Option(help="A size of the population; one curve for each.")
    ] = None,
    pick: Annotated[
        float | None,
        typer.Option(
            help="Also write the release of the point at this threshold; to verify it, set that "
            "threshold in the policy."
        ),
    ] = None,
    layers: Annotated[
        int | None,
        typer.Option(help="With --pick, of a policy with layers: the point with at most so many."),
    ] = None,
    proof: Annotated[
        bool,
        typer.Option(
            "--proof", help="Also write a proof file for every point, however long it takes."
        ),
    ] = False,
    workers: Workers = None,
    backend: Backend = None,
    memory: Memory = None,
    evaluations: Evaluations = None,
    utility: Annotated[
        list[str] | None,
        typer.Option(
            help="An analysis of the policy, made of the release of every point; may be repeated. The "
            "first is the utility axis of the pictures."
        ),
    ] = None,
) -> CommandResult:
    """Find the best release at every threshold of the policy's first risk model, in one pass.

    Writes frontier.csv, .json, .png, .svg and .html; with --pick also a release with its manifest; with
    --proof a proof file for each point, to be checked under the policy with its threshold.

    Example: `anonymizer frontier policy.toml --at 2..50 --out frontier --pick 5`
    """
    from anonymizer.analyses.frontier import with_analyses
    from anonymizer.data.staging import Staging
    from anonymizer.frontiers.frontier import frontier as find
    from anonymizer.frontiers.points import MAX_LAYERS
    from anonymizer.policy import Policy
    from anonymizer.report.frontier import stage_frontier
    from anonymizer.search.backends import use_backend
    from anonymizer.solution.manifest import stage_release

    if layers is not None and pick is None:
        raise PolicyError("--layers: it says which point to pick; name its threshold with --pick.")
    loaded, values = Policy.read(policy), parse_values(at or [])
    loaded = loaded.on(workers=workers, memory=memory, evaluations=evaluations)
    with Staging(out, [policy, *loaded.files]) as staging:
        with use_backend(backend, workers), stage_line(str(loaded.data_source)) as on_stage:
            for name in utility or ():
                loaded.find_analysis(name)  # better known before the search
            found = find(None, loaded, values, population or (), on_stage)
            if utility:
                found = with_analyses(found, utility)
        # a point that is not there is better known before anything is written
        number = {} if layers is None else {MAX_LAYERS: layers}
        picked = None if pick is None else found.pick(pick, **number)
        files = stage_frontier(found, staging)
        if proof:
            files |= stage_proofs(found, staging)
        if picked is not None:
            own = prove(picked, always=True) if proof else None
            files |= stage_release(picked, staging, proof=own)
    return CommandResult(found.describe(), lambda console: show(found, console), files)


@contextmanager
def stage_line(reading: str) -> Iterator[OnStage]:
    """Show the threshold in work and its search."""
    from anonymizer.report.progress import describe_stage

    with status_line(f"reading {reading}") as say:
        yield lambda stage: say(describe_stage(stage))


def show(found: Frontier, console: Console) -> None:
    """Print a frontier for people."""
    from anonymizer.report.frontier import sections
    from anonymizer.report.sections import show_sections

    console.print(show_sections(sections(found)))
