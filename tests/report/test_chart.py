"""Charts: axes with ticks in range, points where their values are."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import frontier
from anonymizer.report.chart import BOTTOM, LEFT, RIGHT, TOP, Axis, draw_frontier, draw_shares
from tests.comparison.test_comparison import people, policy_of

POSITIVE = st.floats(1e-6, 1e6)


@given(st.lists(POSITIVE, min_size=1, max_size=9), st.booleans())
def test_ticks_are_in_range_and_rise_and_values_stay_inside(values, logarithmic):
    axis = Axis.over(values, 10, 110, logarithmic)
    ticks = axis.ticks()
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 14
    slack = 1e-3 * abs(axis.high)
    assert all(axis.low - slack <= tick <= axis.high + slack for tick in ticks)
    assert all(10 <= axis.at(value) <= 110 for value in values)


def test_a_logarithmic_axis_has_ticks_even_over_one_decade():
    assert Axis.over([0.12, 0.6], 0, 1, logarithmic=True).ticks() == [0.2, 0.5]


def test_every_point_is_drawn_inside_the_axes_with_what_it_is():
    curve = frontier(people(), policy_of(), [2, 3, 5])
    drawn = ElementTree.fromstring(draw_frontier(curve))
    circles = list(drawn.iter("circle"))
    assert len(circles) == len(curve.points)
    for circle, point in zip(circles, curve.points, strict=True):
        assert LEFT <= float(circle.attrib["cx"]) <= RIGHT
        assert TOP <= float(circle.attrib["cy"]) <= BOTTOM
        assert circle[0].text == f"{point.value:g}: quality {point.quality:.4f}, {point.verdict}"


def test_bars_are_as_long_as_the_shares():
    drawn = ElementTree.fromstring(draw_shares([("a", 0.5), ("b", 0.25)], "risks"))
    widths = [float(bar.attrib["width"]) for bar in drawn.iter("rect")]
    assert widths[1] == pytest.approx(widths[0] / 2)
