"""The risk models of a release, and the risks that it reports, judged by the file as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.formulas import escape
from anonymizer.errors import PolicyError
from anonymizer.policy import Policy
from anonymizer.problem import columns_of_subsets, describe_risk
from anonymizer.risk import ModelKind, Remaining, RiskModel, packages_of
from anonymizer.risk.model import Estimates
from anonymizer.risk.reference import show
from anonymizer.table.sensitive import SensitiveColumn
from anonymizer.verification.claims import Check, check_figures, check_packages
from anonymizer.verification.reading import ReadRelease, classes_of


def check_risk(
    reading: ReadRelease,
    remaining: Remaining | None,
    models: Sequence[RiskModel],
    policy: Policy,
    manifest: Mapping[str, Any],
) -> Iterator[Check]:
    """Check the risk models and the reported profile on the file as it is.

    Where risk counts people, the file does not tell whose its rows are.
    """
    yield check_packages(packages_of(models), manifest.get("packages"))
    after = manifest["risk"]["after"]
    if remaining is None:
        held = after.get("records") == 0 and after.get("sample_uniques") == 0
        yield Check("the risk models hold", held, "no record is released", about_risk=True)
        return
    people, overall = policy.data.id is not None, overall_of(manifest, policy)
    for model in models:
        check = check_model_by_layer(model, reading, remaining, policy, overall)
        yield unless_people(check, model) if people else check
    claim = "the risk of the file is the one reported"
    if people:
        yield Check(claim, None, WHOSE)
        return
    yield from check_references(remaining, models, manifest)
    if columns_of_subsets(models):
        yield Check(claim, None, OTHERS)
        return
    kept = np.ones(remaining.classes.sizes.size, np.bool_)
    mine = asdict(describe_risk(remaining.microdata, models, remaining.classes, kept))
    # lists and structures, of which nothing is claimed, are texts in a CSV file
    reported = after.get("sensitive", {})
    mine["sensitive"] = {name: each for name, each in mine["sensitive"].items() if name in reported}
    yield check_figures(claim, without_distances(mine), without_distances(after))


def check_references(
    remaining: Remaining, models: Sequence[RiskModel], manifest: Mapping[str, Any]
) -> Iterator[Check]:
    """Check how far the classes are from the file itself, where models compare with a distribution."""
    reported = {each["model"]: each for each in manifest.get("references", [])}
    for model in models:
        try:
            found = model.reference_distances(remaining)
        except PolicyError:  # such as a value that its hierarchy lacks; the model fails already
            continue
        if found is None:
            continue
        keys = ("promised", "limit", "from_release", "met_by_release")
        claim = f"how far '{found.attribute}' is from the released table is as reported"
        mine = {key: getattr(found, key) for key in keys}
        check = check_figures(claim, mine, reported.get(str(model), {}))
        detail = found.warning or f"{show(found.from_release)}, by {model}"
        yield replace(check, detail=detail) if check.passed else check


def check_model_by_layer(
    model: RiskModel,
    reading: ReadRelease,
    together: Remaining,
    policy: Policy,
    overall: Mapping[str, Any],
) -> Check:
    """Check a model on the classes of all layers; one that looks at more, on each layer by itself."""
    if model.violators is None or len(reading.schemes) == 1:
        return check_model(model, together, overall)
    people = together.classes.input_people
    checks = [
        check_model(model, classes_of(reading.layer(number), policy, [model], people))
        for number in reading.occupied
    ]
    worst = min(checks, key=lambda check: (check.passed is not False, check.passed is not None))
    detail = f"each of {len(checks)} layers by itself; {worst.detail}"
    return replace(worst, detail=detail)


def check_model(
    model: RiskModel, remaining: Remaining, overall: Mapping[str, Any] | None = None
) -> Check:
    """Check one risk model on the released classes.

    What compares with the input is judged with the `overall` shares that the manifest has. It holds if it
    does for all that they and the released values leave open; it fails if it does so for none of that.
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


def overall_of(manifest: Mapping[str, Any], policy: Policy) -> dict[str, dict[str, Any]]:
    """Return the overall shares that a manifest declares, with values as the release has them.

    Where records are people, with their numbers.
    """
    write = escape if policy.release.escape_formulas else str
    keys = () if policy.data.id is not None else ("records", "suppressed")
    numbers = {key: manifest[key] for key in keys}
    return {
        name: {
            **given,
            "shares": {write(text): q for text, q in given["shares"].items()},
            **numbers,
        }
        for name, given in manifest.get("overall", {}).items()
    }


def without_distances(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what compares the release with the input."""
    sensitive = {
        name: {key: value for key, value in figures.items() if key != "greatest_distance"}
        for name, figures in profile.get("sensitive", {}).items()
    }
    return {**profile, "sensitive": sensitive}


OTHERS = "it depends on those who are not released; give the original with --against"
WHOSE = "the file does not tell whose its rows are; give the original with --against"


def unless_people(check: Check, model: RiskModel) -> Check:
    """Believe a model of people that fails for records, never one that holds for them.

    A class has no more people than records; but shares of people, and means over them, may be larger or
    smaller than those of records.
    """
    believed = check.passed is False and model.kind is ModelKind.PEOPLE
    return check if believed else replace(check, passed=None, detail=WHOSE)
