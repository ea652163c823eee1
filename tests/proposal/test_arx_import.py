from __future__ import annotations

import json
from pathlib import Path

import pytest

from anonymizer import Policy, anonymize
from anonymizer.policy import Role
from anonymizer.proposal.arx_import import import_project
from anonymizer.risk.average import Average
from anonymizer.risk.beta_likeness import BetaLikeness
from anonymizer.risk.delta_disclosure import DeltaDisclosure
from anonymizer.risk.distinct_l import DistinctL
from anonymizer.risk.entropy_l import EntropyL
from anonymizer.risk.k_anonymity import KAnonymity
from anonymizer.risk.model import RiskModel
from anonymizer.risk.recursive_cl import RecursiveCL
from anonymizer.risk.t_closeness import TCloseness
from anonymizer.risk.uniqueness import SampleUniqueness
from tests.proposal.arx_projects import ROLES, config, definition, parts, table, write_project
from tests.snippets import Run


def imported(folder: Path, **changed: str) -> tuple[Policy, tuple[str, ...]]:
    """Import a project with some parts changed; `__` stands for a slash and `_xml` for .xml."""
    content = parts() | {
        k.replace("__", "/").replace("_xml", ".xml"): v for k, v in changed.items()
    }
    result = import_project(write_project(folder / "p.deid", content), folder / "out")
    return Policy.read(folder / "out" / "policy.toml"), result.notes


def test_roles_levels_weights_models_and_limits_are_carried_over(tmp_path: Path) -> None:
    criteria = ("3-anonymity", "(0.2)-avg-reidentification-risk", "(0.05)-sample-uniqueness")
    policy, notes = imported(tmp_path, input__config_xml=config(criteria))
    roles = {name: attribute.role for name, attribute in policy.attributes.items()}
    assert list(roles) == list(ROLES)
    assert roles["name"] is Role.IDENTIFYING
    assert roles["disease"] is Role.SENSITIVE
    assert roles["ward"] is Role.INSENSITIVE
    assert policy.quasi_identifiers == ("age", "sex", "Größe/cm")
    assert (policy.attributes["age"].max_level, policy.attributes["sex"].max_level) == (1, None)
    assert (policy.attributes["age"].weight, policy.attributes["sex"].weight) == (0.5, 0.25)
    assert policy.load_models() == (KAnonymity(3), Average(0.2), SampleUniqueness(0.05))
    assert policy.release.suppression_limit == 0.25
    assert policy.utility.measure == "loss"
    assert [note.split(";")[0] for note in notes] == [
        "how 'Loss' is aggregated is not said in the project's files, or has no counterpart"
    ]


@pytest.mark.parametrize(
    ("criterion", "model"),
    [
        ("distinct-3-diversity for attribute 'disease'", DistinctL("disease", 3)),
        ("entropy-2.5-diversity for attribute 'disease'", EntropyL("disease", 2.5)),
        ("recursive-(4.0,3)-diversity for attribute 'disease'", RecursiveCL("disease", 4.0, 3)),
        ("0.2-closeness with equal distance for attribute 'disease'", TCloseness("disease", 0.2)),
        ("0.5-basic likeness for attribute 'disease'", BetaLikeness("disease", 0.5)),
        ("enhanced-0.5-likeness for attribute 'disease'", BetaLikeness("disease", 0.5, True)),
        ("1.0E-1-disclosure privacy for attribute 'disease'", DeltaDisclosure("disease", 0.1)),
    ],
)
def test_models_of_sensitive_attributes_are_carried_over(
    criterion: str, model: RiskModel, tmp_path: Path
) -> None:
    policy, notes = imported(tmp_path, input__config_xml=config((criterion,)))
    assert policy.load_models() == (model,)
    assert not [note for note in notes if "privacy model" in note]


def test_the_hierarchical_distance_takes_the_hierarchy_along(tmp_path: Path) -> None:
    extra = {"disease": "<ref>hierarchies/disease.csv</ref><min>All</min><max>All</max>"}
    criterion = "0.2-closeness with hierarchical distance for attribute 'disease'"
    policy, notes = imported(
        tmp_path,
        input__config_xml=config(("2-anonymity", criterion)),
        input__definition_xml=definition(extra),
        **{"input/hierarchies/disease.csv": "flu;*\n"},
    )
    assert (tmp_path / "out" / "hierarchies" / "disease.csv").read_text() == "flu;*\n"
    assert policy.attributes["disease"].hierarchy is not None
    assert not [note for note in notes if "disease" in note]


def test_hierarchies_are_those_of_arx_and_the_identity_where_it_has_none(tmp_path: Path) -> None:
    policy, _ = imported(tmp_path)
    age, sex, size = policy.load_hierarchies()
    assert next(iter(age.rows())) == ("20", "20s", "*")
    assert list(sex.rows()) == [("f", "*"), ("m", "*")]
    assert list(size.rows()) == [("160",), ("161",), ("162",)]


@pytest.mark.parametrize("delimiter", [";", ","])
def test_the_imported_policy_runs_and_verifies(
    delimiter: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_project(Path("p.deid"), parts(delimiter))
    for command in (
        "hierarchy import p.deid --out out --json",
        "run out/policy.toml --out release --json",
        "verify release/release.csv out/policy.toml --against out/input.csv --json",
    ):
        status, out, errors = run(*command.split())
        assert status == 0, f"{command}\n{errors}"
        assert json.loads(out)
    assert Path("out/input.csv").read_text(encoding="utf-8") == table(delimiter=delimiter)


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        ("(1.0,0.001)-differential privacy", "has no counterpart; a release may not meet it."),
        ("grassberger-entropy-2.0-diversity for attribute 'disease'", "has no counterpart"),
        ("(0.0,0.2)-presence", "is delta-presence, but ARX keeps the population"),
        ("(5)-map estimated as (3)-anonymity (Poisson)", "is k-map, but ARX keeps the population"),
        ("(0.01)-population-uniqueness (pitman)", "is p-uniqueness, but ARX keeps the population"),
        ("(0.05, 0.1, 0.2)-avg-reidentification-risk", "has no counterpart"),
    ],
)
def test_a_model_without_counterpart_is_said_once_and_stands_in_the_policy(
    criterion: str, sentence: str, tmp_path: Path
) -> None:
    policy, notes = imported(tmp_path, input__config_xml=config(("2-anonymity", criterion)))
    (note,) = [note for note in notes if "privacy model" in note]
    assert criterion[:50] in note
    assert sentence in note
    assert note in (tmp_path / "out" / "policy.toml").read_text(encoding="utf-8")
    assert [model.name for model in policy.load_models()] == ["k-anonymity"]


def test_without_any_model_the_policy_asks_for_one(tmp_path: Path) -> None:
    content = parts() | {"input/config.xml": config(())}
    result = import_project(write_project(tmp_path / "p.deid", content), tmp_path / "out")
    assert (
        "no privacy model could be carried over; add a [[risk]] table before a run." in result.notes
    )


@pytest.mark.parametrize(
    ("metric", "measure", "noted"),
    [
        ("Loss (0.5/1.0/1.0)", "loss", False),
        ("Loss (0.2/0.4/1.0)", "loss", False),
        ("Non-monotonic non-uniform entropy", "entropy", False),
        ("Non-monotonic precision", "precision", False),
        ("Monotonic precision", "loss", True),
        ("Non-monotonic discernability", "discernibility", False),
        ("Average equivalence class size", "class-size", False),
        ("Height", "loss", True),
    ],
)
def test_the_measure_is_carried_over_where_there_is_one(
    metric: str, measure: str, noted: bool, tmp_path: Path
) -> None:
    policy, notes = imported(tmp_path, input__config_xml=config(metric=metric))
    assert policy.utility.measure == measure
    assert any(note.startswith("the quality model") for note in notes) is noted


def microaggregated(function: str) -> str:
    """Write what definition.xml says of a column that is micro-aggregated."""
    return (
        f"<microAggregationFunction>{function}</microAggregationFunction>"
        "<microAggregationIgnoreMissingData>true</microAggregationIgnoreMissingData>"
    )


def test_what_else_a_project_has_is_said(tmp_path: Path) -> None:
    extra = {"age": microaggregated("Geometric mean"), "sex": microaggregated("Arithmetic mean")}
    policy, notes = imported(
        tmp_path,
        input__definition_xml=definition(extra),
        **{"data/output.csv": "x", "lattice_xml": "<lattice/>"},
    )
    for column, function in (("age", "Geometric"), ("sex", "Arithmetic")):
        said = f"'microAggregationFunction' ('{function} mean') is not carried over."
        assert f"column '{column}': {said}" in notes
    assert policy.microaggregated == ()
    assert "results of earlier runs in ARX are not read; run the policy." in notes


@pytest.mark.parametrize(
    ("function", "center"),
    [("Arithmetric mean", "mean"), ("Arithmetic mean", "mean"), ("Median", "median")],
)
def test_means_and_medians_of_numbers_are_carried_over(
    function: str, center: str, tmp_path: Path
) -> None:
    extra = {"age": microaggregated(function)}
    policy, notes = imported(tmp_path, input__definition_xml=definition(extra))
    assert policy.attributes["age"].microaggregation == center
    assert not [note for note in notes if "'age'" in note]
    assert anonymize(None, policy).records == 60


def java_constant(name: str) -> bytes:
    """Write a constant of ARX's aggregates as Java does."""
    kind = b"org.deidentifier.arx.metric.Metric$AggregateFunction"
    described = b"~r\x00" + bytes([len(kind)]) + kind + bytes(8) + b"\x12\x00\x00x"
    parent = b"r\x00\x0ejava.lang.Enum" + bytes(8) + b"\x12\x00\x00xp"
    return described + parent + b"t\x00" + bytes([len(name)]) + name.encode()


@pytest.mark.parametrize(
    ("names", "aggregate", "noted"),
    [
        (["ARITHMETIC_MEAN"], "arithmetic", False),
        (["GEOMETRIC_MEAN", "GEOMETRIC_MEAN"], "geometric", False),
        (["MAXIMUM"], "maximum", False),
        (["SUM"], "sum", False),
        (["RANK"], "geometric", True),
        (["SUM", "MAXIMUM"], "geometric", True),
        ([], "geometric", True),
    ],
)
def test_the_aggregate_and_the_factor_of_the_loss_are_carried_over(
    names: list[str], aggregate: str, noted: bool, tmp_path: Path
) -> None:
    content = parts() | {
        "input/config.dat": b"\xac\xed\x00\x05" + b"".join(map(java_constant, names)),
        "input/config.xml": config(metric="Loss (0.2/1.0/0.4)"),
    }
    result = import_project(write_project(tmp_path / "p.deid", content), tmp_path / "out")
    utility = Policy.read(tmp_path / "out" / "policy.toml").utility
    assert (utility.aggregate, utility.factor) == (aggregate, 0.2)
    assert any("aggregated" in note for note in result.notes) is noted


def test_of_a_research_subset_the_table_is_the_population(tmp_path: Path) -> None:
    criteria = ("2-anonymity", "(3)-map", "(0.0,1.0)-presence")
    policy, notes = imported(
        tmp_path,
        input__config_xml=config(criteria),
        **{"data/input_subset.csv": table(40)},
    )
    assert [model.name for model in policy.load_models()] == [
        "k-anonymity",
        "k-map",
        "delta-presence",
    ]
    assert not [note for note in notes if "privacy model" in note or "subset" in note]
    assert (tmp_path / "out" / "population.csv").read_text(encoding="utf-8") == table()
    found = anonymize(None, policy)
    assert (found.records, found.problem.microdata.population.people) == (40, 60)


@pytest.mark.parametrize("command", ["init", "hierarchy import"])
def test_a_project_comes_over_in_one_step(command: str, run: Run, tmp_path: Path) -> None:
    path = write_project(tmp_path / "p.deid", parts())
    status, printed, errors = run(*command.split(), path, "--out", tmp_path / "out")
    assert (status, errors) == (0, "")
    assert "policy.toml" in printed
    assert run("run", tmp_path / "out" / "policy.toml", "--out", tmp_path / "release")[0] == 0


def test_a_project_that_lacks_its_population_is_one_sentence(run: Run, tmp_path: Path) -> None:
    content = parts() | {"input/config.xml": config(("(5)-map",))}
    path = write_project(tmp_path / "p.deid", content)
    status, printed, _ = run("init", path, "--out", tmp_path / "out")
    assert status == 0
    (said,) = [line for line in printed.splitlines() if "population" in line]
    assert "is k-map, but ARX keeps the population as a Java object; add the model with its" in said


def test_options_beside_a_project_are_an_error(run: Run, tmp_path: Path) -> None:
    path = write_project(tmp_path / "p.deid", parts())
    status, _, errors = run("init", path, "--out", tmp_path / "out", "--sensitive", "disease")
    assert status == 2
    assert "an ARX project says roles, models and delimiter itself" in " ".join(errors.split())
    assert list(tmp_path.iterdir()) == [path]


def test_the_table_is_left_out_on_request(run: Run, tmp_path: Path) -> None:
    path = write_project(tmp_path / "p.deid", parts())
    status, out, _ = run("hierarchy", "import", path, "--out", tmp_path / "out", "--without-data")
    assert status == 0
    assert "not carried over: how 'Loss' is aggregated" in out
    assert not (tmp_path / "out" / "input.csv").exists()
    assert "path" not in Policy.read(tmp_path / "out" / "policy.toml").data.model_fields_set


def test_a_policy_that_is_there_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    path = write_project(tmp_path / "p.deid", parts())
    assert run("hierarchy", "import", path, "--out", tmp_path / "out")[0] == 0
    status, _, errors = run("hierarchy", "import", path, "--out", tmp_path / "out")
    assert status == 2
    assert "is there already" in errors


@pytest.mark.parametrize("command", ["import", "show"])
def test_a_ahs_file_is_refused_with_the_way_out(command: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "age.ahs"
    path.write_bytes(b"\xac\xed\x00\x05")
    out = ["--out", tmp_path / "out"] if command == "import" else []
    status, _, errors = run("hierarchy", command, path, *out)
    assert status == 2
    assert "only ARX can read; export the hierarchy from ARX as a .csv file" in " ".join(
        errors.split()
    )
    assert list(tmp_path.iterdir()) == [path]
