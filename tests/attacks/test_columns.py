"""What a released cell stands for: the declared level first, else the finest that knows it."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizer import DataError, Hierarchy, HierarchyError
from anonymizer.attacks.columns import KeptColumn, Quasi
from anonymizer.data.column import Column, Vocabulary

ROWS = [("a", "a", "*"), ("b", "a", "*"), ("c", "c", "*")]


def quasi(level: int | None, rows: list[tuple[str, ...]] = ROWS, **more: bool) -> Quasi:
    flags = {"microaggregated": False, "escaped": False, **more}
    return Quasi("x", Hierarchy.from_rows("x", rows), level, **flags)


def coded(*texts: str) -> Column:
    return Column(np.arange(len(texts)), texts)


@pytest.mark.parametrize(("level", "expected"), [(None, 0), (0, 0), (1, 1), (2, 0)])
def test_a_text_of_several_levels_is_of_the_declared_one_or_else_the_finest(
    level: int | None, expected: int
) -> None:
    levels, codes = quasi(level).cells(coded("a"), "release.csv")
    assert (levels.tolist(), codes.tolist()) == ([expected], [0])


def test_a_star_that_is_no_label_covers_everything() -> None:
    column = quasi(0, [("a", "ab"), ("b", "ab"), ("c", "c")])
    levels, codes = column.cells(coded("*"), "release.csv")
    assert (column.values[levels[0]] == codes[0]).all()


def test_a_formula_is_read_as_it_was_escaped() -> None:
    column = quasi(0, [("=1", "*"), ("2", "*")], escaped=True)
    assert column.cells(coded("'=1"), "release.csv")[1].tolist() == [0]


def test_unknown_values_are_errors_that_name_column_and_row() -> None:
    with pytest.raises(DataError, match=r"release.csv: column 'x' has values .* at row 2"):
        quasi(1).cells(coded("a", "z"), "release.csv")
    with pytest.raises(HierarchyError, match=r"others.csv: column 'x'"):
        quasi(1).leaves(coded("z"), "others.csv")


def test_kept_values_are_equal_in_whatever_spelling() -> None:
    column = KeptColumn("days", Vocabulary(["3", "4"]), False)
    assert (
        column.leaves(coded("3.0", "4"), "").tolist()
        == column.cells(coded("3", "4.0"), "")[1].tolist()
    )
