"""A run that was stopped, and one that resumes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import AnonymizerWarning, Policy, ReleaseError, anonymize
from anonymizer.data.staging import PRIVATE
from anonymizer.risk import KMap
from anonymizer.search import Checkpoint
from tests.command import run
from tests.wards import MODELS, POLICY, SCENARIO, patients, policy_with, write_files, write_more

FEW = ("--evaluations", 3)


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stop a run after three schemes; return its policy."""
    policy = write_files(tmp_path, policy=POLICY)
    assert run(monkeypatch, "run", policy, "--out", tmp_path / "out", *FEW) == 0
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
    assert (out / "search.json").stat().st_mode & 0o777 == PRIVATE
    for _ in range(20):  # each goes a few schemes further
        assert run(monkeypatch, "run", stopped, "--out", out, "--resume", *FEW) == 0
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
    kept = json.loads((stopped.parent / "out" / "search.json").read_text())
    assert set(kept) == {"fingerprint", "search", "signature"}
    assert not any(value in json.dumps(kept["search"]) for value in ("Patient", "asthma", '"101'))


def forge(search: dict[str, Any], *, everything: bool) -> None:
    """Claim that the best so far is the optimum: nothing is open, or all counts fit that too."""
    schemes = 40
    search["open"] = []
    if everything:
        search["pruned"] = {"bound": schemes - search["evaluated"]}


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "nothing is open": lambda kept: forge(kept["search"], everything=False),
    "nothing is open, and all is accounted for": lambda kept: forge(
        kept["search"], everything=True
    ),
    "a higher bound": lambda kept: kept["search"]["open"][0].update(bound=0.4),
    "another best scheme": lambda kept: kept["search"].update(best=[[0, 0, 0]]),
    "a level below the lattice": lambda kept: kept["search"]["open"][0].update(low=[-1, 0, 0]),
    "another question": lambda kept: kept.update(fingerprint="0" * 64),
    "no signature": lambda kept: kept.update(signature=""),
    "a signature of another type": lambda kept: kept.update(signature=7),
}


@pytest.mark.parametrize("change", TAMPERED)
def test_a_checkpoint_that_was_tampered_with_is_refused(
    stopped: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    out = stopped.parent / "out"
    before, kept = manifest_of(out), json.loads((out / "search.json").read_text())
    TAMPERED[change](kept)
    (out / "search.json").write_text(json.dumps(kept))
    assert run(monkeypatch, "run", stopped, "--out", out, "--resume", *FEW) == 2
    message = "search.json: it was changed, or made on another machine; leave out --resume."
    assert message in capsys.readouterr().err
    assert manifest_of(out) == before


def test_what_an_unsigned_forgery_would_claim_is_false(stopped: Path) -> None:
    solution = anonymize(patients(), stopped, evaluations=3)
    assert solution.checkpoint is not None
    described = solution.checkpoint.describe()
    forge(described, everything=True)
    forged = anonymize(patients(), stopped, resume=Checkpoint.read(described))
    optimum = anonymize(patients(), stopped)
    assert forged.status == "optimal"  # no check of its content can tell: hence the signature
    assert forged.loss > optimum.loss


def test_a_checkpoint_signed_with_another_key_is_refused(
    stopped: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "elsewhere"))
    assert run(monkeypatch, "run", stopped, "--out", stopped.parent / "out", "--resume", *FEW) == 2
    assert "made on another machine" in capsys.readouterr().err


def test_the_digest_of_what_was_searched_says_nothing_without_the_key(
    stopped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fingerprints = set()
    for name in ("one", "two"):
        monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / name))
        assert run(monkeypatch, "run", stopped, "--out", tmp_path / name / "out", *FEW) == 0
        kept = json.loads((tmp_path / name / "out" / "search.json").read_text())
        fingerprints.add(kept["fingerprint"])
    assert len(fingerprints) == 2


def test_without_a_key_a_stopped_run_is_released_but_cannot_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANONYMIZER_STATE", str(write_files(tmp_path, policy=POLICY)))
    monkeypatch.setattr("warnings.filters", [("always", None, AnonymizerWarning, None, 0)])
    assert run(monkeypatch, "run", tmp_path / "policy.toml", "--out", tmp_path / "out", *FEW) == 0
    assert "warning: this run cannot be resumed" in capsys.readouterr().err
    assert manifest_of(tmp_path / "out")["status"] == "feasible"
    assert not (tmp_path / "out" / "search.json").exists()


@pytest.mark.parametrize("limit", ["--evaluations", "--time-limit"])
def test_with_the_tightest_limit_resuming_still_comes_to_the_optimum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    least = (limit, 1 if limit == "--evaluations" else 1e-9)
    assert run(monkeypatch, "run", policy, "--out", out, *least) == 0
    for _ in range(40):  # there are no more schemes
        if manifest_of(out)["stopped"] == "complete":
            break
        assert run(monkeypatch, "run", policy, "--out", out, "--resume", *least) == 0
    optimum = anonymize(patients(), policy)
    assert manifest_of(out)["status"] == "optimal"
    assert manifest_of(out)["scheme"] == optimum.scheme


def check_change_is_refused(
    policy: Path,
    file: Path,
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Stop a run, change a file, and see that it resumes only with the file as it was."""
    out = policy.parent / "out"
    assert run(monkeypatch, "run", policy, "--out", out, "--evaluations", 1) == 0
    content = file.read_text()
    assert old in content
    file.write_text(content.replace(old, new))
    assert run(monkeypatch, "run", policy, "--out", out, "--resume") == 2
    assert "a file that it names or the table has changed" in capsys.readouterr().err
    file.write_text(content)
    assert run(monkeypatch, "run", policy, "--out", out, "--resume") == 0


@pytest.mark.parametrize(
    ("model", "file", "old", "new"),
    [
        ("overall", "scenario.toml", "p_m = 0.3", "p_m = 0.4"),
        ("k-map with a table", "people.csv", "Patient 7;", "Patient 8;"),
        ("k-map with a table", "age.toml", "40]", "40, 80]"),
    ],
)
def test_a_file_that_the_policy_names_may_not_change(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    model: str,
    file: str,
    old: str,
    new: str,
) -> None:
    policy = write_files(tmp_path, policy=policy_with(MODELS[model]))
    write_more(tmp_path)
    check_change_is_refused(policy, tmp_path / file, old, new, monkeypatch, capsys)


OVERALL = 'model = "overall"\nthreshold = 0.05\nscenario = "{}"'
COUNTED = SCENARIO.replace("100000", '"people.csv"')


@pytest.mark.parametrize(
    ("name", "scenario", "file", "old", "new"),
    [
        ("scenario.toml", COUNTED, "people.csv", "Patient 7;", "Patient 8;"),
        ("worst-case", SCENARIO, "worst-case", "p_m = 0.3", "p_m = 0.4"),
    ],
    ids=["its population table", "a file with the name of a shipped one"],
)
def test_what_a_scenario_rests_on_may_not_change(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    scenario: str,
    file: str,
    old: str,
    new: str,
) -> None:
    policy = write_files(tmp_path, policy=policy_with(OVERALL.format(name)))
    write_more(tmp_path)
    (tmp_path / name).write_text(scenario)
    check_change_is_refused(policy, tmp_path / file, old, new, monkeypatch, capsys)


@pytest.mark.parametrize("changed", [True, False])
def test_a_population_in_memory_may_not_change_either(tmp_path: Path, changed: bool) -> None:
    policy, people = Policy.read(write_files(tmp_path, policy=POLICY)), patients(500, seed=5)

    def counted_in(people: pd.DataFrame) -> Policy:
        return Policy(**{**dict(policy), "risk": [KMap(3, population_table=people)]})

    solution = anonymize(patients(), counted_in(people), evaluations=3)
    assert solution.checkpoint is not None
    other = counted_in(people.head(400) if changed else people)
    if changed:
        with pytest.raises(ReleaseError, match="the table, a model, the measure"):
            anonymize(patients(), other, resume=solution.checkpoint)
    else:
        again = anonymize(patients(), other, resume=solution.checkpoint)
        assert again.proof.evaluated > solution.proof.evaluated  # type: ignore[union-attr]


@pytest.mark.parametrize("change", ["policy", "table", "hierarchy"])
def test_a_run_that_would_answer_another_question_is_not_resumed(
    stopped: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: str,
) -> None:
    if change == "policy":
        write_files(stopped.parent, policy=POLICY.replace("k = 3", "k = 4"))
    elif change == "table":
        write_files(stopped.parent, patients(seed=2), POLICY)
    else:
        (stopped.parent / "sex.csv").write_text("F;any\nM;any\n")
    before = manifest_of(stopped.parent / "out")
    assert run(monkeypatch, "run", stopped, "--out", stopped.parent / "out", "--resume", *FEW) == 2
    assert "has changed since that run was stopped" in capsys.readouterr().err
    assert manifest_of(stopped.parent / "out") == before


@pytest.mark.parametrize("change", ["people", "nothing"])
def test_a_run_that_counts_in_another_population_is_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    kmap = POLICY.replace('"k-anonymity"', '"k-map"').replace(
        "k = 3", 'k = 3\npopulation_table = "people.csv"'
    )
    policy = write_files(tmp_path, policy=kmap)
    people = patients(500, seed=5)
    people.to_csv(tmp_path / "people.csv", sep=";", index=False)
    assert run(monkeypatch, "run", policy, "--out", tmp_path / "out", *FEW) == 0
    if change == "people":
        people.head(400).to_csv(tmp_path / "people.csv", sep=";", index=False)
    status = run(monkeypatch, "run", policy, "--out", tmp_path / "out", "--resume")
    assert status == (2 if change == "people" else 0)


def test_a_failure_after_the_search_leaves_what_can_be_resumed(
    stopped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anonymizer.cli.release.add_explanation", lambda *_: 1 / 0)
    arguments = ["run", stopped, "--out", stopped.parent / "out", "--resume", "--explain"]
    with pytest.raises(ZeroDivisionError):
        run(monkeypatch, *arguments)
    assert (stopped.parent / "out" / "search.json").exists()


def test_limits_are_no_part_of_the_question(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
