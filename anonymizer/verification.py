"""verify: every claim about a release recomputed from the file itself, the policy and the manifest.

Nothing of the run that made the release is used. With the original at hand, each released row is
shown to be the declared generalization of an input row, and the optimum is searched for again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.classes import partition
from anonymizer.errors import AnonymizerError, quote_some
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.manifest import FILE_NAME, read_manifest
from anonymizer.microdata import GeneralizedTable, encode, label_keys
from anonymizer.policy import Policy, Role, digest_of_hierarchy
from anonymizer.release import REDACTED
from anonymizer.risk import Need, Remaining, RiskModel
from anonymizer.search.result import TIE, Status
from anonymizer.solution import (
    Source,
    anonymize,
    apply,
    describe_risk,
    load_policy,
    open_population,
)
from anonymizer.table import (
    ArrowTable,
    Cells,
    FrameTable,
    MemoryTable,
    Table,
    open_table,
    text_of,
)
from anonymizer.utility.loss import attribute_loss

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Check:
    """One claim and whether it holds; `passed` is None where it could not be checked."""

    claim: str
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """All claims about a release."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every claim that could be checked holds, and the risk models were checked."""
        failed = any(check.passed is False for check in self.checks)
        return not failed and any(check.passed for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The claims that do not hold."""
        return tuple(check for check in self.checks if check.passed is False)


def verify(
    released: str | Path | pd.DataFrame,
    policy: Policy | str | Path,
    manifest: Mapping[str, Any] | str | Path | None = None,
    against: Source = None,
) -> Verification:
    """Check a release against a policy, its manifest and, if given, the original.

    The manifest of a file is looked for beside it. A check that cannot be made for want of another
    that failed is left out: there is then a failure to mend first.
    """
    policy = load_policy(policy)
    if manifest is None and isinstance(released, str | Path):
        manifest = Path(released).parent / FILE_NAME
    if isinstance(manifest, str | Path):
        manifest = read_manifest(manifest)
    if manifest is None:
        raise AnonymizerError("verify needs the manifest of a dataframe; pass it as `manifest`.")
    table = open_table(released, policy.data.delimiter)
    checks = list(check_release(table, policy, manifest))
    if against is not None and all(check.passed for check in checks[2:BASIC_CHECKS]):
        original = open_table(against, policy.data.delimiter)
        checks += check_against(table, original, policy, manifest)
    return Verification(tuple(checks))


BASIC_CHECKS = 5
"""The first checks; without them the others make no sense."""


def check_release(table: Table, policy: Policy, manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check all that can be checked without the original."""
    hierarchies = hierarchies_used(policy, manifest)
    basics = [
        check_digest("the file is the one released", table, manifest["output"]),
        check_policy(policy, manifest),
        check_hierarchies(hierarchies, manifest),
        check_scheme(hierarchies, manifest["scheme"]),
        check_released_columns(table, policy),
    ]
    yield from basics
    if not all(check.passed for check in basics[2:]):
        return
    reading = read_released(table, policy, hierarchies, manifest["scheme"])
    yield check_values(reading)
    if reading.unknown:
        return
    yield check_counts(reading, policy, manifest)
    yield from check_risk(reading, policy, manifest)
    yield check_loss(reading, policy, manifest)


def check_digest(claim: str, table: Table, expected: Mapping[str, Any]) -> Check:
    """Compare a table's digest with the manifest's."""
    same = table.digest() == expected["sha256"]
    detail = "SHA-256 agrees" if same else f"{table.name} has another SHA-256 than in the manifest"
    return Check(claim, same, detail)


def check_policy(policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Compare what decides a release with what the manifest says did."""
    mine, theirs = policy.describe(), manifest["policy"]
    differing = [key for key in mine if mine[key] != theirs.get(key)]
    detail = f"differs in {quote_some(differing)}" if differing else "all keys agree"
    return Check("the policy is the one released under", not differing, detail)


def hierarchies_used(policy: Policy, manifest: Mapping[str, Any]) -> tuple[Hierarchy, ...]:
    """Return the policy's hierarchies, with a leaf for missing cells where the release had one."""
    claimed = manifest["hierarchies"]
    return tuple(
        extended if digest_of_hierarchy(extended) == claimed.get(hierarchy.name) else hierarchy
        for hierarchy in policy.hierarchies()
        for extended in [hierarchy.with_missing()]
    )


def check_scheme(hierarchies: tuple[Hierarchy, ...], scheme: Mapping[str, int]) -> Check:
    """Check that the scheme names a level of each hierarchy."""
    wrong = [h.name for h in hierarchies if scheme.get(h.name) not in range(h.height)]
    detail = f"none for {quote_some(wrong)}" if wrong else f"{len(hierarchies)} levels"
    return Check("the scheme names a level for each quasi-identifier", not wrong, detail)


def check_hierarchies(hierarchies: tuple[Hierarchy, ...], manifest: Mapping[str, Any]) -> Check:
    """Compare the hierarchies with those the release was made with."""
    claimed = manifest["hierarchies"]
    differing = [h.name for h in hierarchies if claimed.get(h.name) != digest_of_hierarchy(h)]
    detail = f"another hierarchy for {quote_some(differing)}" if differing else "SHA-256 agree"
    return Check("the hierarchies are the ones used", not differing, detail)


def check_released_columns(table: Table, policy: Policy) -> Check:
    """Check that identifying columns are gone and all others there."""
    identifying = policy.with_role(Role.IDENTIFYING)
    expected = [name for name in policy.attributes if name not in identifying]
    columns = table.columns
    details = []
    if left := [name for name in columns if name in identifying]:
        details.append(f"identifying {quote_some(left)} is still there")
    if absent := [name for name in expected if name not in columns]:
        details.append(f"{quote_some(absent)} is not there")
    if strange := [name for name in columns if name not in policy.attributes]:
        details.append(f"{quote_some(strange)} is not in the policy")
    detail = "; ".join(details) or f"{len(columns)} columns as declared"
    return Check("identifying columns are gone, all others there", not details, detail)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The quasi-identifiers of a release as read back from it."""

    hierarchies: tuple[Hierarchy, ...]
    scheme: Mapping[str, int]
    columns: dict[str, Cells]
    """The records that are not redacted."""
    rows: int
    redacted: int
    unknown: dict[str, list[str]]
    """Values that are not of the declared level, by attribute."""

    @property
    def kept(self) -> int:
        """The number of records that are not redacted."""
        return self.rows - self.redacted


def read_released(
    table: Table, policy: Policy, hierarchies: tuple[Hierarchy, ...], scheme: Mapping[str, int]
) -> Reading:
    """Read the quasi-identifiers back, and set redacted records apart."""
    read = {h.name: read_column(table, h.name) for h in hierarchies}
    columns = {name: Cells(numbers, texts) for name, (texts, numbers) in read.items()}
    redacted = find_redacted(columns, policy, hierarchies, scheme)
    kept = {name: Cells(c.indices[~redacted], c.distinct).compact() for name, c in columns.items()}
    known = {h.name: set(h.labels[scheme[h.name]]) for h in hierarchies}
    unknown = {
        name: strange
        for name, cells in kept.items()
        if (strange := [text for text in cells.distinct if text not in known[name]])
    }
    return Reading(hierarchies, scheme, kept, redacted.size, int(redacted.sum()), unknown)


def find_redacted(
    columns: Mapping[str, Cells],
    policy: Policy,
    hierarchies: tuple[Hierarchy, ...],
    scheme: Mapping[str, int],
) -> NDArray[np.bool_]:
    """Mark the records whose every quasi-identifier is redacted.

    Where every attribute is at a top of the same name, nothing tells a redacted record from another;
    but then there is one class, and nothing was suppressed.
    """
    stars = [
        np.array([text == REDACTED for text in cells.distinct] + [False])[cells.indices]
        for cells in columns.values()
    ]
    all_top = all(REDACTED in h.labels[scheme[h.name]] for h in hierarchies)
    redacts = policy.release.suppressed == "redact" and not all_top
    redacted: NDArray[np.bool_] = np.logical_and.reduce(stars) & redacts
    return redacted


def read_column(table: Table, column: str) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct texts of a column and the number of each row's text."""
    numbers_of: dict[str, int] = {}
    parts = []
    for (cells,) in table.batches([column]):
        texts = [*(text_of(value) for value in cells.distinct), MISSING]
        missing = bool((cells.indices < 0).any())
        known = [
            numbers_of.setdefault(text, len(numbers_of))
            for text in (texts if missing else texts[:-1])
        ]
        parts.append(np.array(known, np.int64)[cells.indices])
    numbers = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    return list(numbers_of), numbers


def check_values(reading: Reading) -> Check:
    """Check that each value is one of the declared level of its hierarchy."""
    details = [
        f"column '{name}' has {quote_some(texts)}, not a value of level {reading.scheme[name]}"
        for name, texts in reading.unknown.items()
    ]
    detail = "; ".join(details) or "every cell is of the level in the scheme"
    return Check("every quasi-identifier is generalized as declared", not details, detail)


def check_counts(reading: Reading, policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Check that released and suppressed records are those of the input."""
    records, suppressed = manifest["records"], manifest["suppressed"]
    if policy.release.suppressed == "redact":
        passed = reading.rows == records and reading.redacted == suppressed
        detail = f"{reading.rows} rows of which {reading.redacted} redacted"
    else:
        passed = reading.rows == records - suppressed
        detail = f"{reading.rows} rows"
    limit = policy.search.suppression_limit
    if suppressed > limit * records + 1e-9:
        return Check("the counts agree", False, f"{suppressed} suppressed, above the limit {limit}")
    claimed = f"the manifest says {records} records and {suppressed} suppressed"
    return Check("the counts agree", passed, f"{detail}; {claimed}")


def check_risk(reading: Reading, policy: Policy, manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check the risk models and the reported profile on the file as it is."""
    if reading.kept == 0:
        yield Check("the risk models hold", True, "no record is released")
        return
    remaining = classes_of(reading, policy, manifest["records"])
    for model in policy.models:
        yield check_model(model, remaining)
    kept = np.ones(remaining.classes.sizes.size, np.bool_)
    mine = asdict(describe_risk(policy, remaining.classes, kept))
    differing = differing_keys(mine, manifest["risk"]["after"])
    detail = f"differs in {quote_some(differing)}" if differing else "all figures agree"
    yield Check("the risk of the file is the one reported", not differing, detail)


def classes_of(reading: Reading, policy: Policy, input_records: int) -> Remaining:
    """Partition the released records by their values as they are."""
    hierarchies = [h.from_level(reading.scheme[h.name]) for h in reading.hierarchies]
    population = open_population(policy)
    if population is not None:
        population = GeneralizedTable(population, reading.hierarchies, reading.scheme)
    microdata = encode(MemoryTable(reading.columns), hierarchies, population)
    classes = partition(microdata, (0,) * len(hierarchies))
    classes = replace(classes, input_records=input_records)
    return Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))


def check_model(model: RiskModel, remaining: Remaining) -> Check:
    """Check one risk model on the released classes."""
    claim = f"{model} holds"
    if Need.ORIGINAL_VALUES in model.needs:
        return Check(claim, None, "it looks at values that the release no longer has")
    sizes = remaining.classes.sizes
    breaking = model.breaking(remaining.classes)
    if breaking.any():
        records = int(sizes[breaking].sum())
        detail = f"{int(breaking.sum())} classes with {records} records break it; the smallest has "
        return Check(claim, False, f"{detail}{int(sizes[breaking].min())}")
    risk = model.risk(remaining)
    return Check(claim, model.passes(remaining), f"{sizes.size} classes, risk {risk:.6g}")


def differing_keys(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """List the figures that differ by more than rounding."""
    return [key for key, value in mine.items() if key not in theirs or differ(value, theirs[key])]


def differ(mine: Any, theirs: Any) -> bool:
    """Whether two figures, or tables of figures, differ by more than rounding."""
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        return mine.keys() != theirs.keys() or bool(differing_keys(mine, theirs))
    if isinstance(mine, int | float) and isinstance(theirs, int | float):
        return not abs(mine - theirs) <= TIE * max(1, abs(mine))
    return bool(mine != theirs)


def check_loss(reading: Reading, policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Recompute the loss from the released values; suppressed records cover everything."""
    records = manifest["records"]
    leaves = np.array([hierarchy.size for hierarchy in reading.hierarchies])
    covered = np.array([sum_leaves(h, reading) for h in reading.hierarchies])
    covered += (records - reading.kept) * leaves
    measure = policy.measure
    losses = attribute_loss(covered, records, leaves)
    loss = measure.of_terms(float(measure.terms(losses).sum()))
    same = abs(loss - manifest["loss"]) <= TIE
    detail = f"loss {loss:.9f}; the manifest says {manifest['loss']:.9f}"
    return Check("the quality is the one reported", same, detail)


def sum_leaves(hierarchy: Hierarchy, reading: Reading) -> int:
    """Sum the leaves that the released values of one attribute cover."""
    level = reading.scheme[hierarchy.name]
    covers = dict(zip(hierarchy.labels[level], np.bincount(hierarchy.codes[level]), strict=True))
    cells = reading.columns[hierarchy.name]
    by_value = [int(covers[text]) for text in cells.distinct] + [int(covers.get(MISSING, 0))]
    return int(np.array(by_value, np.int64)[cells.indices].sum())


def check_against(
    table: Table, original: Table, policy: Policy, manifest: Mapping[str, Any]
) -> Iterator[Check]:
    """Check the release against the original it was made from."""
    yield check_digest("the original is the one anonymized", original, manifest["input"])
    solution = apply(original, policy, manifest["scheme"])
    figures = {
        "records": solution.records,
        "suppressed": solution.suppressed,
        "loss": solution.loss,
    }
    differing = differing_keys(figures, manifest)
    differing += differing_keys(asdict(solution.before), manifest["risk"]["before"])
    detail = f"differs in {quote_some(differing)}" if differing else "all figures agree"
    yield Check("the scheme gives the reported figures on the original", not differing, detail)
    yield check_rows(table, expected_table(solution.release, original))
    yield check_optimum(original, policy, manifest)


def expected_table(release: Any, original: Table) -> Table:
    """Return what the release of the original must be, in whatever order."""
    random = np.random.default_rng(0)
    if isinstance(original, FrameTable):
        return FrameTable(release.to_frame(random))
    return ArrowTable(release.to_arrow(random))


def check_rows(table: Table, expected: Table) -> Check:
    """Check that released and expected rows are the same, as often, in whatever order."""
    claim = "every row is the declared generalization of an input row"
    balance, labels = compare_rows(table, expected)
    if not balance.any():
        return Check(claim, True, f"{labels.size} rows agree")
    surplus, lacking = int(balance[balance > 0].sum()), int(-balance[balance < 0].sum())
    first = f", the first like row {np.argmax(balance[labels] > 0) + 1}" if surplus else ""
    return Check(
        claim,
        False,
        f"rows that come from no input row: {surplus}{first}; rows that are lacking: {lacking}",
    )


def compare_rows(table: Table, expected: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how often more than expected each distinct row is there, and which one each row is."""
    labels: NDArray[np.int64] | None = None
    rows = 0
    for column in expected.columns:
        both = number_jointly(read_column(table, column), read_column(expected, column))
        rows = both[0].size
        numbers = np.concatenate(both)
        space = int(numbers.max(initial=0)) + 1
        key = numbers if labels is None else labels * space + numbers
        labels = label_keys(key)[0].astype(np.int64)
    assert labels is not None
    mine, theirs = labels[:rows], labels[rows:]
    balance = np.bincount(mine, minlength=labels.size) - np.bincount(theirs, minlength=labels.size)
    return balance, mine


def number_jointly(
    mine: tuple[list[str], NDArray[np.int64]], theirs: tuple[list[str], NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the texts of two columns alike."""
    numbers_of = {text: number for number, text in enumerate(mine[0])}
    known = [numbers_of.setdefault(text, len(numbers_of)) for text in theirs[0]]
    return mine[1], np.array(known, np.int64)[theirs[1]]


def check_optimum(original: Table, policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Search again where the release claims to be optimal."""
    claim = "no scheme of the policy has a lower loss"
    if manifest.get("status") != Status.OPTIMAL:
        return Check(claim, None, f"not claimed: the status is {manifest.get('status')}")
    limits = {"time_limit": None, "evaluation_limit": None}
    unlimited = policy.model_copy(update={"search": policy.search.model_copy(update=limits)})
    again = anonymize(original, unlimited)
    same = again.scheme == manifest["scheme"] and abs(again.loss - manifest["loss"]) <= TIE
    detail = (
        f"searched again: loss {again.loss:.9f}, {again.proof and again.proof.evaluated} evaluated"
    )
    return Check(claim, same, detail)
