"""Analyses on a frontier: each point has the figure of its own release."""

from __future__ import annotations

import pytest

from anonymizer import PolicyError, evidence, frontier
from anonymizer.analyses.frontier import with_analyses
from tests.analyses.people import STAY, people, release


def test_a_point_has_the_figure_that_its_release_has() -> None:
    frame = people()
    policy = release(frame, [STAY, {"name": "m", "kind": "marginals"}]).problem.policy
    plain = frontier(frame, policy, [2, 5, 20])
    found = with_analyses(plain, ["stay", "m"])
    assert found.figures["m"].endswith("(lower is better)")
    for point, before in zip(found.points, plain.points, strict=True):
        picked = evidence(found.pick(point.value))
        assert point.figures == {each.analysis.name: each.value for each in picked.results}
        assert point.scheme == before.scheme
        assert point.describe()["figures"] == point.figures
    assert found.to_frame()["analysis m"].is_monotonic_increasing
    assert "figures" not in plain.describe()


def test_an_analysis_that_the_policy_lacks_is_named() -> None:
    frame = people(60)
    plain = frontier(frame, release(frame, [STAY]).problem.policy, [2])
    with pytest.raises(PolicyError, match="there is no analysis 'm'; use one of 'stay'"):
        with_analyses(plain, ["m"])
