"""Small tables with every model that the checker has a rule for, and how a proof of them is made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy
from anonymizer.problem import Problem as Asked
from anonymizer.proof.case import case_of
from anonymizer.proof.checker import Case
from anonymizer.proof.format import Cut, Node, Proof
from anonymizer.proof.writer import fast, write_proof
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.strategies import frame_of, hierarchies_of, names_of

VALUES = ("a", "b", "c")
TREE = Hierarchy.from_rows("s", [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")])
OF = {"attribute": "s"}
SCENARIO = {"population": 100, "p_m": 0.5, "p_fm": 0.5, "p_c": 0.6, "p_cu": 0.4}

MODELS: dict[str, list[dict[str, Any]]] = {
    "k-anonymity": [{"model": "k-anonymity", "k": 3}],
    "k-map, estimated": [{"model": "k-map", "k": 4, "population": 40, "significance": 0.1}],
    "k-map, counted": [{"model": "k-map", "k": 5, "population_table": "people"}],
    "strict-average": [{"model": "strict-average", "k": 2, "threshold": 0.3}],
    "average": [{"model": "average", "threshold": 0.4}],
    "sample-uniqueness": [{"model": "sample-uniqueness", "threshold": 0.2}],
    "p-uniqueness": [{"model": "p-uniqueness", "threshold": 0.02, "population": 400}],
    "p-uniqueness, zayatz": [
        {"model": "p-uniqueness", "threshold": 0.02, "population": 400, "estimator": "zayatz"}
    ],
    "p-uniqueness, snb": [
        {"model": "p-uniqueness", "threshold": 0.05, "population": 400, "estimator": "snb"}
    ],
    "p-uniqueness, dankar": [
        {"model": "p-uniqueness", "threshold": 0.03, "population": 400, "estimator": "dankar"}
    ],
    "sources": [{"model": "sources", "statement": "statement"}],
    "overall": [{"model": "overall", "threshold": 0.3, "statistic": "maximum", "scenario": "it"}],
    "distinct-l": [{"model": "distinct-l", **OF, "l": 2}],
    "distinct-l, marked": [{"model": "distinct-l", **OF, "l": 2, "values": ["a"]}],
    "entropy-l": [{"model": "entropy-l", **OF, "l": 1.8}],
    "entropy-l, marked": [{"model": "entropy-l", **OF, "l": 1.8, "values": ["a"]}],
    "recursive-cl": [{"model": "recursive-cl", **OF, "c": 2, "l": 2}],
    "t-closeness, equal": [{"model": "t-closeness", **OF, "t": 0.25}],
    "t-closeness, ordered": [
        {"model": "t-closeness", **OF, "t": 0.2, "distance": "ordered", "ranking": [*VALUES]}
    ],
    "t-closeness, tree": [{"model": "t-closeness", **OF, "t": 0.2, "distance": "hierarchical"}],
    "beta-likeness": [{"model": "beta-likeness", **OF, "beta": 0.8}],
    "beta-likeness, enhanced": [{"model": "beta-likeness", **OF, "beta": 2, "enhanced": True}],
    "delta-disclosure": [{"model": "delta-disclosure", **OF, "delta": 1}],
    "delta-disclosure, skipped": [
        {"model": "delta-disclosure", **OF, "delta": 1, "absent": "skip"}
    ],
    "delta-presence": [
        {"model": "delta-presence", "minimum": 0.0, "maximum": 0.5, "population_table": "people"}
    ],
    "delta-presence, partly known": [
        {"model": "delta-presence", "minimum": 0.1, "maximum": 0.5, "population_table": "known"}
    ],
    "k-anonymity and t-closeness": [
        {"model": "k-anonymity", "k": 3},
        {"model": "t-closeness", **OF, "t": 0.3},
    ],
    "sources and distinct-l": [
        {"model": "sources", "statement": "statement"},
        {"model": "distinct-l", **OF, "l": 2},
    ],
}
"""Risk models of a policy; words stand for what `fitted` puts there."""

MEASURES: list[dict[str, Any]] = [
    {},
    {"aggregate": "arithmetic"},
    {"aggregate": "maximum"},
    {"aggregate": "sum"},
    {"factor": 0.2},
    {"factor": 0.8},
    {"measure": "precision"},
    {"measure": "height"},
    {"measure": "entropy"},
]


def fitted(risk: dict[str, Any], problem: Problem, frame: pd.DataFrame) -> dict[str, Any]:
    """Put what the words of a model stand for in their place."""
    names = names_of(problem.trees)
    if risk.get("population_table") == "people":
        people = pd.concat([frame, frame.iloc[::2], frame.iloc[::3]])[names]
        return {**risk, "population_table": people.reset_index(drop=True)}
    if risk.get("population_table") == "known":
        known = pd.concat([frame, frame.iloc[::2]])[names[:1]].reset_index(drop=True)
        return {**risk, "population_table": known}
    if "statement" in risk:
        from anonymizer.attackers.statement import Statement

        p = {"by": names[0], "probabilities": {"v0": 0.3}, "default": 0.9}
        sources = [
            {"name": "one", "keys": names[:2], "p": p, "threshold": 0.34},
            {"name": "two", "keys": names[-1:], "p": 0.8, "q": 0.5, "threshold": 0.1,
             "without": {names[-1]: {"q": 0.2}}},
        ]  # fmt: skip
        return {**risk, "statement": Statement(source=sources)}
    if "scenario" in risk:
        from anonymizer.attackers.scenario import Scenario

        groups = [
            {"attributes": names[:1], "by": names[0], "default": 0.9, "probabilities": {"v0": 0.4}},
            {"attributes": names[1:2] or names[:1], "probability": 0.5, "cause": "account"},
            {"attributes": names, "probability": 0.2},
        ]
        causes = {"account": 0.7}
        return {
            **risk,
            "scenario": Scenario.parse({**SCENARIO, "learned": groups, "causes": causes}),
        }
    return risk


def asked(
    problem: Problem,
    risks: list[dict[str, Any]],
    utility: dict[str, Any] | None = None,
    values: list[str] | None = None,
    person: list[int] | None = None,
    keep: list[dict[str, Any]] | None = None,
) -> Asked:
    """Put models to the table of a problem, with a sensitive column and perhaps people."""
    frame = frame_of(problem.rows, problem.trees)
    risk = [fitted(each, problem, frame) for each in risks]
    frame["s"] = values or [VALUES[at % 3] for at in range(len(frame))]
    attributes: dict[str, Any] = {
        name: {
            "role": "quasi", "hierarchy": hierarchy, "weight": weight,
            "min_level": low, "max_level": high,
        }
        for name, hierarchy, weight, low, high in zip(
            names_of(problem.trees), hierarchies_of(problem.trees), problem.weights, problem.low,
            problem.high, strict=True,
        )
    }  # fmt: skip
    attributes["s"] = {"role": "sensitive", "hierarchy": TREE}
    data = {}
    if person is not None:
        frame["id"] = [f"p{number}" for number in person]
        attributes["id"], data = {"role": "identifying"}, {"id": "id"}
    given = {"aggregate": problem.aggregate} if utility is None else utility
    policy = Policy(data=data, attributes=attributes, risk=risk, utility=given, keep=keep or [])
    read = Asked.read(frame, policy, warn=False)
    return read.with_suppression_limit(problem.suppression_limit)


def proven(problem: Asked) -> tuple[Case, Proof] | None:
    """Find the optimum the slow way, and prove it; None where there is none."""
    best = search_exhaustively(problem.evaluator, problem.lattice).best
    if best is None:
        return None
    case = case_of(problem)
    proof = write_proof(fast(case, problem.microdata), best.scheme)
    assert proof is not None
    assert abs(proof.claim.loss - best.loss) < 1e-12
    assert proof.claim.suppressed == best.suppressed_records
    return case, proof


people = st.lists(st.integers(0, 9), min_size=25, max_size=25)
values = st.lists(st.sampled_from(VALUES), min_size=25, max_size=25)

TREES = (
    {str(v): (str(v), f"{v // 2}h", f"{v // 6}x", "*") for v in range(12)},
    {str(v): (str(v), f"{v // 3}t", "*") for v in range(9)},
    {str(v): (str(v), "*") for v in range(2)},
)
DRAW = np.random.default_rng(10)
ROWS = tuple(
    (str(min(int(DRAW.exponential(4)), 11)), str(DRAW.integers(9)), str(DRAW.integers(2)))
    for _ in range(80)
)
SMALL = Problem(ROWS, TREES, k=4, suppression_limit=14)
"""A table whose proof has boxes closed for every reason."""


K_AND_VALUES = [
    {"model": "k-anonymity", "k": 4},
    {"model": "entropy-l", "attribute": "s", "l": 1.9},
]


def swap(proof: Proof, old: Node, new: Node) -> Proof:
    """Put another node in the place of one."""

    def swapped(node: Node) -> Node:
        if node is old:
            return new
        return (
            replace(node, parts=tuple(map(swapped, node.parts))) if isinstance(node, Cut) else node
        )

    return replace(proof, tree=swapped(proof.tree))


def claiming(proof: Proof, **changes: Any) -> Proof:
    """Claim something else."""
    return replace(proof, claim=replace(proof.claim, **changes))
