"""The JSON that commands print and write, taken from what they make of a small table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from anonymizer import (
    Policy,
    Solution,
    anonymize,
    apply,
    assess,
    attack,
    compare,
    evidence,
    frontier,
    make_manifest,
    make_study_manifest,
    propose,
    verify,
    write_release,
)
from anonymizer.analyses.frontier import with_analyses
from anonymizer.decision.decision import decide
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Release
from anonymizer.risk import RiskProfile
from anonymizer.risk.k_map import KMap
from docs.generate.keys import docstrings_of, escape, stated

SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
ZIP = Hierarchy.from_rows("zip", [("101", "10*", "*"), ("102", "10*", "*")])
PEOPLE = pd.DataFrame(
    {
        "sex": ["F", "F", "M", "M", "M", "F"],
        "zip": ["101", "102", "101", "101", "102", "102"],
        "ward": ["A", "A", "B", "B", "A", "B"],
    }
)
OUTPUTS = (
    "proposal",
    "manifest",
    "run",
    "study",
    "risk profile",
    "comparison",
    "frontier",
    "evidence",
    "verification",
    "attacks",
    "decision",
    "assessment",
)
"""What is described, in the order of the page."""
BY_NAME = {
    "attribute_loss",
    "by_layers",
    "class_sizes",
    "comparison",
    "context",
    "evidence",
    "explanation",
    "figures",
    "files",
    "hierarchies",
    "keys",
    "overall",
    "packages",
    "policy",
    "pruned",
    "retained",
    "scheme",
    "seconds",
    "sensitive",
    "shared",
    "tables",
    "events_dropped",
}
"""Tables whose keys are names or settings, or described elsewhere: the table is, not its keys."""


@cache
def examples() -> dict[str, Any]:
    """Solve a small table and return what each command says of it."""
    policy = Policy(
        attributes={
            "sex": {"role": "quasi", "hierarchy": SEX},
            "zip": {"role": "quasi", "hierarchy": ZIP},
            "ward": {"role": "sensitive"},
        },
        risk=[
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l", "attribute": "ward", "l": 1},
        ],
        analysis=[{"name": "marginals", "kind": "marginals"}],
        keep=[{"where": "ward = A", "at_least": 0.5}],
    )
    in_layers = policy.model_copy(update={"release": Release(layers=True), "keep": ()})
    layered = anonymize(PEOPLE, in_layers).describe_layers()
    curve = frontier(PEOPLE, in_layers, [2])
    solution = anonymize(PEOPLE, policy)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    checks = verify(released, policy, manifest, against=PEOPLE).checks
    statement = {"source": [{"name": "a list", "keys": ["sex", "zip"]}]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of so few people hardly anything is left
        proposal = propose(PEOPLE, k=2, quasi=["sex", "zip"], keep=["ward"])
    return {
        "proposal": {**proposal.describe(), "files": {}},
        "manifest": {**manifest, **layered},
        "run": {
            **solution.describe(),
            **layered,
            "findings": solution.findings.describe(),
            "seconds": {},
            "files": {},
            "explanation": {},
            "comparison": {},
            "evidence": {},
        },
        "study": study_example(),
        "comparison": compare(suppressing(policy)).describe(),
        "frontier": {**with_analyses(curve, ["marginals"]).describe(), "files": {}},
        "evidence": {**evidence(solution).describe(), "files": {}},
        "verification": {
            "passed": True,
            "checks": [asdict(check) for check in checks],
            "earlier": None,
        },
        "attacks": {**attack(released, policy, PEOPLE).describe(), "files": {}},
        "decision": {**decision_example(policy), "files": {}},
        "assessment": {**assess_example(policy, statement), "files": {}},
        "risk profile": asdict(solution.before),
    }


def study_example() -> dict[str, Any]:
    """Release two linked tables, and return what only their manifest has."""
    visited = {"who": {"role": "identifying"}, "day": {"role": "quasi", "since": "first"}}
    policy = Policy(
        data={"id": "who"},
        attributes={"who": {"role": "identifying"}, "sex": {"role": "quasi", "hierarchy": SEX}},
        tables={"visit": {"id": "who", "attributes": visited}},
        risk=[{"model": "study", "k": 2, "power": 1, "suppress": "events", "most_events": 9}],
    )
    people = pd.DataFrame({"who": ["1", "2"], "sex": ["F", "F"]})
    visits = people[["who"]].assign(day="2024-05-01")
    solution = anonymize({"people": people, "visit": visits}, policy)
    manifest = make_study_manifest(solution, solution.to_frames())
    own = ("tables", "keys", "left_out", "above_cap", "events_dropped", "lost_all_events")
    return {key: manifest[key] for key in own}


def suppressing(policy: Policy) -> Solution:
    """Solve a table by suppressing the only one who lives elsewhere."""
    frame = pd.DataFrame({"sex": ["F"] * 12 + ["M"] * 5, "zip": "101", "ward": "A"})
    frame.loc[16, "zip"] = "102"
    return apply(frame, policy, {"sex": 0, "zip": 0})


def decision_example(policy: Policy) -> dict[str, Any]:
    """Put together what is known of a release that rests on a stated figure."""
    estimated = KMap(k=2, population=100)
    stated = policy.model_copy(update={"risk": (*policy.risk, estimated)})
    with TemporaryDirectory() as folder:
        files = write_release(anonymize(PEOPLE, stated), folder)
        return decide(files["release"], stated, PEOPLE).describe()


def assess_example(policy: Policy, statement: Mapping[str, Any]) -> dict[str, Any]:
    """Ask all three questions of the small table."""
    from anonymizer import Statement
    from anonymizer.assessment import Source

    found = assess(
        PEOPLE,
        policy,
        "worst-case",
        statement=Statement(**statement),
        sources=[Source("a network", 0.5, {"sex": 0.7})],
    )
    return found.describe()


def describe_output(name: str) -> str:
    """Write the fields of one kind of JSON as a table."""
    rows = [f"| `{path}` | {escape(meaning_of(name, path))} |" for path in paths_of(name)]
    return "\n".join(["| field | meaning |", "|---|---|", *rows])


def paths_of(name: str) -> list[str]:
    """List the fields of one kind of JSON, and what is one level below them."""
    paths = []
    for key, value in examples()[name].items():
        paths += [key, *(f"{key}{path}" for path in below(key, value))]
    return paths


def below(key: str, value: Any) -> Iterator[str]:
    """List the fields inside a field; those of a list are written with `[]`."""
    if key in BY_NAME:
        return
    if isinstance(value, Mapping):
        yield from (f".{inner}" for inner in value)
    if isinstance(value, Sequence) and value and isinstance(value[0], Mapping):
        yield from (f"[].{inner}" for inner in value[0])


def meaning_of(name: str, path: str) -> str:
    """Return what a field means: as its declaration says, or as `meanings.toml` does."""
    if name == "risk profile" and path in (declared := docstrings_of(RiskProfile)):
        return declared[path]
    return stated(f"output {name}", path, "meaning") or stated("output", path, "meaning")
