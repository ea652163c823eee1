"""The notebooks of docs/: they run from a clean kernel, store no output, and show what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
SHOWN = {
    "release": ["Policy", "Problem", "Solution", "Verification", "Explanation"],
    "frontier": ["Frontier", "Solution", "Solution", "Assessment"],
}


def displays_of(notebook: Any) -> list[str]:
    """Return the HTML of every value that a cell ends with."""
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
    results = [each["data"] for each in outputs if each["output_type"] == "execute_result"]
    return [data["text/html"] for data in results if "text/html" in data]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_stores_no_output(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.filterwarnings("ignore")  # of Jupyter's own machinery, outside the kernel
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_its_values(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()  # raises if a cell does
    shown = displays_of(notebook)
    assert len(shown) == len(SHOWN[path.stem])
    for html, kind in zip(shown, SHOWN[path.stem], strict=True):
        assert f"<strong>{kind}</strong>" in html
    complaints = [
        each["text"]
        for cell in notebook.cells
        for each in cell.get("outputs", ())
        if each["output_type"] == "stream"
    ]
    assert complaints == []


def test_every_notebook_is_tested() -> None:
    assert {path.stem for path in NOTEBOOKS} == set(SHOWN)
