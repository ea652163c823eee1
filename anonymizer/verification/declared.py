"""What a manifest declares, against the policy and the columns of the file: before any cell is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from anonymizer.data.table import Table
from anonymizer.errors import quote_some
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy, Role, digest_of_hierarchy
from anonymizer.search import Status
from anonymizer.verification.claims import ROUNDING, Check
from anonymizer.verification.original import released_columns
from anonymizer.verification.reading import coarsest_of, layers_of


def check_policy(policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Compare what decides a release with what the manifest says did."""
    mine, theirs = without_rows(policy.describe()), without_rows(manifest["policy"])
    differing = [key for key in {**mine, **theirs} if mine.get(key) != theirs.get(key)]
    detail = f"differs in {quote_some(differing)}" if differing else "all keys agree"
    return Check("the policy is the one released under", not differing, detail)


def without_rows(described: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out that each row is a person: without an id, each is counted as one anyway."""
    data = described.get("data")
    if not isinstance(data, Mapping):
        return dict(described)
    kept = {key: value for key, value in data.items() if key != "rows_are_people"}
    others = {key: value for key, value in described.items() if key != "data"}
    return {**others, "data": kept} if kept else others


def hierarchies_used(policy: Policy, manifest: Mapping[str, Any]) -> tuple[Hierarchy, ...]:
    """Return the policy's hierarchies, with a leaf for missing cells where the release had one."""
    claimed = manifest["hierarchies"]
    return tuple(
        extended if digest_of_hierarchy(extended) == claimed.get(hierarchy.name) else hierarchy
        for hierarchy in policy.load_hierarchies()
        for extended in [hierarchy.with_missing()]
    )


def check_schemes(
    policy: Policy, hierarchies: tuple[Hierarchy, ...], manifest: Mapping[str, Any]
) -> Check:
    """Check that the scheme, or that of every layer, names a level that the policy allows for each."""
    lattice, schemes = policy.lattice(hierarchies), layers_of(manifest)
    most = policy.release.max_layers
    if schemes and (policy.release.recoding != "layers" or (most or len(schemes)) < len(schemes)):
        detail = f"{len(schemes)} layers, and the policy allows {most or 'none'}"
        return Check("the scheme names a level for each quasi-identifier", False, detail)
    wrong = [
        hierarchy.name
        for hierarchy, low, high in zip(hierarchies, lattice.low, lattice.high, strict=True)
        for scheme in schemes or (manifest["scheme"],)
        if scheme.get(hierarchy.name) not in range(low, high + 1)
    ]
    detail = f"none allowed for {quote_some(wrong)}" if wrong else f"{len(hierarchies)} levels"
    if schemes and not wrong and manifest["scheme"] != coarsest_of(schemes):
        wrong, detail = ["scheme"], "the scheme is not the highest level of any layer"
    return Check("the scheme names a level for each quasi-identifier", not wrong, detail)


def check_hierarchies(hierarchies: tuple[Hierarchy, ...], manifest: Mapping[str, Any]) -> Check:
    """Compare the hierarchies with those the release was made with."""
    claimed = manifest["hierarchies"]
    differing = [h.name for h in hierarchies if claimed.get(h.name) != digest_of_hierarchy(h)]
    detail = f"another hierarchy for {quote_some(differing)}" if differing else "SHA-256 agree"
    return Check("the hierarchies are the ones used", not differing, detail)


def check_released_columns(table: Table, policy: Policy) -> Check:
    """Check that identifying and removed columns are gone and all others there."""
    expected = released_columns(policy)
    times = Counter(table.columns)
    details = []
    for role in (Role.IDENTIFYING, Role.REMOVED):
        if left := [name for name in times if name in policy.with_role(role)]:
            details.append(f"{role.value} {quote_some(left)} is still there")
    if absent := [name for name in expected if name not in times]:
        details.append(f"{quote_some(absent)} is not there")
    if twice := sorted(name for name, count in times.items() if count > 1):
        details.append(f"{quote_some(twice)} is there twice")
    if strange := [name for name in times if name not in policy.attributes]:
        details.append(f"{quote_some(strange)} is not in the policy")
    detail = "; ".join(details) or f"{len(times)} columns as declared"
    return Check("identifying and removed columns are gone, all others there", not details, detail)


PROVEN = (Status.OPTIMAL, Status.FEASIBLE)
"""What a release with a bound may be."""


def check_proof(manifest: Mapping[str, Any]) -> Check:
    """Check that what is said of better schemes does not contradict itself."""
    claim = "the proof fits the figures"
    loss, bound, gap = manifest["loss"], manifest["bound"], manifest["gap"]
    if bound is None:
        return Check(claim, manifest["status"] == Status.APPLIED, "no bound is claimed")
    gap_fits = gap is not None and abs(gap - max(0.0, loss - bound)) <= ROUNDING
    fits = bound <= loss + ROUNDING and gap_fits and manifest["status"] in PROVEN
    if manifest["status"] == Status.OPTIMAL:
        fits &= gap is not None and gap <= ROUNDING
    return Check(claim, fits, f"{manifest['status']}, bound {bound:.9f}, loss {loss:.9f}")
