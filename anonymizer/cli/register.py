"""register begin, show, check and forget."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonymizer.cli.terminal import CommandResult, command

if TYPE_CHECKING:
    from rich.console import Console

    from anonymizer.register.folder import Register

app = typer.Typer(
    help="Keep what earlier releases were, so that the next one is safe beside them.",
    no_args_is_help=True,
)
Folder = Annotated[Path, typer.Argument(help="The register, a folder.", show_default=False)]


@app.command("begin")
@command
def begin_register(folder: Folder) -> CommandResult:
    """Make a new, empty register, for its owner alone.

    Example: `anonymizer register begin register`
    """
    from anonymizer.register.folder import Register

    return result_of(Register.begin(folder, date.today().isoformat()))


@app.command("show")
@command
def show_register(folder: Folder) -> CommandResult:
    """List the releases of a register.

    Example: `anonymizer register show register`
    """
    from anonymizer.register.folder import Register

    return result_of(Register.read(folder))


@app.command("check")
@command
def check_register(
    folder: Folder,
    manifests: Annotated[
        list[Path] | None,
        typer.Argument(help="Manifests of releases that the register should have."),
    ] = None,
) -> CommandResult:
    """Find out whether a register is whole, and has the releases whose manifests are given.

    That its last releases were removed can only be told by their manifests. Exit status 1 if one of
    these is not in it.

    Example: `anonymizer register check register june/manifest.json july/manifest.json`
    """
    from anonymizer.data.files import digest_of_file
    from anonymizer.register.folder import Register
    from anonymizer.solution.manifest import read_manifest

    register = Register.read(folder)
    number_of = {entry.manifest: entry.number for entry in register.releases}
    for path in manifests or []:
        read_manifest(path)
    found = {str(path): number_of.get(digest_of_file(path)) for path in manifests or []}
    lacking = [path for path, number in found.items() if number is None]

    def show(console: Console) -> None:
        console.print(f"{folder}: {counted(register)}, none changed or cut.", soft_wrap=True)
        for path, number in found.items():
            said = "NOT in the register" if number is None else f"release {number}"
            console.print(f"{path}: {said}", soft_wrap=True)
        if not found:
            console.print(
                "Whether its last releases are all there can only be told by their manifests; name them.",
                soft_wrap=True,
            )

    described = {"releases": len(register.releases), "manifests": found}
    return CommandResult(described, show, passed=not lacking)


@app.command("forget")
@command
def forget_release(
    folder: Folder,
    release: Annotated[int, typer.Argument(help="The number of the release.", min=1)],
) -> CommandResult:
    """Remove who was in which class of a release; the next releases no longer look at it.

    That gives up the promise for whoever has that release too: they may tell single people apart by
    comparing it with later ones. It cannot be undone.

    Example: `anonymizer register forget register 1`
    """
    from anonymizer.register.folder import Register

    left = Register.read(folder).forget(release, date.today().isoformat())

    def show(console: Console) -> None:
        console.print(
            f"{folder}: release {release} is forgotten. Later releases are no longer safe beside it: "
            "whoever has it may intersect its classes with theirs, and subtract.",
            soft_wrap=True,
        )

    return CommandResult(describe(left), show)


def counted(register: Register) -> str:
    """Count the releases."""
    number = len(register.releases)
    return "1 release" if number == 1 else f"{number:,} releases"


def describe(register: Register) -> dict[str, object]:
    """Return the releases as JSON."""
    releases = [entry.model_dump() for entry in register.releases]
    return {"register": register.index.id, "begun": register.index.begun, "releases": releases}


def result_of(register: Register) -> CommandResult:
    """Show the releases of a register."""

    def show(console: Console) -> None:
        from anonymizer.report.sections import FigureTable, Section, show_sections

        title = f"{register.path}: {counted(register)}, begun on {register.index.begun}."
        header = ("release", "date", "people", "k", "accepted", "scheme", "")
        rows = tuple(
            (
                str(entry.number),
                entry.date,
                f"{entry.people:,}",
                str(entry.k),
                f"{entry.accepted:,}",
                ", ".join(f"{name} {level}" for name, level in entry.scheme.items()),
                "" if entry.forgotten is None else f"forgotten on {entry.forgotten}",
            )
            for entry in register.releases
        )
        tables = (FigureTable(header, rows),) if rows else ()
        console.print(show_sections((Section("", (title,), tables),)), soft_wrap=True)

    return CommandResult(describe(register), show)
