from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer import ReleaseError, anonymize
from anonymizer.report import plot
from anonymizer.risk import Scenario
from tests.wards import POLICY, SCENARIO, write_files

PNG = b"\x89PNG"


@pytest.mark.parametrize("measure", ["loss", "discernibility"])
def test_a_solution_is_drawn(tmp_path: Path, measure: str) -> None:
    pytest.importorskip("matplotlib")
    policy = write_files(tmp_path, policy=f'{POLICY}\n[utility]\nmeasure = "{measure}"\n')
    plot.plot_solution(anonymize(None, policy), tmp_path / "solution.png")
    assert (tmp_path / "solution.png").read_bytes().startswith(PNG)


def test_the_network_of_a_scenario_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    plot.plot_network(Scenario.read(tmp_path / "scenario.toml"), tmp_path / "network.png")
    assert (tmp_path / "network.png").read_bytes().startswith(PNG)


def test_what_a_node_says() -> None:
    group = {"attributes": ["age", "sex"], "by": ["state", "sex"], "default": 0.1}
    assert plot.describe_node(group) == "age\nsex\nknown: by state and sex"
    account = {"meaning": "account found", "layer": -1, "probability": [0.1, 0.2]}
    assert plot.describe_node(account) == "account found: 0.1 to 0.2"
    profile = {"attributes": ["age"], "column": "told", "cause": "account"}
    assert plot.describe_node(profile) == "age\nknown then: column told"
    assert plot.describe_node(
        {"meaning": "presence disclosed", "layer": 1, "table": {(): 0.5}}
    ) == ("presence\ndisclosed\n0.5")


def test_without_matplotlib_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ReleaseError, match=r"pip install anonymizer\[plot\]"):
        plot.import_matplotlib()
