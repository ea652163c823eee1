"""The command `decision`: what it writes, prints and refuses."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from tests.wards import write_files


def released(folder: Path, run) -> tuple[Path, Path]:
    policy = write_files(folder)
    assert run("run", policy, "--out", folder / "release")[0] == 0
    return policy, folder / "release" / "release.csv"


def test_it_writes_a_page_and_its_figures(tmp_path: Path, run) -> None:
    policy, release = released(tmp_path, run)
    status, out, _ = run("decision", policy, release, "--out", tmp_path / "decision")
    assert status == 0
    assert out.startswith("The release meets every risk model of its policy.")
    written = sorted(path.name for path in (tmp_path / "decision").iterdir())
    assert written == ["decision.html", "decision.json"]


def test_json_is_what_the_file_has(tmp_path: Path, run) -> None:
    policy, release = released(tmp_path, run)
    context = tmp_path / "context.toml"
    example = run("decision", "--example")[1]
    assert tomllib.loads(example)["release_model"] == "public"
    context.write_text(example.replace("acceptable = 0.09", "acceptable = 0.34"))
    out = tmp_path / "decision"
    status, printed, _ = run(
        "decision", policy, release, "--context", context, "--out", out, "--json"
    )
    found = json.loads(printed)
    assert status == 0
    assert found.pop("files").keys() == {"page", "figures"}
    assert found == json.loads((out / "decision.json").read_text())
    assert found["context"]["organization"] == "County Hospital"


def test_a_release_that_does_not_hold_is_exit_status_1_and_still_has_a_page(
    tmp_path: Path, run
) -> None:
    policy, release = released(tmp_path, run)
    path = release.parent / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "quality": 1.0}))
    status, out, _ = run("decision", policy, release, "--out", tmp_path / "decision")
    assert status == 1
    assert out.startswith("THE RELEASE DOES NOT HOLD")
    assert (tmp_path / "decision" / "decision.html").exists()


def test_what_is_wrong_is_one_sentence_and_writes_nothing(tmp_path: Path, run) -> None:
    policy, release = released(tmp_path, run)
    wrong = tmp_path / "context.toml"
    wrong.write_text("purpose = 3\n")
    figures = tmp_path / "attacks.json"
    figures.write_text("{}")
    for options in (
        ("--context", wrong),
        ("--attacks", figures),
        ("--evidence", figures),
        ("--manifest", tmp_path / "none.json"),
        ("--against", tmp_path / "none.csv"),
    ):
        status, _, error = run("decision", policy, release, *options, "--out", tmp_path / "out")
        assert status == 2
        assert error.count("error: ") == 1
        assert not (tmp_path / "out").exists()
