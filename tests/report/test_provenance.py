"""The foot of a page: when, by which version, and of what it was made."""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path

import pytest

from anonymizer import Policy, __version__, anonymize, explain
from anonymizer.report.explanation import render_page
from anonymizer.report.provenance import Provenance, digest_of_policy, provenance_of
from tests.wards import POLICY, change, write_files


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_files(tmp_path)


def test_a_page_has_date_version_and_digests(policy: Path) -> None:
    made = Provenance(datetime.date(2026, 1, 2), digests={"<policy>": "abc"})
    page = render_page(explain(anonymize(None, policy)), provenance=made)
    assert f"Made on 2026-01-02 by anonymizer {__version__}." in page
    assert "<li>&lt;policy&gt;: <code>abc</code></li>" in page


def test_the_digests_of_run_are_those_of_the_manifest(policy: Path, tmp_path: Path, run) -> None:
    out = tmp_path / "out"
    assert run("run", policy, "--out", out, "--explain")[0] == 0
    page = (out / "explanation.html").read_text(encoding="utf-8")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    released = hashlib.sha256((out / "release.csv").read_bytes()).hexdigest()
    assert manifest["output"]["sha256"] == released
    for digest in (
        released,
        manifest["input"]["hmac_sha256"],
        digest_of_policy(Policy.read(policy)),
    ):
        assert f"<code>{digest}</code>" in page


@pytest.mark.parametrize(
    ("command", "page"),
    [("frontier", "frontier.html"), ("assess", "assessment.html")],
)
def test_other_pages_have_the_digests_of_policy_and_original(
    policy: Path, tmp_path: Path, run, command: str, page: str
) -> None:
    out = tmp_path / "out"
    assert run(command, policy, "--out", out)[0] == 0
    text = (out / page).read_text(encoding="utf-8")
    assert digest_of_policy(Policy.read(policy)) in text
    assert "original, keyed (HMAC-SHA-256)" in text


def test_no_page_has_a_digest_of_the_original_without_the_key(
    policy: Path, tmp_path: Path, run
) -> None:
    out = tmp_path / "out"
    run("run", policy, "--out", out, "--explain")
    plain = hashlib.sha256((tmp_path / "patients.csv").read_bytes()).hexdigest()
    assert plain not in (out / "explanation.html").read_text(encoding="utf-8")


def test_the_digest_of_a_policy_is_of_its_meaning_not_of_its_file(tmp_path: Path) -> None:
    first = digest_of_policy(Policy.read(write_files(tmp_path)))
    commented = write_files(tmp_path, policy="# the same\n" + POLICY)
    assert digest_of_policy(Policy.read(commented)) == first
    other = write_files(tmp_path, policy=change(POLICY, k="k = 4"))
    assert digest_of_policy(Policy.read(other)) != first


def test_a_page_without_a_table_has_date_and_version_alone() -> None:
    assert Provenance().digests == {}
    assert Provenance().made == datetime.date.today()


def test_a_released_file_is_named_by_its_digest(policy: Path, tmp_path: Path) -> None:
    solution = anonymize(None, policy)
    path = tmp_path / "x"
    path.write_bytes(b"x")
    made = provenance_of(solution.problem.policy, solution.problem.table, path)
    assert made.digests["release (SHA-256)"] == hashlib.sha256(b"x").hexdigest()
