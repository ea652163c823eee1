"""Formulas: what is read, and the sentence for what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.policy.formula import Factor, Formula

names = st.text(min_size=1, max_size=8).filter(lambda text: "`" not in text and text.strip())


@given(st.lists(names, min_size=2, max_size=5, unique=True))
def test_any_name_in_backquotes_comes_back(given_names: list[str]) -> None:
    response, *others = given_names
    text = f"`{response}` ~ " + " + ".join(f"C(`{name}`)" for name in others)
    formula = Formula.parse(text)
    assert formula.columns == tuple(given_names)
    assert all(
        term == (Factor(name, True),) for term, name in zip(formula.terms, others, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("stay", "there is no ~ in it"),
        ("stay ~ age ~ sex", "more than one ~"),
        ("stay ~", "a column is missing"),
        ("~ age", "a column is missing"),
        ("stay ~ age +", "a column is missing"),
        ("stay ~ age age", "'age age' is not a column"),
        ("stay ~ log(age)", r"'log\(age\)' is not a column"),
        ("stay ~ __import__('os')", "is not a column"),
        ("stay ~ stay", "'stay' is on both sides"),
        ("stay ~ age + age", "a term is there twice"),
        ("C(stay) ~ age", "the response is one plain column"),
        ("stay:age ~ sex", "the response is one plain column"),
        ("marital-status ~ age", "'marital-status' is not a column"),
    ],
)
def test_what_is_not_a_formula_is_said(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Formula.parse(text)
