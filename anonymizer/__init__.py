"""anonymizer: the most useful version of a table about people whose risk is acceptable, with a proof.

>>> from anonymizer import Policy, anonymize, verify
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

TYPE_CHECKING = False  # `typing` is a heavy import, and an interrupt meanwhile a traceback
if TYPE_CHECKING:
    from typing import Any

    from anonymizer.analyses.evidence import Evidence, evidence
    from anonymizer.assessment import Assessment, Statement, assess
    from anonymizer.attacks.attack import attack
    from anonymizer.attacks.result import Attacks
    from anonymizer.comparison.comparison import Comparison, compare
    from anonymizer.errors import (
        AnonymizerError,
        AnonymizerWarning,
        ClusterError,
        DataError,
        HierarchyError,
        InfeasibleError,
        PolicyError,
        ReleaseError,
        show_values,
    )
    from anonymizer.explanation.explanation import Explanation, explain
    from anonymizer.explanation.layered import LayeredExplanation
    from anonymizer.frontiers.frontier import Frontier, frontier
    from anonymizer.hierarchy import (
        Dates,
        Explicit,
        Hierarchy,
        Intervals,
        Ordered,
        Redaction,
        load_hierarchy,
        suggest,
        write_arx,
    )
    from anonymizer.policy import Policy, Role
    from anonymizer.problem import Problem
    from anonymizer.proposal.decision import Decision
    from anonymizer.proposal.proposal import Proposal, propose
    from anonymizer.report.proposal import write_proposal
    from anonymizer.risk import KAnonymity, RiskProfile
    from anonymizer.search import Progress, Proof, Status, StopReason
    from anonymizer.solution.coarsen import coarsen_to, released_levels
    from anonymizer.solution.manifest import make_manifest, read_manifest, write_release
    from anonymizer.solution.solution import Solution, anonymize, apply
    from anonymizer.solution.study import StudySolution
    from anonymizer.solution.study_manifest import make_study_manifest, write_study
    from anonymizer.verification.claims import Verification
    from anonymizer.verification.verification import verify

_HOMES = {
    "Assessment": "assessment.assessment",
    "Statement": "attackers.statement",
    "assess": "assessment.assessment",
    "Attacks": "attacks.result",
    "attack": "attacks.attack",
    "Comparison": "comparison.comparison",
    "compare": "comparison.comparison",
    "AnonymizerError": "errors",
    "AnonymizerWarning": "errors",
    "ClusterError": "errors",
    "DataError": "errors",
    "HierarchyError": "errors",
    "InfeasibleError": "errors",
    "PolicyError": "errors",
    "ReleaseError": "errors",
    "show_values": "errors",
    "Evidence": "analyses.evidence",
    "evidence": "analyses.evidence",
    "Explanation": "explanation.explanation",
    "explain": "explanation.explanation",
    "LayeredExplanation": "explanation.layered",
    "Frontier": "frontiers.frontier",
    "frontier": "frontiers.frontier",
    "Dates": "hierarchy",
    "Explicit": "hierarchy",
    "Hierarchy": "hierarchy",
    "Intervals": "hierarchy",
    "Ordered": "hierarchy",
    "Redaction": "hierarchy",
    "load_hierarchy": "hierarchy",
    "suggest": "hierarchy",
    "write_arx": "hierarchy",
    "Policy": "policy",
    "Role": "policy",
    "Problem": "problem",
    "Decision": "proposal.decision",
    "Proposal": "proposal.proposal",
    "propose": "proposal.proposal",
    "write_proposal": "report.proposal",
    "KAnonymity": "risk",
    "RiskProfile": "risk",
    "Progress": "search",
    "Proof": "search",
    "Status": "search",
    "StopReason": "search",
    "coarsen_to": "solution.coarsen",
    "released_levels": "solution.coarsen",
    "make_manifest": "solution.manifest",
    "read_manifest": "solution.manifest",
    "write_release": "solution.manifest",
    "Solution": "solution.solution",
    "anonymize": "solution.solution",
    "apply": "solution.solution",
    "StudySolution": "solution.study",
    "make_study_manifest": "solution.study_manifest",
    "write_study": "solution.study_manifest",
    "Verification": "verification.claims",
    "verify": "verification.verification",
}
"""Where each public name lives; it is imported when first asked for, so that `--help` is quick."""

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'anonymizer' has no attribute {name!r}")
    return getattr(import_module(f"anonymizer.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
