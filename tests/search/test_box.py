from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice
from anonymizer.search.box import Box


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
