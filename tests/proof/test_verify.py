"""verify and the proof file beside a release: what is forged or damaged never passes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from anonymizer import anonymize, make_manifest
from anonymizer.kernels.compilation import working_seconds
from anonymizer.problem import Problem
from anonymizer.proof import checker
from anonymizer.proof import format as file_format
from anonymizer.proof.case import case_of
from anonymizer.proof.format import Proof
from anonymizer.search import StopReason
from anonymizer.solution.layered import search_again
from anonymizer.verification.claims import Check
from anonymizer.verification.original import check_proven, check_tree, seconds_left
from tests.proof.cases import K_AND_VALUES, MODELS, SMALL, asked
from tests.proof.test_spoiled import MOST, OF_THE_BYTES, OF_THE_CONTENT, OF_THE_PROOF

Released = tuple[Problem, Proof, Mapping[str, Any]]


@pytest.fixture(scope="module")
def released() -> Released:
    """Release a table; the manifest declares no proof file, so that no digest tells a forged one."""
    problem = asked(SMALL, K_AND_VALUES)
    solution = anonymize(problem)
    proof = solution.proof_file()
    assert proof is not None
    return problem, proof, make_manifest(solution, solution.to_frame())


def verdicts(released: Released, path: Path) -> list[Check]:
    problem, _, manifest = released
    read, started = partial(case_of, problem), working_seconds()
    return list(check_proven(problem.policy, read, no_search, manifest, path, started))


def no_search() -> Check:
    raise AssertionError("a proof file stands instead of a search")


def test_the_proof_of_a_release_is_checked(released: Released, tmp_path: Path) -> None:
    released[1].write(tmp_path / "proof.json")
    assert [check.passed for check in verdicts(released, tmp_path / "proof.json")] == [True, True]


def test_a_forged_or_damaged_proof_never_passes(
    released: Released, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, proof = tmp_path / "proof.json", released[1]
    monkeypatch.setattr(file_format, "MOST_BYTES", MOST)
    spoiled = {
        **{name: to_bytes(spoil(proof).describe()) for name, spoil in OF_THE_PROOF.items()},
        **{name: to_bytes(spoil(proof.describe())) for name, spoil in OF_THE_CONTENT.items()},
        **{name: spoil(proof.to_bytes()) for name, spoil in OF_THE_BYTES.items()},
    }
    for name, content in spoiled.items():
        path.write_bytes(content)
        assert any(check.passed is False for check in verdicts(released, path)), name


def to_bytes(described: Any) -> bytes:
    return json.dumps(described).encode()


def test_a_proof_that_takes_too_long_or_is_looked_at_in_part_does_not_pass(
    released: Released, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, proof, _ = released
    late = check_tree(proof, case_of(problem), -1.0)
    assert late.passed is None
    assert "left out" in late.detail
    monkeypatch.setattr(checker, "MANY_WITNESSES", 0)
    monkeypatch.setattr(checker, "SPOT", 1)
    in_part = check_tree(proof, case_of(problem), None)
    assert in_part.passed is None
    assert "spot check" in in_part.detail


def test_what_a_verification_took_already_is_not_left_for_a_search() -> None:
    now = working_seconds()
    assert seconds_left({"seconds": 30}, now - 20) == pytest.approx(10, abs=1)
    assert seconds_left({"seconds": 30}, now - 40) == 1
    assert seconds_left({}, now) is None


def test_a_bound_of_layers_is_searched_for_no_longer_than_it_has_to_be() -> None:
    policy = asked(SMALL, MODELS["k-anonymity"]).policy
    layered = asked(SMALL, MODELS["k-anonymity"])
    release = policy.release.model_copy(update={"layers": True})
    problem = layered.with_policy(policy.model_copy(update={"release": release}))
    assert search_again(problem, None, enough=0.0).stopped is StopReason.TIME
    assert search_again(problem, None, enough=math.inf).stopped is StopReason.COMPLETE
