from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice
from anonymizer.search.box import Box
from anonymizer.search.open_boxes import OpenBoxes


def boxes(bounds: list[float]) -> list[Box]:
    return [Box(Lattice((i,), (i,)), bound, None) for i, bound in enumerate(bounds)]


def pushed(bounds: list[float], capacity: int) -> OpenBoxes:
    opened = OpenBoxes(capacity)
    for box in boxes(bounds):
        opened.push(box)
    return opened


@given(st.lists(st.floats(0, 1)))
def test_the_box_with_the_least_bound_is_next(bounds: list[float]) -> None:
    opened = pushed(bounds, capacity=len(bounds))
    assert [opened.pop().bound for _ in bounds] == sorted(bounds)
    assert not opened


@given(st.lists(st.floats(0, 1)), st.integers(0, 5))
def test_beyond_its_capacity_the_newest_box_is_next(bounds: list[float], capacity: int) -> None:
    opened = pushed(bounds, capacity)
    first, beyond = bounds[:capacity], bounds[capacity:]
    assert [opened.pop().bound for _ in bounds] == [*reversed(beyond), *sorted(first)]


@given(st.lists(st.floats(0, 1)), st.integers(0, 5))
def test_the_least_bound_is_that_of_all_boxes(bounds: list[float], capacity: int) -> None:
    opened = pushed(bounds, capacity)
    assert len(opened) == len(opened.boxes) == len(bounds)
    assert opened.least_bound == min(bounds, default=float("inf"))


def test_a_box_comes_later_if_another_has_a_lower_bound() -> None:
    opened = pushed([0.3, 0.5], capacity=9)
    low, high = boxes([0.2, 0.4])
    assert not opened.comes_later(low)
    assert opened.comes_later(high)
    assert not pushed([0.3, 0.5], capacity=1).comes_later(high)  # depth first: at once
