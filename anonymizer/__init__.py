"""anonymizer: the most useful version of a table about people whose risk is acceptable, with a proof.

>>> from anonymizer import Policy, anonymize, verify
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from anonymizer.assessment import Assessment, Statement, assess
    from anonymizer.errors import (
        AnonymizerError,
        AnonymizerWarning,
        DataError,
        HierarchyError,
        InfeasibleError,
        PolicyError,
        ReleaseError,
    )
    from anonymizer.explanation.explanation import Explanation, explain
    from anonymizer.frontiers.frontier import Frontier, frontier
    from anonymizer.hierarchy import Hierarchy, load_hierarchy, write_arx
    from anonymizer.policy import Policy, Role
    from anonymizer.problem import Problem
    from anonymizer.risk import KAnonymity, RiskProfile
    from anonymizer.search import Progress, Proof, Status, StopReason
    from anonymizer.solution.manifest import make_manifest, read_manifest, write_release
    from anonymizer.solution.solution import Solution, anonymize, apply
    from anonymizer.verification.claims import Verification
    from anonymizer.verification.verification import verify

_HOMES = {
    "assessment": ("Assessment", "Statement", "assess"),
    "errors": (
        "AnonymizerError",
        "AnonymizerWarning",
        "DataError",
        "HierarchyError",
        "InfeasibleError",
        "PolicyError",
        "ReleaseError",
    ),
    "explanation.explanation": ("Explanation", "explain"),
    "frontiers.frontier": ("Frontier", "frontier"),
    "hierarchy": ("Hierarchy", "load_hierarchy", "write_arx"),
    "policy": ("Policy", "Role"),
    "problem": ("Problem",),
    "risk": ("KAnonymity", "RiskProfile"),
    "search": ("Progress", "Proof", "Status", "StopReason"),
    "solution.manifest": ("make_manifest", "read_manifest", "write_release"),
    "solution.solution": ("Solution", "anonymize", "apply"),
    "verification.claims": ("Verification",),
    "verification.verification": ("verify",),
}
"""Where each public name lives; it is imported when first asked for, so that `--help` is quick."""

__all__ = [
    "AnonymizerError",
    "AnonymizerWarning",
    "Assessment",
    "DataError",
    "Explanation",
    "Frontier",
    "Hierarchy",
    "HierarchyError",
    "InfeasibleError",
    "KAnonymity",
    "Policy",
    "PolicyError",
    "Problem",
    "Progress",
    "Proof",
    "ReleaseError",
    "RiskProfile",
    "Role",
    "Solution",
    "Statement",
    "Status",
    "StopReason",
    "Verification",
    "anonymize",
    "apply",
    "assess",
    "explain",
    "frontier",
    "load_hierarchy",
    "make_manifest",
    "read_manifest",
    "verify",
    "write_arx",
    "write_release",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"anonymizer.{home}"), name)
    raise AttributeError(f"module 'anonymizer' has no attribute {name!r}")
