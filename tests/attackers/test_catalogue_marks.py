"""Every figure of a shipped scenario says where it comes from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anonymizer.attackers.catalogue import shipped_scenarios
from anonymizer.attackers.scenario import Scenario
from anonymizer.demo.example import POLICY

ATTACKERS = ("insurer", "employer", "neighbour", "journalist", "data-broker")
MARKED = re.compile(r"\[[FDA]\]")


def test_the_attackers_that_people_ask_about_are_shipped() -> None:
    shipped = shipped_scenarios()
    assert {*ATTACKERS, "voter-registration", "social-media", "social-media-account"} <= set(
        shipped
    )


@pytest.mark.parametrize("name", ATTACKERS)
def test_every_figure_of_an_attacker_has_a_mark(name: str) -> None:
    path = shipped_scenarios()[name]
    scenario = Scenario.read(path)
    figures = figures_in(path)
    assert len(figures) == 5 + len(scenario.causes) + len(scenario.learned)
    assert all(MARKED.search(line) for line in figures)
    assert all(f"\n{column} " in POLICY for column in scenario.named)
    assert "Doubts:" in path.read_text(encoding="utf-8")


def figures_in(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if re.match(r"[\w-]+ *= *[\d._]+", line)]


@pytest.mark.parametrize("name", sorted(shipped_scenarios()))
def test_a_measured_figure_names_its_source(name: str) -> None:
    for line in figures_in(shipped_scenarios()[name]):
        if "[F]" in line:
            assert len(line.partition("[F]")[2].strip()) > 5, line
