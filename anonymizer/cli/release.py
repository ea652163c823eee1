"""run, verify, apply and demo: a release and what can be shown about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonymizer.cli.proof import prove
from anonymizer.cli.study import refuse_options, run_study
from anonymizer.cli.terminal import (
    Backend,
    CommandResult,
    Evaluations,
    ManifestFile,
    MappingFile,
    Memory,
    OutFolder,
    Person,
    PolicyFile,
    ReleaseFile,
    RowsArePeople,
    Seed,
    Workers,
    command,
    progress_line,
)
from anonymizer.errors import AnonymizerError, PolicyError

if TYPE_CHECKING:
    from rich.console import Console

    from anonymizer.comparison.comparison import Comparison
    from anonymizer.explanation.explanation import Explanation
    from anonymizer.explanation.layered import LayeredExplanation
    from anonymizer.policy import Policy
    from anonymizer.report.sections import Section
    from anonymizer.search.state import OnProgress
    from anonymizer.solution.solution import Solution

EXPLANATION = "explanation.html"


def publish(
    solution: Solution,
    staging: Any,
    mapping: Path | None = None,
    seed: int | None = None,
    proof: Any = None,
) -> dict[str, Any]:
    """Write the release with its manifest and return what `--json` prints."""
    from anonymizer.data.staging import Staging
    from anonymizer.solution.manifest import stage_release
    from anonymizer.solution.release import write_mapping
    from anonymizer.solution.resume import stage_checkpoint

    files = stage_release(solution, staging, seed, proof)
    if left := stage_checkpoint(solution, staging):
        files["search"] = str(left)
    if mapping is not None:
        outputs = [staging.folder / Path(path).name for path in files.values()]
        with Staging(mapping.parent, {*staging.inputs, *outputs}) as beside:
            write_mapping(solution.release.policy, solution.schemes, beside.path(mapping.name))
        files["mapping"] = str(mapping)
    return {
        **solution.describe(),
        "findings": solution.findings.describe(),
        "seconds": solution.seconds,
        "files": files,
    }


def claim_names(staging: Any, policy: Policy, data: Path | None = None) -> None:
    """Find out before the search whether release and manifest can be written where they will go."""
    from anonymizer.data.engines.targets import check_target
    from anonymizer.problem import open_data
    from anonymizer.solution.manifest import FILE_NAME, claim_name

    staging.path(FILE_NAME)
    if data is None and policy.data_source is None:
        return
    table = open_data(data, policy)
    if policy.release.table is not None:
        check_target(table, policy.release.table, policy.release_database)
    else:
        claim_name(staging, table.file_name(policy.release.file))


def outcome_of(
    solution: Solution, result: dict[str, Any], then: Callable[[Console], object] | None = None
) -> CommandResult:
    """Say what came of a search, for scripts and for people."""

    def show(console: Console) -> None:
        from anonymizer.report.solution import summarize

        console.print(summarize(solution))
        for sentence in solution.findings.sentences():
            console.print(f"! {sentence}", soft_wrap=True)

    return CommandResult(result, show, result["files"], then=then)


@command
def run(
    policy: PolicyFile,
    out: OutFolder = Path("release"),
    mapping: MappingFile = None,
    seed: Seed = None,
    workers: Workers = None,
    backend: Backend = None,
    memory: Memory = None,
    evaluations: Evaluations = None,
    person: Person = None,
    rows_are_people: RowsArePeople = False,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds of search; overrides the policy.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where the last run into this folder stopped.")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Also say what drives the risk, what can be done, what is left."
        ),
    ] = False,
    proof: Annotated[
        bool,
        typer.Option("--proof", help="Write proof.json however long it takes, not only if quick."),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Release nothing while there is something to say of it."),
    ] = False,
    keys: Annotated[
        Path | None,
        typer.Option(help="Of linked tables: also write who has which new key, for you alone."),
    ] = None,
) -> CommandResult:
    """Find the best scheme and write the release with its manifest.

    Stopped by a limit or Ctrl-C, it releases the best so far and says how far the optimum may be. With
    --strict, or `strict = true` in [release], it releases nothing, with exit status 1, while there is
    something to say of it: people are alone by all released columns together, classes share a sensitive
    value, a column collapsed, or layers would keep more.

    Example: `anonymizer run policy.toml --out release --time-limit 60`, later with `--resume`
    """
    from anonymizer.data.staging import Staging
    from anonymizer.policy import Policy
    from anonymizer.search.backends import use_backend
    from anonymizer.solution.resume import read_checkpoint
    from anonymizer.solution.solution import anonymize

    loaded = Policy.read(policy).with_search(time_limit=time_limit)
    loaded = loaded.on(workers=workers, memory=memory, evaluations=evaluations)
    if loaded.tables:
        flat: dict[str, Any] = {"--mapping": mapping, "--backend": backend, "--person": person}
        flat |= {"--rows-are-people": rows_are_people, "--resume": resume}
        refuse_options({**flat, "--explain": explain, "--strict": strict})
        return run_study(policy, loaded, out, seed, keys, proof)
    if keys is not None:
        raise PolicyError(
            "--keys is for linked tables, and the policy has no [tables]; leave it out."
        )
    if loaded.release.register is not None:
        refuse_beside({"--explain": explain, "--resume": resume})
    loaded = loaded.with_release(strict=True) if strict else loaded
    loaded = loaded.with_people(person, rows_are_people)
    checkpoint = read_checkpoint(out, loaded) if resume else None
    with (
        use_backend(backend, workers),
        Staging(out, [policy, *loaded.files]) as staging,
        progress_line(str(loaded.data_source)) as on_progress,
    ):
        claim_names(staging, loaded)
        if explain:
            staging.path(EXPLANATION)
        solution = anonymize(None, loaded, on_progress, checkpoint)
        result = publish(solution, staging, mapping, seed, prove(solution, proof))
        explained = add_explanation(solution, staging, result, on_progress) if explain else None
    return outcome_of(solution, result, explained and partial(show_explanation, *explained))


def refuse_beside(options: dict[str, Any]) -> None:
    """Refuse what looks at one release alone where there is a register."""
    if stated := [name for name, value in options.items() if value]:
        raise PolicyError(
            f"{stated[0]} looks at one release alone, and the policy has a register of earlier ones; "
            "leave it out."
        )


def add_explanation(
    solution: Solution, staging: Any, result: dict[str, Any], on_progress: OnProgress
) -> tuple[Explanation | LayeredExplanation, Comparison]:
    """Explain a solution on a page beside the release and in what `--json` prints."""
    from anonymizer.comparison.comparison import compare
    from anonymizer.explanation.explanation import explain
    from anonymizer.report.explanation import render_page
    from anonymizer.report.provenance import provenance_of

    explanation, comparison = explain(solution, on_progress), compare(solution)
    release, worth = solution.release, add_evidence(solution, result)
    own = release.policy.release.table is None
    released = staging.path(Path(result["files"]["release"]).name) if own else None
    page = render_page(
        explanation, comparison, provenance_of(release.policy, release.table, released), worth
    )
    staging.path(EXPLANATION).write_text(page, encoding="utf-8")
    result["explanation"] = explanation.describe()
    result["comparison"] = comparison.describe()
    result["files"]["explanation"] = str(staging.folder / EXPLANATION)
    return explanation, comparison


def add_evidence(solution: Solution, result: dict[str, Any]) -> Sequence[Section]:
    """Make the policy's analyses, if it states any; a release stands even where one cannot be made."""
    from anonymizer.analyses.evidence import evidence
    from anonymizer.report.evidence import evidence_sections, not_measured

    if not solution.problem.policy.analysis:
        return ()
    try:
        found = evidence(solution)
    except AnonymizerError as error:
        return (not_measured(error),)
    result["evidence"] = found.describe()
    return evidence_sections(found)


def show_explanation(
    explanation: Explanation | LayeredExplanation, comparison: Comparison, console: Console
) -> None:
    """Print an explanation for people."""
    from anonymizer.report.explanation import render_text

    console.print(render_text(explanation, comparison))


@command
def verify(
    release: ReleaseFile,
    policy: PolicyFile,
    manifest: ManifestFile = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="The original: proves each row, checks the proof file or searches again."
        ),
    ] = None,
    proof: Annotated[
        Path | None, typer.Option(help="The proof file; default: proof.json beside the manifest.")
    ] = None,
    earlier: Annotated[
        Path | None,
        typer.Option(help="An earlier release, or its manifest: warns of who is in both."),
    ] = None,
    workers: Workers = None,
    memory: Memory = None,
    keys: Annotated[
        Path | None,
        typer.Option(help="Of linked tables: the file of `run --keys`, checked with --against."),
    ] = None,
) -> CommandResult:
    """Recompute every claim about a release; exit status 1 if one does not hold.

    Example: `anonymizer verify release/release.csv policy.toml --against discharges.csv`
    """
    from dataclasses import asdict

    from anonymizer.policy import Policy
    from anonymizer.report.sections import show_sections
    from anonymizer.report.verification import sections, verdict
    from anonymizer.verification.verification import verify as check

    loaded = Policy.read(policy).on(workers=workers, memory=memory)
    if loaded.tables:
        refuse_options({"--proof": proof, "--earlier": earlier})
    with progress_line(str(release)):
        verification = check(release, loaded, manifest, against, proof, keys)
        warning = None if earlier is None else say_earlier(release, loaded, earlier, against)
    checks = [asdict(check) for check in verification.checks]
    warned = {} if earlier is None else {"earlier": warning}
    said = {"passed": verification.passed, "checks": checks, "warnings": verification.warnings}

    def show(console: Console) -> None:
        console.print(show_sections(sections(verification)), soft_wrap=True)
        console.print(verdict(verification), soft_wrap=True)
        if warning is not None:
            console.print(f"warning: {warning}", soft_wrap=True)

    return CommandResult({**said, **warned}, show, passed=verification.passed)


def say_earlier(release: Path, policy: Policy, earlier: Path, against: Path | None) -> str | None:
    """Say what an earlier release gives away together with this one."""
    from anonymizer.attacks.attack import claims_of
    from anonymizer.attacks.earlier import warn_of_earlier

    claims = claims_of(release, None)
    return warn_of_earlier(release, policy, claims, earlier, against)


@command
def apply(
    policy: PolicyFile,
    manifest: Annotated[
        Path, typer.Argument(help="The manifest of the release whose scheme to apply.")
    ],
    data: Annotated[Path | None, typer.Option(help="The new table; default: the policy's.")] = None,
    out: OutFolder = Path("release"),
    mapping: MappingFile = None,
    seed: Seed = None,
    memory: Memory = None,
) -> CommandResult:
    """Apply a scheme found before to new data, with its risks checked again.

    Example: `anonymizer apply policy.toml release/manifest.json --data july.csv --out july`
    """
    from anonymizer.data.staging import Staging
    from anonymizer.policy import Policy
    from anonymizer.solution.manifest import as_answered, read_manifest, schemes_to_apply
    from anonymizer.solution.solution import apply as apply_scheme

    made = read_manifest(manifest)
    scheme = schemes_to_apply(made)
    loaded = as_answered(Policy.read(policy), made).on(memory=memory)
    table = data or loaded.data_source
    read = [policy, manifest, *loaded.files, *([] if data is None else [data])]
    with Staging(out, read) as staging, progress_line(str(table)):
        claim_names(staging, loaded, data)
        solution = apply_scheme(data, loaded, scheme)
        result = publish(solution, staging, mapping, seed)
    return outcome_of(solution, result)


@command
def demo(
    out: Annotated[Path, typer.Option("--out", help="The folder for all files.")] = Path("demo"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the synthetic people.")] = 2024,
) -> CommandResult:
    """Anonymize the built-in hospital register, and leave everything needed to play with it.

    Example: `anonymizer demo --out demo`
    """
    from anonymizer.cli.frontier import stage_line
    from anonymizer.data.staging import Staging
    from anonymizer.demo.example import write_example
    from anonymizer.frontiers.frontier import frontier
    from anonymizer.report.chart import standing_alone
    from anonymizer.report.frontier import stage_frontier
    from anonymizer.report.solution import draw_solution
    from anonymizer.solution.solution import anonymize

    with Staging(out) as staging:
        with progress_line("drawing people") as on_progress:
            policy = write_example(staging, seed)
            solution = anonymize(None, policy, on_progress)
            result = publish(solution, staging)
            add_explanation(solution, staging, result, on_progress)
        with stage_line("the frontier") as on_stage:
            pages = stage_frontier(frontier(None, policy, on_stage=on_stage), staging)
        picture = standing_alone(draw_solution(solution))
        staging.path("solution.svg").write_text(picture, encoding="utf-8")
        result["files"]["frontier"] = pages["html"]
        result["files"]["picture"] = str(out / "solution.svg")
        result["files"]["assessment"] = str(out / stage_example_page(policy, staging))
    return outcome_of(solution, result)


def stage_example_page(policy: Path, staging: Any) -> str:
    """Assess the register as it was before, and leave a page; return its name."""
    from anonymizer.assessment import assess
    from anonymizer.policy import Policy
    from anonymizer.problem import open_data
    from anonymizer.report.assessment import stage_page
    from anonymizer.report.chart import standing_alone
    from anonymizer.report.provenance import provenance_of
    from anonymizer.report.scenarios import draw_distribution

    attackers = policy.parent / "attackers"
    assessment = assess(
        None,
        policy,
        attackers / "voter.toml",
        statement=attackers / "statement.toml",
        sources=attackers / "sources.toml",
    )
    picture = draw_distribution(assessment.scenarios)
    staging.path("assessment.svg").write_text(standing_alone(picture), encoding="utf-8")
    loaded = Policy.read(policy)
    made_of = provenance_of(loaded, open_data(None, loaded))
    return stage_page(assessment, staging, made_of)["page"]
