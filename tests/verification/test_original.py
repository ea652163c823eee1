"""Searching again and proof files: what is left out is said, and a proof of something else is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anonymizer import Problem, anonymize, make_manifest
from anonymizer.errors import InfeasibleError
from anonymizer.proof.format import Proof
from anonymizer.search import Status, StopReason
from anonymizer.verification import original
from anonymizer.verification.original import check_bound, check_optimum, differing_origins
from tests.proof.cases import K_AND_VALUES, SMALL, asked

Released = tuple[Problem, Proof, Mapping[str, Any]]


@pytest.fixture(scope="module")
def released() -> Released:
    problem = asked(SMALL, K_AND_VALUES)
    solution = anonymize(problem)
    proof = solution.proof_file()
    assert proof is not None
    return problem, proof, make_manifest(solution, solution.to_frame())


def test_a_proof_of_another_claim_is_told_by_what_it_claims(
    released: Released, tmp_path: Path
) -> None:
    problem, proof, manifest = released
    path, loss = tmp_path / "proof.json", proof.claim.loss
    stopped = {**manifest, "status": Status.FEASIBLE, "bound": loss}
    for claim, declared, same in (
        ({}, manifest, True),
        ({"optimal": False}, manifest, False),
        ({"bound": loss - 1e-6}, manifest, False),
        ({}, stopped, False),
        ({"optimal": False}, stopped, True),
        ({"optimal": False, "bound": loss - 1e-6}, stopped, False),
        ({"optimal": False}, {**stopped, "bound": None}, False),
    ):
        other = replace(proof, claim=replace(proof.claim, **claim))
        found = differing_origins(other, path, problem.policy, declared)
        assert ("another claim" not in found) is same, (claim, declared["status"])


def test_a_search_that_would_take_longer_than_the_release_did_is_left_out(
    released: Released, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, _, manifest = released

    def too_late(*_: object) -> None:
        raise InfeasibleError("nothing was found in time")

    monkeypatch.setattr(original, "anonymize", too_late)
    found = check_optimum(problem, {**manifest, "seconds": 3.0}, 2.5)
    assert found.passed is None
    assert "searched again for 2.5 s" in found.detail
    assert "(3 s)" in found.detail


@pytest.mark.parametrize(
    ("bound", "stopped", "passed", "said"),
    [
        (0.5, StopReason.TIME, None, "left out"),
        (0.5, StopReason.INTERRUPTED, None, "interrupted"),
        (0.5, StopReason.COMPLETE, True, "searched again"),
        (0.75, StopReason.COMPLETE, False, "searched again"),
        (0.75, StopReason.TIME, None, "left out"),
        (None, StopReason.COMPLETE, None, "not claimed"),
    ],
)
def test_a_bound_is_found_again_or_not_or_left_out(
    released: Released,
    monkeypatch: pytest.MonkeyPatch,
    bound: float | None,
    stopped: StopReason,
    passed: bool | None,
    said: str,
) -> None:
    reached = 0.4 if passed is None else 0.5

    class Again:
        pass

    Again.bound, Again.stopped = reached, stopped  # type: ignore[attr-defined]
    monkeypatch.setattr(original, "search_again", lambda *_: Again)
    problem, _, manifest = released
    manifest = {**manifest, "bound": bound, "status": "feasible", "seconds": 1.0}
    found = check_bound(problem, manifest, 1.0)
    assert found.passed is passed
    assert said in found.detail
