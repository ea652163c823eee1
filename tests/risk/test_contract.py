"""What everything else assumes of every risk model; a new model needs an example here."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers.disclosure import Disclosing, Source
from anonymizer.attackers.statement import Statement
from anonymizer.attackers.statistics import DATA_SET
from anonymizer.data.pandas import FrameTable
from anonymizer.estimators import intervals
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import greatest_kept, order_of, shortest_cut, suppress
from anonymizer.explanation.next_threshold import generalized_values
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import (
    MODELS,
    NRF,
    AttributeGroup,
    Average,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    Direction,
    DistinctL,
    EntropyL,
    Estimates,
    ExpectedUniques,
    KAnonymity,
    KMap,
    ModelKind,
    Overall,
    Parameter,
    PUniqueness,
    RecursiveCL,
    Remaining,
    RiskModel,
    SampleUniqueness,
    Scenario,
    Sources,
    StrictAverage,
    TableModel,
    TCloseness,
)
from anonymizer.risk.assumption import Unit
from anonymizer.risk.model import binds_finer, binds_records, judges_by_size
from anonymizer.risk.parsing import parse_model, print_model
from anonymizer.risk.study import StudyAnonymity
from anonymizer.search import search
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.microdata import Microdata, encode
from anonymizer.utility import Aggregate, Loss
from anonymizer.validation.toml import write_keys
from tests.oracle import Problem, generalize
from tests.own import OWN_MODELS, OwnSpread
from tests.strategies import frame_of, hierarchies_of, problems

SCENARIO = Scenario(
    learned=(AttributeGroup(("a0",), probability=0.7),),
    population=1000,
    p_m=0.3,
    p_fm=0.5,
    p_c=0.4,
    p_cu=0.6,
)

DISCLOSING = Disclosing((Source("one", 0.6, {"a0": 0.7}), Source("other", 0.3, {"a0": 0.5})))

STATEMENT = Statement(
    source=[
        {"name": "list", "keys": ["a0"], "p": 0.8, "threshold": 0.3},
        {
            "name": "register",
            "keys": ["a0"],
            "p": {"by": "a0", "probabilities": {"v0": 0.9}, "default": 0.2},
            "threshold": 0.2,
        },
    ]
)

TREE = Hierarchy.from_rows("s", [("v0", "a", "*"), ("v1", "a", "*"), ("v2", "b", "*")])

EXAMPLES: dict[str, list[RiskModel]] = {
    "k-anonymity": [KAnonymity(1), KAnonymity(2), KAnonymity(7)],
    "k-map": [
        KMap(2, population=100),
        KMap(5, population=50, significance=0.01, estimator="poisson"),
        KMap(4, population_table="people.csv"),
        KMap(3, estimator="survey", weight="w"),
        KMap(5, estimator="survey", significance=0.3, weight="w"),
    ],
    "average": [Average(0.0), Average(0.3), Average(1.0)],
    "strict-average": [StrictAverage(k=2, threshold=0.3), StrictAverage(k=3, threshold=0.1)],
    "sample-uniqueness": [SampleUniqueness(0.0), SampleUniqueness(0.2)],
    "p-uniqueness": [
        PUniqueness(threshold, population, estimator)
        for threshold, population in ((0.001, 10_000), (0.05, 200))
        for estimator in ("pitman", "zayatz", "snb", "dankar")
    ],
    "expected-uniques": [
        ExpectedUniques(people, population, estimator)
        for people, population in ((0.5, 10_000), (3, 200))
        for estimator in ("pitman", "zayatz", "snb", "dankar")
    ],
    "overall": [
        Overall(threshold, SCENARIO, statistic)
        for threshold, statistic in ((0.1, "mean"), (0.5, "maximum"), (0.3, "p80"))
    ],
    "nrf": [
        NRF(threshold, DISCLOSING, statistic, causes)
        for threshold, statistic, causes in (
            (0.2, "maximum", False),
            (0.1, "maximum", True),
            (0.1, "mean", True),
            (0.3, "data-set", False),
            (0.3, "p80", False),
        )
    ],
    "sources": [
        Sources(STATEMENT, 0.3),
        Sources(STATEMENT, threshold=0.1),
    ],
}
EXAMPLES |= {
    "distinct-l": [DistinctL("s", 1), DistinctL("s", 2), DistinctL("s", 3, values=("v1",))],
    "entropy-l": [EntropyL("s", 1.5), EntropyL("s", 2), EntropyL("s", 2, values=("v0", "v1"))],
    "recursive-cl": [
        RecursiveCL("s", c=1.0, l=2),
        RecursiveCL("s", c=3.0, l=1),
        RecursiveCL("s", c=2.0, l=2, values=("v2",)),
    ],
    "t-closeness": [
        TCloseness("s", 0.3),
        TCloseness("s", 0.1, "ordered", ("v1", "v0", "v2", "")),
        TCloseness("s", 0.2, "hierarchical", hierarchy=TREE),
        TCloseness("s", 0.2, values=("v1",)),
        TCloseness("s", 0.3, reference="release"),
    ],
    "beta-likeness": [
        BetaLikeness("s", 0.5),
        BetaLikeness("s", 1, enhanced=True),
        BetaLikeness("s", 0.2, values=("v1",)),
        BetaLikeness("s", 0.5, reference="release"),
    ],
    "delta-disclosure": [
        DeltaDisclosure("s", 1.0),
        DeltaDisclosure("s", 0.8, "skip"),
        DeltaDisclosure("s", 1.5, values=("v0",)),
        DeltaDisclosure("s", 1.5, reference="release"),
    ],
    "delta-presence": [
        DeltaPresence(0.33, population_table="people.csv"),
        DeltaPresence(0.5, 0.34, population_table="people.csv"),
    ],
    "study": [StudyAnonymity(2, power=0)],
}
ALL = [model for models in EXAMPLES.values() for model in models]
LOCAL = [model for model in ALL if model.violators is None]
OWN = [*(model for model, _ in OWN_MODELS), OwnSpread("s", 2)]
"""Models of somebody else, held to the same."""
EVERY = [*ALL, *OWN]
VALUES = {True: st.integers(1, 12), False: st.sampled_from([0.0, 0.01, 0.05, 0.2, 0.5, 1.0])}
"""Of parameters, by whether they are whole."""


def table_of(problem: Problem) -> Microdata:
    """Encode the rows, with the same rows thrice over as the population they come from."""
    return encode_rows(problem, range(len(problem.rows)))


def encode_rows(problem: Problem, rows: Sequence[int]) -> Microdata:
    """Encode some rows with a sensitive column, of which some cells are missing."""
    frame = frame_of([problem.rows[row] for row in rows], problem.trees)
    frame["w"] = [("1", "2.5", "20", "400")[row * row % 11 % 4] for row in rows]
    frame["s"] = [(None, "v0", "v1", "v1", "v2")[row * row % 7 % 5] for row in rows]
    hierarchies = hierarchies_of(problem.trees)
    return encode(
        FrameTable(frame), hierarchies, population_of(problem), beside=["w"], sensitive=["s"]
    )


def population_of(problem: Problem) -> FrameTable:
    """Return the rows thrice over."""
    frame = frame_of(problem.rows, problem.trees)
    return FrameTable(frame.loc[np.repeat(frame.index, 3)])


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


@pytest.mark.parametrize("model", EVERY, ids=str)
@settings(max_examples=15)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_a_risk_that_is_estimated_lies_in_its_interval(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    microdata = table_of(problem)
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    classes = partition(microdata, scheme)
    gone = np.array([data.draw(st.booleans()) for _ in range(classes.sizes.size)], np.bool_)
    remaining = Remaining(microdata, classes, gone)
    interval, risk = model.risk_interval(remaining), model.risk(remaining)
    assert interval is None or 0 <= interval.low <= interval.high <= 1 + 1e-9
    if interval is not None:
        assert interval.low - 1e-12 <= min(risk, 1) <= interval.high + 1e-12


def refuse(*_: object) -> None:
    raise AssertionError("an interval was asked for")


@settings(max_examples=100)
@given(model=st.sampled_from(ALL), problem=problems(max_attributes=2, ranges=False))
def test_no_interval_is_computed_during_a_search(model: RiskModel, problem: Problem) -> None:
    microdata = table_of(problem)
    measure = Loss(Aggregate.GEOMETRIC, (1.0,) * len(microdata.attributes))
    evaluator = Evaluator(microdata, (model,), measure, microdata.records)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(intervals, "by_likelihood", refuse)
        patched.setattr(intervals, "by_halves", refuse)
        search(evaluator, microdata.lattice)


@pytest.mark.parametrize("model", [m for m in EVERY if binds_records(m)], ids=str)
@settings(max_examples=40)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_whoever_violates_a_model_of_people_does_so_at_every_finer_scheme(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    microdata = table_of(problem)
    coarse = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    fine = tuple(data.draw(st.integers(0, level)) for level in coarse)
    upper, lower = partition(microdata, coarse), partition(microdata, fine)
    nobody = np.zeros(microdata.distinct, np.bool_)
    gone_above = greatest_kept(microdata, upper, [model.with_estimates(Estimates.LEAST)], nobody)
    gone_below = greatest_kept(microdata, lower, [model], nobody)
    assert (gone_below | ~gone_above).all()


@pytest.mark.parametrize("model", [m for m in EVERY if binds_finer(m, 7)], ids=str)
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


@pytest.mark.parametrize("model", EVERY, ids=str)
@settings(max_examples=40)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_its_first_cut_is_the_one_a_linear_scan_finds(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    if model.violators is not None:
        return  # it is asked again after each cut, not for one
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    remaining = remaining_of(table_of(problem), scheme, [model])
    passing = [model.passes(remaining, cut) for cut in range(remaining.histogram.classes + 1)]
    assert passing[-1], "a table without records has no risk"
    for start in range(len(passing)):
        assert model.first_cut(remaining, start) == passing.index(True, start)
    if isinstance(model, TableModel) and model.decreases:
        risks = [model.risk(remaining, cut) for cut in range(len(passing))]
        assert risks == sorted(risks, reverse=True)


@pytest.mark.parametrize("model", [m for m in EVERY if m.risks is not None], ids=str)
@settings(max_examples=20)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_the_risks_of_people_are_probabilities_of_those_kept_and_bear_out_its_own(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    microdata = table_of(problem)
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    remaining = remaining_of(microdata, scheme, [model])
    kept = remaining.kept()
    assert model.risks is not None
    risks = model.risks(kept)
    assert (risks[~kept.tuples] == 0).all()
    assert ((risks >= 0) & (risks <= 1 + 1e-12)).all()
    if getattr(model, "statistic", None) != DATA_SET:  # that somebody is found, whoever it is
        assert model.risk(remaining) <= risks.max(initial=0.0) + 1e-12
    if model.kind is ModelKind.PEOPLE:
        assert model.risk(remaining) == risks.max(initial=0.0)


@settings(max_examples=100)
@given(
    problem=problems(max_attributes=3, ranges=False),
    models=st.lists(st.sampled_from(LOCAL), min_size=1, max_size=3),
    data=st.data(),
)
def test_several_models_are_met_together_by_the_shortest_cut(
    problem: Problem, models: list[RiskModel], data: st.DataObject
) -> None:
    microdata = table_of(problem)
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    remaining = remaining_of(microdata, scheme, models)
    passing = [
        all(model.passes(remaining, cut) for model in models)
        for cut in range(remaining.histogram.classes + 1)
    ]
    cut = shortest_cut(remaining, models)
    assert cut == passing.index(True)
    found = suppress(microdata, partition(microdata, scheme), models)
    gone = remaining.suppressed.copy()
    gone[remaining.order[:cut]] = True
    assert found.tuples.tolist() == gone[remaining.classes.label_of_tuple].tolist()
    records, binding = found.classes.records, found.binding
    assert records[binding.classes].sum() - binding.exempt <= records[found.suppressed].sum()


@pytest.mark.parametrize("model", EVERY, ids=str)
@given(problem=problems(ranges=False))
def test_the_least_class_that_it_declares_is_the_least_that_it_lets_through(
    model: RiskModel, problem: Problem
) -> None:
    if model.violators is not None:
        return
    microdata = table_of(problem)
    least = model.asks(microdata.records).least_class
    for scheme in (problem.low, problem.high):
        classes = partition(microdata, scheme)
        violating = model.violating(classes)
        assert violating[classes.sizes < least].all()
        if judges_by_size(model):
            assert violating.tolist() == (classes.sizes < least).tolist()


@pytest.mark.parametrize("model", EVERY, ids=str)
@settings(max_examples=30)
@given(problem=problems(ranges=False))
def test_what_it_lets_through_is_within_what_it_asks_of_sizes(
    model: RiskModel, problem: Problem
) -> None:
    microdata = table_of(problem)
    limits = model.asks(microdata.records)
    for scheme in (problem.low, problem.high):
        found = suppress(microdata, partition(microdata, scheme), [model])
        kept = found.classes.sizes[~found.suppressed]
        uniques = np.count_nonzero(kept == 1)
        if not kept.size:
            continue
        assert kept.min() >= limits.least_class
        assert kept.size / kept.sum() <= limits.average
        assert uniques <= limits.uniques
        assert uniques == 0 or kept.size <= limits.classes


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_what_it_declares_to_be_tightened_are_its_parameters(model: RiskModel) -> None:
    assert model.parameters, f"declare what a frontier over {model.name} varies"
    for parameter in model.parameters:
        value = parameter.value_of(model)
        assert parameter.at(model, value) == model
        assert parameter.usual
        assert list(parameter.usual) == parameter.loosest_first(parameter.usual)
        for usual in parameter.usual:
            assert parameter.value_of(parameter.at(model, usual)) == usual
        if parameter.whole:
            assert isinstance(parameter.value_of(parameter.at(model, 3.0)), int)


@pytest.mark.parametrize(
    ("model", "parameter"),
    [(model, parameter) for model in EVERY for parameter in model.parameters],
    ids=lambda case: case.name if isinstance(case, Parameter) else str(case),
)
@settings(max_examples=40)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_a_tighter_value_suppresses_all_that_a_looser_one_does_and_never_loses_less(
    model: RiskModel, parameter: Parameter, problem: Problem, data: st.DataObject
) -> None:
    microdata = table_of(problem)
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    any_value = parameter.whole or parameter.limits_risk
    drawn = VALUES[parameter.whole] if any_value else st.sampled_from(parameter.usual)
    values = data.draw(st.lists(drawn, min_size=2, max_size=3))
    measure = Loss(Aggregate.GEOMETRIC, (1.0,) * len(scheme))
    outcomes = [
        Evaluator(microdata, [parameter.at(model, value)], measure, microdata.records).outcome(
            scheme
        )
        for value in parameter.loosest_first(values)
    ]
    for looser, tighter in itertools.pairwise(outcomes):
        more, less = (o.suppressed[o.classes.label_of_tuple] for o in (tighter, looser))
        assert (more | ~less).all()
        assert tighter.evaluation.loss >= looser.evaluation.loss - 1e-12


@pytest.mark.parametrize("model", EVERY, ids=str)
@settings(max_examples=40)
@given(problem=problems(max_attributes=3, ranges=False), data=st.data())
def test_what_is_left_is_acceptable_and_its_risk_is_a_probability(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    microdata = table_of(problem)
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    found = suppress(microdata, partition(microdata, scheme), [model])
    classes = found.classes
    left = Remaining(microdata, classes, found.suppressed)
    assert model.passes(left)
    assert 0 <= model.residual_risk(left) <= 1
    for parameter in model.parameters:
        if parameter.limits_risk:
            assert model.risk(left) <= parameter.value_of(model) + 1e-9
    nothing = Remaining(microdata, classes, np.ones(classes.sizes.size, bool))
    assert model.risk(nothing) == model.residual_risk(nothing) == 0


@pytest.mark.parametrize("model", EVERY, ids=str)
@settings(max_examples=20)
@given(problem=problems(max_attributes=2, ranges=False))
def test_a_model_of_people_or_classes_suppresses_what_violates_it_and_nothing_else(
    model: RiskModel, problem: Problem
) -> None:
    if model.violators is not None:
        return  # tests of its own hold it to all subsets of the records
    microdata = table_of(problem)
    for scheme in (problem.low, problem.high):
        classes = partition(microdata, scheme)
        suppressed = suppress(microdata, classes, [model]).suppressed
        violating = model.violating(classes)
        if model.kind is ModelKind.TABLE:
            assert (suppressed | ~violating).all()
        else:
            assert suppressed.tolist() == violating.tolist()


@pytest.mark.parametrize("model", [m for m in EVERY if m.kind is ModelKind.PEOPLE], ids=str)
@settings(max_examples=150)
@given(problem=problems(max_attributes=2, ranges=False), data=st.data())
def test_no_suppression_of_records_keeps_anyone_whose_class_violates_a_model_of_people(
    model: RiskModel, problem: Problem, data: st.DataObject
) -> None:
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    numbers = [row for row in range(len(problem.rows)) if data.draw(st.booleans())]
    kept = [problem.rows[row] for row in numbers]
    if not kept:
        return
    some = encode_rows(problem, numbers)
    left = dataclasses.replace(partition(some, scheme), input_people=len(problem.rows))
    if model.violating(left).any():
        return
    microdata = table_of(problem)
    whole = partition(microdata, scheme)
    violating = [
        tuple(generalized_values(microdata, whole, label).values())
        for label in np.flatnonzero(model.violating(whole)).tolist()
    ]
    assert not {generalize(row, problem.trees, scheme) for row in kept} & {*violating}


def test_what_is_proven_for_several_models_is_as_little_as_for_any_of_them() -> None:
    assert ModelKind.of([KAnonymity(2), KMap(2, population=9)]) is ModelKind.PEOPLE
    assert ModelKind.of([KAnonymity(2), *OWN[:1]]) is ModelKind.CLASSES
    assert ModelKind.of([*OWN[:1], Average(0.1), KAnonymity(2)]) is ModelKind.TABLE


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_another_population_is_taken_if_it_rests_on_the_size_of_one(model: RiskModel) -> None:
    sizes = [stated for stated in model.assumptions() if stated.unit is Unit.PEOPLE]
    assert len(sizes) == (model.inputs.population.size is not None)
    for stated in sizes:
        assert stated.value == model.inputs.population.size
        changed = stated.changed(123_456)
        assert changed.inputs.population.size == 123_456
        assert type(changed) is type(model)


def test_a_model_names_its_files_and_finds_them_in_the_folder_of_the_policy(tmp_path: Path) -> None:
    (tmp_path / "attack.toml").write_text("\n".join(write_keys(SCENARIO.describe())))
    overall = Overall(0.1, "attack.toml")
    assert overall.files(tmp_path) == [tmp_path / "attack.toml"]
    assert overall.resolve(tmp_path) == Overall(0.1, SCENARIO)
    assert Overall(0.1, SCENARIO).files(tmp_path) == []
    counted = dataclasses.replace(SCENARIO, population="people.csv")
    (tmp_path / "attack.toml").write_text("\n".join(write_keys(counted.describe())))
    assert overall.files(tmp_path) == [tmp_path / "attack.toml", tmp_path / "people.csv"]
    sized = Overall(0.1, "attack.toml", population=10**6)
    assert sized.files(tmp_path) == [tmp_path / "attack.toml"]
    (tmp_path / "attack.toml").write_text("population = 0")  # `resolve` says what is wrong
    assert overall.files(tmp_path) == [tmp_path / "attack.toml"]
    mapped = KMap(4, population_table="people.csv")
    assert mapped.files(tmp_path) == [tmp_path / "people.csv"]
    assert mapped.resolve(tmp_path).inputs.population.table == tmp_path / "people.csv"
    assert KMap(4, population=9).files(tmp_path) == KAnonymity(4).files(tmp_path) == []


def test_a_limit_of_the_risk_tightens_down() -> None:
    with pytest.raises(ValueError, match="most limits the risk, so that it tightens down, not up"):
        Parameter("most", Direction.UP, limits_risk=True)


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_what_does_not_fit_a_table_is_said_in_one_sentence(model: RiskModel) -> None:
    for records in (1, 5, 1000, 10**7):
        for fault in model.check(records, ("age", "sex")):
            assert fault.endswith(".")
            assert "\n" not in fault


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_it_is_a_frozen_value_that_can_be_printed_and_saved(
    model: RiskModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, model.name, type(model))
    assert dataclasses.is_dataclass(model)
    assert dataclasses.replace(model) == model  # type: ignore[type-var]
    assert hash(dataclasses.replace(model)) == hash(model)  # type: ignore[type-var]
    assert pickle.loads(pickle.dumps(model)) == model
    own_file = isinstance(model, Overall | NRF | Sources) or "hierarchy" in model.describe()
    if not own_file:  # what they rest on
        assert parse_model(print_model(model)) == model
    first = dataclasses.fields(model)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(model, first, 3)


@settings(max_examples=60)
@given(
    problem=problems(max_attributes=3, ranges=False),
    others=st.lists(st.sampled_from(LOCAL), max_size=2),
    data=st.data(),
)
def test_models_that_look_beyond_a_class_are_met_together_with_others(
    problem: Problem, others: list[RiskModel], data: st.DataObject
) -> None:
    models = [data.draw(st.sampled_from([m for m in ALL if m.violators is not None])), *others]
    microdata = table_of(problem)
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    found = suppress(microdata, partition(microdata, scheme), models)
    left = Remaining(microdata, found.classes, found.suppressed)
    assert all(model.passes(left) for model in models)
    for model in others:
        assert not model.violating(found.classes)[~found.suppressed].any()
