"""Releases of earlier versions verify: their manifests describe a policy by its old keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anonymizer import AnonymizerWarning, anonymize, verify
from anonymizer.data.files import digest_of_file
from anonymizer.data.staging import Staging
from anonymizer.proof.format import digest_of_policy
from anonymizer.solution.manifest import stage_release
from tests.wards import POLICY, write_files

OLD = {
    "one scheme": "[search]\nsuppression_limit = 0.2\nworkers = 2\n",
    "layers": (
        '[search]\nsuppression_limit = 0.2\n[release]\nrecoding = "layers"\nmax_layers = 3\n'
    ),
}


def written_before(policy: dict[str, Any]) -> dict[str, Any]:
    """Describe a policy as earlier versions did."""
    release = dict(policy["release"])
    limit, layers = release.pop("suppression_limit"), release.pop("layers", False)
    several = {"recoding": "layers", "max_layers": layers} if layers else {}
    search = {"suppression_limit": limit}
    return {**policy, "search": search, "release": {**release, **several}}


@pytest.mark.filterwarnings("ignore:.*this key is now:anonymizer.AnonymizerWarning")
@pytest.mark.filterwarnings("ignore:.*is an option now:anonymizer.AnonymizerWarning")
@pytest.mark.parametrize("name", OLD)
def test_a_manifest_and_a_proof_file_of_an_earlier_version_verify(
    tmp_path: Path, name: str
) -> None:
    policy, out = write_files(tmp_path, policy=f"{POLICY}\n{OLD[name]}"), tmp_path / "out"
    solution = anonymize(tmp_path / "patients.csv", policy)
    proof = solution.proof_file() if name == "one scheme" else None
    with Staging(out) as staging:
        stage_release(solution, staging, proof=proof)
    path = out / "manifest.json"
    manifest = json.loads(path.read_text())
    before = written_before(manifest["policy"])
    if proof is not None:
        kept = json.loads((out / "proof.json").read_text())
        kept["policy"] = digest_of_policy(before)
        (out / "proof.json").write_text(json.dumps(kept))
        manifest["proof_file"]["sha256"] = digest_of_file(out / "proof.json")
    path.write_text(json.dumps({**manifest, "policy": before}))
    found = verify(out / "release.csv", policy, against=tmp_path / "patients.csv")
    assert found.passed, [check for check in found.checks if check.passed is False]
    other = {**before, "search": {"suppression_limit": 0.3}}
    path.write_text(json.dumps({**manifest, "policy": other}))
    assert "differs in 'release'" in str(verify(out / "release.csv", policy).failures)


def test_an_old_policy_says_what_its_keys_are_now(tmp_path: Path) -> None:
    policy = write_files(tmp_path, policy=f"{POLICY}\n{OLD['layers']}")
    with pytest.warns(AnonymizerWarning) as said:
        solution = anonymize(None, policy)
    assert len(said) == 3
    assert len(solution.layers) <= 3
