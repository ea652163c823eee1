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
    stage_frontier,
)
from anonymizer.report.sections import show_sections
from anonymizer.report.text import frontier_sections
from anonymizer.risk import PUniqueness
from tests.comparison.test_comparison import people, policy_of
from tests.wards import patients, write_files


@pytest.fixture
def found(tmp_path: Path) -> Frontier:
    return frontier(patients(), Policy.read(write_files(tmp_path)), [2, 3, 5, 120])


def points_of(page: str) -> list[dict[str, object]]:
    """Read back what the page's script is given."""
    match = re.search(r"const points = (\[.*?\]), colours", page)
    assert match is not None
    return json.loads(match[1])


def test_every_kind_of_file_is_written(found: Frontier, tmp_path: Path) -> None:
    with Staging(tmp_path / "out") as staging:
        files = stage_frontier(found, staging)
    assert set(files) == {"csv", "json", "html", "png", "svg"}
    for path in files.values():
        assert Path(path).stat().st_size > 0
    assert Path(files["png"]).read_bytes().startswith(b"\x89PNG")
    assert json.loads(Path(files["json"]).read_text())["points"][0]["threshold"] == 2


def test_the_page_has_each_point_with_its_scheme_on_every_axis(found: Frontier) -> None:
    points = points_of(render_page(found))
    assert [point["scheme"] for point in points] == [point.scheme for point in found.points]
    assert [point["quality"] for point in points] == [point.quality for point in found.points]
    for point in points:
        assert set(point["axes"]) == set(AXES)  # type: ignore[call-overload]


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
    curves = [point["curve"] for point in points_of(render_page(found))]
    assert set(curves) == {"population 10,000", "population 1,000,000"}


def test_a_cut_that_may_be_missed_is_nowhere_called_optimal(tmp_path: Path) -> None:
    policy = Policy.read(write_files(tmp_path))
    uniqueness = policy.model_copy(update={"risk": (PUniqueness(0.1, 10**4),)})
    both = frontier(patients(), uniqueness, [0.2, 0.01])
    assert [(point.verdict, point.gap) for point in both.points] == [
        ("not proven", 0),
        ("optimal", 0),
    ]
    assert [point["verdict"] for point in points_of(render_page(both))] == ["not proven", "optimal"]
    console = Console(width=200, file=io.StringIO())
    console.print(show_sections(frontier_sections(both)))
    assert console.file.getvalue().count("optimal") == 1  # type: ignore[attr-defined]


def test_every_point_is_drawn_inside_the_axes_with_what_it_is():
    curve = frontier(people(), policy_of(), [2, 3, 5])
    drawn = ElementTree.fromstring(draw_frontier(curve))
    circles = list(drawn.iter("circle"))
    assert len(circles) == len(curve.points)
    for circle, point in zip(circles, curve.points, strict=True):
        assert LEFT <= float(circle.attrib["cx"]) <= RIGHT
        assert TOP <= float(circle.attrib["cy"]) <= BOTTOM
        assert circle[0].text == f"{point.value:g}: quality {point.quality:.4f}, {point.verdict}"
