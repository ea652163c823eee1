"""verify: every claim about a release recomputed from the file itself, the policy and the manifest.

Nothing of the run that made the release is used. With the original at hand, each released row is
shown to be the declared generalization of an input row. The proof file is checked box by box; without
one, the optimum is searched for again.
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
from anonymizer.policy import Policy, PolicyLike
from anonymizer.problem import (
    load_policy,
    open_data,
)
from anonymizer.problem.person import look_for_people
from anonymizer.proof.format import find_proof
from anonymizer.solution.manifest import as_answered, find_manifest, manifest_beside
from anonymizer.utility import Released
from anonymizer.verification.claims import (
    ROUNDING,
    Check,
    Verification,
    check_digest,
    check_figures,
)
from anonymizer.verification.date_shift import check_not_compared
from anonymizer.verification.declared import (
    check_hierarchies,
    check_policy,
    check_proof,
    check_released_columns,
    check_schemes,
    hierarchies_used,
)
from anonymizer.verification.kept import check_kept
from anonymizer.verification.layers import check_layer_losses, check_narrowed, check_values
from anonymizer.verification.models import OTHERS, WHOSE, check_risk
from anonymizer.verification.original import FIGURES, ROWS, check_against, released_columns
from anonymizer.verification.reading import (
    classes_of,
    describe_released,
    layers_of,
    read_release,
)
from anonymizer.verification.register import check_register
from anonymizer.verification.study import verify_study


def verify(
    released: TableLike,
    policy: PolicyLike,
    manifest: Mapping[str, Any] | str | Path | None = None,
    against: Any = None,
    proof: str | Path | None = None,
    keys: str | Path | None = None,
) -> Verification:
    """Check a release against a policy, its manifest and, if given, the original.

    The manifest of a file is looked for beside it, and so is the proof file, which is checked with the
    original at hand; without one, the optimum is searched for again. A check that cannot be made for want
    of another that failed is left out: there is then a failure to fix first. Each table is read once.

    Where the policy links several tables, `released` is their folder, their manifest or the file of the
    people, or dataframes by name; so is `against`. `keys` is the steward's file of who has which key.
    """
    started, policy = working_seconds(), load_policy(policy)
    beside = proof_beside(released, manifest) if proof is None else Path(proof)
    if policy.tables:
        return verify_study(released, policy, manifest, against, keys, beside, started)
    opened = open_released(released, policy)
    manifest = find_manifest(released, manifest, "verify")
    # a column that the policy does not name has its default role, also where the release lacks it
    policy = as_answered(policy, manifest)
    policy = policy.with_columns([*opened.columns, *manifest["policy"].get("attributes", ())])
    table = open_release(opened, policy, against is not None)
    checks = list(check_release(table, policy, manifest))
    beside_others = list(check_register(policy, manifest))
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
        checks += check_not_compared(policy)
    return Verification((*checks, *beside_others, *check_people(policy, manifest, original)))


def proof_beside(released: TableLike, manifest: Any) -> Path | None:
    """Return the proof file beside the manifest, or beside the release where that is not named."""
    near = manifest if isinstance(manifest, str | Path) else manifest_beside(released)
    if isinstance(released, str | Path) and near is not manifest and Path(released).is_dir():
        return find_proof(Path(released))
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
    if check.passed is not None or not (
        check.about_risk or check.detail in (WHOSE, OTHERS) or check.detail.endswith(DROPPED)
    ):
        return check
    return replace(check, passed=True, detail="it holds on the original, suppressed as released")


DROPPED = "how many were dropped is counted only in the original: give it with --against"
"""What a release alone does not tell of a group that must be kept."""
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
    yield from check_groups(policy, manifest)
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


def check_groups(policy: Policy, manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check that the shares stated of groups are enough; what was dropped of them is not in a release."""
    if not policy.keep:
        return
    stated = {each["where"]: each for each in manifest.get("keep", ())}
    for keep in policy.keep:
        claim, found = f"enough is kept with {keep.where}", stated.get(keep.where)
        if found is None:
            yield Check(claim, False, "the manifest states no share of it")
        elif not 0 <= keep.at_least <= found["share"] + found["step"] / 2 + ROUNDING:
            detail = f"{found['share']:g} is stated, below {keep.at_least:g}"
            yield Check(claim, False, detail)
        else:
            yield Check(claim, None, f"{found['share']:g} is stated; {DROPPED}")


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
