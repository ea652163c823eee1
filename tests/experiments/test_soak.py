"""The soak in small: it finds nothing, and would find what is wrong."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from anonymizer import AnonymizerError, Policy
from anonymizer.search import Status
from experiments.soak import __main__ as soak
from experiments.soak import oracle, tables
from experiments.soak.commands import COMMANDS, Command
from experiments.soak.depth import DEPTHS
from experiments.soak.failure import Failure, Found, OnCase
from experiments.soak.files import MEMORY
from experiments.soak.grammar import mutate_policy
from experiments.soak.inputs import Bench, faults_of, faults_of_release, snapshot
from experiments.soak.kills import faults_after_next_run, faults_after_signal
from experiments.soak.policies import POLICIES
from experiments.soak.processes import Ended, Worker, call
from experiments.soak.trees import SECRET
from experiments.soak.workspace import write_workspace

pytestmark = pytest.mark.slow

RESULTS = Path(__file__).resolve().parents[2] / "results"


def test_a_small_soak_finds_nothing_and_reports_it(tmp_path: Path) -> None:
    sizes = ["--kills", "2", "--tables", "12", "--files", "2"]
    sizes += ["--inputs", "0", "--studio", "0", "--servers", "0"]
    with pytest.raises(SystemExit) as left:
        soak.main([*sizes, "--seed", "7", "--out", str(tmp_path / "soak")])
    page = (tmp_path / "soak" / "README.md").read_text()
    assert left.value.code == 0, page
    assert "| tables | 12 | 3,000 | 7 |" in page
    assert "| kills | 2 | 200 | 7 |" in page


@pytest.mark.soak
def test_a_small_soak_of_inputs_gets_past_the_reading(tmp_path: Path) -> None:
    sizes = ["--kills", "0", "--tables", "0", "--files", "0", "--servers", "0"]
    sizes += ["--inputs", "40", "--studio", "60", "--seed", "7"]
    with pytest.raises(SystemExit) as left:
        soak.main([*sizes, "--out", str(tmp_path / "soak")])
    assert left.value.code == 0, (tmp_path / "soak" / "README.md").read_text()
    counted = soak.read_parts(tmp_path / "soak")["inputs"].depths
    assert sum(counted.values()) == 40
    assert sum(counted[kind, depth] for kind, depth in counted if depth in DEPTHS[2:]) >= 15


def test_a_part_that_is_run_alone_leaves_the_others_in_the_report(tmp_path: Path) -> None:
    for size in ("3", "5"):
        with pytest.raises(SystemExit):
            soak.main(["--only", "tables", "--tables", size, "--out", str(tmp_path)])
        before = soak.read_parts(tmp_path)
        assert before["tables"].cases == int(size)
    failure = soak.Failure("inputs", 3, 1, "it ends in a traceback")
    soak.write([soak.Part("inputs", 9, 1, 2.0, "x", [failure])], tmp_path)
    found = soak.read_parts(tmp_path)
    assert found.keys() == {"tables", "inputs"}
    assert found["inputs"].failures == [failure]
    assert failure.reproduce in (tmp_path / "README.md").read_text()


def test_a_part_goes_on_where_its_report_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sizes(number: int, *more: str) -> list[str]:
        return ["--only", "tables", "--tables", f"{number}", "--out", str(tmp_path), *more]

    run: list[int] = []

    def noted(cases: Iterable[int], seed: int, folder: Path, on_case: OnCase) -> Found:
        failures = [Failure("tables", case, seed, "so it is") for case in cases if case == 3]
        run.extend(cases)
        return Found(failures, Counter({("a table", "door"): len(list(cases))}))

    monkeypatch.setitem(soak.PARTS, "tables", noted)
    monkeypatch.setattr(soak, "TURN", 4)
    for arguments in (sizes(6), sizes(11, "--resume"), sizes(11, "--resume")):
        with pytest.raises(SystemExit):
            soak.main([*arguments, "--workers", "1"])
    part = soak.read_parts(tmp_path)["tables"]
    assert run == list(range(11))
    assert (part.cases, len(part.failures), part.depths["a table", "door"]) == (11, 1, 11)
    with pytest.raises(SystemExit, match="go on with that"):
        soak.main(sizes(12, "--resume", "--seed", "2"))
    with pytest.raises(SystemExit):
        soak.main(sizes(20, "--resume", "--minutes", "-1"))
    assert soak.read_parts(tmp_path)["tables"].cases == 11


@pytest.mark.soak
def test_what_the_committed_report_found_no_longer_fails(tmp_path: Path) -> None:
    parts = soak.read_parts(RESULTS / "soak")
    assert parts.keys() <= soak.PARTS.keys()
    for name, part in parts.items():
        found = {failure.case for failure in part.failures}
        if found:
            assert soak.PARTS[name](found, part.seed, tmp_path, lambda *_: None).failures == []


def test_a_forked_command_ends_as_a_new_process_does(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (tmp_path / "new").mkdir()
    write_workspace(tmp_path / "new", 1)
    shutil.copytree(tmp_path / "new", tmp_path / "forked")
    with Worker(state) as worker:
        for words in (
            ["hierarchy", "show", "zip.toml"],
            ["hierarchy", "build", "sex.csv", "--out", "out"],
            ["run", "policy-k.toml", "--out", "table.csv"],
            ["init", "project.deid", "--out", "out"],
        ):
            new = call(words, tmp_path / "new", state)
            forked = worker.call(words, tmp_path / "forked", MEMORY)
            here = worker.call(words, tmp_path / "forked")
            assert replace(forked, depth="door") == new
            assert here == forked
            assert names_in(tmp_path / "new") == names_in(tmp_path / "forked")
        # it has 2 GiB, and these need more
        (tmp_path / "forked" / "large.csv").write_bytes(b"age\n" + b"1" * (300 << 20))
        ended = worker.call(["init", "large.csv", "--out", "out"], tmp_path / "forked", MEMORY)
        assert (ended.status, ended.err.count("error: ")) == (2, 1)
        assert worker.call(["hierarchy", "show", "zip.toml"], tmp_path / "forked").status == 0


def names_in(folder: Path) -> set[str]:
    """List what is in a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_a_snapshot_shows_what_was_written_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("read", "folder/changed", "gone"):
        (tmp_path / name).write_text("as it was")
    before = snapshot(tmp_path)
    assert (tmp_path / "read").read_text() == "as it was"
    assert snapshot(tmp_path) == before
    (tmp_path / "folder" / "changed").write_text("it was as")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").mkdir()
    changed = {name for name, _ in before.items() ^ snapshot(tmp_path).items()}
    assert changed == {"folder/changed", "gone", "new"}


def test_what_a_mutation_left_as_it_was_counts_as_such(tmp_path: Path) -> None:
    path = tmp_path / "template" / "table.csv"
    path.parent.mkdir()
    path.write_text("a\n1\n1\n")
    bench = object.__new__(Bench)  # without its releases
    command = Command(("verify", "table.csv"), ("table.csv",))
    named = set()
    for seed in range(40):
        here = tmp_path / f"{seed}"
        shutil.copytree(path.parent, here)
        _, name, _ = bench.mutate(command, here, random.Random(seed))
        changed = (here / "table.csv").read_bytes() != path.read_bytes()
        assert changed == (name == "table.csv")
        named.add(name)
    assert named == {"", "table.csv"}


@pytest.mark.soak
def test_every_command_succeeds_on_files_that_are_right(tmp_path: Path) -> None:
    with Worker(tmp_path / "state") as worker:
        bench = Bench(tmp_path, worker, 1)
        for command in COMMANDS:
            bench.check(command)  # raises an error otherwise
        listed = bench.clean.read_text(encoding="utf-8").splitlines()
        assert sorted(listed) == sorted({" ".join(command.arguments) for command in COMMANDS})


def test_a_template_that_fails_as_it_is_is_not_mutated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.soak.inputs.RELEASES", ())
    with Worker(tmp_path / "state") as worker:
        bench = Bench(tmp_path, worker, 1)
        wrong = replace(COMMANDS[0], arguments=("run", "nothing.toml", "--out", "out"))
        with pytest.raises(RuntimeError, match="fails as it is"):
            bench.check(wrong)


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")  # old keys are among them
def test_most_mutated_policies_can_still_be_read(tmp_path: Path) -> None:
    path, readable = tmp_path / "policy.toml", 0
    for seed, sketch in enumerate(POLICIES.values()):
        path.write_text(sketch.text(), encoding="utf-8")
        mutate_policy(path, random.Random(seed))
        with contextlib.suppress(AnonymizerError):
            readable += bool(Policy.read(path))
    assert readable > len(POLICIES) / 2


def test_a_wrong_optimum_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoiled(frame: object, policy: object) -> object:
        return replace(solve(frame, policy), loss=0.5, status=Status.FEASIBLE)

    solve = tables.anonymize
    monkeypatch.setattr(tables, "anonymize", spoiled)
    failures = tables.soak_tables(range(10), 1, tmp_path, lambda *_: None).failures
    assert any("the status is feasible" in failure.what for failure in failures)
    assert any("the loss at" in failure.what for failure in failures)


def test_a_release_that_is_not_the_stated_one_is_found() -> None:
    tree = {"a": ("a", "*"), "b": ("b", "*")}
    model = {"model": "k-anonymity", "k": 2}
    question = oracle.Question(
        (("a",), ("a",), ("b",)), (tree,), ("1", "2", "3"), ("s",) * 3, (model,), (1.0,),
        "geometric", 3, (0,), (1,),
    )  # fmt: skip
    right = {0: ("a",), 1: ("a",)}
    assert list(oracle.faults_of_release(question, (0,), 1, right, False)) == []
    for wrong in ({0: ("a",), 1: ("b",)}, {**right, 2: ("b",)}, {0: ("a",)}):
        assert list(oracle.faults_of_release(question, (0,), 1, wrong, False))


def test_what_a_command_must_not_do_is_found(tmp_path: Path) -> None:
    run = COMMANDS[0]
    before = snapshot(tmp_path)

    def found(status: int, err: str) -> list[str]:
        return list(faults_of(run, "policy-k.toml", Ended(status, "", err), before, tmp_path))

    assert found(2, "error: table.csv: it is empty.\n") == []
    assert found(-1, "Traceback (most recent call last):\nValueError: x\n")
    assert found(-11, "")
    assert found(2, "")
    assert found(2, "error: no sentence\n")
    assert found(2, f"error: a cell is {SECRET}.\n")
    of_hierarchy = Ended(2, "", f"error: row 2: {SECRET} is empty.\n")
    assert list(faults_of(run, "sex.csv", of_hierarchy, before, tmp_path)) == []
    assert found(0, "error: something.\n")
    assert found(2, "something else\nerror: a.\n")
    (tmp_path / "out").mkdir()
    assert found(2, "error: table.csv: it is empty.\n")
    (tmp_path / "elsewhere").write_text("")
    assert any("outside" in fault for fault in found(2, "error: a.\n"))


def test_half_a_release_is_found(tmp_path: Path) -> None:
    assert list(faults_of_release(tmp_path))
    out = tmp_path / "out"
    (out / ".anonymizer-left").mkdir(parents=True)
    (out / "release.csv").write_text("a\n")
    (out / "manifest.json").write_text(
        json.dumps({"output": {"sha256": "0", "name": "release.csv"}})
    )
    after = list(faults_after_signal(tmp_path, -15, "Traceback", 15, True))
    assert {fault.split(":")[0] for fault in after} >= {
        "it ends in a traceback",
        "left behind",
        "the manifest is not that of the release",
    }
    assert len(list(faults_after_next_run(tmp_path, 0, ""))) == 2
