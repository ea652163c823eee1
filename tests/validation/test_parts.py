"""Parts are frozen values, made by name or by position, and say all that is wrong at once."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, field, replace
from typing import Annotated

import pytest
from pydantic import Field
from pydantic.dataclasses import dataclass

from anonymizer.errors import HierarchyError, PolicyError
from anonymizer.validation import (
    CHECKED,
    ByName,
    Count,
    Part,
    Probability,
    Text,
    parse,
    plain_errors,
)
from anonymizer.validation.parts import plain_schema


class Inner(Part):
    share: Probability
    count: Count = 1


class OuterPart(Part):
    name: Text
    inner: Inner
    each: tuple[Inner, ...] = ()


@plain_errors(HierarchyError)
@dataclass(frozen=True, slots=True, config=CHECKED)
class Tree:
    from_: Annotated[Text, Field(alias="from")]
    shares: ByName[Probability] = field(default_factory=dict, hash=False)
    height: Count = 1


def test_a_part_raises_one_error_with_all_faults_of_its_parts() -> None:
    with pytest.raises(PolicyError) as refused:
        OuterPart(inner={"share": 2, "cuont": 1}, each=[{"share": 0.5, "count": 0}, 3])
    assert str(refused.value).startswith("outer part has 5 defects:\n")
    assert refused.value.faults == (
        "name: this key is missing; add it.",
        "inner.share: 2 is not a probability; use a number from 0 to 1.",
        "inner.cuont: this key is unknown; did you mean 'count'?",
        "each.0.count: 0 is too small; use 1 or more.",
        "each.1: 3 is not a table; write it as name = value.",
    )


def test_a_part_inside_another_is_refused_alone_too() -> None:
    with pytest.raises(PolicyError, match="inner: share: 2 is not a probability"):
        Inner(share=2)


def test_a_dataclass_is_made_by_name_by_position_and_from_a_table() -> None:
    tree = Tree("a", {"x": 1}, 2)
    assert tree == Tree(from_="a", shares={"x": 1.0}, height=2)
    assert tree == parse(Tree, {"from": "a", "shares": {"x": 1}, "height": 2})
    assert hash(tree) == hash(Tree("a", height=2))
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert replace(tree, height=3).height == 3
    assert repr(tree) == "Tree(from_='a', shares={'x': 1.0}, height=2)"
    with pytest.raises(FrozenInstanceError):
        tree.height = 3  # type: ignore[misc]


def test_a_fault_of_a_dataclass_has_the_key_of_a_file_however_it_was_given() -> None:
    for make in (lambda: Tree(3), lambda: Tree(from_=3), lambda: parse(Tree, {"from": 3}, "tree")):
        with pytest.raises((HierarchyError, PolicyError)) as refused:
            make()
        assert str(refused.value) == "tree: from: 3 is not a string; put it in quotes."


def test_a_dataclass_raises_the_error_it_asked_for() -> None:
    with pytest.raises(HierarchyError):
        Tree(3)
    with pytest.raises(HierarchyError, match="tree: heigth: this key is unknown; did you mean"):
        Tree("a", heigth=3)


@pytest.mark.parametrize(("values", "keys"), [(("a", {}, 1, 2), {}), (("a",), {"from_": "b"})])
def test_too_many_values_are_a_mistake_in_the_program(values, keys) -> None:
    with pytest.raises(TypeError, match="Tree takes from_, shares, height, each once"):
        Tree(*values, **keys)


class Nested(Part):
    """What is inside.

    An example in Python.
    """

    share: Probability = 0.5


class Outer(Part):
    name: Text
    title: Count | None = None
    inner: Nested = Nested()


def test_a_schema_has_bounds_and_sentences_but_no_nulls_and_titles() -> None:
    schema = plain_schema(Outer)
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["name"]
    assert schema["properties"]["name"] == {"type": "string"}
    assert schema["properties"]["title"] == {"minimum": 1, "type": "integer"}
    assert schema["$defs"]["Nested"] == {
        "additionalProperties": False,
        "description": "What is inside.",
        "properties": {"share": {"default": 0.5, "maximum": 1, "minimum": 0, "type": "number"}},
        "type": "object",
    }
