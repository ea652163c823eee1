"""verify: every claim about a release recomputed from the file itself, the policy and the manifest.

Nothing of the run that made the release is used. With the original at hand, each released row is
shown to be the declared generalization of an input row, and the optimum is searched for again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import AnonymizerError, quote_some
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.manifest import FILE_NAME, read_manifest
from anonymizer.microdata import label_keys
from anonymizer.policy import Policy, Role, digest_of_hierarchy
from anonymizer.release import REDACTED
from anonymizer.risk import profile
from anonymizer.search.result import TIE, Status
from anonymizer.solution import Source, anonymize, apply, load_policy
from anonymizer.table import ArrowTable, FrameTable, Table, open_table, text_of
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
    class_sizes: NDArray[np.int64]
    """Of the records that are not redacted."""
    covered: tuple[int, ...]
    """For each attribute: the leaves covered, summed over the records that are not redacted."""
    rows: int
    redacted: int
    unknown: dict[str, list[str]]
    """Values that are not of the declared level, by attribute."""


def read_released(
    table: Table, policy: Policy, hierarchies: tuple[Hierarchy, ...], scheme: Mapping[str, int]
) -> Reading:
    """Group the released rows by their quasi-identifiers."""
    redacts = policy.release.suppressed == "redact"
    labels: NDArray[np.int64] = np.zeros(0, np.int64)
    covered_by_row, redacted_by_column = [], []
    unknown: dict[str, list[str]] = {}
    for hierarchy in hierarchies:
        texts, numbers = read_column(table, hierarchy.name)
        leaves = leaves_covered(hierarchy, scheme[hierarchy.name])
        strange = [
            text for text in texts if text not in leaves and not (redacts and text == REDACTED)
        ]
        if strange:
            unknown[hierarchy.name] = strange
        covered_by_row.append(np.array([leaves.get(text, 0) for text in texts], np.int64)[numbers])
        redacted_by_column.append(np.array([text == REDACTED for text in texts], bool)[numbers])
        if labels.size == 0:
            labels = np.zeros(numbers.size, np.int64)
        labels = label_keys(labels * max(1, len(texts)) + numbers)[0].astype(np.int64)
    # a record is redacted if every quasi-identifier is; one whose values merely are the top is not
    all_top = all(REDACTED in h.labels[scheme[h.name]] for h in hierarchies)
    redacted = np.logical_and.reduce(redacted_by_column) & (redacts and not all_top)
    kept = ~redacted
    sizes = np.bincount(labels[kept])
    return Reading(
        hierarchies,
        scheme,
        sizes[sizes > 0],
        tuple(int(covered[kept].sum()) for covered in covered_by_row),
        labels.size,
        int(redacted.sum()),
        unknown,
    )


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


def leaves_covered(hierarchy: Hierarchy, level: int) -> dict[str, int]:
    """Return how many leaves each value of a level covers."""
    counts = np.bincount(hierarchy.codes[level], minlength=len(hierarchy.labels[level]))
    return dict(zip(hierarchy.labels[level], counts.tolist(), strict=True))


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
    for model in policy.models:
        breaking = model.breaking(reading.class_sizes)
        records = int(reading.class_sizes[breaking].sum())
        detail = (
            f"{int(breaking.sum())} classes with {records} records break it; "
            f"the smallest has {int(reading.class_sizes.min())}"
            if records
            else f"{reading.class_sizes.size} classes, none breaks it"
        )
        yield Check(f"{model} holds", not records, detail)
    differing = differing_keys(asdict(profile(reading.class_sizes)), manifest["risk"]["after"])
    detail = f"differs in {quote_some(differing)}" if differing else "all figures agree"
    yield Check("the risk of the file is the one reported", not differing, detail)


def differing_keys(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """List the figures that differ by more than rounding."""
    return [
        key
        for key, value in mine.items()
        if key not in theirs or abs(theirs[key] - value) > TIE * max(1, abs(value))
    ]


def check_loss(reading: Reading, policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Recompute the loss from the released values; suppressed records cover everything."""
    records = manifest["records"]
    suppressed = records - (reading.rows - reading.redacted)
    leaves = np.array([hierarchy.size for hierarchy in reading.hierarchies])
    covered = np.array(reading.covered) + suppressed * leaves
    measure = policy.measure
    losses = attribute_loss(covered, records, leaves)
    loss = measure.of_terms(float(measure.terms(losses).sum()))
    same = abs(loss - manifest["loss"]) <= TIE
    detail = f"loss {loss:.9f}; the manifest says {manifest['loss']:.9f}"
    return Check("the quality is the one reported", same, detail)


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
