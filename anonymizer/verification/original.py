"""A release against the original it was made from."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import code_labels, label_together
from anonymizer.data.coded import load
from anonymizer.data.column import Cells, Column, Vocabulary, same_text
from anonymizer.data.files import digest_of_file
from anonymizer.data.formulas import escape
from anonymizer.data.secret import digest_of_input, key_name
from anonymizer.data.table import ReleasePlan, Table, read_columns
from anonymizer.errors import AnonymizerError, DataError, InfeasibleError, ReleaseError, quote_some
from anonymizer.kernels.compilation import working_seconds
from anonymizer.policy import Policy
from anonymizer.problem import (
    Problem,
    columns_beside,
    columns_of_groups,
    columns_of_subsets,
    explain_revealed,
    find_given_away,
)
from anonymizer.problem.date_shift import in_row_intervals
from anonymizer.proof.case import case_of
from anonymizer.proof.checker import Case, OutOfTime, check
from anonymizer.proof.format import Proof, ProofError, digest_of_policy, read_proof
from anonymizer.proof.table import Unsupported
from anonymizer.search import Status, StopReason
from anonymizer.solution.layered import in_layers, search_again
from anonymizer.solution.manifest import (
    describe_overall,
    round_groups,
    round_retained,
    schemes_to_apply,
)
from anonymizer.solution.release import Release
from anonymizer.solution.solution import anonymize, apply
from anonymizer.verification.claims import ROUNDING, Check, check_figures, differing_keys
from anonymizer.verification.date_shift import check_moved
from anonymizer.verification.order import find_order, ranks_of
from anonymizer.verification.register import check_classes, register_before

LEAST_SECONDS = 1.0
"""A search that is repeated may take so long, however fast the first one was."""
LEAST_PROOF_SECONDS = 10.0
"""A proof file may take so long: to check one takes longer than a fast search."""
ROWS = "every row is the declared generalization of an input row"
FIGURES = "the scheme gives the reported figures on the original"


def check_against(
    table: Table,
    original: Table,
    policy: Policy,
    manifest: Mapping[str, Any],
    proof: Path | None = None,
    started: float | None = None,
) -> Iterator[Check]:
    """Check the release against the original it was made from; `proof` is the path of a proof file.

    `started`: when the verification began, by `working_seconds`; it ends before it takes longer than the
    release took to make, and says what it left out.
    """
    started = working_seconds() if started is None else started
    claim = FIGURES
    if policy.data.sample < 1 and not drawn_here(manifest["input"]):
        yield check_input(original, manifest["input"])
        lost = "the sample can be drawn again only with the key that drew it"
        yield Check(claim, None, lost, about_risk=True)
        return
    try:
        register = register_before(policy, manifest)
    except ReleaseError as error:
        yield check_input(original, manifest["input"])
        yield Check(claim, None, f"the release cannot be made again: {error}", about_risk=True)
        return
    person = [] if policy.data.id is None else [policy.data.id]
    models = policy.load_models()
    beside = [*columns_beside(models, policy), *columns_of_subsets(models)]
    beside += columns_of_groups(policy)
    ordered = [name for name in policy.dropped if name in original.columns]
    loaded = load(original, [*released_columns(policy), *person, *beside, *ordered])
    try:
        problem = Problem.read(loaded, policy, warn=False, register=register)
        solution = apply(problem, None, schemes_to_apply(manifest))
    except AnonymizerError as error:
        yield check_input(original, manifest["input"])
        yield Check(claim, False, str(error))
        return
    yield check_input(loaded, manifest["input"])
    figures = {
        "records": solution.records,
        "people": problem.microdata.number_of_people,
        "suppressed": solution.suppressed,
        "loss": solution.loss,
        "quality": solution.quality,
        "attribute_loss": solution.attribute_loss,
        "retained": round_retained(solution),
        "collapsed": solution.collapsed,
        "before": asdict(solution.before),
        "after": asdict(solution.after),
        "references": {each.model: asdict(each) for each in solution.references},
        "overall": describe_overall(solution).get("overall", {}),
        "keep": round_groups(solution).get("keep", []),
    }
    newer = {key: figures[key] for key in ("people", "retained", "collapsed")}
    claimed = {
        "attribute_loss": {},
        "overall": {},
        "keep": [],
        **newer,
        **manifest,
        **manifest["risk"],
    }
    claimed["references"] = {each["model"]: each for each in manifest.get("references", [])}
    yield check_figures(claim, figures, claimed)
    yield check_given_away(problem)
    yield from check_rows(table, problem.table, solution.release)
    yield from check_classes(solution, manifest)
    if in_layers(problem):
        yield check_bound(problem, manifest, seconds_left(manifest, started))
    else:
        yield from check_proven(
            problem.policy,
            partial(case_of, problem),
            lambda: check_optimum(problem, manifest, seconds_left(manifest, started)),
            manifest,
            proof,
            started,
        )


def check_given_away(problem: Problem) -> Check:
    """Check that no kept column gives the original values of a generalized one away."""
    claim = "no kept column gives a generalized one away"
    found = find_given_away(problem.table, problem.policy, problem.policy.load_hierarchies())
    accepted = sorted({name for a in problem.policy.attributes.values() for name in a.reveals})
    detail = f"accepted for {quote_some(accepted)}" if accepted else "none in the original"
    return Check(claim, not found, " ".join(map(explain_revealed, found)) or detail)


def drawn_here(claimed: Mapping[str, Any]) -> bool:
    """Whether the key that a sample was drawn with is on this machine."""
    key = claimed.get("key")
    with contextlib.suppress(ReleaseError):
        return key is not None and key == key_name()
    return False


def check_input(original: Table, claimed: Mapping[str, Any]) -> Check:
    """Compare the original's digest with the manifest's, where the key it was made with is here."""
    claim = "the original is the one anonymized"
    digest, key = claimed.get("hmac_sha256"), claimed.get("key")
    if digest is None or key is None:
        return Check(claim, None, "the manifest has no keyed digest of the original")
    try:
        here = key_name()
    except ReleaseError as error:
        return Check(claim, None, str(error))
    if key != here:
        return Check(claim, None, f"its digest needs the key {key}, which is not on this machine")
    same = digest_of_input(original) == digest
    detail = "keyed digest agrees" if same else f"{original.name} has another keyed digest"
    return Check(claim, same, detail)


def released_columns(policy: Policy) -> list[str]:
    """List the columns that a release has."""
    return [name for name, each in policy.attributes.items() if not each.role.dropped]


def check_rows(table: Table, original: Table, release: Release) -> Iterator[Check]:
    """Check that released and expected rows are the same, as often, and not in the original order."""
    claim, plan, most = ROWS, release.plan(), release.policy.release.date_shift
    if most is not None:
        try:
            table, moved = in_row_intervals(table, release.policy)
        except DataError as error:
            yield Check(claim, False, str(error))
            return
        original, unmoved = in_row_intervals(original, release.policy)
    mine, theirs = number_rows(table, original, plan)
    distinct = int(max(mine.max(initial=-1), theirs.max(initial=-1))) + 1
    balance = np.bincount(mine, minlength=distinct) - np.bincount(theirs, minlength=distinct)
    if not balance.any():
        yield Check(claim, True, f"{mine.size:,} rows agree")
        yield check_order(mine, theirs, original, release)
        if most is not None:
            days, who = (moved, unmoved[plan.rows]), "rows, not people,"
            people = release.microdata.number_of_people
            yield check_moved(mine.tolist(), theirs.tolist(), days, most, people, who)
        return
    surplus, lacking = int(balance[balance > 0].sum()), int(-balance[balance < 0].sum())
    first = f", the first like row {np.argmax(balance[mine] > 0) + 1}" if surplus else ""
    yield Check(
        claim,
        False,
        f"rows that come from no input row: {surplus}{first}; rows that are lacking: {lacking}",
    )


def check_order(
    mine: NDArray[np.int64], theirs: NDArray[np.int64], original: Table, release: Release
) -> Check:
    """Check that rows which the policy shuffles stand neither as in the original nor as a column orders.

    The columns are those that are not released as they are: names, exact ages.
    """
    claim, policy = "the order of rows tells nothing", release.policy
    if not policy.release.shuffle:
        return Check(claim, None, "the policy keeps the order of the original")
    found = find_order(mine, theirs)
    columns = [*policy.quasi_identifiers, *policy.dropped]
    for name in [] if found else [each for each in columns if each in original.columns]:
        column = read_columns(original, [name])[name]
        order = np.argsort(ranks_of(column.texts)[column.codes[release.plan().rows]], kind="stable")
        if find_order(mine, theirs[order]):
            found = f"rows stand much as '{name}' orders them"
            break
    return Check(claim, found is None, found or "rows are shuffled")


def number_rows(
    table: Table, original: Table, plan: ReleasePlan
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number equal rows alike: those of a release, and those that are expected of the original."""
    released, kept = read_columns(table, plan.columns), read_columns(original, plan.kept)
    rows, parts = 0, []
    for name, mine in released.items():
        rows = mine.codes.size
        if name in plan.recodings:
            texts = list(map(same_text, mine.texts))
            mine, expected = mine.rename(read_cells(texts, plan, name)), recoded_cells(plan, name)
        else:
            twice = written_twice(mine.texts)
            mine = mine.rename(in_one_spelling(mine.texts, twice))
            expected = kept_cells(plan, kept[name], twice)
        numbers = np.append(mine.codes, Vocabulary(mine.texts).encode(expected))
        parts.append(code_labels(numbers))
    labels = label_together(parts, parts[0].of_row.size).of_row.astype(np.int64)
    return labels[:rows], labels[rows:]


def read_cells(texts: Sequence[str], plan: ReleasePlan, name: str) -> list[str]:
    """Write released cells of a recoded column as the values they stand for, escaped as released."""
    recoding = plan.recodings[name]
    known = set(written(recoding.values, plan))
    pairs = zip(texts, recoding.read_texts(texts), strict=True)
    return [text if text in known else value for text, value in pairs]


def recoded_cells(plan: ReleasePlan, name: str) -> Cells:
    """Return what a recoded column must hold."""
    numbers, texts = plan.recoded(name)
    return Cells(numbers, written(texts, plan))


def kept_cells(plan: ReleasePlan, original: Column, twice: Collection[str]) -> Cells:
    """Return what a column that is kept must hold."""
    texts = map(escape, original.texts) if plan.escape_formulas else original.texts
    return Cells(original.codes[plan.rows], in_one_spelling(texts, twice))


def written(texts: Sequence[str], plan: ReleasePlan) -> Sequence[str]:
    """Return texts as they stand in a release, numbers and times in one spelling."""
    return [same_text(escape(text) if plan.escape_formulas else text) for text in texts]


def written_twice(texts: Iterable[str]) -> set[str]:
    """Return the numbers and times that a release writes in several ways: they may mark a row.

    >>> written_twice(["5", "5.0", "6.0"])
    {'5'}
    """
    return {text for text, times in Counter(map(same_text, texts)).items() if times > 1}


def in_one_spelling(texts: Iterable[str], twice: Collection[str]) -> list[str]:
    """Write numbers and times in one spelling, but for those that must agree to the letter.

    >>> in_one_spelling(["5", "5.0", "6.0"], {"5"})
    ['5', '5.0', '6']
    """
    pairs = ((text, same_text(text)) for text in texts)
    return [text if same in twice else same for text, same in pairs]


def seconds_left(
    manifest: Mapping[str, Any], started: float, least: float = LEAST_SECONDS
) -> float | None:
    """Return what is left of the time that the release took to make, a second at least."""
    made_in = manifest.get("seconds")
    if made_in is None:
        return None
    return max(least, float(made_in) - (working_seconds() - started))


def left_out(claim: str, seconds: float | None, manifest: Mapping[str, Any]) -> Check:
    """Say that a search would take longer than the release took to make."""
    made_in = manifest.get("seconds")
    return Check(
        claim,
        None,
        f"left out: searched again for {seconds:.1f} s, and to end would take longer than the release "
        f"took to make ({made_in:g} s); a proof file can be checked instead, see `run --proof`",
    )


def check_proven(
    policy: Policy,
    read_case: Callable[[], Case],
    search: Callable[[], Check],
    manifest: Mapping[str, Any],
    found: Path | None,
    started: float,
) -> Iterator[Check]:
    """Check the proof file where there is one, and else search again."""
    if found is None:
        yield search()
        return
    claim = "the proof file is the one of this release"
    try:
        proof = read_proof(found)
        case = read_case()
    except Unsupported as error:
        yield Check(claim, None, str(error))
        yield search()
        return
    except ProofError as error:
        yield Check(claim, False, str(error))
        return
    differing = differing_origins(proof, found, policy, manifest)
    yield Check(claim, not differing, "; ".join(differing) or "digests and figures agree")
    yield check_tree(proof, case, seconds_left(manifest, started, LEAST_PROOF_SECONDS))


def check_tree(proof: Proof, case: Case, seconds: float | None) -> Check:
    """Check every closed box of a proof file: no search is made. A spot check is not all of them."""
    claim = (
        "no scheme of the policy has a lower loss"
        if proof.claim.optimal
        else "no scheme of the policy loses less than the bound"
    )
    try:
        checked = check(proof, case, seconds=seconds)
    except ProofError as error:
        return Check(claim, False, f"the proof file does not hold: {error}")
    except OutOfTime:
        return Check(
            claim,
            None,
            f"left out: the proof file was looked at for {seconds:.1f} s, and all of it would take "
            "longer than the release took to make; `python -m anonymizer.proof` takes the time it needs",
        )
    trusted = "".join(f"; taken on trust: {line}" for line in checked.trusted)
    if checked.is_spot_check:
        return Check(claim, None, f"proof file looked at in part: {checked}{trusted}")
    return Check(claim, True, f"proof file checked, nothing searched for: {checked}{trusted}")


def differing_origins(
    proof: Proof, path: Path, policy: Policy, manifest: Mapping[str, Any]
) -> list[str]:
    """Say in what a proof file differs from the manifest, the policy or the hierarchies."""
    claim, origin, declared = proof.claim, proof.origin, manifest.get("proof_file")
    scheme = dict(zip(proof.attributes, claim.scheme, strict=True))
    stated = {"scheme": scheme, "loss": claim.loss, "suppressed": claim.suppressed}
    optimal = manifest["status"] == Status.OPTIMAL
    bound = manifest["loss"] if optimal else manifest["bound"]
    agreed = {
        "digest": declared is None or declared["sha256"] == digest_of_file(path),
        "original": origin.get("input") == manifest["input"],
        "policy": origin.get("policy")
        in [digest_of_policy(each) for each in (policy.describe(), manifest["policy"])],
        "hierarchies": origin.get("hierarchies") == manifest["hierarchies"],
        "figures": not differing_keys(stated, manifest),
        "claim": claim.optimal is optimal and bound is not None and claim.bound >= bound - ROUNDING,
    }
    return [f"another {name}" for name, same in agreed.items() if not same]


def check_optimum(problem: Problem, manifest: Mapping[str, Any], seconds: float | None) -> Check:
    """Search again where the release claims to be optimal."""
    claim = "no scheme of the policy has a lower loss"
    if manifest.get("status") != Status.OPTIMAL:
        return Check(claim, None, f"not claimed: the status is {manifest.get('status')}")
    limited = problem.policy.without_limits().with_search(time_limit=seconds)
    try:
        again = anonymize(problem.with_policy(limited))
    except InfeasibleError:
        return left_out(claim, seconds, manifest)
    if again.stopped is StopReason.TIME and again.status is not Status.OPTIMAL:
        return left_out(claim, seconds, manifest)
    same = abs(again.loss - manifest["loss"]) <= ROUNDING
    if manifest.get("stopped") == StopReason.COMPLETE:  # else ties may have been left open
        same &= again.scheme == manifest["scheme"]
    detail = (
        f"searched again: loss {again.loss:.9f}, {again.proof and again.proof.evaluated} evaluated"
    )
    return Check(claim, same, detail)


def check_bound(problem: Problem, manifest: Mapping[str, Any], seconds: float | None) -> Check:
    """Search again for what every release in layers loses at least."""
    claim = "no release in layers has a loss below the bound"
    bound = manifest["bound"]
    if bound is None:
        return Check(claim, None, f"not claimed: the status is {manifest['status']}")
    again = search_again(problem.with_policy(problem.policy.without_limits()), seconds, bound)
    assert again.bound is not None
    detail = f"searched again: {again.bound:.9f}, claimed {bound:.9f}"
    if bound <= again.bound + 2 * ROUNDING:  # two losses that close count as one
        return Check(claim, True, detail)
    if again.stopped is StopReason.INTERRUPTED:
        return Check(claim, None, "interrupted before it was found again")
    if again.stopped is StopReason.TIME:
        return left_out(claim, seconds, manifest)
    return Check(claim, False, detail)
