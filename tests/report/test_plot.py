from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer import ReleaseError, anonymize, frontier
from anonymizer.report import plot
from tests.comparison.test_comparison import people, policy_of
from tests.wards import POLICY, write_files

PNG = b"\x89PNG"


@pytest.mark.parametrize("show", [None, "losses"])
@pytest.mark.parametrize("measure", ["loss", "discernibility"])
def test_a_solution_is_drawn_with_and_without_axes(
    tmp_path: Path, measure: str, show: str | None
) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    policy = write_files(tmp_path, policy=f'{POLICY}\n[utility]\nmeasure = "{measure}"\n')
    solution, axes = anonymize(None, policy), figure.subplots()
    assert solution.plot(axes, show) is axes
    assert axes.patches
    solution.plot(show=show).figure.savefig(tmp_path / "solution.png")
    assert (tmp_path / "solution.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize("release", [{}, {"layers": True}])
def test_every_point_of_a_frontier_is_drawn(release: dict[str, str]) -> None:
    pytest.importorskip("matplotlib")
    found = frontier(people(), policy_of(release=release), [2, 3])
    (points, *_) = found.plot().collections
    assert len(points.get_offsets()) == len(found.points)
    if release:
        assert found.plot(show="layers").lines


def test_without_matplotlib_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ReleaseError, match=r"pip install .anonymizer\[plot\]"):
        plot.import_matplotlib()
