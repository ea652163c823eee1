"""The plan for all sources together: the optimum of `sources`, and what is left after it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from anonymizer import Statement
from anonymizer.assessment.findings import ProcedureFindings
from anonymizer.assessment.plan import MitigationPlan
from anonymizer.assessment.procedure import follow_procedure
from anonymizer.policy import Policy
from tests.exhaustive import search_exhaustively
from tests.wards import patients, write_files

LIST = {"name": "list", "keys": ["age", "sex", "days"], "p": 0.6}
NEWS = {"name": "news", "keys": ["zip", "sex"], "p": 0.9, "threshold": 0.1}


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy.read(write_files(tmp_path))


def state(tmp_path: Path, *sources: dict, **keys: object) -> Statement:
    return Statement(source=list(sources), folder=tmp_path, **keys)


def plan_of(findings: ProcedureFindings) -> MitigationPlan:
    assert findings.plan is not None
    assert findings.plan.reason is None
    return findings.plan


def test_it_is_the_best_of_all_schemes_and_the_procedure_accepts_its_release(tmp_path, policy):
    statement = state(tmp_path, LIST, NEWS)
    plan = plan_of(follow_procedure(patients(), policy, statement))
    assert plan.solution is not None
    problem = plan.solution.problem
    expected = search_exhaustively(problem.evaluator, problem.lattice).best
    assert expected is not None
    assert (plan.loss, plan.optimal) == (expected.loss, True)
    assert plan.dropped == expected.suppressed_records
    released = plan.solution.to_frame()
    after = follow_procedure(released, plan.solution.problem.policy, statement)
    assert after.passes
    for source in after.sources:
        assert source.probabilities.highest == pytest.approx(plan.highest[source.name])
    assert all(str(level) in plan.what for level in plan.levels.values() if level == 1)


def test_a_source_that_is_at_hand_and_people_with_several_rows_are_planned_for(tmp_path, policy):
    frame = pd.concat([patients(), patients().iloc[:40]], ignore_index=True)
    patients(500, seed=2)[["age", "days"]].to_csv(tmp_path / "list.csv", index=False)
    linked = {"name": "linked", "keys": ["age", "days"], "path": "list.csv", "threshold": 0.05}
    plan = plan_of(follow_procedure(frame, policy, state(tmp_path, linked, NEWS, id="name")))
    assert plan.solution is not None
    assert plan.solution.problem.microdata.number_of_people == 120
    assert plan.people_dropped < 120
    assert plan.highest["linked"] <= 0.05
    kept = ~plan.solution.release.suppressed[plan.solution.problem.microdata.tuple_of_row]
    assert plan.people_dropped == 120 - frame.loc[kept, "name"].nunique()


def test_the_records_with_an_outcome_that_matters_are_counted(tmp_path, policy):
    statement = state(
        tmp_path, LIST | {"threshold": 0.01}, outcome={"diagnosis": ["flu", "asthma"]}
    )
    plan = plan_of(follow_procedure(patients(), policy, statement))
    assert plan.solution is not None
    gone = plan.solution.release.suppressed[plan.solution.problem.microdata.tuple_of_row]
    having = patients()["diagnosis"].isin(["flu", "asthma"]).to_numpy()
    (cost,) = plan.outcomes
    assert (cost.records, cost.dropped) == (having.sum(), (having & gone).sum())


@pytest.mark.parametrize("most", [0.6, 1.0])
def test_what_small_cells_still_give_away_is_what_the_procedure_finds_in_the_release(
    tmp_path, policy, most
):
    values = {"diagnosis": ["flu", "asthma", "fracture\nof the arm"]}
    statement = state(tmp_path, LIST, NEWS, sensitive=values, most=most)
    plan = plan_of(follow_procedure(patients(400), policy, statement))
    assert plan.solution is not None
    released = plan.solution.to_frame()
    after = follow_procedure(released, plan.solution.problem.policy, statement)
    assert plan.given_away == {source.name: source.given_away for source in after.sources}
    assert plan.acceptable == after.passes


def test_a_table_that_is_acceptable_needs_no_plan(tmp_path, policy):
    assert follow_procedure(patients(), policy, state(tmp_path, LIST | {"p": 0.01})).plan is None


def test_why_there_is_no_plan_is_one_sentence(tmp_path, policy):
    hidden = state(tmp_path, LIST | {"keys": ["name", "age"]})
    found = follow_procedure(patients(), policy, hidden).plan
    assert found is not None
    assert (
        found.reason == "statement: the key 'name' is identifying and never released; leave it out."
    )
    released = patients().drop(columns="name")
    found = follow_procedure(released, policy, state(tmp_path, LIST)).plan
    assert found is not None
    assert found.reason is not None
    assert "no column 'name', which the policy gives a role" in found.reason
