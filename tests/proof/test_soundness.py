"""The argument of the checker: what must go at a scheme goes at every finer one too, model by model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from anonymizer.errors import PolicyError
from anonymizer.lattice import Lattice
from anonymizer.proof.case import case_of
from anonymizer.proof.checker import ERROR, Case
from anonymizer.proof.table import Unsupported
from tests.oracle import Problem
from tests.proof.cases import MODELS, asked, people, values
from tests.strategies import problems


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=15)
@given(problem=problems(max_attributes=3), drawn=values)
def test_what_must_go_goes_at_every_finer_scheme(
    name: str, problem: Problem, drawn: list[str]
) -> None:
    hold(name, problem, drawn)


@pytest.mark.parametrize("name", ["k-anonymity", "sources", "overall", "distinct-l, marked"])
@settings(max_examples=15)
@given(problem=problems(max_attributes=3), drawn=values, person=people)
def test_so_it_does_where_people_have_several_rows(
    name: str, problem: Problem, drawn: list[str], person: list[int]
) -> None:
    hold(name, problem, drawn, person)


def hold(name: str, problem: Problem, drawn: list[str], person: list[int] | None = None) -> None:
    rows = len(problem.rows)
    try:
        put = asked(problem, MODELS[name], None, drawn[:rows], person and person[:rows])
        case = case_of(put)
    except (PolicyError, Unsupported):
        return
    schemes = list(problem.schemes())
    outcomes = {scheme: at_scheme(case, scheme) for scheme in schemes}
    for coarse in schemes:
        gone = case.must_go(coarse)
        least, losses = gone.records(case.table), case.measure.losses(case.table, gone)
        for finer in Lattice(case.low, coarse):
            suppressed, loss = outcomes[finer]
            assert least <= case.count(suppressed)
            assert not (gone.tuples & ~suppressed).any()
            assert case.measure.at(losses, finer) <= loss + 2 * ERROR


def at_scheme(case: Case, scheme: tuple[int, ...]) -> tuple[Any, float]:
    """Return what goes at a scheme, and what it loses."""
    suppressed = case.suppressed(scheme)
    return suppressed, case.loss(scheme, suppressed)
