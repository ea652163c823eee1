"""evidence: what a release is worth, by the analyses that the policy states.

Evidence compares a release with its original: it holds statistics of the original, so it is for the
steward. It never holds a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonymizer.analyses import (
    marginals,
    prediction,
    queries,
    regression,
    subgroups,
    survival,
    two_way,
)
from anonymizer.analyses.pair import Pair
from anonymizer.analyses.result import Result, Run
from anonymizer.data.opening import TableLike
from anonymizer.display import Displayed
from anonymizer.errors import PolicyError, suggest_name
from anonymizer.policy import Analysis, Policy, PolicyLike
from anonymizer.problem import Source, load_policy
from anonymizer.problem.tables import refuse_linked
from anonymizer.solution.manifest import ManifestLike, find_manifest
from anonymizer.solution.solution import Solution
from anonymizer.verification.applied import applied_again

if TYPE_CHECKING:
    import pandas as pd


RUNS: dict[str, Run] = {
    "linear": regression.run_linear,
    "logistic": regression.run_logistic,
    "cox": regression.run_cox,
    "survival": survival.run,
    "prediction": prediction.run,
    "marginals": marginals.run,
    "two-way": two_way.run,
    "queries": queries.run,
    "subgroups": subgroups.run,
}
"""What runs each kind of analysis that a policy may state."""


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Displayed):
    """What came of every analysis that a policy states."""

    records: int
    released: int
    results: tuple[Result, ...]

    def __getitem__(self, name: str) -> Result:
        """Return the result of the analysis of a name."""
        found = {result.analysis.name: result for result in self.results}
        if name not in found:
            raise PolicyError(
                f"evidence: there is no analysis '{name}'; {suggest_name(name, found)}"
            )
        return found[name]

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        return {
            "records": self.records,
            "released": self.released,
            "analyses": [result.describe() for result in self.results],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each analysis: its figure and value."""
        import pandas as pd

        keys = ("name", "kind", "figure", "value", "original", "higher_is_better")
        rows = [result.describe() for result in self.results]
        return pd.DataFrame([{key: row[key] for key in keys} for row in rows], columns=[*keys])


def evidence(
    released: TableLike | Solution,
    original: Source = None,
    policy: PolicyLike | None = None,
    manifest: Mapping[str, Any] | str | Path | None = None,
) -> Evidence:
    """Run the policy's analyses on a release and on the original it was made from.

    `released` is a file, whose manifest is looked for beside it; a dataframe, with its `manifest`; or a
    Solution, which has all that is needed. The original is the policy's table where it is not given. A
    ReleaseError says if the release is not what its scheme makes of the original.
    """
    if isinstance(released, Solution):
        return evidence_of(released)
    if policy is None:
        raise PolicyError("evidence needs the policy of the release; pass it as `policy`.")
    loaded = load_policy(policy)
    refuse_linked(loaded)
    stated_analyses(loaded)
    return evidence_of(solution_of(released, original, loaded, manifest))


def solution_of(
    released: TableLike,
    original: Source,
    policy: Policy,
    manifest: ManifestLike,
) -> Solution:
    """Apply the scheme of a release to its original again, and check that this is the release."""
    claims = find_manifest(released, manifest, "evidence")
    return applied_again(released, original, policy, claims)


def stated_analyses(policy: Policy) -> None:
    """Raise a PolicyError where a policy states no analysis."""
    if not policy.analysis:
        raise PolicyError(
            "policy: no analysis is stated; add an [[analysis]] table for each that the users of the "
            "release will make."
        )


def evidence_of(
    solution: Solution, on_analysis: Callable[[Analysis], None] = lambda _: None
) -> Evidence:
    """Run the analyses of a solution's policy on its release; each is told before it begins."""
    policy = solution.problem.policy
    stated_analyses(policy)
    pair = Pair(solution)
    results = []
    for each in policy.analysis:
        on_analysis(each)
        results.append(RUNS[each.kind](each, pair))
    return Evidence(solution.records, solution.records - solution.suppressed, tuple(results))
