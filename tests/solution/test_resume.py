"""A run that was stopped, and one that goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anonymizer import Policy, anonymize
from anonymizer.cli import main
from tests.wards import POLICY, patients, write_files

STOPPED = POLICY + "\n[search]\nevaluation_limit = 3\n"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run the command line as a shell would; return its exit status."""
    monkeypatch.setattr("sys.argv", ["anonymizer", *map(str, arguments)])
    with pytest.raises(SystemExit) as exit_:
        main()
    return int(exit_.value.code or 0)


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stop a run after three schemes; return its policy."""
    policy = write_files(tmp_path, policy=STOPPED)
    assert run(monkeypatch, "run", policy, "--out", tmp_path / "out") == 0
    return policy


def manifest_of(folder: Path) -> dict[str, object]:
    return json.loads((folder / "manifest.json").read_text())


def test_a_stopped_run_releases_the_best_so_far_and_a_resumed_one_ends_at_the_optimum(
    stopped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = stopped.parent / "out"
    first = manifest_of(out)
    assert first["status"] == "feasible"
    assert first["evaluated"] == 3
    assert (out / "search.json").exists()
    for _ in range(20):  # each goes a few schemes further
        assert run(monkeypatch, "run", stopped, "--out", out, "--resume") == 0
        if not (out / "search.json").exists():
            break
    last, optimum = (
        manifest_of(out),
        anonymize(patients(), Policy.read(write_files(stopped.parent))),
    )
    assert last["status"] == "optimal"
    assert last["scheme"] == optimum.scheme
    assert last["gap"] == 0
    assert sum(last["pruned"].values()) + last["evaluated"] == last["schemes"]  # type: ignore[attr-defined, operator]


def test_what_a_stopped_run_leaves_has_levels_and_no_values(stopped: Path) -> None:
    text = (stopped.parent / "out" / "search.json").read_text()
    assert set(json.loads(text)) == {"fingerprint", "search"}
    assert not any(value in text for value in ("Patient", "asthma", "101"))


@pytest.mark.parametrize("change", ["policy", "table", "hierarchy"])
def test_a_run_that_would_answer_another_question_is_not_resumed(
    stopped: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: str,
) -> None:
    if change == "policy":
        write_files(stopped.parent, policy=STOPPED.replace("k = 3", "k = 4"))
    elif change == "table":
        write_files(stopped.parent, patients(seed=2), STOPPED)
    else:
        (stopped.parent / "sex.csv").write_text("F;any\nM;any\n")
    before = manifest_of(stopped.parent / "out")
    assert run(monkeypatch, "run", stopped, "--out", stopped.parent / "out", "--resume") == 2
    assert "has changed since that run was stopped" in capsys.readouterr().err
    assert manifest_of(stopped.parent / "out") == before


@pytest.mark.parametrize("change", ["people", "nothing"])
def test_a_run_that_counts_in_another_population_is_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    kmap = STOPPED.replace('"k-anonymity"', '"k-map"').replace(
        "k = 3", 'k = 3\npopulation_table = "people.csv"'
    )
    policy = write_files(tmp_path, policy=kmap)
    people = patients(500, seed=5)
    people.to_csv(tmp_path / "people.csv", sep=";", index=False)
    assert run(monkeypatch, "run", policy, "--out", tmp_path / "out") == 0
    if change == "people":
        people.head(400).to_csv(tmp_path / "people.csv", sep=";", index=False)
    status = run(monkeypatch, "run", policy, "--out", tmp_path / "out", "--resume")
    assert status == (2 if change == "people" else 0)


def test_a_failure_after_the_search_leaves_what_can_be_resumed(
    stopped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(stopped.parent, policy=POLICY)  # no limit any more
    monkeypatch.setattr("anonymizer.cli.release.add_explanation", lambda *_: 1 / 0)
    arguments = ["run", stopped, "--out", stopped.parent / "out", "--resume", "--explain"]
    monkeypatch.setattr("sys.argv", ["anonymizer", *map(str, arguments)])
    with pytest.raises(ZeroDivisionError):
        main()
    assert (stopped.parent / "out" / "search.json").exists()


def test_limits_are_no_part_of_the_question(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(stopped.parent, policy=POLICY)  # no limit any more
    assert run(monkeypatch, "run", stopped, "--out", stopped.parent / "out", "--resume") == 0
    assert manifest_of(stopped.parent / "out")["status"] == "optimal"


@pytest.mark.parametrize("text", [None, "{", "[]", '{"fingerprint": "x", "search": {"open": 3}}'])
def test_a_file_that_is_none_of_ours_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str | None,
) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    if text is not None:
        out.mkdir()
        (out / "search.json").write_text(text)
    assert run(monkeypatch, "run", policy, "--out", out, "--resume") == 2
    message = capsys.readouterr().err
    assert "search.json" in message
    assert "leave out --resume" in message


def test_a_time_limit_on_the_command_line_overrides_the_policy_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = write_files(tmp_path)
    assert run(monkeypatch, "run", policy, "--out", tmp_path / "o", "--time-limit", "1e-9") == 0
    assert manifest_of(tmp_path / "o")["stopped"] == "time"
