"""python -m anonymizer.proof: check a proof file with the original at hand.

It prints what is proven and what is taken on trust. Exit status: 0 if all holds, 1 if it does not, 2
where it cannot be checked: a file is missing, or there is no rule for what the policy asks.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from anonymizer.data.files import digest_of_file
from anonymizer.data.secret import digest_of_input, key_name
from anonymizer.data.table import Table
from anonymizer.errors import AnonymizerError
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy, digest_of_hierarchy
from anonymizer.problem import Problem
from anonymizer.problem.study import StudyProblem, name_of_people, tables_at
from anonymizer.proof.case import case_of, case_of_study
from anonymizer.proof.checker import TIE, Case, Checked, check
from anonymizer.proof.format import (
    PROOF_NAMES,
    Proof,
    ProofError,
    digest_of_policy,
    find_proof,
    read_proof,
)
from anonymizer.proof.table import Unsupported

HOLDS, FAILS, CANNOT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a proof file; return the exit status."""
    given = options().parse_args(arguments)
    try:
        checked, notes = run(given)
    except Unsupported as error:
        return say(CANNOT, f"cannot be checked: {error}")
    except ProofError as error:
        return say(FAILS, f"REJECTED: {error}")
    except AnonymizerError as error:
        return say(CANNOT, f"error: {error}")
    print(f"{'spot check passed' if checked.is_spot_check else 'accepted'}: {checked}")
    for note in (*(f"taken on trust: {line}" for line in checked.trusted), *notes):
        print(note)
    return HOLDS


def options() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser(prog="python -m anonymizer.proof", description=__doc__)
    parser.add_argument("release", type=Path, help="the folder of the release, or the proof file")
    parser.add_argument(
        "--against",
        type=Path,
        required=True,
        help="the original table, or the folder of linked ones",
    )
    parser.add_argument(
        "--policy", type=Path, help="the policy; default: policy.toml in or above it"
    )
    parser.add_argument("--proof", type=Path, help="the proof file; default: proof.json")
    parser.add_argument("--manifest", type=Path, help="the manifest; default: manifest.json")
    parser.add_argument(
        "--all", action="store_true", help="look at all witnesses, also if they are very many"
    )
    return parser


def say(status: int, message: str) -> int:
    """Print what went wrong."""
    print(message, file=sys.stderr)
    return status


def run(given: argparse.Namespace) -> tuple[Checked, list[str]]:
    """Read the files, compare their digests, and check the tree."""
    folder = given.release if given.release.is_dir() else given.release.parent
    named = given.proof or (None if given.release.is_dir() else given.release)
    path = named or find_proof(folder)
    if path is None or not path.is_file():
        raise AnonymizerError(
            f"{path or folder}: there is no proof file; make one with `run --proof`."
        )
    proof = read_proof(path)
    policy = Policy.read(given.policy or find_policy(folder))
    asked = study_at(given.against, policy) if policy.tables else table_at(given.against, policy)
    notes = check_origin(proof, asked)
    manifest = given.manifest or folder / "manifest.json"
    if manifest.is_file() and (given.manifest is not None or path.name in PROOF_NAMES):
        check_manifest(proof, path, read_object(manifest))
    else:
        notes.append("not compared with a manifest: there is none of it")
    return check(proof, asked.case(), all_witnesses=given.all), notes


@dataclass(frozen=True)
class Asked:
    """What a proof must be of, and the case that it is checked against."""

    policy: Policy
    hierarchies: Mapping[str, Hierarchy]
    tables: Mapping[str | None, Table]
    """By name where they are linked."""
    case: Callable[[], Case]


def table_at(path: Path, policy: Policy) -> Asked:
    """Put a policy to the one table that it is about."""
    problem = Problem.read(path, policy, warn=False)
    hierarchies = {hierarchy.name: hierarchy for hierarchy in problem.hierarchies}
    tables: dict[str | None, Table] = {None: problem.table}
    return Asked(problem.policy, hierarchies, tables, partial(case_of, problem))


def study_at(path: Path, policy: Policy) -> Asked:
    """Put a policy to linked tables: those in a folder, or the people's with those the policy names."""
    problem = StudyProblem.read(tables_at(path, policy, name_of_people(policy)), policy)
    tables: dict[str | None, Table] = {part.name: part.table for part in problem.parts}
    case = partial(case_of_study, problem.evaluator, problem.lattice)
    return Asked(problem.policy, problem.hierarchies, tables, case)


def find_policy(folder: Path) -> Path:
    """Return the policy in the folder of a release, in the one above, or here."""
    places = [folder, folder.resolve().parent, Path()]
    found = next((p / "policy.toml" for p in places if (p / "policy.toml").is_file()), None)
    if found is None:
        raise AnonymizerError(
            f"{folder}: no policy.toml is in it or beside it; name it with --policy."
        )
    return found


def check_origin(proof: Proof, asked: Asked) -> list[str]:
    """Compare digests with the tables, the policy and the hierarchies; say what cannot be."""
    if proof.origin.get("policy") != digest_of_policy(asked.policy.describe()):
        raise ProofError("the policy is another one than that of the proof.")
    hierarchies = {name: digest_of_hierarchy(h) for name, h in asked.hierarchies.items()}
    if proof.origin.get("hierarchies") != hierarchies:
        raise ProofError("the hierarchies are others than those of the proof.")
    stated = proof.origin.get("input") or {}
    for name, table in asked.tables.items():
        own = stated if name is None else stated.get(name)
        if not isinstance(own, Mapping):
            raise ProofError("the tables are others than those of the proof.")
        if own.get("key") is None or own.get("key") != key_name():
            return ["the digest of the original was not compared: its key is not on this machine"]
        if own.get("hmac_sha256") != digest_of_input(table):
            raise ProofError(f"the table{quoted(name)} is another one than that of the proof.")
    return []


def quoted(name: str | None) -> str:
    """Name one of several tables."""
    return "" if name is None else f" '{name}'"


def read_object(manifest: Path) -> Mapping[str, Any]:
    """Read a manifest as far as the proof is concerned."""
    try:
        described = json.loads(manifest.read_text(encoding="utf-8"))
        if isinstance(described, dict) and isinstance(described.get("proof_file", {}), dict):
            return described
    except (OSError, ValueError, RecursionError):
        pass
    raise ProofError(
        f"{manifest}: this is not a manifest of anonymizer; give the one of the release."
    )


def check_manifest(proof: Proof, path: Path, manifest: Mapping[str, Any]) -> None:
    """Compare the claim and the digest with those of a manifest."""
    declared = manifest.get("proof_file") or {}
    if declared.get("sha256") != digest_of_file(path):
        raise ProofError("the manifest has the digest of another proof file, or of none.")
    claim = proof.claim
    scheme = dict(zip(proof.attributes, claim.scheme, strict=True))
    loss = manifest.get("loss")
    near = isinstance(loss, int | float) and abs(loss - claim.loss) <= TIE
    if not near or (manifest.get("scheme"), manifest.get("suppressed")) != (
        scheme,
        claim.suppressed,
    ):
        raise ProofError(
            "the manifest claims another scheme, loss or number of suppressed records."
        )


if __name__ == "__main__":
    sys.exit(main())
