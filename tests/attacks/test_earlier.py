"""One sentence on an earlier release, as `verify --earlier` says it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import Policy, anonymize, attack, write_release
from anonymizer.attacks.earlier import warn_of_earlier
from tests.wards import POLICY, write_files

Run = Callable[..., tuple[int, str, str]]


def two_releases(folder: Path) -> tuple[Path, Path, Path]:
    """Release a table twice: with the ages, then with the ZIP codes."""
    first = write_files(folder)
    then, now = folder / "then.toml", folder / "now.toml"
    then.write_text(POLICY.replace('"zip.toml" }', '"zip.toml", min_level = 3 }'))
    now.write_text(POLICY.replace('"age.toml" }', '"age.toml", min_level = 4 }'))
    assert first.exists()
    old = write_release(anonymize(None, then), folder / "then")
    new = write_release(anonymize(None, now), folder / "now")
    return Path(new["release"]), now, Path(old["release"])


def test_with_the_original_the_people_whom_both_single_out_are_counted(tmp_path: Path) -> None:
    release, policy, earlier = two_releases(tmp_path)
    original = tmp_path / "patients.csv"
    for named in (earlier, earlier.parent / "manifest.json"):
        said = warn_of_earlier(release, Policy.read(policy), None, named, original)
        assert said is not None
        figures = attack(release, policy, original, earlier=earlier)["composition"].details
        assert figures["alone"] > 0
        assert f"{figures['alone']} are singled out" in said


def test_with_the_manifest_alone_it_says_what_is_in_common(tmp_path: Path) -> None:
    release, policy, earlier = two_releases(tmp_path)
    earlier.unlink()
    manifest = earlier.parent / "manifest.json"
    for against in (None, tmp_path / "patients.csv"):
        said = warn_of_earlier(release, Policy.read(policy), None, manifest, against)
        assert said is not None
        assert "'age', 'sex', 'zip' in common" in said


def test_an_earlier_release_of_other_columns_is_not_counted(tmp_path: Path) -> None:
    release, policy, earlier = two_releases(tmp_path)
    frame = pd.read_csv(earlier, sep=";", dtype=str).drop(columns="sex")
    frame.to_csv(earlier, sep=";", index=False)
    said = warn_of_earlier(release, Policy.read(policy), None, earlier, tmp_path / "patients.csv")
    assert said is not None
    assert "in common" in said


def test_without_a_common_quasi_identifier_there_is_nothing_to_say(tmp_path: Path) -> None:
    release, policy, earlier = two_releases(tmp_path)
    manifest = earlier.parent / "manifest.json"
    claims = json.loads(manifest.read_text())
    for attribute in claims["policy"]["attributes"].values():
        attribute["role"] = "insensitive"
    manifest.write_text(json.dumps(claims))
    assert warn_of_earlier(release, Policy.read(policy), None, manifest, None) is None


@pytest.mark.parametrize("as_json", [False, True])
def test_verify_warns_of_an_earlier_release(tmp_path: Path, run: Run, as_json: bool) -> None:
    release, policy, earlier = two_releases(tmp_path)
    original = tmp_path / "patients.csv"
    more = ["--json"] if as_json else []
    status, out, _ = run(
        "verify", release, policy, "--against", original, "--earlier", earlier, *more
    )
    assert status == 0
    said = json.loads(out)["earlier"] if as_json else out
    assert "are singled out by intersecting the two releases" in said
