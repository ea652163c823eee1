"""A release against the original it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.table import ArrowTable, FrameTable, Table, read_column
from anonymizer.engine.microdata import label_keys
from anonymizer.errors import AnonymizerError
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.search import Status, StopReason
from anonymizer.solution.release import Release
from anonymizer.solution.solution import anonymize, apply
from anonymizer.verification.claims import ROUNDING, Check, check_digest, check_figures
from anonymizer.verification.order import find_order


def check_against(
    table: Table, original: Table, policy: Policy, manifest: Mapping[str, Any]
) -> Iterator[Check]:
    """Check the release against the original it was made from."""
    yield check_digest("the original is the one anonymized", original, manifest["input"])
    claim = "the scheme gives the reported figures on the original"
    try:
        problem = Problem.read(original, policy)
        solution = apply(problem, None, manifest["scheme"])
    except AnonymizerError as error:
        yield Check(claim, False, str(error))
        return
    figures = {
        "records": solution.records,
        "suppressed": solution.suppressed,
        "loss": solution.loss,
        "quality": solution.quality,
        "attribute_loss": solution.attribute_loss,
        "before": asdict(solution.before),
        "after": asdict(solution.after),
    }
    claimed = {"attribute_loss": {}, **manifest, **manifest["risk"]}
    yield check_figures(claim, figures, claimed)
    yield from check_rows(table, expected_table(solution.release, original), policy)
    yield check_optimum(problem, manifest)


def expected_table(release: Release, original: Table) -> Table:
    """Return what the release of the original must be, in the order of the original."""
    ordered = release.policy.release.model_copy(update={"shuffle": False})
    release = replace(release, policy=release.policy.model_copy(update={"release": ordered}))
    random = np.random.default_rng(0)
    if isinstance(original, FrameTable):
        return FrameTable(release.to_frame(random))
    return ArrowTable(release.to_arrow(random))


def check_rows(table: Table, expected: Table, policy: Policy) -> Iterator[Check]:
    """Check that released and expected rows are the same, as often, and not in the original order."""
    claim = "every row is the declared generalization of an input row"
    mine, theirs = number_rows(table, expected)
    distinct = int(max(mine.max(initial=-1), theirs.max(initial=-1))) + 1
    balance = np.bincount(mine, minlength=distinct) - np.bincount(theirs, minlength=distinct)
    if not balance.any():
        yield Check(claim, True, f"{mine.size} rows agree")
        yield check_order(mine, theirs, policy)
        return
    surplus, lacking = int(balance[balance > 0].sum()), int(-balance[balance < 0].sum())
    first = f", the first like row {np.argmax(balance[mine] > 0) + 1}" if surplus else ""
    yield Check(
        claim,
        False,
        f"rows that come from no input row: {surplus}{first}; rows that are lacking: {lacking}",
    )


def check_order(mine: NDArray[np.int64], theirs: NDArray[np.int64], policy: Policy) -> Check:
    """Check that rows which the policy shuffles do not stand as in the original, nor nearly so."""
    claim = "the order of rows tells nothing"
    if not policy.release.shuffle:
        return Check(claim, None, "the policy keeps the order of the original")
    found = find_order(mine, theirs)
    return Check(claim, found is None, found or "rows are shuffled")


def number_rows(table: Table, expected: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number equal rows of two tables alike."""
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
    return labels[:rows], labels[rows:]


def number_jointly(
    mine: tuple[list[str], NDArray[np.int64]], theirs: tuple[list[str], NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the texts of two columns alike."""
    numbers_of = {text: number for number, text in enumerate(mine[0])}
    known = [numbers_of.setdefault(text, len(numbers_of)) for text in theirs[0]]
    return mine[1], np.array(known, np.int64)[theirs[1]]


def check_optimum(problem: Problem, manifest: Mapping[str, Any]) -> Check:
    """Search again where the release claims to be optimal."""
    claim = "no scheme of the policy has a lower loss"
    if manifest.get("status") != Status.OPTIMAL:
        return Check(claim, None, f"not claimed: the status is {manifest.get('status')}")
    again = anonymize(problem.with_policy(problem.policy.without_limits()))
    same = abs(again.loss - manifest["loss"]) <= ROUNDING
    if manifest.get("stopped") == StopReason.COMPLETE:  # else ties may have been left open
        same &= again.scheme == manifest["scheme"]
    detail = (
        f"searched again: loss {again.loss:.9f}, {again.proof and again.proof.evaluated} evaluated"
    )
    return Check(claim, same, detail)
