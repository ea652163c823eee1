"""A policy put to a table once, and asked again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import Policy, PolicyError, Problem, anonymize, apply, frontier
from anonymizer.data.column import Cells
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import AnonymizerWarning, DataError
from anonymizer.evaluation import evaluate, suppression
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import Average, KAnonymity, KMap
from anonymizer.table import classes as engine

pytestmark = pytest.mark.quick

AGE = Hierarchy.from_rows("age", [(str(a), f"{a // 10}0s", "*") for a in range(20, 60)])
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])


def people(rows: int = 60) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [str(20 + (7 * row * row) % 40) for row in range(rows)],
            "sex": ["FM"[row % 3 % 2] for row in range(rows)],
        }
    )


def policy(**keys: object) -> Policy:
    return Policy(
        attributes={
            "age": {"role": "quasi", "hierarchy": AGE},
            "sex": {"role": "quasi", "hierarchy": SEX},
        },
        **{"risk": [KAnonymity(3)], **keys},
    )


class Counting(FrameTable):
    """A dataframe that counts how often its rows are read."""

    passes = 0

    def batches(self, columns: list[str]) -> list[list[Cells]]:
        type(self).passes += 1
        return super().batches(columns)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> type[Counting]:
    monkeypatch.setattr(Counting, "passes", 0)
    return Counting


def test_a_problem_is_asked_again_without_reading_the_table(counting: type[Counting]) -> None:
    problem = Problem.read(counting(people()), policy())
    anonymize(problem)
    for other in (
        problem.with_models(KAnonymity(5)),
        problem.with_levels(low={"age": 1}, high={"sex": 0}),
        problem.with_weights({"age": 0.25}),
        problem.with_policy(policy(risk=[Average(0.2)])),
    ):
        anonymize(other)
    frontier(problem, values=[2, 3, 4])
    apply(problem, None, {"age": 1, "sex": 0})
    assert counting.passes == 1


@pytest.mark.parametrize(
    ("ask", "changes"),
    [
        (lambda p: p.with_models(KAnonymity(7)), {"risk": [KAnonymity(7)]}),
        (lambda p: p.with_models(Average(0.1)), {"risk": [Average(0.1)]}),
        (
            lambda p: p.with_policy(policy(utility={"measure": "entropy"})),
            {"utility": {"measure": "entropy"}},
        ),
    ],
)
def test_a_problem_asked_again_answers_as_a_new_one(ask, changes) -> None:
    again = anonymize(ask(Problem.read(people(), policy())))
    new = anonymize(people(), policy(**changes))
    assert again.describe() == new.describe()
    assert again.problem.policy.describe() == new.problem.policy.describe()


def test_levels_and_weights_of_a_problem_are_those_of_a_policy() -> None:
    asked = Problem.read(people(), policy()).with_levels({"age": 1}, {"age": 1, "sex": 0})
    asked = asked.with_weights({"sex": 0.5})
    attributes = {
        "age": {"role": "quasi", "hierarchy": AGE, "min_level": 1, "max_level": 1},
        "sex": {"role": "quasi", "hierarchy": SEX, "max_level": 0, "weight": 0.5},
    }
    written = Policy(attributes=attributes, risk=[KAnonymity(3)])
    assert anonymize(asked).describe() == anonymize(people(), written).describe()


def test_a_level_that_a_hierarchy_does_not_have_is_refused() -> None:
    with pytest.raises(PolicyError, match="levels 0 to 2"):
        Problem.read(people(), policy()).with_levels(high={"age": 7})


def test_an_attribute_that_is_not_there_is_refused() -> None:
    with pytest.raises(PolicyError, match="no attribute 'agee'; did you mean 'age'"):
        Problem.read(people(), policy()).with_weights({"agee": 1.0})


def test_another_hierarchy_needs_the_table_again() -> None:
    other = Hierarchy.from_rows("age", [(str(a), "*") for a in range(20, 60)])
    attributes = {
        "age": {"role": "quasi", "hierarchy": other},
        "sex": {"role": "quasi", "hierarchy": SEX},
    }
    with pytest.raises(PolicyError, match=r"start again with Problem\.read"):
        Problem.read(people(), policy()).with_policy(
            Policy(attributes=attributes, risk=[KAnonymity(3)])
        )


def test_a_population_table_is_read_when_a_model_asks_for_it(counting: type[Counting]) -> None:
    problem = Problem.read(counting(people()), policy())
    with_population = problem.with_models(KMap(k=3, population_table=people(200)))
    assert with_population.microdata.population is not None
    assert counting.passes == 2
    new = anonymize(people(), policy(risk=[KMap(k=3, population_table=people(200))]))
    assert anonymize(with_population).loss == new.loss


def test_the_winner_is_not_made_again_to_be_described(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem.read(people(), policy())
    made: list[tuple[int, ...]] = []
    suppressed: list[tuple[int, ...]] = []

    def partition(microdata, scheme):
        made.append(scheme)
        return engine.partition(microdata, scheme)

    def suppress(microdata, classes, models, *more):
        suppressed.append(classes.scheme)
        return suppression.suppress(microdata, classes, models, *more)

    monkeypatch.setattr(evaluate, "partition", partition)
    monkeypatch.setattr(evaluate, "suppress", suppress)
    solution = anonymize(problem)
    winner = problem.scheme_of(solution.scheme)
    assert made.count(winner) == suppressed.count(winner) == 1


def test_a_kept_outcome_is_the_one_made_anew() -> None:
    problem = Problem.read(people(), policy())
    kept = anonymize(problem).outcome
    anew = replace(problem.evaluator).outcome(kept.classes.scheme)
    assert (kept.suppressed == anew.suppressed).all()
    assert kept.evaluation.loss == anew.evaluation.loss


def test_hierarchies_are_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    original = Policy.load_hierarchies
    monkeypatch.setattr(Policy, "load_hierarchies", lambda self: built.append(1) or original(self))
    solution = anonymize(people(), policy())
    solution.to_frame()
    frontier(solution.problem, values=[2, 3])
    assert len(built) == 1


def test_data_without_a_policy_is_refused() -> None:
    with pytest.raises(PolicyError, match="pass one beside the data"):
        anonymize(people())


def test_a_scheme_is_checked_level_by_level() -> None:
    problem = Problem.read(people(), policy())
    with pytest.raises(DataError, match="has 3 defects"):
        problem.scheme_of({"age": 9, "name": 1})


def test_a_level_is_a_whole_number_in_any_type() -> None:
    problem = Problem.read(people(), policy())
    levels: dict[str, Any] = {"age": 1.0, "sex": True}
    assert apply(problem, None, levels).scheme == {"age": 1, "sex": 1}
    with pytest.raises(DataError, match="'age' has level '1', but the policy allows 0 to 2"):
        problem.scheme_of({**levels, "age": "1"})


@pytest.mark.parametrize(
    ("texts", "builder"),
    [
        ([f"2024-01-{day:02}" for day in range(1, 31)], "dates"),
        ([*map(str, range(30))], "intervals"),
    ],
)
def test_dates_and_numbers_taken_for_flat_texts_are_warned_of(
    texts: list[str], builder: str
) -> None:
    flat = Hierarchy.from_rows("x", [(text, "*") for text in texts])
    policy = Policy(
        attributes={"x": {"role": "quasi", "hierarchy": flat}},
        risk=[{"model": "k-anonymity", "k": 2}],
    )
    with pytest.warns(AnonymizerWarning, match=f'write builder = "{builder}"'):
        Problem.read(pd.DataFrame({"x": texts}), policy)
