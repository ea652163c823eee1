"""The dict of models and the entry points of other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from anonymizer import Policy
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import ENTRY_POINTS, MODELS, KAnonymity, known_models


class Stricter(KAnonymity):
    """Somebody else's model."""


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("stricter", f"{__name__}:Stricter", ENTRY_POINTS)
    monkeypatch.setattr("anonymizer.risk.entry_points", lambda group: [point] if group else [])


@pytest.mark.usefixtures("announced")
def test_a_model_of_another_package_can_be_asked_for_by_name() -> None:
    assert known_models() == MODELS | {"stricter": Stricter}
    sex = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
    policy = Policy(
        attributes={"sex": {"role": "quasi", "hierarchy": sex}},
        risk=[{"model": "stricter", "k": 2}],
    )
    assert policy.load_models() == (Stricter(2),)


def test_without_other_packages_there_are_ours() -> None:
    assert known_models() == MODELS
