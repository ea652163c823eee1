"""The command line as a user meets it: real files, exit statuses, one-sentence errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import __version__
from anonymizer.utility import MEASURES
from tests.wards import (
    MODELS,
    POLICY,
    SCENARIO,
    change,
    patients,
    policy_with,
    write_files,
    write_more,
)

Run = tuple[int, str, str]


def test_run_verify_and_apply_work_together(tmp_path: Path, run) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    status, output, errors = run("run", policy, "--out", out, "--mapping", tmp_path / "map.csv")
    assert (status, errors) == (0, "")
    assert "Proven optimal" in output
    assert {path.name for path in out.iterdir()} == {"release.csv", "manifest.json", "proof.json"}
    assert pd.read_csv(tmp_path / "map.csv", sep=";").shape == (108, 3)
    original = tmp_path / "patients.csv"
    status, output, _ = run("verify", out / "release.csv", policy, "--against", original)
    assert status == 0
    assert "verified: every claim that was checked holds" in output
    new = tmp_path / "new.csv"
    patients(seed=9).to_csv(new, sep=";", index=False)
    arguments = (out / "manifest.json", "--data", new, "--out", tmp_path / "new", "--json")
    status, output, _ = run("apply", policy, *arguments)
    assert status == 0
    applied = json.loads(output)
    assert applied["status"] == "applied"
    assert applied["risk"]["after"]["smallest_class"] >= 3
    assert run("verify", tmp_path / "new" / "release.csv", policy, "--against", new)[0] == 0


def test_json_has_what_scripts_need(tmp_path: Path, run) -> None:
    status, output, _ = run("run", write_files(tmp_path), "--out", tmp_path / "out", "--json")
    result = json.loads(output)
    assert status == 0
    assert result["status"] == "optimal"
    assert result["quality"] == 1 - result["loss"]
    assert result["gap"] == 0
    assert result["scheme"].keys() == {"age", "sex", "zip"}
    assert result["evaluated"] + sum(result["pruned"].values()) == result["schemes"]
    assert result["seconds"].keys() == {"read", "compile", "search", "prove", "write"}
    assert result["risk"].keys() == {"before", "after"}
    assert all(Path(path).exists() for path in result["files"].values())


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_shown_and_printed_for_scripts(tmp_path: Path, run, name: str) -> None:
    policy = write_files(tmp_path, policy=f'{POLICY}\n[utility]\nmeasure = "{name}"\n')
    status, shown, _ = run("run", policy, "--out", tmp_path / "shown")
    assert status == 0
    assert "Proven optimal" in shown
    status, output, _ = run("run", policy, "--out", tmp_path / "out", "--json")
    result = json.loads(output)
    assert status == 0
    assert result["status"] == "optimal"
    assert 0 < result["loss"] < 1
    of_the_table = ("discernibility", "class-size", "height", "ambiguity", "kl-divergence")
    by_attribute = name not in of_the_table
    assert ("attribute_loss" in result) == by_attribute
    (head,) = [line for line in shown.splitlines() if "attribute" in line]
    assert ("loss" in head) == by_attribute


def test_explain_adds_a_page_and_what_it_says(tmp_path: Path, run) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    status, output, errors = run("run", policy, "--out", out, "--explain")
    assert (status, errors) == (0, "")
    assert "What drives the risk" in output
    page = out / "explanation.html"
    assert f"explanation: {page}" in output
    assert "What stands in the way of a tighter threshold" in page.read_text(encoding="utf-8")
    result = json.loads(run("run", policy, "--out", out, "--explain", "--json")[1])
    assert result["explanation"]["now"]["quality"] == result["quality"]
    assert result["files"]["explanation"] == str(page)
    assert run("verify", out / "release.csv", policy)[0] == 0
    page.unlink()
    page.mkdir()
    status, _, errors = run("run", policy, "--out", out, "--explain")
    assert status == 2
    assert f"{page}: there is a folder of that name" in errors


def test_layers_are_run_explained_verified_and_applied(tmp_path: Path, run) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    policy.write_text(policy.read_text() + "\n[release]\nlayers = true\n")
    status, output, errors = run("run", policy, "--out", out, "--explain")
    assert (status, errors) == (0, "")
    assert "Who lost most" in output
    assert "What the layers give away" in (out / "explanation.html").read_text(encoding="utf-8")
    result = json.loads(run("run", policy, "--out", out, "--explain", "--json")[1])
    assert result["explanation"]["narrowed"] == result["narrowed"]
    assert run("verify", out / "release.csv", policy)[0] == 0
    again = run("apply", policy, out / "manifest.json", "--out", tmp_path / "again", "--json")
    assert json.loads(again[1])["layers"] == result["layers"]


def test_verify_says_no_with_status_1(tmp_path: Path, run) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    run("run", policy, "--out", out)
    release = out / "release.csv"
    release.write_text(release.read_text().replace("flu", "cold", 1))
    status, output, _ = run("verify", release, policy, "--json")
    assert status == 1
    assert json.loads(output)["passed"] is False


def bad_input(folder: Path, case: str) -> tuple[str, str]:
    """Break one thing; return the policy's text and what the error must say."""
    table = folder / "patients.csv"
    text = table.read_text()
    match case:
        case "missing file":
            table.unlink()
            return POLICY, "patients.csv: there is no such file"
        case "wrong delimiter":
            return change(
                POLICY, delimiter='delimiter = ","'
            ), "Is the delimiter ';' rather than ','"
        case "ragged rows":
            table.write_text(text + "Patient 121;33;F\n")
            return POLICY, "has 3 cells where the header has 6"
        case "a column without a role":
            return change(POLICY, days=""), "no role in the policy for 'days'"
        case "a role for a column that is not there":
            line = 'days = { role = "insensitive" }\nward = { role = "sensitive" }'
            return change(POLICY, days=line), "no column 'ward'"
        case "a value without a leaf":
            table.write_text(text + "Patient 121;33;X;101;flu;3\n")
            return POLICY, "column 'sex': 1 value has no row in its hierarchy (hidden"
        case "a value with two parents":
            (folder / "sex.csv").write_text("F;a;x\nM;a;y\n")
            return POLICY, "'a' at level 1 belongs to 'y', but to 'x'"
        case "no quasi-identifier":
            other = {name: f'{name} = {{ role = "sensitive" }}' for name in ("age", "sex", "zip")}
            return change(POLICY, **other), "no attribute has the role 'quasi'"
        case "k larger than the table":
            return change(POLICY, k="k = 121"), "k = 121 is larger than the table"
        case "an empty table":
            table.write_text("")
            return POLICY, "the file is empty"
        case "a header only":
            table.write_text(text.splitlines()[0] + "\n")
            return POLICY, "the table has no rows"
        case "not UTF-8":
            table.write_bytes(text.encode().replace(b"asthma", b"asthm\xe4"))
            return POLICY, "the file is not UTF-8"
        case "duplicate column names":
            table.write_text(text.replace("diagnosis", "days", 1))
            return POLICY, "columns that occur twice: 'days'"
        case "an unknown key in the policy":
            return POLICY + "\n[serch]\nworkers = 2\n", "serch: this key is unknown"
        case "a threshold above 1":
            risk = 'model = "average"\nthreshold = 1.5'
            return policy_with(risk), "threshold must be a number from 0 to 1, got 1.5"
        case "a population smaller than the sample":
            risk = 'model = "p-uniqueness"\nthreshold = 0.1\npopulation = 100'
            return policy_with(risk), "the population of 100 is smaller than the table"
        case "an unknown estimator":
            risk = 'model = "p-uniqueness"\nthreshold = 0.1\npopulation = 1000\nestimator = "x"'
            return policy_with(risk), "estimator 'x' is unknown"
        case "k-map without a population":
            return policy_with(
                'model = "k-map"\nk = 2'
            ), "needs either population or population_table"
        case "a population table without any quasi-identifier":
            patients()[["days"]].to_csv(folder / "people.csv", sep=";", index=False)
            return policy_with(MODELS["k-map with a table"]), "has none of the quasi-identifiers"
        case "a population table smaller than the sample":
            patients(rows=9).to_csv(folder / "people.csv", sep=";", index=False)
            return policy_with(
                MODELS["k-map with a table"]
            ), "has 9 people, fewer than the 120 records"
        case "k above the population":
            risk = 'model = "k-map"\nk = 100000000\npopulation = 300'
            return policy_with(risk), "k = 100000000 is larger than the population of 300"
        case "a parameter of the wrong kind":
            risk = 'model = "k-map"\nk = 2\npopulation = 300\nsignificance = "0.1"'
            return policy_with(risk), "a parameter is of the wrong kind"
        case "whole rows in a cell":
            lines = text.splitlines()
            lines[4], lines[7] = lines[4].replace(";101;", ';101;"', 1), lines[7] + '"'
            rows = [f"P{i};{i % 40 + 20};F;101;flu;3" for i in range(30)]
            rows[5], rows[8] = 'P5;25;F;101;"flu;3', 'P8;28;F;101;asthma";3'
            table.write_text("\n".join([lines[0], *rows]) + "\n")
            return POLICY, "row 6, column 'diagnosis': the cell holds whole rows"
        case "a scenario that is not there":
            (folder / "scenario.toml").unlink()
            return policy_with(MODELS["overall"]), "scenario.toml"
        case "a probability above 1":
            (folder / "scenario.toml").write_text(SCENARIO.replace("p_c = 0.4", "p_c = 1.4"))
            return policy_with(MODELS["overall"]), "p_c"
        case "a range upside down":
            (folder / "scenario.toml").write_text(SCENARIO.replace("p_m = 0.3", "p_m = [0.8, 0.3]"))
            return policy_with(MODELS["overall"]), "p_m: [0.8, 0.3] is upside down"
        case "an unknown cause":
            text = SCENARIO.replace("probability = 0.2", 'probability = 0.2\ncause = "account"')
            (folder / "scenario.toml").write_text(text)
            return policy_with(MODELS["overall"]), "'account', the cause of a group, is unknown"
        case "a column of probabilities that is not there":
            (folder / "scenario.toml").write_text(
                SCENARIO.replace("= 0.3", '= { column = "dais" }')
            )
            return policy_with(MODELS["overall"]), "'dais', which a risk model looks at"
        case "a cell that is not a probability":
            (folder / "scenario.toml").write_text(
                SCENARIO.replace("= 0.3", '= { column = "days" }')
            )
            return policy_with(MODELS["overall"]), "is not a probability; use a number from 0 to 1"
        case "an attribute of a scenario that is no quasi-identifier":
            (folder / "scenario.toml").write_text(SCENARIO.replace('"zip"', '"diagnosis"'))
            return policy_with(MODELS["overall"]), "diagnosis"
        case "k is not a number":
            return change(POLICY, k='k = "five"'), "k must be a whole number, got 'five'"
        case "not TOML":
            return POLICY + "\n[risk\n", "not valid TOML"
        case "a missing hierarchy":
            (folder / "zip.toml").unlink()
            return POLICY, "zip.toml"
        case "a level out of range":
            line = 'age = { role = "quasi", hierarchy = "age.toml", max_level = 9 }'
            return change(POLICY, age=line), "max_level is 9, but its hierarchy has levels 0 to 4"
    raise AssertionError(case)


CASES = [
    "missing file",
    "wrong delimiter",
    "ragged rows",
    "a column without a role",
    "a role for a column that is not there",
    "a value without a leaf",
    "a value with two parents",
    "no quasi-identifier",
    "k larger than the table",
    "an empty table",
    "a header only",
    "not UTF-8",
    "duplicate column names",
    "an unknown key in the policy",
    "a threshold above 1",
    "a population smaller than the sample",
    "an unknown estimator",
    "k-map without a population",
    "a population table without any quasi-identifier",
    "a population table smaller than the sample",
    "k above the population",
    "a parameter of the wrong kind",
    "whole rows in a cell",
    "a scenario that is not there",
    "a probability above 1",
    "a range upside down",
    "an unknown cause",
    "a column of probabilities that is not there",
    "a cell that is not a probability",
    "an attribute of a scenario that is no quasi-identifier",
    "k is not a number",
    "not TOML",
    "a missing hierarchy",
    "a level out of range",
]


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_sentence_and_no_file(tmp_path: Path, run, case: str) -> None:
    write_files(tmp_path)
    write_more(tmp_path)
    text, message = bad_input(tmp_path, case)
    (tmp_path / "policy.toml").write_text(text)
    status, output, errors = run("run", tmp_path / "policy.toml", "--out", tmp_path / "a" / "b")
    assert status == 2
    assert output == ""
    assert errors.startswith("error: ")
    assert message in errors
    assert "Traceback" not in errors
    assert errors.count("\n") == 1
    assert not (tmp_path / "a").exists()


def test_an_output_folder_that_cannot_be_written_is_said_before_the_search(tmp_path, run) -> None:
    policy = write_files(tmp_path)
    (tmp_path / "out").write_text("in the way")
    status, output, errors = run("run", policy, "--out", tmp_path / "out" / "deeper")
    assert (status, output) == (2, "")
    assert "the folder cannot be written" in errors
    assert (tmp_path / "out").read_text() == "in the way"


def test_a_seed_below_0_is_bad_input(tmp_path: Path, run) -> None:
    status, _, error = run("run", write_files(tmp_path), "--out", tmp_path / "out", "--seed", -1)
    assert status == 2
    assert "Invalid value for '--seed'" in error
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_met_is_status_1_with_a_remedy(tmp_path: Path, run) -> None:
    ranges = change(POLICY, age='age = { role = "quasi", hierarchy = "age.toml", max_level = 0 }')
    policy = write_files(tmp_path, policy=ranges + "\n[release]\nsuppression_limit = 0.0\n")
    status, _, errors = run("run", policy, "--out", tmp_path / "out")
    assert status == 1
    assert (
        "k-anonymity with k = 3 cannot be met: the coarsest scheme the policy allows would"
        in errors
    )
    assert "raise suppression_limit or max_level" in errors
    assert not (tmp_path / "out").exists()


def test_nothing_that_is_read_is_overwritten(tmp_path: Path, run) -> None:
    policy = write_files(tmp_path, policy=change(POLICY, path='path = "release.csv"'))
    (tmp_path / "patients.csv").rename(tmp_path / "release.csv")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    status, _, errors = run("run", policy, "--out", tmp_path)
    assert status == 2
    assert "release.csv: this file is read by the run and would be overwritten" in errors
    for name in ("release.csv", "age.toml", "policy.toml"):
        status, _, errors = run(
            "run", policy, "--out", tmp_path / "out", "--mapping", tmp_path / name
        )
        assert status == 2
        assert "would be overwritten" in errors
    mapping = tmp_path / "out" / "release.csv"
    assert run("run", policy, "--out", tmp_path / "out", "--mapping", mapping)[0] == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_in_the_place_of_a_file_is_said_before_anything_is_replaced(tmp_path, run) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    (out / "release.csv").mkdir(parents=True)
    (out / "manifest.json").write_text("old")
    status, _, errors = run("run", policy, "--out", out)
    assert status == 2
    assert f"{out / 'release.csv'}: there is a folder of that name" in errors
    assert (out / "manifest.json").read_text() == "old"


def test_a_failed_run_leaves_the_old_release(tmp_path: Path, run) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    assert run("run", policy, "--out", out)[0] == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (tmp_path / "sex.csv").write_text("F;*\n")
    assert run("run", policy, "--out", out)[0] == 2
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_warnings_are_plain_sentences(tmp_path: Path, run) -> None:
    frame = patients()
    frame.loc[:9, "sex"] = None
    with warnings.catch_warnings():
        warnings.simplefilter("always")  # as outside the tests, where a warning is no error
        status, _, errors = run("run", write_files(tmp_path, frame), "--out", tmp_path / "out")
    assert status == 0
    assert errors.startswith(
        "warning: column 'sex' has missing cells but no leaf for them in its hierarchy"
    )
    assert errors.count("\n") == 1


def test_hierarchy_commands(tmp_path: Path, run) -> None:
    write_files(tmp_path)
    table, age = tmp_path / "patients.csv", tmp_path / "age.toml"
    status, output, _ = run(
        "hierarchy", "check", age, tmp_path / "sex.csv", "--data", table, "--data-delimiter", ";"
    )
    assert (status, output) == (0, "2 checked: 0 errors, 0 warnings\n")
    status, output, _ = run("hierarchy", "build", age)
    assert output.splitlines()[34] == "34;30-39;20-39;0-39;*"
    run("hierarchy", "build", age, "--out", tmp_path / "age.csv")
    assert run("hierarchy", "build", tmp_path / "age.csv")[1] == output
    assert "30-39" in run("hierarchy", "show", age)[1]
    status, output, _ = run(
        "hierarchy", "suggest", table, "--delimiter", ";", "--out", tmp_path / "s"
    )
    assert status == 0
    assert len(output.splitlines()) == 6
    specs = [tmp_path / "s" / f"{name}.toml" for name in ("age", "sex", "zip", "diagnosis")]
    assert run("hierarchy", "check", *specs, "--data", table, "--data-delimiter", ";")[0] == 0
    assert run("hierarchy", "check", *specs, "--data", table)[0] == 0
    status, _, errors = run("hierarchy", "check", *specs, "--data", table, "--data-delimiter", ",")
    assert status == 2
    assert "Is the delimiter ';' rather than ','" in errors
    status, _, errors = run(
        "hierarchy", "suggest", table, "--delimiter", ";", "--out", tmp_path / "s"
    )
    assert status == 2
    assert "is there already" in errors


def test_hierarchy_check_shows_every_defect_with_status_1(tmp_path: Path, run) -> None:
    write_files(tmp_path)
    (tmp_path / "sex.csv").write_text("F;*\nF;*\nM\n")
    status, output, _ = run("hierarchy", "check", tmp_path / "sex.csv", tmp_path / "none.toml")
    assert status == 1
    assert "row 3 has 1 cell" in output
    assert "'F' already has row 1" in output
    assert "none.toml" in output
    (tmp_path / "sex.csv").write_text("F;*\n")
    data = ("--data", tmp_path / "patients.csv", "--data-delimiter", ";")
    arguments = (tmp_path / "sex.csv", *data, "--json")
    status, output, _ = run("hierarchy", "check", *arguments)
    assert status == 1
    first = patients()["sex"].tolist().index("M") + 1
    assert json.loads(output)[0]["message"].endswith(f"First at row {first}.")
    assert json.loads(output)[0]["value"] is None
    status, output, _ = run("hierarchy", "check", *arguments, "--show-values")
    assert json.loads(output)[0]["value"] == "M"


@pytest.mark.parametrize(
    "command",
    ["run", "verify", "apply", "demo"]
    + [f"hierarchy {c}" for c in ("check", "build", "show", "suggest")],
)
def test_every_command_shows_an_example(run, command: str) -> None:
    status, output, _ = run(*command.split(), "--help")
    assert status == 0
    assert f"Example: anonymizer {command}" in " ".join(output.split())


def test_a_ctrl_c_outside_the_search_leaves_nothing(tmp_path: Path, run, monkeypatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("anonymizer.problem.problem.encode", interrupted)
    status, *_ = run("run", write_files(tmp_path), "--out", tmp_path / "out")
    assert status == 130
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_installed_command_runs_the_demo(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "anonymizer",
        "demo",
        "--out",
        str(tmp_path / "demo"),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, check=True)
    result = json.loads(done.stdout)
    assert result["status"] == "optimal"
    assert result["risk"]["after"]["smallest_class"] >= 5
    uniques, readme = (
        result["risk"]["before"]["sample_uniques"],
        Path(__file__).parents[2] / "README.md",
    )
    assert f"{uniques:,} of the patients are alone" in readme.read_text(encoding="utf-8")
    folder = tmp_path / "demo"
    assert "class of 1<" in (folder / "solution.svg").read_text(encoding="utf-8")
    verify = ["verify", str(folder / "release.csv"), str(folder / "policy.toml"), "--json"]
    command = [
        sys.executable,
        "-m",
        "anonymizer",
        *verify,
        "--against",
        str(folder / "register.csv"),
    ]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_names_that_look_like_markup_are_printed_as_they_are(tmp_path: Path, run) -> None:
    frame = patients().rename(columns={"zip": "zip[/s]", "days": "[bold]days"})
    text = POLICY.replace("zip       =", '"zip[/s]" =').replace("days      =", '"[bold]days" =')
    policy, out = write_files(tmp_path, frame, text), tmp_path / "o[/x]y"
    status, output, errors = run("run", policy, "--out", out, "--explain")
    assert (status, errors) == (0, "")
    assert "zip[/s]" in output
    assert "o[/x]y" in output
    status, output, errors = run("verify", out / "release.csv", policy)
    assert (status, errors) == (0, "")
    status, _, errors = run("frontier", policy, "--out", tmp_path / "f[/b]", "--at", "2..4")
    assert (status, errors) == (0, "")


def test_the_version_is_printed(run) -> None:
    assert run("--version") == (0, f"anonymizer {__version__}\n", "")


@pytest.mark.parametrize("table", ["patients.csv", "patients.xlsx"])
def test_memory_that_is_not_enough_is_one_sentence_and_leaves_nothing(
    table: str, tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_: object, **__: object) -> None:
        raise MemoryError

    policy = write_files(tmp_path)
    patients().to_excel(tmp_path / "patients.xlsx", index=False)
    policy.write_text(policy.read_text().replace("patients.csv", table))
    monkeypatch.setattr("anonymizer.solution.solution.search", fill)
    monkeypatch.setattr("anonymizer.data.excel.ExcelTable.read_rows", fill)
    status, _, errors = run("run", policy, "--out", tmp_path / "out")
    assert status == 2
    assert errors.startswith("error: the memory is not enough")
    assert errors.count("\n") == 1
    assert not list((tmp_path / "out").glob("*"))
