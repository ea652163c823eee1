"""Arrays made of buffers are those that Arrow and NumPy make themselves."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.arrays import (
    arrow_number,
    arrow_numbers,
    arrow_text,
    arrow_texts,
    numpy_numbers,
)

KINDS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_texts_are_those_of_arrow(texts: list[str]) -> None:
    made = arrow_texts(texts)
    made.validate(full=True)
    assert made.equals(pa.array(texts, pa.string()))


@given(st.lists(st.tuples(st.integers(0, 127), st.booleans())), st.sampled_from(KINDS))
def test_numbers_are_those_of_arrow(cells: list[tuple[int, bool]], kind: type[np.integer]) -> None:
    numbers = np.array([number for number, _ in cells], kind)
    there = np.array([valid for _, valid in cells], np.bool_)
    for made, expected in (
        (arrow_numbers(numbers), pa.array(numbers)),
        (arrow_numbers(numbers, there), pa.array(numbers, mask=~there)),
        (arrow_numbers(numbers[::2]), pa.array(numbers[::2])),
    ):
        made.validate(full=True)
        assert made.equals(expected)


@given(st.lists(st.integers(0, 127)), st.integers(0, 5), st.sampled_from(KINDS))
def test_numbers_come_back_from_arrow(
    numbers: list[int], start: int, kind: type[np.integer]
) -> None:
    array = pa.array(np.array(numbers, kind)).slice(start)
    back = numpy_numbers(array)
    assert back.dtype == kind
    assert back.tolist() == numbers[start:]


def test_numbers_with_nulls_do_not_come_back_as_if_they_were_there() -> None:
    with pytest.raises(ValueError, match="1 of the numbers are null"):
        numpy_numbers(pa.array([1, None]))


def test_scalars_are_those_of_arrow() -> None:
    assert arrow_text("a;\u00e9").equals(pa.scalar("a;\u00e9"))
    assert arrow_text("").equals(pa.scalar(""))
    assert arrow_number(-1).equals(pa.scalar(-1, pa.int64()))
