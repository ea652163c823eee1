"""A release with one scheme, read back: its values, its classes, and how a model finds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.external import to_leaves
from anonymizer.data.coded import CodedTable, read_counted
from anonymizer.data.columns import Coded, read_columns
from anonymizer.data.formulas import escape
from anonymizer.data.labels import label_columns
from anonymizer.data.table import Table
from anonymizer.errors import PolicyError, list_cells
from anonymizer.hierarchy import MISSING, REDACTED, Hierarchy
from anonymizer.hierarchy.numbers import groups_of_numbers
from anonymizer.policy import Policy
from anonymizer.problem import columns_described, open_population
from anonymizer.risk import Remaining, RiskModel
from anonymizer.risk.model import Estimates
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from anonymizer.table.sensitive import SensitiveColumn
from anonymizer.utility import Released
from anonymizer.verification.claims import Check


@dataclass(frozen=True, slots=True, eq=False)
class ReadRelease:
    """The quasi-identifiers of a release as read back from it."""

    hierarchies: tuple[Hierarchy, ...]
    scheme: Mapping[str, int]
    columns: dict[str, Coded]
    """The records that are not redacted."""
    rows: int
    redacted: int
    unknown: dict[str, tuple[list[str], int | None]]
    """Values that are not of the declared level, by attribute, and the first row that has one."""
    apart: int = 0
    """By how many the distinct rows are more than the classes: records of one class must be alike."""
    sensitive: Mapping[str, Coded] = field(default_factory=dict)
    """The sensitive columns of the records that are not redacted."""
    counts: NDArray[np.int64] | None = None
    """How often each of these occurs, where an engine counted equal ones; None: once."""

    @property
    def kept(self) -> int:
        """The number of records that are not redacted."""
        return self.rows - self.redacted


def read_released(
    table: Table, policy: Policy, hierarchies: tuple[Hierarchy, ...], manifest: Mapping[str, Any]
) -> ReadRelease:
    """Read the quasi-identifiers back, and set redacted records apart."""
    scheme: Mapping[str, int] = manifest["scheme"]
    names = [hierarchy.name for hierarchy in hierarchies]
    described = columns_described(table, policy.load_models(), policy)
    found, times = read_counted(table, [*names, *described])
    columns, sensitive = ({name: found[name] for name in each} for each in (names, described))
    redacted = find_redacted(columns, policy, manifest)
    kept = {name: column.keep(~redacted) for name, column in columns.items()}
    grown = tuple(h.with_labels(kept[h.name].texts, scheme[h.name]) for h in hierarchies)
    unknown, read = {}, {}
    for hierarchy in grown:
        name, column = hierarchy.name, kept[hierarchy.name]
        labels = labels_of(hierarchy, scheme[name], column, policy.release.escape_formulas)
        if name in policy.microaggregated and scheme[name] > 0:
            groups = groups_of_numbers(hierarchy, scheme[name], column.texts)
            labels = [group or label for group, label in zip(groups, labels, strict=True)]
        strange = [t for t, label in zip(column.texts, labels, strict=True) if label is None]
        if strange:
            row = columns[name].first_row(strange) + 1 if times is None else None
            unknown[name] = (strange, row)
        read[name] = column.rename([str(label) for label in labels])
    counts = redacted.size, int(redacted.sum())
    if times is not None:
        counts = int(times.sum()), int(times[redacted].sum())
    apart = 0
    if not unknown:
        apart = label_columns(kept.values()).number - label_columns(read.values()).number
    left = {name: column.keep(~redacted) for name, column in sensitive.items()}
    released, times = kept if unknown else read, None if times is None else times[~redacted]
    return ReadRelease(grown, scheme, released, *counts, unknown, apart, left, times)


def labels_of(hierarchy: Hierarchy, level: int, column: Coded, escaped: bool) -> list[str | None]:
    """Return the label of a level that each text of a column stands for; None where there is none."""
    write = escape if escaped else str
    known = {write(label): label for label in (MISSING, *hierarchy.labels[level])}
    values = hierarchy.read_texts(column.texts, [level])
    pairs = zip(column.texts, values, strict=True)
    return in_one_way(column.texts, [known.get(text, known.get(value)) for text, value in pairs])


def in_one_way(texts: Sequence[str], labels: Sequence[str | None]) -> list[str | None]:
    """Return labels without those of values that are written in two ways, which would tell rows apart.

    >>> in_one_way(["18", "18.0", "19.0"], ["18", "18", "19"])
    ['18', None, '19']
    """
    times = Counter(labels)
    pairs = zip(texts, labels, strict=True)
    return [label if times[label] == 1 or text == label else None for text, label in pairs]


def read_columns_of(
    table: Table, policy: Policy, hierarchies: Sequence[Hierarchy]
) -> tuple[dict[str, Coded], dict[str, Coded]]:
    """Read the quasi-identifiers, and the sensitive columns, in one pass."""
    names = [hierarchy.name for hierarchy in hierarchies]
    sensitive = columns_described(table, policy.load_models(), policy)
    found = read_columns(table, [*names, *sensitive])
    return {name: found[name] for name in names}, {name: found[name] for name in sensitive}


def find_redacted(
    columns: Mapping[str, Coded], policy: Policy, manifest: Mapping[str, Any] | None
) -> NDArray[np.bool_]:
    """Mark the records whose every quasi-identifier is redacted, if any were suppressed.

    Where none was, a class may be called the same, such as one with every attribute at its top. Without a
    manifest, nobody says that none was.
    """
    stars = [column.where(REDACTED) for column in columns.values()]
    some = manifest is None or manifest["suppressed"] > 0
    redacts = policy.release.suppressed == "redact" and some
    redacted: NDArray[np.bool_] = np.logical_and.reduce(stars) & redacts
    return redacted


def check_values(reading: ReadRelease) -> Check:
    """Check that each value is one of the declared level of its hierarchy."""
    details = [
        f"column '{name}' has values that are not of level {reading.scheme[name]}"
        f"{list_cells(texts)}{'' if row is None else f', first at row {row}'}"
        for name, (texts, row) in reading.unknown.items()
    ]
    if reading.apart:
        details.append(f"{reading.apart} classes are released in more than one way")
    detail = "; ".join(details) or "every cell is of the level in the scheme"
    return Check("every quasi-identifier is generalized as declared", not details, detail)


def classes_of(
    reading: ReadRelease, policy: Policy, models: Sequence[RiskModel], input_people: int
) -> Remaining:
    """Partition the released records by their values as they are.

    A leaf stands for each value, and the scheme generalizes it to the value again: so models meet what
    they meet in a search, and others' tables are generalized alike.
    """
    hierarchies, scheme = reading.hierarchies, reading.scheme
    released = {h.name: to_leaves(h, scheme[h.name], reading.columns[h.name]) for h in hierarchies}
    microdata = encode(
        CodedTable({**released, **reading.sensitive}, reading.counts),
        hierarchies,
        open_population(models, policy),
        sensitive=list(reading.sensitive),
    )
    classes = partition(microdata, tuple(scheme[h.name] for h in hierarchies))
    classes = replace(classes, input_people=input_people)
    return Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))


def check_model(
    model: RiskModel, remaining: Remaining, overall: Mapping[str, Any] | None = None
) -> Check:
    """Check one risk model on the released classes.

    What compares with the input is judged with the `overall` shares that the manifest has: it holds if it
    does for all that they and the released values leave open, and fails if it does not for any.
    """
    if not model.inputs.overall_shares:
        return check_exactly(model, remaining)
    if not all((overall or {}).get(name, {}).get("complete") for name in model.inputs.sensitive):
        detail = "the manifest does not have all overall shares; give the original with --against"
        return Check(f"{model} holds", None, detail, about_risk=True)
    assert overall is not None
    limits = {
        name: limit_shares(remaining.microdata.sensitive[name], overall[name])
        for name in model.inputs.sensitive
    }
    if not all(are_shares(low, high) for low, high in limits.values()):
        detail = (
            "the overall shares in the manifest are not those of a table with the released values"
        )
        return Check(f"{model} holds", False, detail, about_risk=True)
    worst = check_exactly(model, with_overall(remaining, limits, 1))
    best = check_exactly(model, with_overall(remaining, limits, -1))
    if worst.passed == best.passed:
        return worst
    detail = "that depends on how overall shares were rounded; give the original with --against"
    return replace(worst, passed=None, detail=detail)


Limits = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The least and the largest share that each value may have in the input."""


def limit_shares(column: SensitiveColumn, given: Mapping[str, Any]) -> Limits:
    """Return what the shares of released values may be in the input, however they were rounded.

    Where records are people, the input has each value as often as the release, and the suppressed records
    have it at most so much more often.
    """
    shares = np.array([given["shares"].get(text, 0.0) for text in column.texts])
    half = float(given["step"]) / 2 + 1e-9  # shares have nine decimals
    low, high = shares - half, shares + half
    if given.get("records"):
        low = np.maximum(low, column.counts / given["records"])
        high = np.minimum(high, (column.counts + given["suppressed"]) / given["records"])
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def are_shares(low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
    """Whether numbers within some limits can be shares, which add up to 1."""
    return bool((low <= high).all() and low.sum() <= 1 + 1e-9 and high.sum() >= 1 - 1e-9)


def with_overall(remaining: Remaining, limits: Mapping[str, Limits], sign: int) -> Remaining:
    """Return the released classes with overall shares, judged by the worst (1) or the best (-1)."""
    columns = dict(remaining.microdata.sensitive)
    for name, (low, high) in limits.items():
        # shares within the limits that add up to 1
        room = max(float((high - low).sum()), np.finfo(float).tiny)
        shares = low + (high - low) * np.clip((1 - low.sum()) / room, 0.0, 1.0)
        below, above = shares - low, high - shares
        if sign < 0:
            below, above = -above, -below
        columns[name] = replace(columns[name], input_shares=shares, below=below, above=above)
    microdata = replace(remaining.microdata, sensitive=columns)
    classes = replace(remaining.classes, microdata=microdata, counted={})
    return replace(remaining, microdata=microdata, classes=classes)


def check_exactly(model: RiskModel, remaining: Remaining) -> Check:
    """Check one risk model on the released classes as they are."""
    claim = f"{model} holds"
    if model.inputs.original_values:
        detail = (
            "it looks at values that the release no longer has; give the original with --against"
        )
        return Check(claim, None, detail, about_risk=True)
    faults = model.check(remaining.classes.input_people, remaining.microdata.attributes)
    if faults:
        return Check(claim, False, " ".join(faults), about_risk=True)
    try:
        violating = model.violating(remaining.classes)
    except PolicyError as error:  # such as a value that its hierarchy lacks
        return Check(claim, False, str(error), about_risk=True)
    if violating.any():
        detail = describe_violating(remaining.classes.records[violating])
        return Check(claim, False, detail, about_risk=True)
    worst = model.with_estimates(Estimates.MOST)
    try:
        passed, risk = worst.passes(remaining), worst.risk(remaining)
    except ValueError as error:  # such as a population smaller than what was released
        return Check(claim, False, str(error), about_risk=True)
    least = model.with_estimates(Estimates.LEAST)
    if worst is not model and not passed and least.passes(remaining):
        detail = "it estimates from records that are suppressed; give the original with --against"
        return Check(claim, None, detail, about_risk=True)
    classes = remaining.classes.records.size
    return Check(claim, passed, f"{classes} classes, risk {risk:.6g}", about_risk=True)


def describe_violating(records: NDArray[np.int64]) -> str:
    """Say how many classes violate a model, given their records; a file tells of no people.

    >>> describe_violating(np.array([2])), describe_violating(np.array([2, 5]))
    ('1 class with 2 records violates it', '2 classes with 7 records violate it; the smallest has 2')
    """
    number, total = records.size, int(records.sum())
    held = f"{total} {'record' if total == 1 else 'records'}"
    if number == 1:
        return f"1 class with {held} violates it"
    return f"{number} classes with {held} violate it; the smallest has {int(records.min())}"


def describe_released(reading: ReadRelease, remaining: Remaining | None, records: int) -> Released:
    """Return what a measure may look at."""
    hierarchies = reading.hierarchies
    return Released(
        records,
        np.empty(0, np.int64) if remaining is None else remaining.classes.sizes,
        np.array([reading.scheme[hierarchy.name] for hierarchy in hierarchies]),
        np.array([hierarchy.height for hierarchy in hierarchies]),
        np.array([hierarchy.extent for hierarchy in hierarchies]),
        np.array([sum_covered(hierarchy, reading) for hierarchy in hierarchies]),
        np.array([hierarchy.least_cover for hierarchy in hierarchies]),
    )


def sum_covered(hierarchy: Hierarchy, reading: ReadRelease) -> int:
    """Sum what the released values of one attribute cover."""
    level = reading.scheme[hierarchy.name]
    covers = dict(zip(hierarchy.labels[level], hierarchy.cover(level), strict=True))
    column = reading.columns[hierarchy.name]
    # a missing cell where the level has none covers nothing, so that the loss will not agree
    by_value = np.array([covers.get(text, 0) for text in column.texts], np.int64)
    covered = by_value[column.codes]
    return int(covered.sum() if reading.counts is None else covered @ reading.counts)
