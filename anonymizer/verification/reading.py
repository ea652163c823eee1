"""A release with one scheme, read back: its values, its classes, and how a model finds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.coded import CodedTable
from anonymizer.data.columns import Coded, read_columns
from anonymizer.data.formulas import escape
from anonymizer.data.table import Table
from anonymizer.engine.classes import partition
from anonymizer.engine.microdata import encode
from anonymizer.errors import PolicyError, list_cells
from anonymizer.hierarchy import MISSING, REDACTED, Hierarchy
from anonymizer.knowledge.external import to_leaves
from anonymizer.policy import Policy
from anonymizer.problem import columns_described, open_population
from anonymizer.risk import Need, Remaining, RiskModel
from anonymizer.utility import Released
from anonymizer.verification.claims import Check


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The quasi-identifiers of a release as read back from it."""

    hierarchies: tuple[Hierarchy, ...]
    scheme: Mapping[str, int]
    columns: dict[str, Coded]
    """The records that are not redacted."""
    rows: int
    redacted: int
    unknown: dict[str, tuple[list[str], int]]
    """Values that are not of the declared level, by attribute, and the first row that has one."""
    sensitive: Mapping[str, Coded] = field(default_factory=dict)
    """The sensitive columns of the records that are not redacted."""

    @property
    def kept(self) -> int:
        """The number of records that are not redacted."""
        return self.rows - self.redacted


def read_released(
    table: Table, policy: Policy, hierarchies: tuple[Hierarchy, ...], scheme: Mapping[str, int]
) -> Reading:
    """Read the quasi-identifiers back, and set redacted records apart."""
    own, sensitive = read_columns_of(table, policy, hierarchies)
    columns = own
    redacted = find_redacted(columns, policy, hierarchies, [scheme])
    kept = {name: column.keep(~redacted) for name, column in columns.items()}
    write = escape if policy.release.escape_formulas else str
    known = {
        h.name: {write(label): label for label in (MISSING, *h.labels[scheme[h.name]])}
        for h in hierarchies
    }
    unknown = {
        name: (strange, columns[name].first_row(strange) + 1)
        for name, column in kept.items()
        if (strange := [text for text in column.texts if text not in known[name]])
    }
    if policy.release.escape_formulas and not unknown:
        kept = {
            name: column.rename([known[name][text] for text in column.texts])
            for name, column in kept.items()
        }
    left = {name: column.keep(~redacted) for name, column in sensitive.items()}
    return Reading(hierarchies, scheme, kept, redacted.size, int(redacted.sum()), unknown, left)


def read_columns_of(
    table: Table, policy: Policy, hierarchies: Sequence[Hierarchy]
) -> tuple[dict[str, Coded], dict[str, Coded]]:
    """Read the quasi-identifiers, and the sensitive columns, in one pass."""
    names = [hierarchy.name for hierarchy in hierarchies]
    sensitive = columns_described(table, policy.load_models(), policy)
    found = read_columns(table, [*names, *sensitive])
    return {name: found[name] for name in names}, {name: found[name] for name in sensitive}


def find_redacted(
    columns: Mapping[str, Coded],
    policy: Policy,
    hierarchies: tuple[Hierarchy, ...],
    schemes: Sequence[Mapping[str, int]],
) -> NDArray[np.bool_]:
    """Mark the records whose every quasi-identifier is redacted, given the scheme, or those of layers.

    Where every attribute is at a top of the same name, nothing tells a redacted record from another;
    but then there is one class, and nothing was suppressed.
    """
    stars = [column.where(REDACTED) for column in columns.values()]
    all_top = all(REDACTED in h.labels[scheme[h.name]] for h in hierarchies for scheme in schemes)
    redacts = policy.release.suppressed == "redact" and not all_top
    redacted: NDArray[np.bool_] = np.logical_and.reduce(stars) & redacts
    return redacted


def check_values(reading: Reading) -> Check:
    """Check that each value is one of the declared level of its hierarchy."""
    details = [
        f"column '{name}' has values that are not of level {reading.scheme[name]}"
        f"{list_cells(texts)}, first at row {row}"
        for name, (texts, row) in reading.unknown.items()
    ]
    detail = "; ".join(details) or "every cell is of the level in the scheme"
    return Check("every quasi-identifier is generalized as declared", not details, detail)


def classes_of(
    reading: Reading, policy: Policy, models: Sequence[RiskModel], input_people: int
) -> Remaining:
    """Partition the released records by their values as they are.

    A leaf stands for each value, and the scheme generalizes it to the value again: so models meet what
    they meet in a search, and others' tables are generalized alike.
    """
    hierarchies, scheme = reading.hierarchies, reading.scheme
    released = {h.name: to_leaves(h, scheme[h.name], reading.columns[h.name]) for h in hierarchies}
    microdata = encode(
        CodedTable({**released, **reading.sensitive}),
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
    does however they were rounded, and fails if it does not for any.
    """
    if Need.OVERALL_SHARES not in model.needs:
        return check_exactly(model, remaining)
    if not all((overall or {}).get(name, {}).get("complete") for name in model.sensitive):
        detail = "the manifest does not have all overall shares; give the original with --against"
        return Check(f"{model} holds", None, detail, about_risk=True)
    assert overall is not None
    worst = check_exactly(model, with_overall(remaining, overall, 0.5))
    best = check_exactly(model, with_overall(remaining, overall, -0.5))
    if worst.passed == best.passed:
        return worst
    detail = "that depends on how overall shares were rounded; give the original with --against"
    return replace(worst, passed=None, detail=detail)


def with_overall(
    remaining: Remaining, overall: Mapping[str, Mapping[str, Any]], off: float
) -> Remaining:
    """Return the released classes with overall shares, which are off by so many of their steps."""
    columns = dict(remaining.microdata.sensitive)
    for name, given in overall.items():
        shares = np.array([given["shares"].get(text, 0.0) for text in columns[name].texts])
        columns[name] = replace(
            columns[name], input_shares=shares, rounding=off * float(given["step"])
        )
    microdata = replace(remaining.microdata, sensitive=columns)
    classes = replace(remaining.classes, microdata=microdata, counted={})
    return replace(remaining, microdata=microdata, classes=classes)


def check_exactly(model: RiskModel, remaining: Remaining) -> Check:
    """Check one risk model on the released classes as they are."""
    claim = f"{model} holds"
    if Need.ORIGINAL_VALUES in model.needs:
        detail = (
            "it looks at values that the release no longer has; give the original with --against"
        )
        return Check(claim, None, detail, about_risk=True)
    faults = model.check(remaining.classes.input_people, remaining.microdata.attributes)
    if faults:
        return Check(claim, False, " ".join(faults), about_risk=True)
    sizes = remaining.classes.sizes
    try:
        violating = model.violating(remaining.classes)
    except PolicyError as error:  # such as a value that its hierarchy lacks
        return Check(claim, False, str(error), about_risk=True)
    if violating.any():
        records, smallest = int(sizes[violating].sum()), int(sizes[violating].min())
        detail = (
            f"{int(violating.sum())} classes with {records} records violate it; the smallest has"
        )
        return Check(claim, False, f"{detail} {smallest}", about_risk=True)
    worst = model.at_worst()
    try:
        passed, risk = worst.passes(remaining), worst.risk(remaining)
    except ValueError as error:  # such as a population smaller than what was released
        return Check(claim, False, str(error), about_risk=True)
    if worst is not model and not passed and model.relaxed().passes(remaining):
        detail = "it estimates from records that are suppressed; give the original with --against"
        return Check(claim, None, detail, about_risk=True)
    return Check(claim, passed, f"{sizes.size} classes, risk {risk:.6g}", about_risk=True)


def describe_released(reading: Reading, remaining: Remaining | None, records: int) -> Released:
    """Return what a measure may look at."""
    hierarchies = reading.hierarchies
    return Released(
        records,
        np.empty(0, np.int64) if remaining is None else remaining.classes.sizes,
        np.array([reading.scheme[hierarchy.name] for hierarchy in hierarchies]),
        np.array([hierarchy.height for hierarchy in hierarchies]),
        np.array([hierarchy.size for hierarchy in hierarchies]),
        np.array([sum_leaves(hierarchy, reading) for hierarchy in hierarchies]),
    )


def sum_leaves(hierarchy: Hierarchy, reading: Reading) -> int:
    """Sum the leaves that the released values of one attribute cover."""
    level = reading.scheme[hierarchy.name]
    covers = dict(zip(hierarchy.labels[level], np.bincount(hierarchy.codes[level]), strict=True))
    column = reading.columns[hierarchy.name]
    # a missing cell where the level has none covers nothing, so that the loss will not agree
    by_value = np.array([covers.get(text, 0) for text in column.texts], np.int64)
    return int(by_value[column.codes].sum())
