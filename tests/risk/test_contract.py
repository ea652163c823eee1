"""What the search assumes of every risk model; a new model needs an example here."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.policy import parse_model, print_model
from anonymizer.risk import MODELS, KAnonymity, RiskModel

EXAMPLES: dict[str, list[RiskModel]] = {
    "k-anonymity": [KAnonymity(1), KAnonymity(2), KAnonymity(7)],
}
ALL = [model for models in EXAMPLES.values() for model in models]
SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=12)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_examples_here_and_is_called_by_its_name(name: str) -> None:
    assert EXAMPLES.get(name), f"add examples of {name} to this file"
    assert MODELS[name].name == name
    assert all(type(model) is MODELS[name] for model in EXAMPLES[name])


@pytest.mark.parametrize("model", ALL, ids=str)
@given(sizes=SIZES, data=st.data())
def test_it_is_monotone_when_classes_merge(
    model: RiskModel, sizes: list[int], data: st.DataObject
) -> None:
    """A class that breaks it breaks it in every part: what goes at a scheme goes at finer ones."""
    parts = data.draw(st.lists(st.integers(0, 3), min_size=len(sizes), max_size=len(sizes)))
    merged = np.bincount(parts, sizes).astype(np.int64)
    breaking_parts = model.breaking(np.array(sizes))
    breaking_merged = model.breaking(merged)
    for part, breaks in zip(parts, breaking_parts.tolist(), strict=True):
        assert breaks or not breaking_merged[part]


@pytest.mark.parametrize("model", ALL, ids=str)
@given(sizes=SIZES)
def test_it_judges_each_class_by_itself_and_leaves_the_sizes_alone(
    model: RiskModel, sizes: list[int]
) -> None:
    array = np.array(sizes)
    array.flags.writeable = False
    breaking = model.breaking(array)
    assert breaking.dtype == np.bool_
    assert breaking.tolist() == [bool(model.breaking(np.array([size]))[0]) for size in sizes]


@pytest.mark.parametrize("model", ALL, ids=str)
def test_a_table_without_classes_breaks_nothing(model: RiskModel) -> None:
    assert model.breaking(np.array([], np.int64)).tolist() == []


@pytest.mark.parametrize("model", ALL, ids=str)
def test_what_can_never_be_met_is_said_in_one_sentence(model: RiskModel) -> None:
    for records in range(1, 20):
        refusal = model.check(records)
        if refusal is None:
            assert not model.breaking(np.array([records]))[0]
        else:
            assert model.breaking(np.array([records]))[0]
            assert refusal.endswith(".")
            assert "\n" not in refusal


@pytest.mark.parametrize("model", ALL, ids=str)
def test_it_is_a_frozen_value_that_can_be_printed_and_saved(model: RiskModel) -> None:
    assert dataclasses.is_dataclass(model)
    assert dataclasses.replace(model) == model  # type: ignore[type-var]
    assert hash(dataclasses.replace(model)) == hash(model)  # type: ignore[type-var]
    assert pickle.loads(pickle.dumps(model)) == model
    assert parse_model(print_model(model)) == model
    first = dataclasses.fields(model)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(model, first, 3)
