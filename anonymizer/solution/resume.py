"""The file that a stopped run leaves, so that a later one can go on; it holds levels, no values."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from anonymizer.data.staging import Staging
from anonymizer.data.table import Table, open_table
from anonymizer.errors import ReleaseError
from anonymizer.policy import Policy, digest_of_hierarchy
from anonymizer.search import Checkpoint
from anonymizer.solution.solution import Solution

FILE_NAME = "search.json"


def fingerprint(policy: Policy, table: Table) -> str:
    """Return a digest of all that decides a search: the policy, the files it names, and the table."""
    hierarchies = {h.name: digest_of_hierarchy(h) for h in policy.load_hierarchies()}
    files = [
        hashlib.sha256(path.read_bytes()).hexdigest()
        for path in policy.files
        if path.is_file() and path != policy.data_path
    ]
    described = [policy.describe(), hierarchies, files, table.digest()]
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def stage_checkpoint(solution: Solution, staging: Staging) -> Path | None:
    """Write what a stopped search left; where it was complete, nothing, and an old file goes."""
    target = staging.folder / FILE_NAME
    if solution.checkpoint is None:
        staging.remove(FILE_NAME)
        return None
    release = solution.release
    kept = {
        "fingerprint": fingerprint(release.policy, release.table),
        "search": solution.checkpoint.describe(),
    }
    staging.path(FILE_NAME).write_text(json.dumps(kept), encoding="utf-8")
    return target


def read_checkpoint(folder: Path, policy: Policy) -> Checkpoint:
    """Read what a run into a folder left, or say why it cannot be gone on with."""
    path = folder / FILE_NAME
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        checkpoint = Checkpoint.read(kept["search"])
        written_for = kept["fingerprint"]
    except (FileNotFoundError, NotADirectoryError):
        raise ReleaseError(
            f"{path}: no run into this folder was stopped, so there is nothing to resume; leave out "
            "--resume."
        ) from None
    except (ValueError, KeyError, TypeError):
        raise ReleaseError(
            f"{path}: this is not what a stopped run leaves; remove it and leave out --resume."
        ) from None
    assert policy.data_path is not None
    if written_for != fingerprint(policy, open_table(policy.data_path, policy.data.delimiter)):
        raise ReleaseError(
            f"{path}: the policy, a hierarchy or the table has changed since that run was stopped; leave "
            "out --resume."
        )
    return checkpoint
