"""python -m anonymizer.proof: exit status and sentences; run, verify and the proof file together."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from anonymizer.proof import checker
from anonymizer.proof.__main__ import main
from tests.wards import POLICY, change, patients, policy_with, write_files


@pytest.fixture
def released(tmp_path: Path, run) -> Path:
    """Write files, and a release with its proof; return the policy."""
    policy = write_files(tmp_path)
    assert run("run", policy, "--out", tmp_path / "release")[0] == 0
    return policy


def check(policy: Path, *more: str) -> int:
    folder = policy.parent
    return main([str(folder / "release"), "--against", str(folder / "patients.csv"), *more])


def test_a_release_has_a_proof_that_is_accepted(released: Path, capsys) -> None:
    assert check(released) == 0
    assert (
        "accepted: no scheme with any suppression of records is better" in capsys.readouterr().out
    )
    manifest = json.loads((released.parent / "release" / "manifest.json").read_text())
    proof = json.loads((released.parent / "release" / "proof.json").read_text())
    assert manifest["proof_file"]["witnesses"] == len(proof["witnesses"])


def test_another_table_policy_or_proof_is_rejected(released: Path, capsys) -> None:
    folder = released.parent
    proof = folder / "release" / "proof.json"
    text = proof.read_text()
    proof.write_text(text.replace('"suppressed":', '"suppressed": '))
    assert check(released) == 1
    assert "digest of another proof file" in capsys.readouterr().err
    proof.write_text(text)
    patients(seed=5).to_csv(folder / "patients.csv", sep=";", index=False)
    assert check(released) == 1
    assert "the table is another one" in capsys.readouterr().err
    released.write_text(change(POLICY, k="k = 2"))
    assert check(released) == 1
    assert "the policy is another one" in capsys.readouterr().err


def test_what_is_missing_is_said(released: Path, tmp_path: Path, capsys) -> None:
    assert main([str(tmp_path), "--against", str(tmp_path / "patients.csv")]) == 2
    assert "there is no proof file" in capsys.readouterr().err
    assert check(released, "--policy", str(tmp_path / "none.toml")) == 2


@pytest.mark.parametrize(
    "content",
    [b"{", b"[" * 9_000, b"[]", b'{"proof_file": 1}', b'{"loss": NaN}', b'{"loss": "0"}', b"\xff"],
)
def test_a_manifest_that_is_none_is_rejected_in_a_sentence(
    released: Path, content: bytes, capsys
) -> None:
    (released.parent / "release" / "manifest.json").write_bytes(content)
    assert check(released) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_spot_check_is_not_called_accepted(released: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(checker, "MANY_WITNESSES", 0)
    monkeypatch.setattr(checker, "SPOT", 0)
    assert check(released) == 0
    out = capsys.readouterr().out
    assert out.startswith("spot check passed: ")
    assert "accepted" not in out
    assert check(released, "--all") == 0
    assert capsys.readouterr().out.startswith("accepted: ")


def test_verify_checks_the_proof_and_says_so(released: Path, run) -> None:
    folder = released.parent
    arguments = (folder / "release" / "release.csv", released, "--against", folder / "patients.csv")
    status, output, _ = run("verify", *arguments, "--json")
    details = {each["claim"]: each for each in json.loads(output)["checks"]}
    found = details["no scheme of the policy has a lower loss"]
    assert status == 0
    assert found["passed"]
    assert "proof file checked, nothing searched for" in found["detail"]
    proof = folder / "release" / "proof.json"
    spoiled = json.loads(proof.read_text())
    spoiled["tree"] = ["plain"]
    proof.write_text(json.dumps(spoiled))
    status, output, _ = run("verify", *arguments, "--json")
    failed = [each["claim"] for each in json.loads(output)["checks"] if each["passed"] is False]
    assert status == 1
    assert failed == [
        "the proof file is the one of this release",
        "no scheme of the policy has a lower loss",
    ]
    proof.unlink()
    status, output, _ = run("verify", *arguments, "--json")
    assert status == 0
    assert "searched again" in output


@pytest.mark.parametrize("limit", [("--evaluations", 1), ("--time-limit", 1e-6)])
def test_a_stopped_run_proves_its_bound(tmp_path: Path, run, limit: tuple[str, float]) -> None:
    policy = write_files(tmp_path)
    assert run("run", policy, "--out", tmp_path / "release", "--proof", *limit)[0] == 0
    claim = json.loads((tmp_path / "release" / "proof.json").read_text())["claim"]
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert claim["optimal"] is (manifest["status"] == "optimal")
    assert check(policy) == 0
    original = tmp_path / "patients.csv"
    status, _, _ = run(
        "verify", tmp_path / "release" / "release.csv", policy, "--against", original
    )
    assert status == 0


def test_a_run_without_a_rule_says_so_and_removes_an_older_proof(released: Path, run) -> None:
    risk = 'model = "p-uniqueness"\nthreshold = 0.2\npopulation = 100000'
    released.write_text(policy_with(risk))
    out = released.parent / "release"
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        status, _, errors = run("run", released, "--out", out, "--proof")
    assert status == 0
    assert "no rule for p-uniqueness with a threshold of 0.1" in errors
    assert not (out / "proof.json").exists()
