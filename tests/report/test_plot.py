from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer import ReleaseError, anonymize
from anonymizer.report import plot
from tests.wards import POLICY, write_files

PNG = b"\x89PNG"


@pytest.mark.parametrize("measure", ["loss", "discernibility"])
def test_a_solution_is_drawn(tmp_path: Path, measure: str) -> None:
    pytest.importorskip("matplotlib")
    policy = write_files(tmp_path, policy=f'{POLICY}\n[utility]\nmeasure = "{measure}"\n')
    plot.plot_solution(anonymize(None, policy), tmp_path / "solution.png")
    assert (tmp_path / "solution.png").read_bytes().startswith(PNG)


def test_without_matplotlib_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ReleaseError, match=r"pip install anonymizer\[plot\]"):
        plot.import_matplotlib()
