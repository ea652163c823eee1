"""attack: what attackers can do with a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonymizer.cli.terminal import (
    CommandResult,
    ManifestFile,
    Memory,
    ReleaseFile,
    command,
    status_line,
)

if TYPE_CHECKING:
    from rich.console import Console

TableFile = Path | None


@command
def attack(
    release: ReleaseFile,
    against: Annotated[Path, typer.Option(help="The original.", show_default=False)],
    policy: Annotated[Path, typer.Option(help="The policy, a TOML file.", show_default=False)],
    manifest: ManifestFile = None,
    control: Annotated[
        TableFile, typer.Option(help="Records of people who are not in the release: the baseline.")
    ] = None,
    population: Annotated[
        TableFile, typer.Option(help="A list of identified people, for the collective match.")
    ] = None,
    targets: Annotated[
        TableFile,
        typer.Option(help="People with a column `member`, 1 or 0, for membership inference."),
    ] = None,
    earlier: Annotated[
        TableFile, typer.Option(help="An earlier release of some of the same people.")
    ] = None,
    earlier_policy: Annotated[
        TableFile, typer.Option(help="The policy of the earlier release, if it is another.")
    ] = None,
    earlier_against: Annotated[
        TableFile, typer.Option(help="The original of the earlier release, if it is another.")
    ] = None,
    people: Annotated[int, typer.Option(help="How many people each attack is tried on.")] = 2_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same figures.")] = 0,
    out: Annotated[
        TableFile, typer.Option("--out", help="The folder for attacks.html and attacks.json.")
    ] = None,
    memory: Memory = None,
) -> CommandResult:
    """Try attacks on a release, each with an interval and against a baseline.

    Example: `anonymizer attack release/release.csv --against discharges.csv --policy policy.toml`
    """
    from anonymizer.attacks.attack import attack as try_attacks
    from anonymizer.policy import Policy

    with status_line(f"attacking {release}"):
        found = try_attacks(
            release,
            Policy.read(policy).on(memory=memory),
            against,
            manifest=manifest,
            control=control,
            population=population,
            targets=targets,
            earlier=earlier,
            earlier_policy=earlier_policy,
            earlier_against=earlier_against,
            people=people,
            seed=seed,
        )
    given = [release, against, policy, manifest, control, population, targets, earlier]
    read = [path for path in (*given, earlier_policy, earlier_against) if path is not None]
    files = {} if out is None else write(found, out, read)

    def show(console: Console) -> None:
        from anonymizer.report.attacks import render_text

        console.print(render_text(found))

    return CommandResult(found.describe(), show, files)


def write(found: Any, out: Path, read: list[Path]) -> dict[str, str]:
    """Write the page and the figures; return where they are."""
    from anonymizer.data.files import digest_of_file
    from anonymizer.data.staging import Staging
    from anonymizer.report.attacks import stage_attacks
    from anonymizer.report.provenance import Provenance
    from anonymizer.solution.manifest import FILE_NAME

    with Staging(out, read) as staging:
        release = read[0] / FILE_NAME if read[0].is_dir() else read[0]
        made_of = Provenance(digests={"release (SHA-256)": digest_of_file(release)})
        return stage_attacks(found, staging, made_of)
