from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice
from anonymizer.search.box import Box, OpenBoxes


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    tops = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    schemes = Lattice((0,) * len(tops), tuple(tops))
    evaluated = draw(st.sets(st.sampled_from(list(schemes))))
    return Box(schemes, 0.25, None, tuple(sorted(evaluated)))


def assert_makes_up(parts: Iterable[Box], box: Box, left_out: int = 0) -> None:
    """Parts hold each scheme of a box once, and know which are evaluated."""
    parts = list(parts)
    schemes = Counter(chain.from_iterable(part.schemes for part in parts))
    assert len(schemes) == schemes.total() == box.schemes.size - left_out
    for part in parts:
        assert set(part.evaluated) == set(box.evaluated) & set(part.schemes)
        assert part.unevaluated == part.schemes.size - len(part.evaluated)
        assert part.bound == box.bound


@given(boxes(), st.data())
def test_two_halves_make_up_a_box(box: Box, data: st.DataObject) -> None:
    wide = [a for a, top in enumerate(box.schemes.high) if top]
    if wide:
        attribute = data.draw(st.sampled_from(wide))
        level = data.draw(st.integers(0, box.schemes.high[attribute] - 1))
        assert_makes_up(box.split(attribute, level), box)


@given(boxes())
def test_without_its_lowest_scheme_a_box_is_what_is_left(box: Box) -> None:
    assert_makes_up(box.without_low(), box, left_out=1)


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
