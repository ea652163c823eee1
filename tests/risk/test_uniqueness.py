from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.suppression import suppress
from anonymizer.risk import KAnonymity, PUniqueness, RiskModel
from anonymizer.risk.model import binds_finer
from anonymizer.risk.uniqueness import most_within
from anonymizer.search import search
from anonymizer.table.classes import partition
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem
from tests.search.test_boxes import essence, medium
from tests.strategies import evaluator_of, lattice_of, problems

MODELS = st.builds(
    PUniqueness,
    threshold=st.floats(-8, -0.01).map(lambda exponent: 10**exponent),
    population=st.integers(2, 8).map(lambda digits: 10**digits),
    estimator=st.sampled_from(["pitman", "zayatz", "dankar"]),
)


@settings(max_examples=400)
@given(problems(max_attributes=3), MODELS, st.booleans())
@example(medium(), PUniqueness(1e-3, 10**5), False)
@example(medium(), PUniqueness(1e-3, 10**5, "zayatz"), False)
def test_every_finer_scheme_suppresses_what_a_coarser_one_says(
    problem: Problem, model: PUniqueness, together: bool
) -> None:
    models: list[RiskModel] = [model, KAnonymity(2)] if together else [model]
    evaluator, lattice = replace(evaluator_of(problem), models=models), lattice_of(problem)
    schemes = list(lattice)[:: 1 + lattice.size // 60]
    found = [evaluator.evaluate(scheme) for scheme in schemes]
    for coarse in found:
        for fine in found:
            if all(a <= b for a, b in zip(fine.scheme, coarse.scheme, strict=True)):
                assert coarse.binding_records <= fine.suppressed_records
                own = sum(coarse.terms[a, level] for a, level in enumerate(fine.scheme))
                assert own <= evaluator.measure.aggregate.to_terms(fine.loss) + 1e-9


@pytest.mark.parametrize("estimator", ["pitman", "zayatz", "dankar"])
def test_it_binds_finer_schemes(estimator: str) -> None:
    problem = medium()
    model = PUniqueness(1e-3, 10**5, estimator)
    assert binds_finer(model, 100)
    evaluator = replace(evaluator_of(problem), models=[model])
    assert evaluator.evaluate((1, 1, 0, 1, 0)).binding_records > 10


@pytest.mark.parametrize("model", [PUniqueness(0.1, 10**5), PUniqueness(1e-3, 10**5, "snb")])
def test_where_nothing_is_known_it_says_so(model: PUniqueness) -> None:
    assert not binds_finer(model, 100)


def test_a_sample_of_more_than_a_tenth_has_no_bound_by_dankar_s_rule() -> None:
    problem = medium()
    microdata = evaluator_of(problem).microdata
    classes = partition(microdata, (1, 1, 0, 1, 0))
    model = PUniqueness(1e-3, 5 * microdata.records, "dankar")
    assert not suppress(microdata, classes, [model]).binding.classes.any()


@settings(max_examples=150)
@given(problems(max_attributes=3), MODELS)
@example(medium(), PUniqueness(1e-3, 10**5))
@example(medium(), PUniqueness(1e-5, 10**5, "zayatz"))
@example(medium(), PUniqueness(1e-2, 10**4, "dankar"))
def test_a_search_finds_what_exhaustive_search_finds(problem: Problem, model: PUniqueness) -> None:
    evaluator, lattice = replace(evaluator_of(problem), models=[model]), lattice_of(problem)
    found, expected = search(evaluator, lattice), search_exhaustively(evaluator, lattice)
    assert essence(found.best) == essence(expected.best)
    assert found.status is expected.status
    assert found.proof.open == 0


@given(st.floats(0, 1), st.integers(1, 10**6))
def test_as_many_are_within_a_share_as_division_says(share: float, people: int) -> None:
    most = most_within(share, people)
    assert most / people <= share < (most + 1) / people
