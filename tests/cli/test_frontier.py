from __future__ import annotations

import json
import stat
from pathlib import Path

import pandas as pd
import pytest

from anonymizer.cli.frontier import parse_values
from anonymizer.errors import PolicyError
from anonymizer.proof.__main__ import main as check_proof
from tests.command import run
from tests.wards import POLICY, change, write_files


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_files(tmp_path)


def test_a_frontier_is_written_and_printed_as_json(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = policy.parent / "out"
    assert run(monkeypatch, "frontier", policy, "--at", "2..4", "--out", out, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert [point["threshold"] for point in printed["points"]] == [2, 3, 4]
    assert {path.name for path in out.iterdir()} == {
        f"frontier.{kind}" for kind in ("csv", "json", "html", "svg")
    }
    assert pd.read_csv(out / "frontier.csv")["threshold"].tolist() == [2, 3, 4]


def test_a_picked_point_is_released(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = policy.parent / "out"
    arguments = ("--at", "2", "--at", "5", "--pick", "5", "--out", out)
    assert run(monkeypatch, "frontier", policy, *arguments) == 0
    assert "optimal" in capsys.readouterr().out
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["policy"]["risk"] == [{"model": "k-anonymity", "k": 5}]
    released = pd.read_csv(out / "release.csv", sep=";", dtype=str)
    assert released.groupby(["age", "sex", "zip"]).size().min() >= 5


def test_every_point_has_a_proof_where_that_is_asked_for(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = policy.parent / "out"
    arguments = ("--at", "2", "--at", "4", "--pick", "4", "--proof", "--out", out)
    assert run(monkeypatch, "frontier", policy, *arguments) == 0
    table = str(policy.parent / "patients.csv")
    for threshold in (2, 4):
        policy.write_text(change(POLICY, k=f"k = {threshold}"))
        file = out / f"proof-{threshold}.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert check_proof([str(file), "--against", table, "--policy", str(policy)]) == 0
    assert check_proof([str(out), "--against", table]) == 0
    assert capsys.readouterr().out.count("accepted: ") == 3


def test_a_point_with_few_layers_is_released(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.write_text(policy.read_text() + "\n[release]\nlayers = true\n")
    out = policy.parent / "out"
    arguments = ("--at", "2", "--pick", "3", "--layers", "2", "--out", out)
    assert run(monkeypatch, "frontier", policy, *arguments) == 0
    assert "fewer layers" in capsys.readouterr().out
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["policy"]["release"]["layers"] == 2
    assert len(manifest["layers"]) <= 2


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--layers", "2"), "--layers: it says which point to pick"),
        (("--at", "many"), "--at many: this is not a threshold"),
        (("--at", "2..x"), "--at 2..x: this is not a threshold"),
        (("--at", "0"), "k = 0"),
        (("--at", "2", "--pick", "7"), "there is no point at 7; there is one at 2"),
        (("--population", "5"), "population"),
    ],
)
def test_bad_input_is_one_sentence_and_no_file(
    policy: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    part: str,
) -> None:
    out = policy.parent / "out"
    assert run(monkeypatch, "frontier", policy, *arguments, "--out", out) == 2
    message = capsys.readouterr().err
    assert message.startswith("error: ")
    assert part in message
    assert "Traceback" not in message
    assert not out.exists()


def test_ranges_and_values_are_read_together() -> None:
    assert parse_values(["2..4", "10"]) == [2, 3, 4, 10]
    assert parse_values(["1e-3", "0.5"]) == [0.001, 0.5]
    assert parse_values([]) is None
    with pytest.raises(PolicyError, match=r"--at 1\.5\.\.2: this is not a threshold"):
        parse_values(["1.5..2"])


def test_a_range_that_would_fill_the_memory_is_refused() -> None:
    assert parse_values(["1..10000"]) == [*range(1, 10001)]
    for text in ("1..10001", "2..1000000000", f"2..{10**30}"):
        with pytest.raises(PolicyError, match=r"more than 10,000 thresholds; narrow the range"):
            parse_values([text])


def test_a_range_upside_down_is_one_sentence() -> None:
    with pytest.raises(
        PolicyError, match=r"--at 5\.\.2: this range is empty; swap its ends: 2\.\.5"
    ):
        parse_values(["5..2"])
