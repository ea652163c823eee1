"""Proposals of which only the decisions are looked at."""

from __future__ import annotations

import pytest


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Propose without trying the policy, which takes most of the time and changes no role."""
    monkeypatch.setattr("anonymizer.proposal.proposal.tried", lambda proposal, _: proposal)
