"""What a notebook shows of each value: a sentence, figures, pictures; no cell of a single person."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from anonymizer.analyses.evidence import Evidence
from anonymizer.assessment.assessment import Assessment
from anonymizer.attacks.result import Attacks
from anonymizer.comparison.comparison import Comparison, compare
from anonymizer.display import Displayed
from anonymizer.errors import AnonymizerError
from anonymizer.explanation.explanation import Explanation
from anonymizer.explanation.layered import LayeredExplanation
from anonymizer.frontiers.frontier import Frontier
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Attribute, Policy, Role
from anonymizer.problem import Problem
from anonymizer.problem.study import StudyProblem
from anonymizer.proposal.proposal import Proposal
from anonymizer.report import assessment as assessments
from anonymizer.report import attacks as tried
from anonymizer.report import explanation as explanations
from anonymizer.report import frontier as frontiers
from anonymizer.report import solution as solutions
from anonymizer.report import study as studies
from anonymizer.report import verification as verifications
from anonymizer.report.chart import short
from anonymizer.report.comparison import comparison_sections
from anonymizer.report.evidence import evidence_sections
from anonymizer.report.page import render, share, whole
from anonymizer.report.sections import FigureTable, Section, overview
from anonymizer.report.words import join
from anonymizer.solution.solution import Solution
from anonymizer.solution.study import StudySolution
from anonymizer.verification.claims import Verification

NAMED = 4
"""So many analyses a line names."""


@singledispatch
def sentence(value: Displayed) -> str:
    """Return what the prompt shows of a value, in one line."""
    raise NotImplementedError(f"register {type(value).__name__} in anonymizer.report.notebook")


@singledispatch
def sections(value: Displayed) -> Sequence[Section]:
    """Return the figures and pictures of a value."""
    raise NotImplementedError(f"register {type(value).__name__} in anonymizer.report.notebook")


def html(value: Displayed) -> str:
    """Return the display of a value: HTML without scripts that asks for nothing from elsewhere."""
    name = type(value).__name__
    line = sentence(value).removeprefix(f"{name}(").removesuffix(")")
    return render("notebook.html", name=name, line=line, sections=sections(value))


def named(value: object, *parts: str) -> str:
    """Write a value as its kind and what matters of it."""
    return f"{type(value).__name__}({', '.join(parts)})"


@sentence.register
def policy_sentence(policy: Policy) -> str:
    """Name the quasi-identifiers and the models."""
    models = join([str(model) for model in policy.risk])
    return named(policy, f"{models} over {join(policy.quasi_identifiers)}")


@sections.register
def policy_sections(policy: Policy) -> Sequence[Section]:
    """List every column with its role, and what is asked for."""
    rows = tuple(
        (
            name,
            each.role.value,
            hierarchy_of(each),
            f"{each.weight:g}" if each.role is Role.QUASI else "",
        )
        for name, each in policy.attributes.items()
    )
    limit = f"At most {share(policy.release.suppression_limit)} of the records may be suppressed."
    where = [] if policy.data.path is None else [f"The table is {policy.data.path}."]
    if policy.data.sample < 1:
        where.append(f"A sample of {share(policy.data.sample)} of the people is drawn.")
    given = policy.release
    layers = f"at most {given.most_layers} layers" if given.most_layers else "layers"
    schemes = layers if given.in_layers else "one scheme for all records"
    released = f"The release has {schemes}; suppressed records: {given.suppressed}."
    where += [
        f"At least {share(each.at_least)} with {each.where} are kept." for each in policy.keep
    ]
    header = "column", "role", "hierarchy", "weight"
    return [Section("", (*where, limit, released), (FigureTable(header, rows),))]


def hierarchy_of(attribute: Attribute) -> str:
    """Say where a hierarchy comes from."""
    given = attribute.hierarchy
    if isinstance(given, Hierarchy):
        return f"{given.height} levels"
    return "" if given is None else str(given)


@sentence.register
def proposal_sentence(proposal: Proposal) -> str:
    """Count the columns of each role."""
    roles = ", ".join(f"{len(proposal.with_role(role))} {role.value}" for role in Role)
    return named(proposal, f"{proposal}: {roles}")


@sections.register
def proposal_sections(proposal: Proposal) -> Sequence[Section]:
    """List every column with its role, why it has it, and how sure that is."""
    rows = tuple(
        (
            each.column,
            each.role.value,
            each.reason,
            each.confidence.value,
            share(each.figures.unique),
        )
        for each in proposal.decisions
    )
    header = "column", "role", "why", "how sure", "unique alone"
    return [Section("", proposal.warnings, (FigureTable(header, rows),))]


@sentence.register
def problem_sentence(problem: Problem) -> str:
    """Say what is asked of which table."""
    microdata, models = problem.microdata, join([str(model) for model in problem.models])
    return named(
        problem,
        f"{models} over {join(microdata.attributes)}",
        f"{whole(microdata.records)} records",
        f"{whole(problem.lattice.size)} schemes",
    )


@sections.register
def problem_sections(problem: Problem) -> Sequence[Section]:
    """Show the risk of the table as it is, and the levels that are allowed."""
    levels = tuple(
        (hierarchy.name, str(hierarchy.height - 1), f"{low} to {high}", whole(hierarchy.size))
        for hierarchy, low, high in zip(
            problem.hierarchies, problem.lattice.low, problem.lattice.high, strict=True
        )
    )
    header = "attribute", "highest level", "allowed", "values"
    before = problem.profile_before
    risks = tuple((row[0], row[1]) for row in solutions.profile_rows(before, before))
    return [
        Section("Quasi-identifiers", (), (FigureTable(header, levels),)),
        Section("Risk of the table as it is", (), (FigureTable(("risk", "now"), risks),)),
    ]


@sentence.register
def solution_sentence(solution: Solution) -> str:
    """Say how good a solution is, and how far that is proven."""
    layers = [f"{whole(len(solution.layers))} layers"] if solution.layers else []
    return named(
        solution,
        f"{solution.status.value}",
        f"quality {solution.quality:.4f}",
        *layers,
        f"{whole(solution.suppressed)} of {whole(solution.records)} records suppressed",
    )


@sections.register
def compared_sections(solution: Solution) -> Sequence[Section]:
    """Show the scheme, the risk before and after, and what is left of the table."""
    return [*solutions.sections(solution), *what_is_left(solution)]


def what_is_left(solution: Solution) -> Sequence[Section]:
    """Compare a release with its original, as long as that is there."""
    try:
        return comparison_sections(compare(solution))
    except (AnonymizerError, OSError) as error:
        return [Section("What is left of each column", (f"Not compared: {error}",))]


@sentence.register
def study_problem_sentence(problem: StudyProblem) -> str:
    """Say what is asked of which tables."""
    return named(
        problem,
        f"{problem.model} over {join(problem.study.attributes)}",
        f"{whole(problem.study.people)} people in {len(problem.parts)} tables",
        f"{whole(problem.lattice.size)} schemes",
    )


@sections.register
def study_problem_sections(problem: StudyProblem) -> Sequence[Section]:
    """List the tables with their rows and columns."""
    rows = tuple(
        (part.name, whole(table.rows), join(part.columns))
        for part, table in zip(problem.parts, problem.study.tables, strict=True)
    )
    return [Section("", (), (FigureTable(("table", "rows", "columns released"), rows),))]


@sentence.register
def study_sentence(solution: StudySolution) -> str:
    """Say how good the solution of a study is, and how far that is proven."""
    return named(
        solution,
        f"{solution.status.value}",
        f"quality {solution.quality:.4f}",
        f"{whole(solution.suppressed)} of {whole(solution.records)} people dropped",
    )


sections.register(StudySolution, studies.sections)


@sentence.register
def comparison_sentence(comparison: Comparison) -> str:
    """Say what changed most."""
    most = max((column.distance for column in comparison.columns), default=0.0)
    return named(
        comparison,
        f"{len(comparison.columns)} columns changed by at most {share(most)}",
        f"{whole(comparison.suppressed)} of {whole(comparison.records)} records suppressed",
    )


sections.register(Comparison, comparison_sections)


@sentence.register
def evidence_sentence(evidence: Evidence) -> str:
    """Say what came of each analysis."""
    values = [
        f"{short(each.analysis.name)}: "
        + ("not possible" if each.value is None else f"{each.value:.3g}")
        for each in evidence.results
    ]
    more = [f"{len(values) - NAMED} more"] if len(values) > NAMED else []
    return named(evidence, *values[:NAMED], *more)


sections.register(Evidence, evidence_sections)


@sentence.register
def frontier_sentence(frontier: Frontier) -> str:
    """State the varied parameter, and the range of the quality."""
    values = [point.value for point in frontier.points]
    qualities = [point.quality for point in frontier.points]
    ends = f"{min(values):g} to {max(values):g}"
    return named(
        frontier,
        f"{frontier.model}, {frontier.parameter.name} {ends}",
        f"{len(values)} points",
        f"quality {min(qualities):.4f} to {max(qualities):.4f}",
    )


sections.register(Frontier, frontiers.sections)


@sentence.register
def attacks_sentence(attacks: Attacks) -> str:
    """Say how many attacks succeed beyond their baseline."""
    return named(attacks, tried.verdict(attacks))


sections.register(Attacks, tried.sections)


@sentence.register
def verification_sentence(verification: Verification) -> str:
    """Say what came of a verification."""
    return named(verification, verifications.verdict(verification))


sections.register(Verification, verifications.sections)


@sentence.register
def explanation_sentence(explanation: Explanation) -> str:
    """Say what drives the risk most."""
    now, first = explanation.now, explanation.drivers[0]
    return named(
        explanation,
        f"{first.attribute} drives most of the risk",
        f"quality {now.quality:.4f}",
        f"average risk {share(now.average)}",
    )


sections.register(Explanation, explanations.sections)


@sentence.register
def layered_sentence(explanation: LayeredExplanation) -> str:
    """Say how many layers there are."""
    return named(
        explanation,
        f"{whole(len(explanation.layers))} layers",
        f"quality {explanation.quality:.4f}",
        f"average risk {share(explanation.average)}",
    )


sections.register(LayeredExplanation, explanations.sections)


@sentence.register
def assessment_sentence(assessment: Assessment) -> str:
    """Say what was asked, and whether a stated threshold is met."""
    asked = [risk.name for risk in assessment.scenarios]
    asked += ["external sources"] if assessment.findings is not None else []
    asked += ["disclosure elsewhere"] if assessment.disclosure is not None else []
    verdicts = {True: ["passes"], False: ["DOES NOT PASS"], None: []}
    records = f"{assessment.table}, {whole(assessment.records)} records"
    return named(assessment, records, join(asked), *verdicts[assessment.passes])


@sections.register
def assessment_sections(assessment: Assessment) -> Sequence[Section]:
    """Answer each question in a sentence, then in figures."""
    answers = Section("", tuple(assessments.answers(assessment)))
    return answers, *overview(assessments.sections(assessment))
