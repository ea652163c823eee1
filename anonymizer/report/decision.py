"""The decision page: one page for whoever answers for a release, on screen and on paper.

In the order that a committee reads it, or in that of an authority's headings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from anonymizer.decision.authorities import Authority, outlines
from anonymizer.decision.context import PUBLIC_CLASS, PUBLIC_THRESHOLD, ReleaseModel
from anonymizer.decision.decision import ModelRisk, ReleaseDecision, Technique
from anonymizer.decision.threshold import Try
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
from anonymizer.report.sections import FigureTable, Section, Toned, bad, good, quiet
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
    "expert": "Who determines the risk, with knowledge and experience",
    "reidentification": "Known attempts at re-identification",
    "earlier_releases": "Earlier releases of the same people",
    "incident": "What is done if somebody is found",
    "review": "Date of the next review",
}
"""What is asked for each key of a context that is a text."""
PROBABILITIES = {
    "attempt": "A recipient tries to find somebody",
    "acquaintance": "A recipient knows somebody in the data, and recognizes them",
    "breach": "The data get lost to somebody who tries",
}
"""What a key of a context says the probability of."""
LIMIT = "How likely anybody may be found, tries included"
ROLES = {
    Role.IDENTIFYING: "direct identifier",
    Role.QUASI: "indirect identifier",
    Role.SENSITIVE: "kept as sensitive",
    Role.INSENSITIVE: "kept as not sensitive",
    Role.REMOVED: "removed to limit risk",
}
"""How a committee calls a role."""
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
    "Errors of the stated figures beyond what this page shows, and several of them being wrong at once.",
    "Whether the purpose is lawful and ethical, and what recipients are bound by: that is context.",
)


def render_decision(
    decision: ReleaseDecision, provenance: Provenance, authority: Authority | None = None
) -> str:
    """Write the page, in our order or in that of an authority's headings."""
    outline = [] if authority is None else [quiet(str(outlines()[authority]))]
    return write_page(
        f"Release decision: {decision.name}",
        [quiet(LEAD), *outline],
        sections_of(decision, provenance, authority),
        Provenance(made=provenance.made, version=provenance.version),
        template="decision.html",
        acceptable=decision.acceptable,
        verdict=tuple(verdict_of(decision)),
        numbered=authority is None,
    )


def verdict_of(decision: ReleaseDecision) -> Iterator[str]:
    """Say in some sentences what came out."""
    if decision.acceptable:
        yield "The release meets every risk model of its policy."
    else:
        failed = [check.claim for check in decision.verification.failures]
        failed += [risk.model for risk in decision.risks if risk.met is False]
        failed += ["the threshold of the context"] if decision.threshold.met is False else []
        yield f"THE RELEASE DOES NOT HOLD: {join(list(dict.fromkeys(failed)))}."
    solution = decision.solution
    yield (
        f"{whole(solution.records - solution.suppressed)} of {whole(solution.records)} records are "
        f"released with a quality of {points(solution.quality)} points of 100; whoever knows that a "
        f"person is among them finds the record with a probability of at most {share(decision.highest)}."
    )
    yield public_sentence(decision)
    asked = QUESTIONS | {"acceptable": LIMIT}
    asked |= {key: f"How likely it is: {small(said)}" for key, said in PROBABILITIES.items()}
    if missing := [small(asked[key]) for key in decision.context.missing()]:
        yield f"Not stated, and to be stated before a decision: {join(missing)}."


def small(text: str) -> str:
    """Begin a text with a small letter."""
    return text[:1].lower() + text[1:]


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


def sections_of(
    decision: ReleaseDecision, provenance: Provenance, authority: Authority | None = None
) -> tuple[Section, ...]:
    """Answer what reviewers ask, one after the other."""
    named = named_sections(decision, provenance)
    if authority is None:
        return tuple(named.values())
    return tuple(under_headings(decision, named, authority))


def named_sections(decision: ReleaseDecision, provenance: Provenance) -> dict[str, Section]:
    """Return the sections by the key that an authority's outline calls them."""
    return {
        "context": context_section(decision),
        "classification": classification_section(decision),
        "threshold": threshold_section(decision),
        "transformation": transformation_section(decision),
        "models": models_section(decision),
        "profile": profile_section(decision),
        "utility": utility_section(decision),
        "lost": lost_section(decision),
        "attacks": attacks_section(decision.attacks),
        "sensitivity": sensitivity_section(decision),
        "proof": proof_section(decision, provenance),
        "limits": Section("What this page does not cover", tuple(NOT_COVERED)),
    }


def under_headings(
    decision: ReleaseDecision, named: Mapping[str, Section], authority: Authority
) -> Iterator[Section]:
    """Put the sections under an authority's headings; what none of them asks for comes last."""
    told: set[str] = set()
    for heading in outlines()[authority].parts:
        told.update(heading.sections)
        asked = [each.removeprefix("context.") for each in heading.sections if "." in each]
        rows = tuple(context_row(decision, key) for key in asked)
        parts = tuple(named[each] for each in heading.sections if "." not in each)
        yield Section(heading.heading, (), (FigureTable((), rows),) if rows else (), parts=parts)
    rest = [section for key, section in named.items() if key not in told]
    asked = [key for key in QUESTIONS if f"context.{key}" not in told and "context" not in told]
    if "context" not in told:
        rest[0] = replace(rest[0], figures=(context_figures(decision, asked),))
    yield Section("What these headings do not ask for", (), parts=tuple(rest))


# --- context ---


def context_section(decision: ReleaseDecision) -> Section:
    """State the organization, the data, the recipient and the purpose."""
    return Section("Context and accountability", (), (context_figures(decision, list(QUESTIONS)),))


def context_figures(decision: ReleaseDecision, keys: list[str]) -> FigureTable:
    """List what is stated for some keys of the context."""
    return FigureTable((), tuple(context_row(decision, key) for key in keys))


def context_row(decision: ReleaseDecision, key: str) -> tuple[str, str]:
    """Write what is stated for a key of the context."""
    return QUESTIONS[key], stated_text(decision.context.describe()[key])


def stated_text(value: Any) -> str:
    """Write what is stated; what is not is said loudly."""
    if value is None:
        return NOT_STATED
    if isinstance(value, list):
        return "; ".join(value) or "nothing binds them"
    return RELEASE_MODELS.get(value, str(value))


# --- identifiers ---


def classification_section(decision: ReleaseDecision) -> Section:
    """Say what each column was taken for, and why."""
    order = list(ROLES)
    columns = sorted(decision.techniques, key=lambda each: order.index(each.role))
    rows = tuple(
        (each.name, ROLES[each.role], NOT_STATED if each.reason is None else each.reason)
        for each in columns
    )
    counted = [
        f"{whole(found)} {ROLES[role]}{'s' if found > 1 and 'identifier' in ROLES[role] else ''}"
        for role in order
        if (found := sum(each.role is role for each in columns))
    ]
    said = f"Of {whole(len(columns))} columns: {join(counted)}."
    return Section(
        "Classification of columns", (said,), (FigureTable(("column", "class", "reason"), rows),)
    )


def transformation_section(decision: ReleaseDecision) -> Section:
    """Say for each column what was done to it."""
    techniques = decision.techniques
    direct = [each.name for each in techniques if each.role is Role.IDENTIFYING]
    removed = f"removed: {join(direct)}" if direct else "the table has none"
    sentences = [f"Direct identifiers, {removed}."]
    if limited := [each.name for each in techniques if each.role is Role.REMOVED]:
        sentences.append(f"Removed to limit risk: {join(limited)}.")
    kept = [each.name for each in techniques if each.role in (Role.SENSITIVE, Role.INSENSITIVE)]
    if kept:
        sentences.append(f"Kept as {'it is' if len(kept) == 1 else 'they are'}: {join(kept)}.")
    header = (
        "indirect identifier",
        "technique",
        "values before",
        "values after",
        "loss",
        "what is left",
    )
    rows = tuple(technique_row(each, decision) for each in techniques if each.role is Role.QUASI)
    return Section("Transformation by variable", tuple(sentences), (FigureTable(header, rows),))


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


def threshold_section(decision: ReleaseDecision) -> Section:
    """Derive the highest risk that may be left from how likely it is that somebody tries."""
    derived, reason = decision.threshold, decision.context.threshold_reason
    limit = NOT_STATED if derived.acceptable is None else share(derived.acceptable)
    why = NOT_STATED if reason is None else reason
    rows = ((LIMIT, limit), ("Why", why))
    header = "what leads to a try", "stated", "counts as", "times the highest risk", "acceptable"
    tries = tuple(try_row(each, derived.public) for each in derived.tries)
    said = [
        "A person is found if somebody tries, and then finds them. So the highest risk in the release "
        "may be what is acceptable for a person, divided by the largest probability of a try.",
    ]
    if derived.public:
        said.append("A public release is open to whoever wants to try: each counts as certain.")
    said.append(threshold_verdict(decision))
    return Section("Threshold, from the context", tuple(said),
                   (FigureTable((), rows), FigureTable(header, tries)))  # fmt: skip


def try_row(each: Try, public: bool) -> tuple[str, ...]:
    """Write what may lead to a try as a row."""
    within = {True: "yes", False: bad("NO"), None: "-"}[each.within]
    absent = "not needed" if public else NOT_STATED
    stated = absent if each.stated is None else share(each.stated)
    return PROBABILITIES[each.name], stated, share(each.probability), share(each.whole), within


def threshold_verdict(decision: ReleaseDecision) -> str:
    """Hold the highest risk against the threshold that follows."""
    derived = decision.threshold
    if derived.threshold is None:
        return "No threshold follows, as nobody stated what is acceptable."
    found = f"The threshold that follows is {share(derived.threshold)}; the highest risk is"
    if derived.met:
        return good(f"{found} {share(derived.highest)}, within it.")
    return bad(f"{found} {share(derived.highest)}, ABOVE it.")


def models_section(decision: ReleaseDecision) -> Section:
    """Say what each model's threshold is, and what risk was there before and after."""
    header = "risk model and threshold", "initial", "residual", "95 % interval", "met"
    rows = tuple(model_row(risk) for risk in decision.risks)
    return Section("Initial and residual risk by model", (), (FigureTable(header, rows),))


def model_row(risk: ModelRisk) -> tuple[str, ...]:
    """Write a model as a row."""
    figures = (
        NOT_KNOWN if value is None else share(value) for value in (risk.initial, risk.residual)
    )
    interval = "counted" if risk.interval is None else interval_text(risk.interval)
    met = {True: "yes", False: "NO", None: "see verification"}[risk.met]
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
            "Checked with the original (the risks above), as the released file alone does not tell: "
            f"{join(unchecked)}."
        )
    sentences += [f"Look at this before release: {each}" for each in decision.verification.warnings]
    sentences.append(claimed_proof(decision))
    rows = (
        ("made by anonymizer", str(decision.manifest.get("anonymizer", NOT_KNOWN))),
        ("page made by anonymizer", provenance.version),
        *provenance.digests.items(),
        proof_file_row(decision.manifest),
    )
    return Section("Verification, versions and digests", tuple(sentences), (FigureTable((), rows),))


def proof_file_row(manifest: Mapping[str, Any]) -> tuple[str, str]:
    """Name the proof file with its digest, as the manifest does."""
    stated = manifest.get("proof_file")
    if stated is None:
        return "proof file", "none was written"
    return f"proof file {stated['name']} (SHA-256)", str(stated["sha256"])


def claimed_proof(decision: ReleaseDecision) -> str:
    """Say what the manifest claims about better schemes."""
    claimed = decision.manifest
    if claimed["bound"] is None:
        return describe_proof(decision.solution)
    gap = claimed["gap"] or 0.0
    if claimed["status"] == "optimal":
        return "The run that made the release proved that no allowed scheme loses less."
    return f"The run was stopped before the proof: a scheme that loses {gap:.4f} less may exist."
