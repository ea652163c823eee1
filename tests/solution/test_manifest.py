"""Release and manifest appear together."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import (
    AnonymizerWarning,
    ReleaseError,
    anonymize,
    make_manifest,
    read_manifest,
    write_release,
)
from anonymizer.data.files import digest_of_file
from anonymizer.data.staging import Staging
from anonymizer.solution.manifest import check_manifest, find_manifest, stage_release
from anonymizer.solution.resume import stage_checkpoint
from tests.wards import patients, write_files

ROOT = Path(__file__).parents[2]


class Killed(BaseException):
    """Stands for a signal that nobody can catch."""


def test_a_manifest_is_that_of_the_release_beside_it_at_every_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    old, new = anonymize(None, policy), anonymize(patients(seed=5), policy)
    replace, lacking = os.replace, 0
    for moment in range(5):
        write_release(old, out)
        left = moment

        def killed_at(*paths: Any) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            replace(*paths)

        with monkeypatch.context() as patch, suppress(Killed):
            patch.setattr(os, "replace", killed_at)
            write_release(new, out)
        assert (left < 0) == (moment < 3)
        if (out / "manifest.json").exists():
            claimed = read_manifest(out / "manifest.json")["output"]["sha256"]
            assert claimed == digest_of_file(out / "release.csv")
        else:
            lacking += 1
    assert lacking == 2  # the old manifest gone, the release not there yet or there already


def test_a_manifest_is_given_or_read_or_stands_beside_the_file(tmp_path: Path) -> None:
    solution = anonymize(None, write_files(tmp_path))
    files = write_release(solution, tmp_path / "out")
    written, frame = read_manifest(files["manifest"]), solution.to_frame()
    for released, manifest in (
        (files["release"], None),
        (Path(files["release"]), written),
        (frame, files["manifest"]),
        (frame, written),
    ):
        assert find_manifest(released, manifest, "verify") == written
    with pytest.raises(ReleaseError, match="verify needs the manifest of a dataframe; pass it"):
        find_manifest(frame, None, "verify")
    with pytest.raises(ReleaseError, match="the manifest: this is not a manifest"):
        find_manifest(frame, {}, "verify")


def test_a_release_of_another_kind_goes_with_its_manifest(tmp_path: Path) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    write_release(anonymize(tmp_path / "patients.parquet", policy), out)
    (out / "notes.txt").write_text("mine")
    write_release(anonymize(tmp_path / "patients.csv", policy), out)
    assert sorted(path.name for path in out.iterdir()) == [
        "manifest.json",
        "notes.txt",
        "release.csv",
    ]


def test_a_file_that_no_manifest_vouches_for_is_left_alone(tmp_path: Path) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    write_release(anonymize(tmp_path / "patients.parquet", policy), out)
    (out / "release.parquet").write_text("something else")
    write_release(anonymize(tmp_path / "patients.csv", policy), out)
    assert (out / "release.parquet").read_text() == "something else"


def test_the_original_is_never_overwritten_by_its_release(tmp_path: Path) -> None:
    policy = write_files(tmp_path)
    original = (tmp_path / "patients.csv").rename(tmp_path / "release.csv")
    before = original.read_bytes()
    with pytest.raises(ReleaseError, match="this file is read by the run"):
        write_release(anonymize(original, policy), tmp_path)
    assert original.read_bytes() == before


def test_a_run_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    policy = write_files(tmp_path, patients(rows=60_000))
    out = tmp_path / "out"
    command = [sys.executable, "-m", "anonymizer", "run", str(policy), "--out", str(out)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 60
    while not list(out.glob(".anonymizer-*")) and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM
    assert not out.exists()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_who_knows_all_but_one_cell_cannot_find_it_by_trying(tmp_path: Path, kind: str) -> None:
    """The original itself is among the candidates: no digest of it without a key may be there."""
    policy, out = write_files(tmp_path), tmp_path / "out"
    original = tmp_path / f"patients.{kind}"
    with Staging(out) as staging:
        solution = anonymize(original, policy, evaluations=3)
        stage_release(solution, staging)
        assert stage_checkpoint(solution, staging) is not None
    written = (out / "manifest.json").read_text() + (out / "search.json").read_text()
    content = original.read_bytes()
    for name in sorted(hashlib.algorithms_guaranteed - {"shake_128", "shake_256"}):
        assert hashlib.new(name, content).hexdigest() not in written


def test_without_a_key_the_release_is_made_and_its_manifest_has_no_digest_of_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "file"))
    solution = anonymize(None, write_files(tmp_path))
    with pytest.warns(AnonymizerWarning, match="the manifest has no digest of the original; "):
        write_release(solution, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["input"] == {"name": "patients.csv", "hmac_sha256": None, "key": None}


@pytest.mark.parametrize("attributes", [None, [], "age", 3])
def test_attributes_that_are_no_table_are_named(attributes: object) -> None:
    frame = pd.DataFrame({"sex": ["f", "f", "m", "m"]})
    policy = {"attributes": {"sex": {"role": "quasi", "hierarchy": {"f": "*", "m": "*"}}}}
    solution = anonymize(frame, {**policy, "risk": [{"model": "k-anonymity", "k": 2}]})
    manifest = make_manifest(solution, solution.to_frame())
    manifest["policy"]["attributes"] = attributes
    with pytest.raises(ReleaseError, match=r"wrong or missing: 'policy\.attributes'"):
        check_manifest(manifest, "manifest.json")
