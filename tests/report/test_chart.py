"""Pictures inside a page: bars as long as the shares, all text escaped."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.comparison.comparison import Bin, ComparedColumn, ComparedPair
from anonymizer.policy import Role
from anonymizer.report.chart import (
    AFTER,
    BARS,
    BEFORE,
    Axis,
    Ends,
    IntervalRow,
    draw_associations,
    draw_distribution,
    draw_intervals,
    draw_shares,
    draw_steps,
)

POSITIVE = st.floats(1e-6, 1e6)


def column(*bins: Bin, name: str = "age") -> ComparedColumn:
    return ComparedColumn(name, Role.QUASI, 0.1, 2, 2, bins)


def widths(svg: str, colour: str) -> list[float]:
    drawn = ElementTree.fromstring(svg)
    return [
        float(bar.attrib["width"]) for bar in drawn.iter("rect") if bar.attrib["fill"] == colour
    ]


def test_bars_are_as_long_as_the_shares():
    svg = draw_distribution(column(Bin("young", 30, 10.0, 20), Bin("old", 10, 10.0, 0)))
    assert widths(svg, BEFORE) == pytest.approx([BARS, BARS / 3], abs=0.1)
    assert widths(svg, AFTER) == pytest.approx([BARS * 2 / 3, BARS * 2 / 3], abs=0.1)
    assert "75.0 % → 50.0 %" in svg


def test_nothing_released_draws_no_bar():
    assert widths(draw_distribution(column(Bin("young", 3, 0.0, 3))), AFTER) == [0.0]


def test_every_pair_has_a_square_before_and_after_that_says_what_it_is():
    pairs = [ComparedPair("a", "b", 0.5, 0.25), ComparedPair("a", "c", 1.0, 0.0)]
    svg = draw_associations(pairs)
    assert len(widths(svg, BEFORE)) == len(widths(svg, AFTER)) == 2
    assert "a and b: 0.50 before" in svg
    assert "a and b: 0.25 after" in svg


def test_text_is_escaped():
    evil = "<script>&\"'"
    drawn = draw_distribution(column(Bin(evil, 3, 2.0, 1), name=evil))
    for svg in (drawn, draw_associations([ComparedPair(evil, "b", 0.5, 0.5)])):
        assert "<script" not in svg
        ElementTree.fromstring(svg)  # well-formed


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


def test_the_longest_of_some_shares_fills_the_width():
    drawn = ElementTree.fromstring(draw_shares([("a", 0.5), ("b", 0.25)], "risks"))
    widths = [float(bar.attrib["width"]) for bar in drawn.iter("rect")]
    assert widths[1] == pytest.approx(widths[0] / 2)


def test_an_interval_has_its_place_and_what_is_beyond_stands_at_the_edge() -> None:
    row = IntervalRow("a", Ends(-1.0, 0.0, 1.0), Ends(-9.0, float("nan"), 9.0))
    drawn = draw_intervals([row], "intervals", [(-2.0, "-2"), (2.0, "+2")])
    assert drawn.count("<circle") == 1  # of no estimate there is no dot
    assert drawn.count("<polygon") == 2


def test_a_curve_falls_in_steps() -> None:
    axis = Axis(0, 1, 0, 100)
    line = ElementTree.fromstring(draw_steps([(0, 1), (1, 0)], axis, axis, BEFORE))
    corners = [tuple(map(float, each.split(","))) for each in line.attrib["points"].split()]
    assert corners[2] == (corners[3][0], corners[1][1])  # first along, then down
