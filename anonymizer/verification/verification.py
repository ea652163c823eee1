"""verify: every claim about a release recomputed from the file itself, the policy and the manifest.

Nothing of the run that made the release is used. With the original at hand, each released row is
shown to be the declared generalization of an input row, and the proof file, if there is one, is checked
box by box; without one, the optimum is searched for again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonymizer.data.coded import load, read_once
from anonymizer.data.engines.targets import open_target
from anonymizer.data.opening import TableLike
from anonymizer.data.table import Table
from anonymizer.errors import quote_some
from anonymizer.hierarchy import Hierarchy
from anonymizer.kernels.compilation import working_seconds
from anonymizer.policy import Policy, PolicyLike, Role, described_now, digest_of_hierarchy
from anonymizer.problem import (
    Source,
    load_policy,
    open_data,
)
from anonymizer.problem.person import look_for_people
from anonymizer.proof.format import find_proof
from anonymizer.search import Status
from anonymizer.solution.manifest import as_answered, find_manifest, manifest_beside
from anonymizer.utility import Released
from anonymizer.verification.claims import (
    ROUNDING,
    Check,
    Verification,
    check_digest,
    check_figures,
)
from anonymizer.verification.kept import check_kept
from anonymizer.verification.layers import check_layer_losses, check_narrowed, check_values
from anonymizer.verification.models import OTHERS, WHOSE, check_risk
from anonymizer.verification.original import FIGURES, ROWS, check_against, released_columns
from anonymizer.verification.reading import (
    classes_of,
    coarsest_of,
    describe_released,
    layers_of,
    read_release,
)


def verify(
    released: TableLike,
    policy: PolicyLike,
    manifest: Mapping[str, Any] | str | Path | None = None,
    against: Source = None,
    proof: str | Path | None = None,
) -> Verification:
    """Check a release against a policy, its manifest and, if given, the original.

    The manifest of a file is looked for beside it, and so is the proof file, which is checked with the
    original at hand; without one, the optimum is searched for again. A check that cannot be made for want
    of another that failed is left out: there is then a failure to fix first. Each table is read once.
    """
    started, policy = working_seconds(), load_policy(policy)
    opened = open_released(released, policy)
    beside = proof_beside(released, manifest) if proof is None else Path(proof)
    manifest = find_manifest(released, manifest, "verify")
    # a column that the policy does not name has its default role, also where the release lacks it
    policy = as_answered(policy, manifest)
    policy = policy.with_columns([*opened.columns, *manifest["policy"].get("attributes", ())])
    table = open_release(opened, policy, against is not None)
    checks = list(check_release(table, policy, manifest))
    original = None if against is None else open_original(against, policy)
    if original is not None and all(check.passed for check in checks[2:BASIC_CHECKS]):
        with_original = list(check_against(table, original, policy, manifest, beside, started))
        done = any(check.claim == FIGURES and check.passed for check in with_original)
        if done and all(check.passed is not False for check in with_original):
            # the same rows come of applying the scheme under the policy's models to the original
            checks = [settle(check) for check in checks]
        checks += with_original
    compared = any(check.claim == ROWS for check in checks)
    if not compared and all(check.passed for check in checks[2:BASIC_CHECKS]):
        checks += check_kept(table, policy, hierarchies_used(policy, manifest))
    return Verification((*checks, *check_people(policy, manifest, original)))


def proof_beside(released: TableLike, manifest: Any) -> Path | None:
    """Return the proof file beside the manifest, or beside the release where that is not named."""
    near = manifest if isinstance(manifest, str | Path) else manifest_beside(released)
    return None if near is None else find_proof(Path(near).parent)


def open_released(released: TableLike, policy: Policy) -> Table:
    """Open a release: a file, a dataframe, or by its name the table that the policy has it written to."""
    if policy.release.table is not None and str(released) == policy.release.table:
        original = open_data(None, policy)
        return open_target(original, policy.release.table, policy.release_database)
    return policy.data.open_release(released, policy.machine.memory)


def open_original(against: TableLike, policy: Policy) -> Table:
    """Open an original; where no id is named, all columns are read at once, to look for one."""
    table = policy.data.open(against)
    return table if policy.data.id is not None else read_once(table, table.columns)


def open_release(table: Table, policy: Policy, compared: bool) -> Table:
    """See to it that a release is read once; an engine counts what is not compared row by row."""
    if not check_released_columns(table, policy).passed:
        return table  # its digest is all that is asked for
    return (load if compared else read_once)(table, released_columns(policy))


def settle(check: Check) -> Check:
    """Mark what only the original could show to hold: a risk model, or the risks in people."""
    if check.passed is not None or not (check.about_risk or check.detail in (WHOSE, OTHERS)):
        return check
    return replace(check, passed=True, detail="it holds on the original, suppressed as released")


BASIC_CHECKS = 5
"""The first checks; without them the others make no sense."""


def check_release(table: Table, policy: Policy, manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check all that can be checked without the original."""
    hierarchies = hierarchies_used(policy, manifest)
    basics = [
        check_digest("the file is the one released", table, manifest["output"]),
        check_policy(policy, manifest),
        check_hierarchies(hierarchies, manifest),
        check_schemes(policy, hierarchies, manifest),
        check_released_columns(table, policy),
    ]
    yield from basics
    if not all(check.passed for check in basics[2:]):
        return
    reading = read_release(table, policy, hierarchies, manifest)
    of_values = list(check_values(reading, manifest))
    yield from of_values
    if not all(check.passed for check in of_values):
        return
    yield check_counts(reading.rows, reading.redacted, policy, manifest)
    models = policy.load_models()
    people = input_people(policy, manifest)
    remaining = classes_of(reading, policy, models, people) if reading.kept else None
    yield from check_risk(reading, remaining, models, policy, manifest)
    in_layers = bool(layers_of(manifest))
    if in_layers and reading.kept:
        yield check_narrowed(reading, models, manifest)
    released = describe_released(reading, remaining, manifest["records"])
    yield check_loss(released, reading.hierarchies, policy, manifest)
    if in_layers:
        yield check_layer_losses(reading, policy, manifest)
    yield check_proof(manifest)


def input_people(policy: Policy, manifest: Mapping[str, Any]) -> int:
    """Return how many people the input had: its records, unless an id tells whose they are.

    Else a manifest could shrink the sample, and with it the k' of an estimated k-map.
    """
    records = manifest["records"]
    return int(records if policy.data.id is None else manifest.get("people", records))


def check_policy(policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Compare what decides a release with what the manifest says did."""
    mine, theirs = without_rows(policy.describe()), without_rows(described_now(manifest["policy"]))
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


def check_people(
    policy: Policy, manifest: Mapping[str, Any], original: Table | None
) -> Iterator[Check]:
    """Say that rows were counted where a column may tell whose they are."""
    if policy.data.id is not None:
        return
    names = list(manifest.get("person_candidates", ()))
    if original is not None:
        times = Counter(original.columns)
        there = [name for name in policy.attributes if times[name] == 1]
        names += [each.column for each in look_for_people(original, there)[0]]
    if names:
        said = "each row is a person, as was said" if policy.data.rows_are_people else None
        which = quote_some(list(dict.fromkeys(names)))
        detail = f"rows were counted: {which} may tell whose each row is"
        yield Check("people were counted", None, detail + (f"; {said}" if said else ""))


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
    most = policy.release.most_layers
    if schemes and (not policy.release.in_layers or (most or len(schemes)) < len(schemes)):
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


def check_counts(rows: int, redacted: int, policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Check that released and suppressed records are those of the input."""
    records, suppressed = manifest["records"], manifest["suppressed"]
    if policy.release.suppressed == "redact":
        passed = rows == records and redacted == suppressed
        detail = f"{rows:,} rows of which {redacted:,} redacted"
    else:
        passed = rows == records - suppressed
        detail = f"{rows:,} rows"
    limit, people = policy.release.suppression_limit, manifest.get("people", records)
    if not 0 <= suppressed <= records:
        return Check("the counts agree", False, f"{suppressed:,} of {records:,} records suppressed")
    if suppressed > limit * records + 1e-9:
        return Check(
            "the counts agree", False, f"{suppressed:,} suppressed, above the limit of {limit:g}"
        )
    if people > records or (policy.data.id is None and people != records):
        why = "" if people > records else ", and the policy names no id"
        return Check("the counts agree", False, f"{people:,} people in {records:,} records{why}")
    claimed = f"the manifest says {records:,} records and {suppressed:,} suppressed"
    return Check("the counts agree", passed, f"{detail}; {claimed}")


def check_loss(
    released: Released,
    hierarchies: Sequence[Hierarchy],
    policy: Policy,
    manifest: Mapping[str, Any],
) -> Check:
    """Recompute the loss from the released values, where that is possible."""
    claim, measure = "the quality is the one reported", policy.measure
    found = measure.of_release(released)
    if found is None:
        consistent = check_figures(claim, {"quality": 1 - manifest["loss"]}, manifest)
        detail = (
            f"{measure.name} cannot be computed from a release; give the original with --against"
        )
        return Check(claim, None, detail) if consistent.passed else consistent
    loss, losses = found
    names = [hierarchy.name for hierarchy in hierarchies]
    figures = {"loss": loss, "quality": 1 - loss}
    if losses:
        by_attribute = dict(zip(names, losses, strict=True))
        return check_figures(claim, {**figures, "attribute_loss": by_attribute}, manifest)
    return check_figures(claim, figures, manifest)


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
