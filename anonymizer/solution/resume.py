"""The file that a stopped run leaves, so that a later one can resume it; it holds levels, no values.

A resumed search believes what the file says of schemes that are pruned, and cannot check it short of
searching again. So the file is signed with the steward's key, which is not in the folder. Who can write
to the folder, but not act as the steward, cannot make a release from another search pass for the best.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from anonymizer import __version__
from anonymizer.data.files import digest_of_file
from anonymizer.data.secret import is_digest, keyed_digest
from anonymizer.data.staging import Staging
from anonymizer.data.table import Table
from anonymizer.errors import AnonymizerWarning, ReleaseError
from anonymizer.policy import Policy, digest_of_hierarchy
from anonymizer.problem import open_data
from anonymizer.search import Checkpoint
from anonymizer.solution.solution import Solution

FILE_NAME = "search.json"


def canonical(described: Any) -> bytes:
    """Write JSON in the one form that is signed."""
    return json.dumps(described, sort_keys=True, separators=(",", ":")).encode()


def fingerprint(policy: Policy, table: Table) -> str:
    """Return a keyed digest of all that decides a search: the policy, the files it names, the table."""
    others = [path for path in policy.files if path != policy.data_path]
    described = {
        "version": __version__,
        "policy": policy.describe(),
        "hierarchies": {h.name: digest_of_hierarchy(h) for h in policy.load_hierarchies()},
        "files": [[path.name, digest_of_file(path) if path.is_file() else ""] for path in others],
        "table": table.digest(),
    }
    return keyed_digest("fingerprint", canonical(described))


def stage_checkpoint(solution: Solution, staging: Staging) -> Path | None:
    """Write what a stopped search left; where it was complete, nothing, and an old file goes."""
    signed = None if solution.checkpoint is None else sign_checkpoint(solution)
    if signed is None:
        staging.remove(FILE_NAME)
        return None
    staging.private(FILE_NAME).write_text(json.dumps(signed), encoding="utf-8")
    return staging.folder / FILE_NAME


def sign_checkpoint(solution: Solution) -> dict[str, Any] | None:
    """Return a checkpoint with what it rests on, signed; without a key, warn and return None."""
    assert solution.checkpoint is not None
    release = solution.release
    try:
        kept: dict[str, Any] = {
            "fingerprint": fingerprint(release.policy, release.table),
            "search": solution.checkpoint.describe(),
        }
        return {**kept, "signature": keyed_digest("checkpoint", canonical(kept))}
    except ReleaseError as error:  # a release is not lost for want of a key
        warnings.warn(f"this run cannot be resumed; {error}", AnonymizerWarning, stacklevel=2)
        return None


def read_checkpoint(folder: Path, policy: Policy) -> Checkpoint:
    """Read what a run into a folder left, or say why it cannot be resumed."""
    path = folder / FILE_NAME
    kept = read_signed(path)
    table = open_data(None, policy)
    if kept["fingerprint"] != fingerprint(policy, table):
        raise ReleaseError(
            f"{path}: the policy, a file that it names or the table has changed since that run was "
            "stopped; leave out --resume."
        )
    return Checkpoint.read(kept["search"])


def read_signed(path: Path) -> dict[str, Any]:
    """Read the file of a stopped run, and check that nobody has changed it."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        signature = kept.pop("signature")
        kept["fingerprint"], kept["search"]
    except (FileNotFoundError, NotADirectoryError):
        raise ReleaseError(
            f"{path}: no run into this folder was stopped, so there is nothing to resume; leave out "
            "--resume."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ReleaseError(
            f"{path}: this is not what a stopped run leaves; remove it and leave out --resume."
        ) from None
    if not is_digest(signature, "checkpoint", canonical(kept)):
        raise ReleaseError(
            f"{path}: it was changed, or made on another machine; leave out --resume."
        )
    return dict(kept)
