"""An earlier release: one sentence on what it gives away together with this one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonymizer.attacks.composition import Intersection, intersect
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.setting import AttackPlan, own_people
from anonymizer.data.opening import TableLike
from anonymizer.errors import DataError, HierarchyError, quote_some
from anonymizer.policy import Policy, Role
from anonymizer.solution.manifest import FILE_NAME, read_manifest

ADVICE = (
    "people who are in both can be told apart by intersecting their classes; `anonymizer attack "
    "--earlier` counts them, with the original and the earlier release at hand."
)


def warn_of_earlier(
    released: TableLike,
    policy: Policy,
    manifest: Mapping[str, Any] | None,
    earlier: Path,
    against: TableLike | None,
) -> str | None:
    """Say what an earlier release, named by its file or its manifest, singles out together with this.

    None where the two have no quasi-identifier in common.
    """
    claims, file = find_release(earlier)
    common = common_keys(policy, claims)
    if not common:
        return None
    found = None
    if against is not None and file is not None:
        found = people_in_both(released, policy, manifest, file, claims, against)
    if found is None:
        return f"{earlier} has {quote_some(common)} in common with this release: {ADVICE}"
    return describe(found, earlier)


def find_release(earlier: Path) -> tuple[dict[str, Any], Path | None]:
    """Return an earlier manifest, and the release if it stands beside it."""
    if earlier.suffix.lower() != ".json":
        return read_manifest(earlier.parent / FILE_NAME), earlier
    claims = read_manifest(earlier)
    file = earlier.parent / Path(claims["output"]["name"]).name
    return claims, file if file.is_file() else None


def common_keys(policy: Policy, claims: Mapping[str, Any]) -> list[str]:
    """List the quasi-identifiers that both releases have."""
    attributes = claims["policy"].get("attributes", {})
    return [
        name
        for name in policy.quasi_identifiers
        if attributes.get(name, {}).get("role") == Role.QUASI
    ]


def people_in_both(
    released: TableLike,
    policy: Policy,
    manifest: Mapping[str, Any] | None,
    file: Path,
    claims: Mapping[str, Any],
    against: TableLike,
) -> Intersection | None:
    """Intersect the classes of two releases of one policy's columns; None where that cannot be done."""
    setting = read_setting(released, against, policy, manifest, AttackPlan()).in_order()
    try:
        before = read_setting(file, against, policy, claims, AttackPlan()).in_order()
    except (DataError, HierarchyError):  # it has other columns, or other hierarchies
        return None
    return intersect(setting, own_people(setting, before))


def describe(found: Intersection, earlier: Path) -> str:
    """Say whom two releases single out together."""
    figures = found.describe()
    return (
        f"of {figures['people']:,} people who are released here and may be in {earlier} too, "
        f"{figures['alone']:,} are singled out by intersecting the two releases, and "
        f"{figures['below_both']:,} are among fewer people than the smallest class of either "
        f"({found.promised})."
    )
