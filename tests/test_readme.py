"""What the README says is so."""

from __future__ import annotations

import csv
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from anonymizer import Policy, Statement, anonymize
from anonymizer.hierarchy import parse_spec
from anonymizer.policy import Role
from anonymizer.risk import MODELS, Scenario
from anonymizer.utility import MEASURES, parameters_of
from tests.wards import patients, write_files

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the README's code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def discharges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the files the README's examples speak of."""
    rows = [f"P{i},{20 + i % 40},{('101', '102')[i % 2]},flu,A" for i in range(200)]
    (tmp_path / "discharges.csv").write_text(
        "\n".join(["patient_id,age,zip,diagnosis,ward", *rows]) + "\n"
    )
    (tmp_path / "zip.csv").write_text("101;10*;*\n102;10*;*\n")
    (tmp_path / "age.toml").write_text(blocks("toml")[1])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_policy_is_one(discharges: Path) -> None:
    (discharges / "policy.toml").write_text(blocks("toml")[0])
    policy = Policy.read(discharges / "policy.toml")
    assert policy.with_role(Role.IDENTIFYING) == ("patient_id",)
    assert policy.load_hierarchies()[0].height == 5


def test_the_spec_is_one() -> None:
    assert parse_spec(tomllib.loads(blocks("toml")[1])).build("age").size == 120


@pytest.mark.usefixtures("discharges")
def test_the_python_example_runs() -> None:
    names: dict[str, object] = {}
    exec(compile(blocks("python")[0], "README", "exec", dont_inherit=True), names)
    assert len(names["released"]) == 200


def test_the_model_of_ones_own_drives_a_search(tmp_path: Path) -> None:
    names: dict[str, object] = {}
    exec(compile(blocks("python")[1], "README", "exec", dont_inherit=True), names)
    model = names["SmallClasses"](threshold=0.01)  # type: ignore[operator]
    policy = Policy.read(write_files(tmp_path)).model_copy(update={"risk": (model,)})
    solution = anonymize(patients(), policy)
    assert solution.status == "optimal"
    sizes = solution.to_frame().groupby(["age", "sex", "zip"]).size()
    assert sizes[sizes < 10].sum() <= 0.01 * sizes.sum()
    assert solution.suppressed < solution.records


def test_the_scenario_is_one() -> None:
    scenario = Scenario.parse(tomllib.loads(blocks("toml")[2]))
    assert [group.attributes for group in scenario.groups] == [("age", "zip"), ("sex",)]


def test_the_statement_is_one() -> None:
    statement = Statement(**tomllib.loads(blocks("toml")[3]))
    assert [source.name for source in statement.source] == ["newspapers", "voter list"]


@pytest.mark.usefixtures("discharges")
def test_the_example_of_an_assessment_runs() -> None:
    names: dict[str, object] = {}
    for number in (0, 2):  # it goes on with the frame and policy of the first
        exec(compile(blocks("python")[number], "README", "exec", dont_inherit=True), names)
    assert names["assessment"].passes  # type: ignore[attr-defined]


def test_every_model_is_in_the_table() -> None:
    for name, model in MODELS.items():
        (line,) = [line for line in README.splitlines() if line.startswith(f"| `{name}` |")]
        for field in fields(model):  # type: ignore[arg-type]
            assert f"`{field.name}`" in line


def test_every_measure_is_in_the_table() -> None:
    for name in MEASURES:
        (line,) = [line for line in README.splitlines() if line.startswith(f"| `{name}`")]
        assert all(f"`{parameter}`" in line for parameter in parameters_of(name))


def test_the_comparison_with_arx_is_the_experiment_s() -> None:
    rows = []
    for name in ("optima", "uniqueness"):
        with (ROOT / "results" / "reference" / f"{name}.csv").open(newline="") as file:
            rows += [float(row["gain"]) for row in csv.DictReader(file)]
    same = sum(abs(gain) <= 1e-9 for gain in rows)
    better, worse = (sum(sign * gain > 1e-9 for gain in rows) for sign in (1, -1))
    text = " ".join(README.split())
    assert f"Of {len(rows)} optima of ARX" in text
    assert f"{same + better} are found again or bettered" in text
    assert f"{same} agree to 1e-9, {better} are better" in text
    assert f"In {worse} with p-uniqueness ARX is ahead" in text


def measured(name: str) -> list[dict[str, str]]:
    """Read a table of the benchmark."""
    with (ROOT / "results" / "benchmark" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_is_the_benchmarks() -> None:
    rows = [row for row in measured("searches") if row["model"] == "k-anonymity"]
    assert len(rows) == 15
    for row in rows:
        name = row["data"].upper() + (" stand-in" if row["data"] in ("atus", "ihis") else "")
        by_arx = f"{float(row['ARX evaluated']):,.0f}" if row["ARX evaluated"] else ""
        line = (
            f"| {name} | {row['parameters'].removeprefix('k=')} | {int(row['schemes']):,} | "
            f"{by_arx} | {int(row['evaluated']):,} | {float(row['search / group-by']):.1f} |"
        )
        assert line in README


def test_the_costs_of_the_other_models_are_the_benchmarks() -> None:
    rows = measured("searches")
    for name in {row["model"] for row in rows} - {"k-anonymity"}:
        of_model = [row for row in rows if row["model"] == name]
        evaluated = [int(row["evaluated"]) for row in of_model]
        cost = [float(row["search / group-by"]) for row in of_model]
        assert (
            f"| {name} | {len(of_model)} | {min(evaluated)} to {max(evaluated)} | "
            f"{min(cost):.0f} to {max(cost):.0f} |"
        ) in README


def test_what_is_said_of_large_work_is_the_benchmarks() -> None:
    text = " ".join(README.split())
    csv_run, parquet_run = measured("registry")
    for row in (csv_run, parquet_run):
        phases = [f"{float(row[f'{phase} s']):.0f}" for phase in ("read", "search", "write")]
        assert " + ".join(phases) in text
    peak = max(int(row["peak MiB"]) for row in (csv_run, parquet_run))
    assert f"within {peak:,} MiB" in text
    growth = {(row["over"], row["at"]): row for row in measured("growth")}
    fourteen = growth["attributes", "14"]
    assert "up to about 14 the optimum is proven in seconds" in text
    assert f"with 14 the optimum is proven in {float(fourteen['seconds']):.0f} s" in text
    assert float(fourteen["gap"]) == 0
    sixteen, twenty = growth["attributes", "16"], growth["attributes", "20"]
    assert f"With 16 the optimum is proven in {float(sixteen['seconds']):.0f} s" in text
    assert float(sixteen["gap"]) == 0
    assert f"one worker is at {float(twenty['gap']):.2f} when the minute is over" in text
    (adult_10,) = [
        row
        for row in measured("searches")
        if (row["data"], row["model"], row["parameters"]) == ("adult", "k-anonymity", "k=10")
    ]
    there, here = growth["k", "10"]["search / group-by"], adult_10["search / group-by"]
    assert f"ADULT with k = 10 at {there} instead of {here}" in text
    (workers,) = measured("workers")
    assert f"{float(workers['ratio']):.1f} times as fast with two workers" in text
    (start,) = measured("start")
    assert f"{float(start['ratio']):.1f} times as long as `import pandas`" in text
    for workers, words in (("1", "one"), ("2", "two")):
        rows = [row for row in measured("gap_over_time") if row["workers"] == workers]
        first = min(rows, key=lambda row: (float(row["gap"]), float(row["seconds"])))
        assert float(first["gap"]) <= 0.1 + 1e-9
        assert f"after {float(first['seconds']):.0f} s with {words}" in text
        assert f"{float(first['gap']) / float(first['loss']):.0%} of the best loss found" in text
    frontiers = {(row["data"], row["model"]): row for row in measured("frontiers")}
    adult = frontiers["adult", "k-anonymity"]
    assert (
        f"{adult['thresholds']} thresholds on ADULT take {float(adult['frontier s']):.1f} s, "
        f"{float(adult['frontier / loosest']):.0f} times the search for k = 2 alone and "
        f"{float(adult['frontier / all']):.2f} of all searches one by one"
    ) in text


def test_the_memory_claim_is_the_benchmarks() -> None:
    assert "takes less than 1.5 times its bytes as `int32`" in " ".join(README.split())
    with (ROOT / "results" / "benchmark" / "encoding_memory.csv").open(newline="") as file:
        measured = list(csv.DictReader(file))
    assert {row["from"] for row in measured} == {"memory", "CSV"}
    assert all(float(row["ratio"]) < 1.5 for row in measured)
