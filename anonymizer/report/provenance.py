"""Provenance: what a page was made of, when and by which version."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from anonymizer import __version__
from anonymizer.data.secret import describe_input
from anonymizer.data.table import Table
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.solution.manifest import digest_of_release


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the foot of a page says; a digest is of the policy, the original or the release."""

    made: datetime.date | None = field(default_factory=datetime.date.today)
    """None for pages that must come out the same whenever they are made, such as committed results."""
    version: str = __version__
    digests: Mapping[str, str] = field(default_factory=dict)
    """What each digest is of, and the digest."""


def digest_of_policy(policy: Policy) -> str:
    """Return the SHA-256 digest of a policy as the manifest has it, whatever its file looks like."""
    text = json.dumps(policy.describe(), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of_original(table: Table) -> dict[str, str]:
    """Return the keyed digest of an original, as the manifest has it; nothing where there is no key."""
    digest = describe_input(table)["hmac_sha256"]
    return {} if digest is None else {"original, keyed (HMAC-SHA-256)": digest}


def provenance_of(policy: Policy, table: Table, released: Path | None = None) -> Provenance:
    """Return the provenance of a page about a table, under a policy, and about a released file."""
    digests = {"policy (SHA-256)": digest_of_policy(policy), **digest_of_original(table)}
    if released is not None:
        digests["release (SHA-256)"] = digest_of_release(released)
    return Provenance(digests=digests)


def provenance_of_problem(problem: Problem) -> Provenance:
    """Return the provenance of a page about a problem."""
    return provenance_of(problem.policy, problem.table)
