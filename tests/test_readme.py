"""What the README says is so."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from anonymizer import Policy
from anonymizer.demo.example import POLICY as DEMO
from anonymizer.demo.population import population
from anonymizer.demo.register import register
from anonymizer.policy import Role
from anonymizer.risk import MODELS
from anonymizer.utility import MEASURES
from docs.generate.example import files
from tests.snippets import Run

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "docs" / "example"


def blocks(language: str) -> list[str]:
    """Return the README's code blocks of one language."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [text for given, text in fenced if given == language]


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the folder that the README's examples run in, and go there."""
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder)
    monkeypatch.chdir(folder)
    return folder


def commands() -> list[str]:
    """List our own commands in the README's blocks, without comments."""
    lines = [line for block in blocks("") for line in block.splitlines()]
    return [line.split("  #")[0] for line in lines if line.startswith("anonymizer ")]


def test_the_files_of_the_example_are_what_the_readme_shows() -> None:
    policy, age = blocks("toml")
    assert (EXAMPLE / "policy.toml").read_text(encoding="utf-8") == policy
    assert (EXAMPLE / "age.toml").read_text(encoding="utf-8") == age


def test_the_tables_of_the_example_are_made_by_the_code_of_the_demo() -> None:
    for name, text in files().items():
        assert (EXAMPLE / name).read_text(encoding="utf-8") == text


def test_every_command_runs_as_written(example: Path, run: Run) -> None:
    assert len(commands()) >= 12
    for command in commands():
        status, out, errors = run(*shlex.split(command)[1:])
        assert status == 0, f"{command}\n{out}\n{errors}"
    assert (example / "july" / "manifest.json").exists()


def test_every_target_of_make_is_one() -> None:
    targets = re.findall(r"^make (\w+)", "\n".join(blocks("")), re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets
    assert [name for name in targets if f"\n{name}:" not in makefile] == []


@pytest.mark.usefixtures("example")
def test_the_python_examples_run() -> None:
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "README", "exec", dont_inherit=True), names)
    assert 0 < len(names["strict"]) <= len(names["frame"])  # type: ignore[arg-type]


@pytest.mark.usefixtures("example")
def test_the_policy_is_one() -> None:
    policy = Policy.read("policy.toml")
    assert policy.with_role(Role.IDENTIFYING) == ("patient_id",)
    assert policy.load_hierarchies()[0].height == 5


def test_every_model_and_measure_is_named() -> None:
    for name in (*MODELS, *MEASURES):
        assert f"`{name}`" in README


def test_the_comparison_with_arx_is_the_experiment_s() -> None:
    tables = [measured(name, "reference") for name in ("optima", "uniqueness")]
    rows = [float(row["gain"]) for table in tables for row in table]
    same = sum(abs(gain) <= 1e-9 for gain in rows)
    better, worse = (sum(sign * gain > 1e-9 for gain in rows) for sign in (1, -1))
    text = " ".join(README.split())
    assert f"Of {len(rows)} optima of ARX" in text
    assert f"{same + better} are found again or bettered" in text
    assert f"{same} agree to 1e-9, {better} are better" in text
    assert f"In {worse} with p-uniqueness ARX is ahead" in text


def measured(name: str, experiment: str = "benchmark") -> list[dict[str, str]]:
    """Read a table of an experiment."""
    with (ROOT / "results" / experiment / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_is_the_benchmarks() -> None:
    rows = {
        (row["data"].upper(), row["parameters"].removeprefix("k=")): row
        for row in measured("searches")
        if row["model"] == "k-anonymity"
    }
    lines = [line for line in README.splitlines() if re.match(r"\| [A-Z]+ \| \d+ \|", line)]
    assert len(lines) == 3
    for line in lines:
        name, k = (cell.strip() for cell in line.split("|")[1:3])
        row = rows[name, k]
        assert line == (
            f"| {name} | {k} | {int(row['schemes']):,} | {float(row['ARX evaluated']):,.0f} | "
            f"{int(row['evaluated']):,} | {float(row['search / group-by']):.1f} |"
        )


def test_what_is_said_of_large_work_is_the_benchmarks() -> None:
    text = " ".join(README.split())
    csv_run, parquet_run = measured("registry")
    for row in (csv_run, parquet_run):
        phases = [f"{float(row[f'{phase} s']):.0f}" for phase in ("read", "search", "write")]
        assert " + ".join(phases) in text
    peak = max(int(row["peak MiB"]) for row in (csv_run, parquet_run))
    assert f"within {peak:,} MiB" in text
    in_duckdb = next(row for row in measured("engines") if row["rows"] == "100000000")
    phases = [f"{float(in_duckdb[f'{phase} s']):.0f}" for phase in ("read", "search", "write")]
    assert f"100,000,000 in a folder of Parquet files in {' + '.join(phases)}" in text
    assert f"within {float(in_duckdb['peak MiB']) / 1024:.1f} GiB" in text
    assert in_duckdb["verified"] == "True"
    growth = {(row["over"], row["at"]): row for row in measured("growth")}
    assert "up to about 14 the optimum is proven in seconds" in text
    assert float(growth["attributes", "14"]["gap"]) == 0
    assert float(growth["attributes", "14"]["seconds"]) < 30
    gaps = [float(row["gap"]) for row in measured("gap_over_time") if float(row["seconds"]) <= 60]
    assert f"with 20 a gap of {min(gaps):.2g} is left after a minute" in text


def test_what_is_said_of_layers_is_the_experiment_s() -> None:
    rows = [row for row in measured("comparison", "layers") if row["data"] == "adult"]
    row = next(row for row in rows if (row["model"], row["aggregate"]) == ("k = 5", "geometric"))
    layers, one = (f"{1 - float(row[name]):.3f}" for name in ("loss", "loss of one scheme"))
    text = " ".join(README.split())
    assert f"ADULT with k = 5 keeps quality {layers} in layers, {one} with one scheme" in text


def test_what_is_said_of_the_demo_is_so() -> None:
    text = " ".join(README.split())
    people = population(1_000_000)
    patients = register(people)
    quasi = Policy.of(tomllib.loads(DEMO)).with_role(Role.QUASI)
    alone = int((patients.groupby(list(quasi), observed=True).size() == 1).sum())
    assert f"a synthetic population of {len(people):,} people" in text
    assert f"a hospital's register of {len(patients):,} discharges" in text
    assert f"Before, {alone:,} of the patients are alone" in text


def test_it_is_about_two_hundred_lines() -> None:
    assert len(README.splitlines()) <= 210
