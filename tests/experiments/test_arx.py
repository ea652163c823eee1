"""The driver for ARX, compiled and run for real against a stub of ARX's public classes."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from experiments.benchmark import arx
from experiments.benchmark.arx.__main__ import main
from tests.experiments import arx_stub

pytestmark = pytest.mark.soak

NO_JDK = "there is no JDK here (javac and java), which the driver for ARX needs"
needs_jdk = pytest.mark.skipif(not (shutil.which("javac") and shutil.which("java")), reason=NO_JDK)

K_ANONYMITY = {"model": "k-anonymity", "k": 2}
SETTINGS = "OPTIMAL limit 1.0 loss 1.0 0.5 GEOMETRIC_MEAN"


@pytest.fixture(scope="module")
def jar(tmp_path_factory) -> Path:
    return arx_stub.build(tmp_path_factory.mktemp("stub"))


@pytest.fixture
def log(tmp_path, monkeypatch) -> Path:
    path = tmp_path / "log"
    path.touch()
    monkeypatch.setenv("ARX_STUB_LOG", str(path))
    return path


@pytest.fixture
def table(tmp_path) -> dict[str, Path]:
    (tmp_path / "people.csv").write_text('age;marital "status"\n34;single\n35;single\n36;married\n')
    (tmp_path / "age.csv").write_text("34;3*;*\n35;3*;*\n36;3*;*\n")
    (tmp_path / 'marital "status".csv').write_text("single;*\nmarried;*\n")
    return {"data": tmp_path / "people.csv", "hierarchies": tmp_path}


@needs_jdk
def test_a_row_holds_what_arx_found_and_the_size_of_the_lattice(jar, table, log):
    (row,) = arx.measure(jar, "people", [K_ANONYMITY], arx.Settings(repeats=3), **table)
    assert row.pop("total_seconds") > 0
    assert row.pop("cpu_seconds") >= 0
    assert row.pop("java")
    assert row == {
        "data": "people",
        "model": "k-anonymity",
        "k": 2,
        "schemes": 6,
        "status": "optimal",
        "loss": 0.25,
        "levels": {"age": 3, 'marital "status"': 16},
        "suppressed": 2,
        "evaluated": 7,
        "records": 3,
        "search_seconds": 1.5,
        "arx": "0.0.1",
    }
    assert len(log.read_text().splitlines()) == 2 + 3  # it is warm before the clock counts


@needs_jdk
def test_each_model_reaches_arx_with_its_parameters_and_the_settings_of_the_reference(
    jar, table, log
):
    asked = {
        "KAnonymity[2]": K_ANONYMITY,
        "AverageReidentificationRisk[0.1]": {"model": "average", "threshold": 0.1},
        "KAnonymity[3] AverageReidentificationRisk[0.2]": {
            "model": "strict-average",
            "k": 3,
            "threshold": 0.2,
        },
        "KMap[5, 0.1, population 318900000, ZERO_TRUNCATED_POISSON]": {
            "model": "k-map",
            "k": 5,
            "population": 318_900_000,
        },
        "SampleUniqueness[0.01]": {"model": "sample-uniqueness", "threshold": 0.01},
        "PopulationUniqueness[1.0E-6, PITMAN, population 27000000, 16 starts to 0.99,0.99 of 10]": {
            "model": "p-uniqueness",
            "threshold": 1e-6,
            "population": 27_000_000,
        },
    }
    assert {risk["model"] for risk in asked.values()} == arx.MODELS
    arx.measure(jar, "people", list(asked.values()), arx.Settings(repeats=1), **table)
    seen = dict.fromkeys(log.read_text().splitlines())
    assert list(seen) == [f'{SETTINGS} {models} [age, marital "status"]' for models in asked]


@needs_jdk
def test_limits_weights_attributes_and_heuristics_reach_arx(jar, table, log, monkeypatch):
    monkeypatch.setenv("ARX_STUB", "heuristic")
    settings = arx.Settings(
        algorithm="genetic", aggregate="arithmetic", suppression_limit=0.1, time_limit=2,
        weights={"age": 0.5}, warmups=0, repeats=1,
    )  # fmt: skip
    (row,) = arx.measure(jar, "people", [K_ANONYMITY], settings, **table)
    assert (row["status"], row["loss"]) == ("heuristic", 0.25)
    (asked,) = log.read_text().splitlines()
    assert asked.startswith(
        "BEST_EFFORT_GENETIC steps 2147483647 ms 2000 limit 0.1 loss 1.0 0.5 ARITH"
    )
    assert {"age=0.5", '"status"=1.0'} <= set(asked.split())


@needs_jdk
def test_columns_that_are_not_chosen_are_no_quasi_identifiers(jar, table, log):
    settings = arx.Settings(attributes=("age",), repeats=1, warmups=0)
    (row,) = arx.measure(jar, "people", [K_ANONYMITY], settings, **table)
    assert row["schemes"] == 3
    assert row["levels"] == {"age": 3}
    with pytest.raises(arx.ArxError, match="no attribute 'income'; it has age, marital"):
        arx.measure(jar, "people", [K_ANONYMITY], arx.Settings(attributes=("income",)), **table)


@needs_jdk
@pytest.mark.parametrize(("mood", "status"), [("none", "no solution"), ("slow", "time limit")])
def test_what_arx_does_not_find_is_a_row(jar, table, log, monkeypatch, mood, status):
    monkeypatch.setenv("ARX_STUB", mood)
    monkeypatch.setattr(arx, "OVERRUN", 3.0)
    settings = arx.Settings(time_limit=0.5, warmups=0, repeats=1)
    (row,) = arx.measure(jar, "people", [K_ANONYMITY], settings, **table)
    assert row["status"] == status
    assert "loss" not in row


@needs_jdk
@pytest.mark.parametrize(
    ("mood", "said"),
    [
        (
            "broken",
            r"failed on .*people.csv with k-anonymity: .*IllegalArgumentException: no luck$",
        ),
        ("heuristic", "did not prove its solution for .*people.csv optimal"),
    ],
)
def test_what_arx_cannot_do_is_said_in_one_sentence(jar, table, log, monkeypatch, mood, said):
    monkeypatch.setenv("ARX_STUB", mood)
    with pytest.raises(arx.ArxError, match=said) as caught:
        arx.measure(jar, "people", [K_ANONYMITY], **table)
    assert "\n" not in str(caught.value)


@needs_jdk
def test_a_model_that_arx_does_not_have_is_named(jar, table, log):
    with pytest.raises(arx.ArxError, match="ARX has no model 'overall'"):
        arx.measure(jar, "people", [{"model": "overall", "threshold": 0.1}], **table)


@needs_jdk
def test_an_arx_of_another_version_is_said_to_be_one(jar, tmp_path, table):
    old = tmp_path / "libarx-2.0.jar"
    with zipfile.ZipFile(jar) as archive, zipfile.ZipFile(old, "w") as copy:
        for name in archive.namelist():
            if "ARXSolverConfiguration" not in name:
                copy.writestr(name, archive.read(name))
    with pytest.raises(arx.ArxError, match=r"not compile with libarx-2\.0\.jar .*3\.9 or later"):
        arx.measure(old, "people", [K_ANONYMITY], **table)


def test_a_lattice_above_the_limit_of_arx_is_refused_before_a_jvm_starts(table, monkeypatch):
    monkeypatch.setattr(arx, "MOST_SCHEMES", 5)
    with pytest.raises(arx.ArxError, match="'people' has 6 schemes, and ARX searches at most 5 "):
        arx.measure(Path("none.jar"), "people", [K_ANONYMITY], **table)


def test_a_column_without_hierarchy_and_a_table_not_at_hand_are_named(table):
    (table["hierarchies"] / "age.csv").unlink()
    with pytest.raises(arx.ArxError, match=r"age\.csv is missing"):
        arx.measure(Path("none.jar"), "people", [K_ANONYMITY], **table)
    with pytest.raises(arx.ArxError, match="data set 'nowhere': its table is not at hand"):
        arx.measure(Path("none.jar"), "nowhere", [K_ANONYMITY])


def test_a_jar_that_is_missing_or_not_arx_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv(arx.VARIABLE, str(tmp_path / "libarx.jar"))
    with pytest.raises(arx.ArxError, match=r"libarx\.jar is missing"):
        arx.find_jar()
    (tmp_path / "libarx.jar").write_text("not a zip file")
    with pytest.raises(arx.ArxError, match=r"libarx\.jar holds no ARX"):
        arx.find_jar()
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as archive:
        archive.writestr("org/example/Other.class", b"")
    with pytest.raises(arx.ArxError, match=r"other\.jar holds no ARX"):
        arx.find_jar(tmp_path / "other.jar")
    monkeypatch.delenv(arx.VARIABLE)
    assert arx.find_jar() is None


def test_a_missing_jdk_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(arx.ArxError, match="'javac' was not found; to run ARX install a JDK"):
        arx.tool("javac")


def test_arx_alone_asks_for_the_library_it_was_not_given(monkeypatch, capsys):
    monkeypatch.delenv(arx.VARIABLE, raising=False)
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert capsys.readouterr().err.startswith("no ARX is given; name libarx-*.jar with --arx")


@needs_jdk
def test_a_line_has_arx_and_ours_and_the_reference_where_it_asked_the_same(jar, log, capsys):
    if arx.path_of("adult") is None:
        pytest.skip("ADULT is not at hand (ANONYMIZER_DATA)")
    main(["--arx", str(jar), "--only", "adult", "--k", "5", "--attributes", "sex", "age", "race"])
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("adult k=5, ARX 0.0.1: optimal, loss 0.25, suppressed 2,")
    assert "; ours: loss 0." in line
    assert ", loss ours - ARX -" in line
    main(["--arx", str(jar), "--only", "adult", "--k", "5"])
    assert "loss 0.25 (reference 0.22128" in capsys.readouterr().out
