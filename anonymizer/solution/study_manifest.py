"""The released tables of a study, and the manifest that says what is claimed of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from anonymizer import __version__
from anonymizer.data.opening import TableLike, open_table
from anonymizer.data.release import write_csv
from anonymizer.data.staging import Staging
from anonymizer.data.table import File, read_columns
from anonymizer.errors import AnonymizerError, ReleaseError, quote_some
from anonymizer.kernels.compilation import timed
from anonymizer.policy import digest_of_hierarchy
from anonymizer.proof.format import Proof as ProofFile
from anonymizer.risk import packages_of
from anonymizer.solution.manifest import (
    FILE_NAME,
    AtLeastOne,
    Count,
    DeclaredProof,
    Input,
    Output,
    describe_output,
    digest_of_release,
    made_in,
    old_files,
    read_manifest,
    stage_proof,
)
from anonymizer.solution.study import StudySolution

SEARCH = "search.json"
"""What a stopped search of one table leaves."""
KEYS_HEADER = ("table", "original", "released")


def make_study_manifest(
    solution: StudySolution,
    released: Mapping[str, TableLike],
    proof: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write down what is claimed of released tables: files, or dataframes of any kind.

    `proof` describes the proof file, if one was written.
    """
    problem = solution.problem
    return {
        "anonymizer": __version__,
        "policy": problem.policy.describe(),
        "packages": packages_of(problem.policy.risk),
        "hierarchies": {name: digest_of_hierarchy(h) for name, h in problem.hierarchies.items()},
        "input": solution.described_input,
        "output": {name: describe_output(open_table(table)) for name, table in released.items()},
        **solution.describe(),
        "keys": {part.name: dict(part.keys) for part in problem.parts},
        **({} if proof is None else {"proof_file": dict(proof)}),
        "seconds": made_in(solution.seconds),
    }


def write_study(
    solution: StudySolution,
    folder: str | Path,
    seed: int | None = None,
    keys: str | Path | None = None,
    proof: ProofFile | None = None,
) -> dict[str, str]:
    """Write the released tables and their manifest into a folder; return their paths.

    `keys` is a file outside it that says who has which key: it stays with the steward, and so does the
    `proof_file()` of the solution.
    """
    with Staging(folder, inputs_of(solution)) as staging:
        return stage_study(solution, staging, seed, None if keys is None else Path(keys), proof)


def inputs_of(solution: StudySolution) -> list[Path]:
    """Return the files that are read, which nothing may overwrite."""
    tables = [Path(part.table.name) for part in solution.problem.parts]
    return [*tables, *solution.problem.policy.files]


def stage_study(
    solution: StudySolution,
    staging: Staging,
    seed: int | None = None,
    keys: Path | None = None,
    proof: ProofFile | None = None,
) -> dict[str, str]:
    """Write the released tables, their manifest and a proof; return what each file will be called."""
    names = file_names(solution)
    if keys is not None and keys.resolve().parent == staging.folder.resolve():
        raise ReleaseError(
            f"{keys}: the keys would stand beside the release; name a file in another folder."
        )
    with timed(solution.seconds, "write"):
        plans = solution.plans(seed)
        for part in solution.problem.parts:
            own = part.policy
            file = File(staging.path(names[part.name]), own.data.delimiter, own.release.file)
            part.table.release(plans[part.name], file)
        remove_old(staging, set(names.values()))
        if keys is not None:
            stage_keys(solution, staging, seed, keys)
        released = {name: staging.path(file) for name, file in names.items()}
        written = stage_proof(proof, staging)
        manifest = make_study_manifest(solution, released, written)
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        staging.seal(FILE_NAME).write_text(text, encoding="utf-8")
    files = {name: str(staging.folder / file) for name, file in names.items()}
    beside = {} if keys is None else {"keys": str(keys)}
    if written is not None:
        beside["proof"] = str(staging.folder / written["name"])
    return {**files, "manifest": str(staging.folder / FILE_NAME), **beside}


def file_names(solution: StudySolution) -> dict[str, str]:
    """Return what the file of each table is called: as the table, with the end of its kind."""
    return {
        part.name: part.name
        + part.table.file_name(part.policy.release.file).removeprefix("release")
        for part in solution.problem.parts
    }


def remove_old(staging: Staging, names: set[str]) -> None:
    """Let the files of an earlier release go that stand beside its manifest as that says."""
    for path in (Path(SEARCH), *old_files(staging.folder, "")):
        if str(path) not in names:
            staging.remove(str(path))
    try:
        manifest = read_manifest(staging.folder / FILE_NAME, check_study_manifest)
    except (AnonymizerError, OSError):
        return
    for claimed in manifest["output"].values():
        path = staging.folder / Path(claimed["name"]).name
        old = path.name not in names and path.is_file()
        if old and digest_of_release(path) == claimed["sha256"]:
            staging.remove(path.name)


def stage_keys(solution: StudySolution, staging: Staging, seed: int | None, path: Path) -> None:
    """Write who has which key, for the owner of the file alone."""
    rows = key_rows(solution, seed)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(KEYS_HEADER)}
    outputs = [staging.folder / name for name in file_names(solution).values()]
    with Staging(path.parent, {*staging.inputs, *(each.resolve() for each in outputs)}) as beside:
        write_csv(pa.table(columns), beside.private(path.name), None)


def key_rows(solution: StudySolution, seed: int | None = None) -> list[tuple[str, str, str]]:
    """List table, original and released key of everybody and everything that is released."""
    keys, rows = solution.keys(seed), list[tuple[str, str, str]]()
    for part, kept in zip(solution.problem.parts, solution.rows_kept, strict=True):
        own = [column for column, table in part.keys.items() if table == part.name]
        if not own:
            continue
        column = read_columns(part.table, own)[own[0]]
        originals = [column.texts[code] for code in column.codes.tolist()]
        there = np.flatnonzero(kept).tolist()
        rows += [(part.name, originals[row], keys[part.name][row]) for row in there]
    return rows


class DeclaredTable(BaseModel):
    """How many rows a table has, before and after."""

    rows: AtLeastOne
    released: Count


class StudyManifest(BaseModel):
    """What the manifest of a study must hold for its claims to be checked."""

    model_config = ConfigDict(strict=True)

    policy: dict[str, Any]
    packages: dict[str, str] = {}
    hierarchies: dict[str, str]
    input: dict[str, Input]
    output: dict[str, Output]
    keys: dict[str, dict[str, str]]
    """By table, the columns that have random keys, and the table whose rows these name."""
    tables: dict[str, DeclaredTable]
    status: str
    scheme: dict[str, int]
    records: AtLeastOne
    people: AtLeastOne
    suppressed: Count
    loss: FiniteFloat
    quality: FiniteFloat
    bound: FiniteFloat
    gap: FiniteFloat
    attribute_loss: dict[str, FiniteFloat]
    left_out: dict[str, Any]
    risk: dict[str, dict[str, Any]]
    seconds: FiniteFloat | None = None
    proof_file: DeclaredProof | None = None


def check_study_manifest(manifest: Any, where: str) -> None:
    """Raise a ReleaseError that names what a manifest lacks or has in another form."""
    try:
        StudyManifest.model_validate(manifest)
    except ValidationError as error:
        places = [".".join(map(str, fault["loc"])) or "it" for fault in error.errors()]
        raise ReleaseError(
            f"{where}: this is not a manifest of linked tables as `anonymizer run` writes it; wrong or "
            f"missing: {quote_some(dict.fromkeys(places))}."
        ) from None
