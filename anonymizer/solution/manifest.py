"""The manifest: what a release claims, in a form that anyone can check; it holds no raw values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from anonymizer import __version__
from anonymizer.data.engines.targets import write_to_table
from anonymizer.data.files import digest_of_file
from anonymizer.data.opening import TableLike, open_table
from anonymizer.data.staging import Staging
from anonymizer.data.table import Table
from anonymizer.errors import AnonymizerError, ReleaseError, quote_some
from anonymizer.kernels.compilation import timed
from anonymizer.policy import Policy, digest_of_hierarchy
from anonymizer.proof.format import PROOF_NAMES
from anonymizer.proof.format import Proof as ProofFile
from anonymizer.risk import packages_of
from anonymizer.solution.findings import check_strict
from anonymizer.solution.over_time import check_register, enter
from anonymizer.solution.solution import Solution

FILE_NAME = "manifest.json"
Count = Annotated[int, Field(lt=2**63)]
"""A number of records or people, as arrays can hold it."""
AtLeastOne = Annotated[Count, Field(ge=1)]
ManifestLike = Mapping[str, Any] | str | Path | None
"""A manifest, its file, or nothing: that of a released file stands beside it."""


def make_manifest(
    solution: Solution, released: TableLike, proof: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Write down what is claimed of a release: a file, or a dataframe of any kind.

    `proof` describes the proof file, if one was written.
    """
    release = solution.release
    columns = release.microdata.columns
    return {
        "anonymizer": __version__,
        "policy": release.policy.describe(),
        "packages": packages_of(release.policy.risk),
        "hierarchies": {
            column.hierarchy.name: digest_of_hierarchy(column.hierarchy) for column in columns
        },
        **describe_overall(solution),
        **describe_candidates(solution),
        "input": solution.described_input,
        "output": describe_output(open_table(released)),
        **solution.describe(),
        "seconds": made_in(solution.seconds),
        **({} if proof is None else {"proof_file": dict(proof)}),
        "retained": round_retained(solution),
        **round_groups(solution),
    }


def round_groups(solution: Solution) -> dict[str, Any]:
    """Round what is kept of each group, so that a step is at least ten of it; no number is stated.

    From the exact number, someone who knows all other records could tell whether the last one is of the
    group.
    """
    found = [
        {
            "where": group.where,
            "at_least": group.at_least,
            "step": step,
            "share": round(round(group.share / step) * step, 9),
        }
        for group in solution.groups
        for step in [rounding_step(group.size)]
    ]
    return {"keep": found} if found else {}


def round_retained(solution: Solution) -> dict[str, float]:
    """Round what is left of each column, so that a step is at least ten people.

    From the exact share, someone who knows all other records could find the last one's value by trying.
    """
    step = rounding_step(solution.records)
    return {name: round(round(left / step) * step, 9) for name, left in solution.retained.items()}


def made_in(seconds: Mapping[str, float]) -> float:
    """Return the whole seconds it took to read, search and prove, at least one: `verify` has as many."""
    phases = ("read", "search", "prove")
    return math.ceil(max(1.0, sum(seconds.get(each, 0.0) for each in phases)))


def describe_candidates(solution: Solution) -> dict[str, Any]:
    """Name the columns that may have been ids where rows were counted."""
    names = [each.column for each in solution.problem.candidates]
    return {"person_candidates": names} if names else {}


def describe_overall(solution: Solution) -> dict[str, Any]:
    """Return the overall shares of the values that models of a sensitive attribute compare with.

    Rounded, so that a step is at least ten people: nobody who knows all others can tell the last one's
    value from it. Values that only suppressed records have are left out.
    """
    problem, suppressed = solution.problem, solution.outcome.suppressed
    classes, found = solution.outcome.classes, {}
    for name in dict.fromkeys(name for model in problem.models for name in model.inputs.sensitive):
        column, step = problem.microdata.sensitive[name], rounding_step(problem.microdata.records)
        kept = ~suppressed[classes.label_of_tuple[column.tuple_of_pair]]
        released = np.unique(column.value_of_pair[kept]).tolist()
        shares = {
            column.texts[value]: round(round(column.shares[value] / step) * step, 9)
            for value in released
        }
        found[name] = {
            "step": step,
            "shares": shares,
            "complete": len(released) == len(column.texts),
        }
    return {"overall": found} if found else {}


def rounding_step(records: int) -> float:
    """Return the round number (1, 2 or 5 times a power of ten) that is at least ten people, and 0.001.

    >>> rounding_step(1_000_000), rounding_step(30_162), rounding_step(7)
    (0.001, 0.001, 1.0)
    >>> rounding_step(1_500)
    0.01
    """
    least = min(1.0, max(0.001, 10 / max(1, records)))
    steps = (float(f"{digit}e{power}") for power in (-3, -2, -1) for digit in (1, 2, 5))
    return next((step for step in steps if step >= least), 1.0)


def describe_output(table: Table) -> dict[str, str]:
    """Name a released table by its file's name, without the folder, and its digest."""
    return {"name": Path(table.name).name, "sha256": table.digest()}


def write_release(
    solution: Solution,
    folder: str | Path,
    seed: int | None = None,
    proof: ProofFile | None = None,
) -> dict[str, str]:
    """Write the released table and its manifest into a folder; return their paths.

    With the `proof_file()` of the solution, that too: it stays with whoever has the original. Linked
    tables are written with `write_study`.
    """
    release = solution.release
    with Staging(folder, [Path(release.table.name), *release.policy.files]) as staging:
        return stage_release(solution, staging, seed, proof)


def stage_release(
    solution: Solution,
    staging: Staging,
    seed: int | None = None,
    proof: ProofFile | None = None,
) -> dict[str, str]:
    """Write the released table, its manifest and a proof; return what each file will be called."""
    target = solution.release.policy.release.table
    check_register(solution.problem.earlier, older_manifest(staging.folder), staging.folder)
    if solution.problem.policy.release.strict:
        check_strict(solution.findings)
    solution.release.microdata.clear_workspace()
    with timed(solution.seconds, "write"):
        where, released = (
            stage_file(solution, staging, seed)
            if target is None
            else stage_table(solution, staging, target)
        )
        written = stage_proof(proof, staging)
        manifest = make_manifest(solution, released, written)
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        file = staging.seal(FILE_NAME)
        file.write_text(text, encoding="utf-8")
        if (undo := enter(solution.problem, solution.outcome, manifest, file)) is not None:
            staging.undo.append(undo)
    files = {"release": where, "manifest": str(staging.folder / FILE_NAME)}
    return files if written is None else {**files, "proof": str(staging.folder / written["name"])}


def stage_proof(proof: ProofFile | None, staging: Staging) -> dict[str, Any] | None:
    """Write a proof file for its owner alone, and describe it; an older one goes."""
    name = None if proof is None else proof.file_name
    for old in PROOF_NAMES:
        if old != name:
            staging.remove(old)
    if proof is None or name is None:
        return None
    path = staging.path(name)
    proof.write(path)
    boxes = sum(1 for _ in proof.boxes())
    described = {"name": name, "sha256": digest_of_file(path)}
    return {**described, "boxes": boxes, "witnesses": len(proof.witnesses)}


def stage_file(solution: Solution, staging: Staging, seed: int | None) -> tuple[str, Table]:
    """Write the released table to a file or a folder; an older release beside its manifest goes."""
    name = solution.release.file_name
    claim_name(staging, name)
    solution.release.write(staging.path(name), solution.random(seed))
    for old in [*old_files(staging.folder, name), *old_tables(staging.folder)]:
        if not (staging.staged / old).exists():
            staging.remove(str(old))
    return str(staging.folder / name), open_table(staging.path(name))


def stage_table(solution: Solution, staging: Staging, target: str) -> tuple[str, Table]:
    """Write the released table to the database; it goes again if anything fails."""
    release = solution.release
    released, undo = write_to_table(
        release.table, release.plan(), target, release.policy.release_database
    )
    staging.undo.append(undo)
    return target, released


def claim_name(staging: Staging, name: str) -> None:
    """Check that a release may be written; a folder of that name must be a release of ours, or empty."""
    staging.path(name)
    folder = staging.folder / name
    if folder.is_dir() and any(folder.iterdir()) and not old_files(staging.folder, name):
        raise ReleaseError(
            f"{folder}: there are files that are not of the release beside its manifest; choose another "
            "folder with --out."
        )


def old_files(folder: Path, name: str) -> list[Path]:
    """List the files of the release that stands beside a manifest of its own, as paths in the folder.

    Those of a release that will be called the same are listed only if it is a folder.
    """
    old = old_release(folder)
    if old is None or (old == name and not (folder / old).is_dir()):
        return []
    files = sorted((folder / old).iterdir()) if (folder / old).is_dir() else [folder / old]
    return [path.relative_to(folder) for path in files]


def older_manifest(folder: Path) -> Mapping[str, Any]:
    """Return the manifest in a folder, as it stands; nothing where there is none."""
    try:
        return read_manifest(folder / FILE_NAME)
    except AnonymizerError:
        return {}


def old_tables(folder: Path) -> list[Path]:
    """List the files of linked tables that stand beside their manifest, as paths in the folder."""
    try:
        manifest = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
        named = [(Path(each["name"]).name, each["sha256"]) for each in manifest["output"].values()]
        return [
            Path(name)
            for name, digest in named
            if (folder / name).is_file() and digest_of_release(folder / name) == digest
        ]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return []  # none, or that of a single table


def old_release(folder: Path) -> str | None:
    """Return the name of a release in a folder, if the manifest beside it has its digest."""
    try:
        claimed = read_manifest(folder / FILE_NAME)["output"]
        path = folder / Path(claimed["name"]).name
        return path.name if digest_of_release(path) == claimed["sha256"] else None
    except (AnonymizerError, OSError):
        return None


def digest_of_release(path: Path) -> str:
    """Return the digest of a released file, or of a folder of files."""
    return open_table(path).digest() if path.is_dir() else digest_of_file(path)


class Output(BaseModel):
    """A released table by its name and digest."""

    name: str
    sha256: str


class Input(BaseModel):
    """An original by its name and keyed digest; without one where there was no key."""

    name: str
    hmac_sha256: str | None = None
    key: str | None = None
    """The name of the steward's key."""


class DeclaredProof(BaseModel):
    """The proof file by its name and digest; it is not released."""

    name: str
    sha256: str
    boxes: Count
    """Closed boxes of its tree."""
    witnesses: Count


class Profile(BaseModel):
    """A risk profile; its other figures are compared as they are."""

    sensitive: dict[str, dict[str, Any]] = {}
    """By sensitive attribute."""


class Risks(BaseModel):
    """The risk profiles of input and release."""

    before: Profile
    after: Profile


class DeclaredLayer(BaseModel):
    """One scheme of a release in layers."""

    model_config = ConfigDict(strict=True)

    scheme: dict[str, int]
    records: int
    loss: FiniteFloat


class DeclaredNarrowing(BaseModel):
    """What layers give away."""

    model_config = ConfigDict(strict=True)

    cells: int
    records: int
    by_attribute: dict[str, int]


class DeclaredOverall(BaseModel):
    """The overall shares of the released values of a sensitive attribute, rounded."""

    model_config = ConfigDict(strict=True)

    step: FiniteFloat
    """What the shares are multiples of."""
    shares: dict[str, FiniteFloat]
    complete: bool
    """Whether these are all values of the input."""


class DeclaredEarlier(BaseModel):
    """The releases before; what other ways would have cost is compared as it is."""

    model_config = ConfigDict(strict=True)

    name: str
    """That of the register."""
    releases: Count
    compared: Count
    """How many of them were not forgotten."""
    previous: str
    accepted: Count


class DeclaredReference(BaseModel):
    """How far classes are from input and release; the other figures are compared as they are."""

    model: str


class DeclaredGroup(BaseModel):
    """What is kept of a group, rounded."""

    model_config = ConfigDict(strict=True)

    where: str
    at_least: FiniteFloat
    step: FiniteFloat
    """What the share is a multiple of."""
    share: FiniteFloat


class Manifest(BaseModel):
    """What a manifest must hold for its claims to be checked."""

    model_config = ConfigDict(strict=True)

    policy: dict[str, Any]
    packages: dict[str, str] = {}
    """The package and version that each risk model comes from."""
    hierarchies: dict[str, str]
    overall: dict[str, DeclaredOverall] = {}
    """By sensitive attribute; those that a risk model looks at."""
    person_candidates: list[str] = []
    """Columns that may have told whose each row was, where rows were counted."""
    references: list[DeclaredReference] = []
    """Of the models that compare with a distribution; not there where none does."""
    input: Input
    output: Output
    status: str
    scheme: dict[str, int]
    layers: list[DeclaredLayer] = []
    """Not there where all records have one scheme."""
    narrowed: DeclaredNarrowing | None = None
    """What layers give away; None where it is not known."""
    records: AtLeastOne
    people: AtLeastOne = 1
    """Not there in older manifests."""
    suppressed: Count
    keep: list[DeclaredGroup] = []
    """Not there where the policy keeps no groups."""
    loss: FiniteFloat
    quality: FiniteFloat
    bound: FiniteFloat | None
    gap: FiniteFloat | None
    attribute_loss: dict[str, FiniteFloat] = {}
    """Not there where the measure looks at classes; where it should be, verification misses it."""
    retained: dict[str, FiniteFloat] = {}
    """What is left of each quasi-identifier, rounded; not there in older manifests."""
    collapsed: list[str] = []
    """The quasi-identifiers that have one value in nearly all released records."""
    risk: Risks
    seconds: FiniteFloat | None = None
    """What reading and searching took; not there in older manifests."""
    earlier: DeclaredEarlier | None = None
    """Not there without a register."""
    proof_file: DeclaredProof | None = None
    """Not there where none was written."""


def as_answered(policy: Policy, manifest: Mapping[str, Any]) -> Policy:
    """Return the policy with the id, or with rows as people, as `run` was told; one with an id stays.

    To count people instead of rows is never the weaker claim.
    """
    said = manifest["policy"].get("data")
    if policy.data.id is not None or not isinstance(said, Mapping):
        return policy
    person = said.get("id")
    if person is None:
        return policy.with_people(None, said.get("rows_are_people") is True)
    known = person in policy.attributes or policy.data.default_role is not None
    return policy.with_people(person) if known and isinstance(person, str) else policy


def schemes_to_apply(manifest: Mapping[str, Any]) -> dict[str, int] | list[dict[str, int]]:
    """Return the scheme of a release, or those of its layers, as `apply` takes them."""
    layers = manifest.get("layers")
    return [layer["scheme"] for layer in layers] if layers else dict(manifest["scheme"])


def check_manifest(manifest: Any, where: str) -> None:
    """Raise a ReleaseError that names what a manifest lacks or has in another form."""
    if isinstance(manifest, Mapping) and isinstance(manifest.get("tables"), Mapping):
        raise ReleaseError(f"{where}: this is the manifest of linked tables; use verify.")
    try:
        attributes = Manifest.model_validate(manifest).policy.get("attributes", {})
        places = [] if isinstance(attributes, Mapping) else ["policy.attributes"]
    except ValidationError as error:
        places = [".".join(map(str, fault["loc"])) or "it" for fault in error.errors()]
    if places:
        raise ReleaseError(
            f"{where}: this is not a manifest as `anonymizer run` writes it; wrong or missing: "
            f"{quote_some(dict.fromkeys(places))}."
        )


def manifest_beside(released: TableLike) -> Path | None:
    """Return where the manifest of a released file stands; a dataframe has none."""
    return Path(released).parent / FILE_NAME if isinstance(released, str | Path) else None


def find_manifest(released: TableLike, manifest: ManifestLike, who: str) -> Mapping[str, Any]:
    """Take the manifest that is given, or read it; that of a file stands beside it."""
    given = manifest_beside(released) if manifest is None else manifest
    if given is None:
        raise ReleaseError(f"{who} needs the manifest of a dataframe; pass it as `manifest`.")
    if isinstance(given, str | Path):
        return read_manifest(given)
    check_manifest(given, "the manifest")
    return given


def read_manifest(
    path: str | Path, check: Callable[[Any, str], None] = check_manifest
) -> dict[str, Any]:
    """Read a manifest back, or say what is wrong with the file."""
    path = Path(path)
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise ReleaseError(f"{path}: there is no such manifest; name it with --manifest.") from None
    except ValueError:
        raise ReleaseError(f"{path}: this is not a manifest (not valid JSON).") from None
    check(manifest, str(path))
    return dict(manifest)
