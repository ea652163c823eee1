"""What the search assumes of every risk model; a new model needs an example here."""

from __future__ import annotations

import dataclasses
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.data.table import FrameTable
from anonymizer.engine.classes import EquivalenceClasses, partition
from anonymizer.engine.microdata import Microdata, encode
from anonymizer.evaluation.suppression import greatest_kept, order_of, shortest_cut, suppress
from anonymizer.knowledge.statement import Statement
from anonymizer.policy import parse_model, print_model
from anonymizer.risk import (
    MODELS,
    AttributeGroup,
    Average,
    KAnonymity,
    KMap,
    Monotone,
    Overall,
    PUniqueness,
    Remaining,
    RiskModel,
    SampleUniqueness,
    Scenario,
    Sources,
    StrictAverage,
)
from tests.oracle import Problem
from tests.strategies import frame_of, hierarchies_of, problems

SCENARIO = Scenario(
    groups=(AttributeGroup(("a0",), probability=0.7),),
    population=1000,
    p_m=0.3,
    p_fm=0.5,
    p_c=0.4,
    p_cu=0.6,
)

STATEMENT = Statement(
    source=[
        {"name": "list", "keys": ["a0"], "p": 0.8, "threshold": 0.3},
        {
            "name": "register",
            "keys": ["a0"],
            "p": {"by": "a0", "values": {"v0": 0.9}, "default": 0.2},
            "threshold": 0.2,
        },
    ]
)

EXAMPLES: dict[str, list[RiskModel]] = {
    "k-anonymity": [KAnonymity(1), KAnonymity(2), KAnonymity(7)],
    "k-map": [
        KMap(2, population=100),
        KMap(5, population=50, significance=0.01, estimator="poisson"),
        KMap(4, population_table="people.csv"),
    ],
    "average": [Average(0.0), Average(0.3), Average(1.0)],
    "strict-average": [StrictAverage(k=2, threshold=0.3), StrictAverage(k=3, threshold=0.1)],
    "sample-uniqueness": [SampleUniqueness(0.0), SampleUniqueness(0.2)],
    "p-uniqueness": [
        PUniqueness(threshold, population, estimator)
        for threshold, population in ((0.001, 10_000), (0.05, 200))
        for estimator in ("pitman", "zayatz", "snb", "dankar")
    ],
    "overall": [
        Overall(threshold, SCENARIO, statistic)
        for threshold, statistic in ((0.1, "mean"), (0.5, "maximum"), (0.3, "p80"))
    ],
    "sources": [
        Sources(STATEMENT),
        Sources(STATEMENT, threshold=0.1),
    ],
}
ALL = [model for models in EXAMPLES.values() for model in models]


def table_of(problem: Problem) -> Microdata:
    """Encode the rows, with the same rows thrice over as the population they come from."""
    frame = frame_of(problem.rows, problem.trees)
    people = FrameTable(frame.loc[np.repeat(frame.index, 3)])
    return encode(FrameTable(frame), hierarchies_of(problem.trees), people)


def remaining_of(
    microdata: Microdata, scheme: tuple[int, ...], models: list[RiskModel]
) -> Remaining:
    """What is left when everybody who violates a model is suppressed, in the order of the models."""
    classes = partition(microdata, scheme)
    gone = greatest_kept(microdata, classes, models, np.zeros(microdata.distinct, np.bool_))
    parts = classes.split(microdata, gone, 2)
    return Remaining(microdata, parts, gone[parts.first_tuple], order_of(models))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_examples_here_and_is_called_by_its_name(name: str) -> None:
    assert EXAMPLES.get(name), f"add examples of {name} to this file"
    assert MODELS[name].name == name
    assert all(type(model) is MODELS[name] for model in EXAMPLES[name])


@pytest.mark.parametrize("model", ALL, ids=str)
@settings(max_examples=40)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_it_is_monotone_as_it_says_when_a_scheme_is_made_finer(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    microdata = table_of(problem)
    coarse = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    fine = tuple(data.draw(st.integers(0, level)) for level in coarse)
    upper, lower = partition(microdata, coarse), partition(microdata, fine)
    if model.monotone is Monotone.RECORD:
        nobody = np.zeros(microdata.distinct, np.bool_)
        gone_above = greatest_kept(microdata, upper, [model.relaxed()], nobody)
        gone_below = greatest_kept(microdata, lower, [model], nobody)
        assert (gone_below | ~gone_above).all()
    if model.monotone is Monotone.TABLE:
        nothing = [Remaining(microdata, c, np.zeros(c.sizes.size, bool)) for c in (lower, upper)]
        assert model.risk(nothing[0]) >= model.relaxed().risk(nothing[1]) - 1e-12


@pytest.mark.parametrize("model", [m for m in ALL if m.monotone is not Monotone.NONE], ids=str)
@settings(max_examples=40)
@given(problem=problems(max_attributes=3, max_rows=7, ranges=False), data=st.data())
def test_no_set_of_records_that_meets_it_at_a_finer_scheme_breaks_its_binding(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    microdata = table_of(problem)
    coarse = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    fine = tuple(data.draw(st.integers(0, level)) for level in coarse)
    found = suppress(microdata, partition(microdata, coarse), [model])
    bound = found.binding.classes[found.classes.label_of_tuple]
    finer = partition(microdata, fine)
    for marks in product((False, True), repeat=microdata.distinct):
        gone = np.array(marks)  # of equal records all go: the rest is only at a higher risk without
        if meets_it(microdata, finer, gone, model):
            kept = int(microdata.counts[bound & ~gone].sum())
            assert kept <= found.binding.exempt


def meets_it(
    microdata: Microdata, classes: EquivalenceClasses, gone: np.ndarray, model: RiskModel
) -> bool:
    """Whether what is kept meets a model."""
    parts = classes.split(microdata, gone, 2)
    suppressed = gone[parts.first_tuple]
    if not (greatest_kept(microdata, classes, [model], gone) == gone).all():
        return False
    return model.passes(Remaining(microdata, parts, suppressed))


@pytest.mark.parametrize("model", ALL, ids=str)
@settings(max_examples=40)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_its_first_cut_is_the_one_a_linear_scan_finds(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    remaining = remaining_of(table_of(problem), scheme, [model])
    passing = [model.passes(remaining, cut) for cut in range(remaining.histogram.classes + 1)]
    assert passing[-1], "a table without records has no risk"
    assert model.local or passing[0], "who is above a limit is suppressed already"
    for start in range(len(passing)) if model.local else [0]:
        assert model.first_cut(remaining, start) == passing.index(True, start)
    if getattr(model, "decreases", False):
        risks = [model.risk(remaining, cut) for cut in range(len(passing))]
        assert risks == sorted(risks, reverse=True)


@settings(max_examples=100)
@given(
    problem=problems(max_attributes=3, ranges=False),
    models=st.lists(st.sampled_from(ALL), min_size=1, max_size=3),
    data=st.data(),
)
def test_several_models_are_met_together_by_the_shortest_cut(
    problem: Problem, models: list[RiskModel], data: st.DataObject
) -> None:
    microdata = table_of(problem)
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    remaining = remaining_of(microdata, scheme, models)
    passing = [
        all(model.passes(remaining, cut) for model in models if model.local)
        for cut in range(remaining.histogram.classes + 1)
    ]
    cut = shortest_cut(remaining, models)
    assert cut == passing.index(True)
    found = suppress(microdata, partition(microdata, scheme), models)
    gone = remaining.suppressed.copy()
    gone[remaining.order[:cut]] = True
    if all(model.local for model in models):  # else whoever is above a limit then goes too
        assert found.tuples.tolist() == gone[remaining.classes.label_of_tuple].tolist()
    assert not (gone[remaining.classes.label_of_tuple] & ~found.tuples).any()
    records, binding = found.classes.records, found.binding
    assert records[binding.classes].sum() - binding.exempt <= records[found.suppressed].sum()


@pytest.mark.parametrize("model", [m for m in ALL if m.local], ids=str)
@settings(max_examples=40)
@given(problem=problems(ranges=False))
def test_no_class_is_smaller_than_it_says_and_does_not_break_it(
    model: RiskModel, problem: Problem
) -> None:
    microdata = table_of(problem)
    for scheme in (problem.low, problem.high):
        classes = partition(microdata, scheme)
        least = model.least_class(microdata.records)
        assert model.violating(classes)[classes.sizes < least].all()


@pytest.mark.parametrize("model", ALL, ids=str)
def test_what_does_not_fit_a_table_is_said_in_one_sentence(model: RiskModel) -> None:
    for records in (1, 5, 1000, 10**7):
        for fault in model.check(records, ("age", "sex")):
            assert fault.endswith(".")
            assert "\n" not in fault


@pytest.mark.parametrize("model", ALL, ids=str)
def test_it_is_a_frozen_value_that_can_be_printed_and_saved(model: RiskModel) -> None:
    assert dataclasses.is_dataclass(model)
    assert dataclasses.replace(model) == model  # type: ignore[type-var]
    assert hash(dataclasses.replace(model)) == hash(model)  # type: ignore[type-var]
    assert pickle.loads(pickle.dumps(model)) == model
    if not isinstance(model, Overall | Sources):  # what they take is a file of its own
        assert parse_model(print_model(model)) == model
    first = dataclasses.fields(model)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(model, first, 3)
