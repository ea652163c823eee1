"""The figures: the procedure on synthetic visits, visits and people, and ADULT against sdcMicro."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from anonymizer.assessment.findings import ProcedureFindings, SourceFindings
from anonymizer.assessment.homogeneity import column_of_cells
from anonymizer.assessment.keys import (
    KeyPeople,
    KeySet,
    WhatIf,
    count_violations,
    flat_hierarchy,
)
from anonymizer.assessment.mitigation import describe_levels
from anonymizer.assessment.plan import describe_plan
from anonymizer.assessment.procedure import follow_procedure
from anonymizer.assessment.protected import Protected
from anonymizer.assessment.special_uniques import (
    dis_power,
    dis_scores,
    find_special_uniques,
    original_weight,
)
from anonymizer.attackers.statement import Statement
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import InfeasibleError
from anonymizer.policy import Keep
from anonymizer.proof.case import case_of
from anonymizer.proof.checker import check
from anonymizer.risk import Sources
from anonymizer.search import Status
from anonymizer.solution.solution import Solution, anonymize
from anonymizer.table.microdata import encode
from experiments.datasets import describe_absent, figures_of, path_of
from experiments.simon2020 import paper
from experiments.simon2020.sdcmicro import individual_risk, share_weight
from experiments.simon2020.visits import KEYS, draw_people, draw_several, draw_visits, policy

OnStep = Callable[[str], None]
LEFT_OUT = {
    paper.NO_STATE: ("site",),
    paper.NO_YEAR: ("visit_year",),
    paper.NEITHER: ("site", "visit_year"),
}
SINGLE = ", exponent in single precision"
KNOWN = "known to be treated in one of the systems"

STATEMENT = Statement(
    threshold="sensitive",
    sensitive={"depression": ["yes"], "alcohol": ["yes"]},
    outcome={"death90": ["yes"], "event90": ["yes"]},
    access={"data use agreement": 0.2, "data enclave": 1.0},
    source=[
        {"name": paper.DEATH, "keys": [*KEYS, "death90"], "p": paper.P},
        {
            "name": paper.EVENT,
            "keys": [*KEYS, "event90"],
            "attack": "idiosyncratic",
            "p": paper.P,
        },
        {"name": KNOWN, "keys": [*KEYS, "event90"], "attack": "idiosyncratic"},
    ],
)


def assess_visits(records: int, seed: int, step: OnStep) -> ProcedureFindings:
    """Draw visits, one for each person, and follow the procedure."""
    step(f"drawing {records:,} visits")
    rng = np.random.default_rng(seed)
    visits = draw_visits(draw_people(records, rng), rng)
    return follow_procedure(visits, policy(list(visits)), STATEMENT, step)


def compare_counts(findings: ProcedureFindings) -> pd.DataFrame:
    """Put our counts beside the paper's."""
    ours = {source.name: source for source in findings.sources}
    rows = []
    for count in paper.COUNTS:
        found = violations(ours[count.source], LEFT_OUT.get(count.keys, ()))
        for k, printed, percent in zip((2, 3, 5), count.violations, count.percent, strict=True):
            rows.append(
                {
                    "source": count.source,
                    "keys": count.keys,
                    "k": k,
                    "paper": printed,
                    "paper_percent": percent,
                    "recomputed_percent": f"{100 * printed / paper.RECORDS:.3f}",
                    "synthetic": found[k],
                    "synthetic_percent": f"{100 * found[k] / findings.people:.3f}",
                }
            )
    return pd.DataFrame(rows)


def compare_plans(findings: ProcedureFindings, step: OnStep) -> pd.DataFrame:
    """Plan for all sources together, also with state, year or both left out before."""
    assert findings.plan is not None
    assert findings.plan.solution is not None
    problem = findings.plan.solution.problem
    rows = []
    for name, left_out in {paper.ALL: (), **LEFT_OUT}.items():
        step(f"planning, {name}")
        tops = {
            key: problem.lattice.high[problem.microdata.attributes.index(key)] for key in left_out
        }
        solution = anonymize(problem.with_levels(low=tops))
        changed = {key: level for key, level in solution.scheme.items() if level}
        rows.append(
            {
                "keys": name,
                "change": describe_levels(problem.microdata, changed),
                "proven": solution.status is Status.OPTIMAL,
                "loss": solution.loss,
                "dropped": solution.suppressed,
                **{f"{key}_dropped": dropped(solution, key) for key in STATEMENT.outcome},
            }
        )
    return pd.DataFrame(rows)


KEPT = (0.9, 0.95, 0.99)
"""The shares of the records with each outcome that plans keep."""


def compare_kept(findings: ProcedureFindings, step: OnStep) -> pd.DataFrame:
    """Plan for all sources together where stated shares of deaths, or of deaths and events, must stay.

    The outcomes are never left out as keys: records whose outcome is not released are of no use to an
    analysis of it.
    """
    assert findings.plan is not None
    assert findings.plan.solution is not None
    planned = findings.plan.solution.problem
    problem = planned.with_levels(high=dict.fromkeys(STATEMENT.outcome, 0))
    wanted: dict[str, dict[str, float]] = {"nothing": {}}
    for share in KEPT:
        wanted[f"{share:.0%} of the deaths"] = {"death90": share}
        wanted[f"{share:.0%} of deaths and of events"] = dict.fromkeys(STATEMENT.outcome, share)
    rows = []
    for name, shares in wanted.items():
        step(f"planning, kept: {name}")
        keep = [Keep(where=f"{key} = yes", at_least=share) for key, share in shares.items()]
        asked = problem.policy.model_copy(update={"keep": tuple(keep)})
        try:
            solution = anonymize(problem.with_resolved(asked, problem.models))
        except InfeasibleError:
            continue  # with few records, nothing keeps so many
        rows.append({"kept": name, **kept_row(solution)})
    return pd.DataFrame(rows)


def kept_row(solution: Solution) -> dict[str, Any]:
    """Return the figures of a plan, and how many boxes of its proof file were checked."""
    problem, proof = solution.problem, solution.proof_file()
    assert proof is not None
    changed = {key: level for key, level in solution.scheme.items() if level}
    return {
        "change": describe_levels(problem.microdata, changed),
        "proven": solution.status is Status.OPTIMAL,
        "boxes": check(proof, case_of(problem)).boxes,
        "loss": solution.loss,
        "dropped": solution.suppressed,
        **{f"{key}_dropped": dropped(solution, key) for key in STATEMENT.outcome},
        **{f"{group.where.split()[0]}_gone_anyway": group.gone_anyway for group in solution.groups},
    }


def compare_told(findings: ProcedureFindings, step: OnStep) -> pd.DataFrame:
    """Plan for all sources where small cells may give a sensitive value away, and where none may."""
    assert findings.plan is not None
    assert findings.plan.solution is not None
    planned = findings.plan.solution.problem
    statement = STATEMENT.model_copy(update={"given_away": "none"})
    protected = Protected.load(planned.table, STATEMENT)
    refusing = planned.with_models(Sources(statement))
    problem = refusing.with_levels(high=dict.fromkeys(STATEMENT.outcome, 0))
    kept = Keep(where="death90 = yes", at_least=0.95)
    deaths = problem.policy.model_copy(update={"keep": (kept,)})
    asked = {
        "counted": planned,
        "none": problem,
        "none, 95% of the deaths kept": problem.with_resolved(deaths, problem.models),
    }
    rows = []
    for name, each in asked.items():
        step(f"planning, given away: {name}")
        try:
            solution = anonymize(each)
        except InfeasibleError:
            continue  # with few records, nothing keeps so many
        told = describe_plan(solution, STATEMENT, protected).given_away
        rows.append({"given_away": name, **kept_row(solution), "told": max(told.values())})
    gone = [f"{key}_gone_anyway" for key in STATEMENT.outcome]
    return pd.DataFrame(rows).drop(columns=gone, errors="ignore")


def dropped(solution: Solution, outcome: str) -> int:
    """Count the dropped records with an outcome."""
    microdata = solution.problem.microdata
    at = microdata.attributes.index(outcome)
    having = np.array(microdata.columns[at].labels(0))[microdata.codes[at]] == "yes"
    return int(microdata.counts[having & solution.release.suppressed].sum())


def violations(source: SourceFindings, left_out: tuple[str, ...]) -> dict[int, int]:
    """Return the counts with some keys left out."""
    if not left_out:
        return source.rarity.violations
    variant: WhatIf = next(v for v in source.rarity.what_if if v.left_out == left_out)
    return variant.violations


def compare_people(people: int, seed: int, step: OnStep) -> pd.DataFrame:
    """Count visits and people of a table with several visits for each person."""
    step(f"drawing several visits of {people:,} people")
    visits = draw_several(people, mean=6.7, rng=np.random.default_rng(seed))
    source = {"name": "demographics and year", "keys": list(KEYS)}
    described = policy(list(visits))
    by_row = follow_procedure(visits, described, Statement(source=[source]), step)
    by_person = follow_procedure(visits, described, Statement(source=[source], id="patient"), step)
    history = by_person.sources[0].rarity.by_history
    assert history is not None
    counted = {
        "visits, as if each were a person": (by_row.people, by_row.sources[0].rarity.violations),
        "people, by the id": (by_person.people, by_person.sources[0].rarity.violations),
        "people, all of their visits known": (by_person.people, history),
    }
    return pd.DataFrame(
        {"counted": name, "number": number, **{f"violating_{k}": n for k, n in found.items()}}
        for name, (number, found) in counted.items()
    )


# --- ADULT against sdcMicro ---


def compare_sdcmicro(step: OnStep) -> pd.DataFrame | None:
    """Compute on ADULT what sdcMicro was run for; None, and said, where ADULT is not at hand."""
    path = path_of("adult")
    if path is None:
        print(describe_absent("adult", "what sdcMicro finds on ADULT"), file=sys.stderr)
        return None
    frame = pd.read_csv(path, sep=";", dtype=str)
    frame.columns = frame.columns.str.replace("-", "_")
    reference = json.loads(figures_of("simon2020", "sdcmicro.json").read_text(encoding="utf-8"))
    rows = []
    for name in ("keys3", "keys8_without_salary", "keys9"):
        step(f"ADULT, {name}")
        for what, theirs, ours in compare_set(frame, reference[name]):
            rows.append({"keys": name, "figure": what, "sdcmicro": theirs, "ours": float(ours)})
    table = pd.DataFrame(rows)
    difference = (table["ours"] - table["sdcmicro"]).abs()
    table["relative_difference"] = difference / table["sdcmicro"].abs().clip(lower=1e-300)
    return table


def compare_set(
    frame: pd.DataFrame, reference: dict[str, Any]
) -> Iterator[tuple[str, float, float]]:
    """Yield each figure of one set of keys, theirs and ours."""
    names = reference["keyVars"]
    trees = [flat_hierarchy(name, list(frame[name].unique()), missing=False) for name in names]
    microdata = encode(FrameTable(frame), trees)
    keys = KeySet(microdata, KeyPeople.of_rows(microdata), (0,) * len(names))
    cells = keys.cells()
    label = keys.classes().label_of_tuple[microdata.tuple_of_row].astype(np.int64)
    sizes = cells.sizes[label]
    counts = reference["freqCalc"]
    for k, found in count_violations(cells, (2, 3, 5, 10)).items():
        yield f"records violating {k}-anonymity", counts[f"viol_{k}anon"], found
    yield "cells", counts["n_classes"], cells.sizes.size
    yield "individual risk, sum", reference["indivRisk"]["sum"], individual_risk(sizes).sum()
    rows = np.arange(1, len(frame) + 1)
    for weights, weight in (("w_const", np.full(rows.size, 100)), ("w_var", 50 + rows % 101)):
        risk = individual_risk(sizes, np.bincount(label, weight)[label])
        expected = reference[f"weighted_{weights}"]["approx"]["sum"]
        yield f"individual risk, weights {weights}, sum", expected, risk.sum()
    if "ldiversity" in reference:
        yield from compare_diversity(frame, label, reference["ldiversity"])
    if "suda2_original_TRUE" in reference:
        yield from compare_suda(keys, reference)


def compare_diversity(
    frame: pd.DataFrame, label: np.ndarray[Any, np.dtype[np.int64]], reference: dict[str, Any]
) -> Iterator[tuple[str, float, float]]:
    """Yield l-diversity of the salary class, summed over the records."""
    values = np.unique(frame["salary_class"], return_inverse=True)[1]
    sizes = np.bincount(label)
    cells, every = np.arange(sizes.size, dtype=np.int32), np.ones(sizes.size, np.bool_)
    found = column_of_cells(label, values, None).histograms(cells, sizes, every)
    for name, diversity in (("Distinct", found.distinct), ("Entropy", np.exp(found.entropies))):
        expected = reference[f"salary_class_{name}_Ldiversity"]["sum"]
        yield f"{name.lower()} l-diversity, sum", expected, diversity[label].sum()


def compare_suda(keys: KeySet, reference: dict[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Yield SUDA2 scores, both kinds, and DIS-SUDA scores."""
    cells = keys.cells()
    uniques, pairs = int((cells.sizes == 1).sum()), 2 * int((cells.sizes == 2).sum())
    for call, weight in (
        ("suda2_original_TRUE", original_weight),
        ("suda2_original_FALSE", share_weight),
    ):
        their, scores = reference[call], find_special_uniques(keys, weight=weight).score
        yield f"{call}, sum of scores", their["score"]["sum"], scores.sum()
        yield f"{call}, highest score", their["score_max"], scores.max()
        power = dis_power(len(keys.keys))
        for exponent, precision in ((power, ""), (float(np.float32(power)), SINGLE)):
            dis = dis_scores(scores, uniques, pairs, exponent, 0.01)
            yield f"{call}, sum of DIS scores{precision}", their["disScore"]["sum"], dis.sum()
