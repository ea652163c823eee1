"""The released tables of a study, and the manifest that says what is claimed of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from anonymizer import __version__
from anonymizer.data.opening import TableLike, open_table
from anonymizer.data.release import write_csv
from anonymizer.data.staging import Staging
from anonymizer.data.table import File, Table, read_columns
from anonymizer.errors import ReleaseError, quote_some
from anonymizer.kernels.compilation import timed
from anonymizer.policy import Policy, digest_of_hierarchy
from anonymizer.problem.study import open_tables
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
    made_in,
    old_files,
    old_tables,
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
    parts, policy = solution.problem.parts, solution.problem.policy
    names = file_names({part.name: part.table for part in parts}, policy)
    check_keys(staging, keys)
    with timed(solution.seconds, "write"):
        plans = solution.plans(seed)
        for part in parts:
            delimiter = part.policy.data.delimiter
            file = File(staging.path(names[part.name]), delimiter, policy.release.file)
            part.table.release(plans[part.name], file)
        remove_old(staging, set(names.values()))
        if keys is not None:
            stage_keys(solution, staging, seed, keys, names.values())
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


def claim_names(staging: Staging, policy: Policy, keys: Path | None) -> None:
    """Find out before the search whether all files can be written where they will go."""
    staging.path(FILE_NAME)
    for name in file_names(open_tables(None, policy), policy).values():
        staging.path(name)
    check_keys(staging, keys)


def check_keys(staging: Staging, keys: Path | None) -> None:
    """Raise a ReleaseError if who has which key would be written beside the release."""
    if keys is not None and keys.resolve().parent == staging.folder.resolve():
        raise ReleaseError(
            f"{keys}: the keys would stand beside the release; name a file in another folder."
        )


def file_names(tables: Mapping[str, Table], policy: Policy) -> dict[str, str]:
    """Return what the file of each table is called: as the table, with the end of its kind."""
    kind = policy.release.file
    return {
        name: name + table.file_name(kind).removeprefix("release") for name, table in tables.items()
    }


def remove_old(staging: Staging, names: set[str]) -> None:
    """Let the files of an earlier release go that stand beside its manifest as that says."""
    for path in (Path(SEARCH), *old_files(staging.folder, ""), *old_tables(staging.folder)):
        if str(path) not in names:
            staging.remove(str(path))


def stage_keys(
    solution: StudySolution, staging: Staging, seed: int | None, path: Path, names: Iterable[str]
) -> None:
    """Write who has which key, for the owner of the file alone."""
    rows = key_rows(solution, seed)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(KEYS_HEADER)}
    outputs = [staging.folder / name for name in names]
    with Staging(path.parent, [*staging.inputs, *outputs]) as beside:
        write_csv(pa.table(columns), beside.private(path.name), None)


def key_rows(solution: StudySolution, seed: int | None = None) -> list[tuple[str, str, str]]:
    """List table, original and released key of everybody and everything that is released."""
    keys, rows = solution.keys(seed), list[tuple[str, str, str]]()
    for part, kept in zip(solution.problem.parts, solution.rows_kept, strict=True):
        own = [column for column, table in part.keys.items() if table == part.name]
        if not own:
            continue
        originals = read_columns(part.table, own)[own[0]].cells()
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
