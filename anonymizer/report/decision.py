"""The decision page: one page for whoever answers for a release, on screen and on paper.

In the shape that EMA's Policy 0070 and Health Canada's guidance on the public release of clinical
information ask for, and that an expert determination under HIPAA can use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anonymizer.decision.context import PUBLIC_CLASS, PUBLIC_THRESHOLD, ReleaseModel
from anonymizer.decision.decision import ModelRisk, ReleaseDecision, Technique
from anonymizer.estimators.intervals import Interval
from anonymizer.policy import Role
from anonymizer.report.decision_findings import (
    attacks_section,
    lost_section,
    sensitivity_section,
    utility_section,
)
from anonymizer.report.page import share, whole, write_page
from anonymizer.report.provenance import Provenance
from anonymizer.report.sections import FigureTable, Section, Toned, quiet
from anonymizer.report.solution import PROFILE_HEADER, describe_proof, profile_rows
from anonymizer.report.words import NOT_KNOWN, join, points

NOT_STATED = Toned("NOT STATED", "missing")
LEAD = (
    "For the steward and whoever reviews the release, not for publication: it tells how many records of "
    "which groups were suppressed. It shows no cell of a single person."
)
QUESTIONS = {
    "organization": "Who releases the data",
    "responsible": "Who answers for the decision",
    "prepared_by": "Who prepared it",
    "purpose": "Purpose",
    "recipients": "Recipients",
    "release_model": "Release model",
    "legal_basis": "Law, policy or guidance",
    "controls": "What binds the recipients",
    "threshold_reason": "Why the thresholds are acceptable",
    "reidentification": "Known attempts at re-identification",
    "earlier_releases": "Earlier releases of the same people",
    "review": "Date of the next review",
}
"""What is asked for each key of a context."""
RELEASE_MODELS = {
    ReleaseModel.PUBLIC: "public: anybody may have the data",
    ReleaseModel.AGREEMENT: "agreement: to those who sign a data use agreement",
    ReleaseModel.ENCLAVE: "enclave: the data are looked at where they are",
}
NOT_COVERED = (
    "Attackers whose knowledge is not in the roles, models, scenarios or statements of the policy: a "
    "column called sensitive or insensitive is taken to be unknown to others.",
    "What other releases of the same people add, unless one of the attacks above was that.",
    "Inference about groups: what the data truly say about people who look alike is left in them.",
    "Free text, images and other files that go with the table; they were not looked at.",
    "Errors of the stated figures beyond what section 8 shows, and several of them being wrong at once.",
    "Whether the purpose is lawful and ethical, and what recipients are bound by: that is context.",
)


def render_decision(decision: ReleaseDecision, provenance: Provenance) -> str:
    """Write the page."""
    return write_page(
        f"Release decision: {decision.name}",
        [quiet(LEAD)],
        sections_of(decision, provenance),
        Provenance(made=provenance.made, version=provenance.version),
        template="decision.html",
        acceptable=decision.acceptable,
        verdict=tuple(verdict_of(decision)),
    )


def verdict_of(decision: ReleaseDecision) -> Iterator[str]:
    """Say in some sentences what came out."""
    if decision.acceptable:
        yield "The release meets every risk model of its policy."
    else:
        failed = [check.claim for check in decision.verification.failures]
        failed += [risk.model for risk in decision.risks if risk.met is False]
        yield f"THE RELEASE DOES NOT HOLD: {join(list(dict.fromkeys(failed)))}."
    solution = decision.solution
    yield (
        f"{whole(solution.records - solution.suppressed)} of {whole(solution.records)} records are "
        f"released with a quality of {points(solution.quality)} points of 100; whoever knows that a "
        f"person is among them finds the record with a probability of at most {share(decision.highest)}."
    )
    yield public_sentence(decision)
    if missing := [QUESTIONS[key].lower() for key in decision.context.missing()]:
        yield f"Not stated, and to be stated before a decision: {join(missing)}."


def public_sentence(decision: ReleaseDecision) -> str:
    """Compare the highest risk with the figure that is named for public release."""
    named = (
        f"EMA's Policy 0070 and Health Canada's guidance name {PUBLIC_THRESHOLD:g} (classes of at least "
        f"{PUBLIC_CLASS}) for public release"
    )
    if decision.within_public_threshold:
        return f"{named}; the highest risk, {share(decision.highest)}, is within it."
    ends = f"; the highest risk, {share(decision.highest)}, is ABOVE it"
    if decision.context.public:
        model = (
            "the release" if decision.context.release_model else "without a stated release model it"
        )
        return f"{named}{ends}, and {model} counts as public: the threshold needs a reason."
    return f"{named}{ends}; this release is not public."


def sections_of(decision: ReleaseDecision, provenance: Provenance) -> tuple[Section, ...]:
    """Answer what reviewers ask, one after the other."""
    return (
        context_section(decision),
        identifiers_section(decision),
        models_section(decision),
        profile_section(decision),
        utility_section(decision),
        lost_section(decision),
        attacks_section(decision.attacks),
        sensitivity_section(decision),
        proof_section(decision, provenance),
        Section("What this page does not cover", tuple(NOT_COVERED)),
    )


# --- context ---


def context_section(decision: ReleaseDecision) -> Section:
    """State the organization, the data, the recipient and the purpose."""
    stated = decision.context.describe()
    rows = tuple((question, stated_text(stated[key])) for key, question in QUESTIONS.items())
    return Section("Context and accountability", (), (FigureTable((), rows),))


def stated_text(value: Any) -> str:
    """Write what is stated; what is not is said loudly."""
    if value is None:
        return NOT_STATED
    if isinstance(value, list):
        return "; ".join(value) or "nothing binds them"
    return RELEASE_MODELS.get(value, str(value))


# --- identifiers ---


def identifiers_section(decision: ReleaseDecision) -> Section:
    """Say for each identifier what was done to it."""
    techniques = decision.techniques
    direct = [each.name for each in techniques if each.role is Role.IDENTIFYING]
    kept = [each for each in techniques if each.role in (Role.SENSITIVE, Role.INSENSITIVE)]
    removed = f"removed: {join(direct)}" if direct else "the table has none"
    sentences = [f"Direct identifiers, {removed}."]
    sentences += removed_sentences(decision)
    sentences += [
        f"Kept as {'it is' if len(names) == 1 else 'they are'}, {role.value}: {join(names)}."
        for role in (Role.SENSITIVE, Role.INSENSITIVE)
        if (names := [each.name for each in kept if each.role is role])
    ]
    header = (
        "indirect identifier",
        "technique",
        "values before",
        "values after",
        "loss",
        "what is left",
    )
    rows = tuple(technique_row(each, decision) for each in techniques if each.role is Role.QUASI)
    return Section("Identifiers and techniques", tuple(sentences), (FigureTable(header, rows),))


def removed_sentences(decision: ReleaseDecision) -> list[str]:
    """Name the columns that were removed to limit risk, by reason."""
    attributes = decision.solution.problem.policy.attributes
    reasons: dict[str | None, list[str]] = {}
    for each in decision.techniques:
        if each.role is Role.REMOVED:
            reasons.setdefault(attributes[each.name].reason, []).append(each.name)
    return [
        f"Removed to limit risk{'' if why is None else f' ({why})'}: {join(names)}."
        for why, names in reasons.items()
    ]


def technique_row(each: Technique, decision: ReleaseDecision) -> tuple[str, ...]:
    """Write an indirect identifier as a row."""
    before, after = (
        NOT_KNOWN if number is None else whole(number)
        for number in (each.values_before, each.values_after)
    )
    loss = "-" if each.loss is None else share(each.loss)
    left = share(decision.solution.retained[each.name])
    return each.name, technique_of(each, decision), before, after, loss, left


def technique_of(each: Technique, decision: ReleaseDecision) -> str:
    """Say what was done to an indirect identifier; records are suppressed beside it."""
    center = decision.solution.problem.policy.attributes[each.name].microaggregation
    if each.level is None:
        return "generalized to several levels, in layers"
    if center is not None:
        return f"{center} of each class (microaggregation)"
    if each.level == 0:
        return "kept as it is"
    if each.level == each.top:
        return f"generalized to the top, level {each.level}"
    return f"generalized to level {each.level} of {each.top}"


# --- risk ---


def models_section(decision: ReleaseDecision) -> Section:
    """Say what each threshold is, why, and what risk was there before and after."""
    header = "risk model and threshold", "initial", "residual", "95 % interval", "met"
    rows = tuple(model_row(risk) for risk in decision.risks)
    reason = decision.context.threshold_reason
    sentences = ("Why these thresholds:", NOT_STATED if reason is None else reason)
    return Section("Thresholds, initial and residual risk", sentences, (FigureTable(header, rows),))


def model_row(risk: ModelRisk) -> tuple[str, ...]:
    """Write a model as a row."""
    figures = (
        NOT_KNOWN if value is None else share(value) for value in (risk.initial, risk.residual)
    )
    interval = "counted" if risk.interval is None else interval_text(risk.interval)
    met = {True: "yes", False: "NO", None: "see section 9"}[risk.met]
    return risk.model, *figures, interval, met


def interval_text(interval: Interval) -> str:
    """Write an interval."""
    return f"{share(interval.low)} to {share(interval.high)}"


def profile_section(decision: ReleaseDecision) -> Section:
    """Show the risk profile before and after, whichever model was asked for."""
    solution = decision.solution
    rows = profile_rows(solution.before, solution.after)
    sentences = (
        "The prosecutor knows that the person is in the data, the journalist does not; a risk is a "
        "probability. Intervals are in brackets, at 95 % confidence.",
        public_sentence(decision),
    )
    return Section("Risk profile", sentences, (FigureTable(PROFILE_HEADER, rows),))


# --- proof ---


def proof_section(decision: ReleaseDecision, provenance: Provenance) -> Section:
    """List the verified claims, the version and the files."""
    checks = decision.verification.checks
    held = sum(check.passed is True for check in checks)
    unchecked = [check.claim for check in checks if check.passed is None and not check.warning]
    sentences = [
        f"{held} of {len(checks)} claims of the manifest were recomputed and hold; every released row is "
        "the stated generalization of a record of the original."
    ]
    if failed := decision.verification.failures:
        sentences.append(
            f"FAILED: {join([f'{check.claim} ({check.detail})' for check in failed])}."
        )
    if unchecked:
        sentences.append(
            "Checked with the original (sections 3 and 4), as the released file alone does not tell: "
            f"{join(unchecked)}."
        )
    sentences += [f"Look at this before release: {each}" for each in decision.verification.warnings]
    sentences.append(claimed_proof(decision))
    rows = (
        ("made by anonymizer", str(decision.manifest.get("anonymizer", NOT_KNOWN))),
        ("page made by anonymizer", provenance.version),
        *provenance.digests.items(),
    )
    return Section("Verification, versions and digests", tuple(sentences), (FigureTable((), rows),))


def claimed_proof(decision: ReleaseDecision) -> str:
    """Say what the manifest claims about better schemes."""
    claimed = decision.manifest
    if claimed["bound"] is None:
        return describe_proof(decision.solution)
    gap = claimed["gap"] or 0.0
    if claimed["status"] == "optimal":
        return "The run that made the release proved that no allowed scheme loses less."
    return f"The run was stopped before the proof: a scheme that loses {gap:.4f} less may exist."
