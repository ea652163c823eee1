"""Pictures inside a page: bars as long as the shares, all text escaped."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from anonymizer.comparison.comparison import Bin, ComparedColumn, ComparedPair
from anonymizer.policy import Role
from anonymizer.report.svg import AFTER, BARS, BEFORE, draw_associations, draw_distribution


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
