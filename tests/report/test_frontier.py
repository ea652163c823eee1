from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from rich.console import Console

from anonymizer import Policy
from anonymizer.data.staging import Staging
from anonymizer.frontiers.frontier import Frontier, frontier
from anonymizer.report.frontier import (
    AXES,
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    draw_frontier,
    render_page,
    sections,
    stage_frontier,
)
from anonymizer.report.sections import show_sections
from anonymizer.risk import PUniqueness
from tests.comparison.test_comparison import people, policy_of
from tests.wards import patients, write_files

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def found(tmp_path: Path) -> Frontier:
    return frontier(patients(), Policy.read(write_files(tmp_path)), [2, 3, 5, 120])


def points_of(page: str) -> list[str]:
    """Read back what the page says of each point, and of nothing else."""
    match = re.search(r'<template id="points">(.*?)</template>', page, re.DOTALL)
    assert match is not None
    return re.findall(r"<section>.*?</section>", match[1], re.DOTALL)


def pictures_of(page: str) -> list[tuple[str, str, int]]:
    """Read back the axis and the scale of each picture, and how many points it has."""
    drawn = re.findall(r'<figure data-axis="(.*?)" .*? data-scale="(.*?)">(.*?)</figure>', page)
    return [(axis, scale, svg.count("<circle")) for axis, scale, svg in drawn]


def test_every_kind_of_file_is_written(found: Frontier, tmp_path: Path) -> None:
    with Staging(tmp_path / "out") as staging:
        files = stage_frontier(found, staging)
    assert set(files) == {"csv", "json", "html", "svg"}
    for path in files.values():
        assert Path(path).stat().st_size > 0
    assert len(list(ElementTree.parse(files["svg"]).iter(f"{SVG}circle"))) == len(found.points)
    assert json.loads(Path(files["json"]).read_text())["points"][0]["threshold"] == 2


def test_the_page_has_each_point_with_its_scheme_on_every_axis(found: Frontier) -> None:
    page = render_page(found)
    for said, point in zip(points_of(page), found.points, strict=True):
        assert f"threshold {point.value:g}: quality {point.quality:.4f}, {point.verdict}" in said
        for name, level in point.scheme.items():
            assert f'<th scope="row">{name}</th><td class="number">{level}</td>' in said
    drawn = pictures_of(page)
    assert {axis for axis, _, _ in drawn} == set(AXES)
    assert {count for _, _, count in drawn} == {len(found.points)}
    by_ratio = {axis for axis, scale, _ in drawn if scale == "log"}
    assert {"threshold", "risk"} <= by_ratio <= set(AXES) - {"uniques"}


def test_the_page_needs_nothing_from_elsewhere(found: Frontier) -> None:
    page = render_page(found)
    addresses = set(re.findall(r'https?://[^"\s]+', page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert 'src="' not in page


def test_no_value_of_a_record_is_on_the_page(found: Frontier) -> None:
    page = render_page(found)
    assert not any(name in page for name in patients()["name"])
    assert "asthma" not in page


def test_populations_are_curves_with_names(tmp_path: Path) -> None:
    policy = Policy.read(write_files(tmp_path))
    uniqueness = policy.model_copy(update={"risk": (PUniqueness(0.1, 10**5),)})
    found = frontier(patients(), uniqueness, [0.01, 0.001], populations=[10**4, 10**6])
    titles = [
        re.findall(r"<h2>(.*?), threshold", each)[0] for each in points_of(render_page(found))
    ]
    assert set(titles) == {"population 10,000", "population 1,000,000"}


def test_a_cut_that_may_be_missed_is_nowhere_called_optimal(tmp_path: Path) -> None:
    policy = Policy.read(write_files(tmp_path))
    uniqueness = policy.model_copy(update={"risk": (PUniqueness(0.1, 10**4),)})
    both = frontier(patients(), uniqueness, [0.2, 0.01])
    assert [(point.verdict, point.gap) for point in both.points] == [
        ("not proven", 0),
        ("optimal", 0),
    ]
    cut, proven = points_of(render_page(both))
    assert "not proven optimal: a shorter cut may pass." in cut
    assert "; proven optimal." in proven
    console = Console(width=200, file=io.StringIO())
    console.print(show_sections(sections(both)))
    assert console.file.getvalue().count("optimal") == 1  # type: ignore[attr-defined]


def test_every_point_is_drawn_inside_the_axes_with_what_it_is():
    curve = frontier(people(), policy_of(), [2, 3, 5])
    drawn = ElementTree.fromstring(draw_frontier(curve))
    circles = list(drawn.iter("circle"))
    assert len(circles) == len(curve.points)
    for circle, point in zip(circles, curve.points, strict=True):
        assert LEFT <= float(circle.attrib["cx"]) <= RIGHT
        assert TOP <= float(circle.attrib["cy"]) <= BOTTOM
        said = f"threshold {point.value:g}: quality {point.quality:.4f}, {point.verdict}"
        assert circle[0].text == f"k-anonymity, {said}"


def test_the_policys_own_threshold_is_marked_in_picture_and_table(
    found: Frontier, tmp_path: Path
) -> None:
    own = int(found.own_value or 0)  # the policy's k = 3
    assert f">{own}, the policy&#39;s</th>" in render_page(found)
    assert f"threshold, k = {own}, is marked." in render_page(found)
    assert str(draw_frontier(found)).count(">the policy</text>") == 1
    other = frontier(patients(), Policy.read(write_files(tmp_path)), [own + 1])
    assert f"threshold, k = {own}, is not among these." in render_page(other)
    assert ">the policy</text>" not in str(draw_frontier(other))
