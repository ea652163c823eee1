from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pytest
from pydantic import ValidationError

from anonymizer import anonymize
from anonymizer.errors import HierarchyError, PolicyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Lattice
from anonymizer.policy import Policy, Role
from anonymizer.risk import MODELS, KAnonymity
from anonymizer.risk.parsing import parse_model, print_model
from anonymizer.utility import (
    MEASURES,
    Aggregate,
    Entropy,
    GeneralLoss,
    Loss,
    Measure,
    Precision,
    parameters_of,
)

pytestmark = pytest.mark.quick

SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
AGE = Hierarchy.from_rows("age", [("34", "30s", "*"), ("47", "40s", "*")])
KEYS_OF_ONE: dict[str, Any] = {
    "attributes": {"a": {"role": "identifying"}, "sex": {"role": "quasi", "hierarchy": SEX}},
    "risk": [{"model": "k-anonymity", "k": 2}],
}

FULL = """
[data]
path = "discharges.csv"
delimiter = ";"

[attributes]
patient_id = { role = "identifying" }
age        = { role = "quasi", hierarchy = "age.csv", min_level = 1, max_level = 2, weight = 0.5 }
sex        = { role = "quasi", hierarchy = "trees/sex.csv" }
diagnosis  = { role = "sensitive" }
ward       = { role = "insensitive" }

[[risk]]
model = "k-anonymity"
k = 5

[utility]
measure = "loss"
aggregate = "arithmetic"

[search]
time_limit = 60.0

[release]
suppression_limit = 0.05
suppressed = "redact"
shuffle = false
"""

KEYS: dict[str, Any] = {
    "attributes": {
        "sex": {"role": "quasi", "hierarchy": SEX},
        "age": {"role": "quasi", "hierarchy": AGE},
        "ward": {"role": "insensitive"},
    },
    "risk": [{"model": "k-anonymity", "k": 2}],
}


def write(folder: Path, text: str = FULL, name: str = "policy.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def changed(**changes: Any) -> dict[str, Any]:
    """The keys of a sound policy with some replaced; one level deep for attributes."""
    attributes = KEYS["attributes"] | changes.pop("attributes", {})
    return KEYS | {"attributes": attributes} | changes


def faults_of(keys: dict[str, Any]) -> tuple[str, ...]:
    with pytest.raises(PolicyError) as caught:
        Policy(**keys)
    assert all("\n" not in fault for fault in caught.value.faults)
    return caught.value.faults


# What a policy says


def test_a_full_file_is_read_as_it_is_written(tmp_path: Path) -> None:
    policy = Policy.read(write(tmp_path))
    assert policy.quasi_identifiers == ("age", "sex")
    assert policy.with_role(Role.IDENTIFYING) == ("patient_id",)
    assert policy.with_role(Role.SENSITIVE) == ("diagnosis",)
    assert policy.with_role(Role.INSENSITIVE) == ("ward",)
    assert policy.load_models() == (KAnonymity(5),)
    assert policy.measure == Loss(Aggregate.ARITHMETIC, (0.5, 1.0))
    assert policy.data.delimiter == ";"
    assert (policy.release.suppression_limit, policy.search.time_limit) == (0.05, 60.0)
    assert (policy.release.suppressed, policy.release.shuffle) == ("redact", False)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("loss", Loss(Aggregate.GEOMETRIC, (1.0, 2.0))),
        ("entropy", Entropy((1.0, 2.0))),
        ("precision", Precision((1.0, 2.0))),
        ("discernibility", None),
        ("class-size", None),
    ],
)
def test_a_measure_is_asked_for_by_name_and_gets_the_weights_it_has(
    name: str, expected: Measure | None
) -> None:
    plain = Policy(**changed(utility={"measure": name}))
    assert plain.measure == MEASURES[name](**plain_parameters(name))
    age = {**KEYS["attributes"]["age"], "weight": 2.0}
    keys = changed(utility={"measure": name}, attributes={**KEYS["attributes"], "age": age})
    if expected is None:
        (fault,) = faults_of(keys)
        assert fault.startswith(f"utility: the measure {name!r} looks at classes, not attributes")
    else:
        assert Policy(**keys).measure == expected
    described = plain.describe()["utility"]
    assert described["measure"] == name
    assert ("aggregate" in described) == (name == "loss")
    assert plain.on(workers=2).measure == plain.measure


def test_a_factor_is_described_where_it_is_not_0_5() -> None:
    keys = {"measure": "loss", "aggregate": "maximum"}
    assert Policy(**changed(utility={**keys, "factor": 0.5})).describe()["utility"] == keys
    policy = Policy(**changed(utility={**keys, "factor": 0.25}))
    assert policy.describe()["utility"] == {**keys, "factor": 0.25}
    assert policy.measure == GeneralLoss(Aggregate.MAXIMUM, (1.0, 1.0), 0.25)


def plain_parameters(name: str) -> dict[str, Any]:
    usual = Aggregate.GEOMETRIC if name == "loss" else Aggregate.ARITHMETIC
    given = {"aggregate": usual, "weights": (1.0, 1.0)}
    return {key: value for key, value in given.items() if key in parameters_of(name)}


def test_defaults_are_those_of_the_design() -> None:
    policy = Policy(**KEYS)
    assert policy.data_path is None
    assert policy.data.delimiter is policy.data.encoding is policy.data.sheet is None
    assert policy.measure == Loss(Aggregate.GEOMETRIC, (1.0, 1.0))
    assert (policy.release.suppression_limit, policy.search.time_limit) == (1.0, None)
    assert (policy.machine.evaluations, policy.machine.workers) == (None, 1)
    assert (policy.release.suppressed, policy.release.shuffle) == ("drop", True)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_paths_are_relative_to_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    (tmp_path / "trees").mkdir()
    (tmp_path / "age.csv").write_text("34;30s;*\n47;40s;*\n")
    (tmp_path / "trees/sex.csv").write_text("F,*\nM,*\n")
    path = write(tmp_path)
    if not elsewhere:
        monkeypatch.chdir(tmp_path)
        path = Path("policy.toml")
    policy = Policy.read(path)
    assert policy.data_path is not None
    assert policy.data_path.resolve() == (tmp_path / "discharges.csv").resolve()
    age, sex = policy.load_hierarchies()
    assert (age.name, age.leaves, age.height) == ("age", ("34", "47"), 3)
    assert (sex.name, sex.leaves, sex.height) == ("sex", ("F", "M"), 2)


def test_an_absolute_path_stays_as_it_is(tmp_path: Path) -> None:
    data = tmp_path / "elsewhere" / "people.csv"
    policy = Policy.read(write(tmp_path, FULL.replace("discharges.csv", data.as_posix())))
    assert policy.data_path == data


def test_the_same_keys_in_code_and_in_a_file_are_the_same_policy(tmp_path: Path) -> None:
    read = Policy.read(write(tmp_path))
    built = Policy(
        data={"path": "discharges.csv", "delimiter": ";"},
        attributes={
            "patient_id": {"role": "identifying"},
            "age": {
                "role": Role.QUASI,
                "hierarchy": Path("age.csv"),
                "min_level": 1,
                "max_level": 2,
                "weight": 0.5,
            },
            "sex": {"role": "quasi", "hierarchy": "trees/sex.csv"},
            "diagnosis": {"role": "sensitive"},
            "ward": {"role": "insensitive"},
        },
        risk=[KAnonymity(5)],
        utility={"aggregate": Aggregate.ARITHMETIC, "measure": "loss"},
        search={"time_limit": 60.0},
        release={"suppression_limit": 0.05, "suppressed": "redact", "shuffle": False},
        folder=tmp_path,
    )
    assert built == read


def test_what_was_set_makes_the_same_policy_again(tmp_path: Path) -> None:
    policy = Policy.read(write(tmp_path))
    again = Policy(**policy.model_dump(exclude_unset=True), folder=policy.folder)
    assert again == policy


def test_a_model_written_as_a_table_reads_back() -> None:
    table = {"model": "k-anonymity", "k": 4}
    assert parse_model(table) == KAnonymity(4)
    assert print_model(KAnonymity(4)) == table


def test_a_description_is_json_without_paths(tmp_path: Path) -> None:
    described = json.dumps(Policy.read(write(tmp_path)).describe())
    assert json.loads(described)["risk"] == [{"model": "k-anonymity", "k": 5}]
    assert "discharges" not in described
    assert str(tmp_path) not in described


def test_a_policy_is_frozen() -> None:
    policy = Policy(**KEYS)
    with pytest.raises(ValidationError):
        policy.search = None  # type: ignore[assignment]


def test_a_hierarchy_given_in_code_takes_the_name_of_its_column() -> None:
    policy = Policy(**changed(attributes={"sex": {"role": "quasi", "hierarchy": AGE}}))
    assert [hierarchy.name for hierarchy in policy.load_hierarchies()] == ["sex", "age"]
    assert AGE.name == "age"


def test_several_hierarchies_that_cannot_be_used_are_one_message() -> None:
    keys = {name: {"role": "quasi", "hierarchy": f"{name}.none"} for name in ("age", "sex")}
    with pytest.raises(HierarchyError) as caught:
        Policy(**changed(attributes=keys)).load_hierarchies()
    first, *more = str(caught.value).splitlines()
    assert first == "policy has 2 defects:"
    assert {line[:5] for line in more} == {"  - a", "  - s"}


def test_several_models_are_asked_for_together() -> None:
    risk = [{"model": "k-anonymity", "k": k} for k in (2, 3)]
    assert Policy(**changed(risk=risk)).load_models() == (KAnonymity(2), KAnonymity(3))


# Levels


def lattice_of(**age: int) -> Lattice:
    policy = Policy(**changed(attributes={"age": {"role": "quasi", "hierarchy": AGE, **age}}))
    return policy.lattice(policy.load_hierarchies())


def test_level_ranges_bound_the_lattice() -> None:
    assert lattice_of() == Lattice((0, 0), (1, 2))
    assert lattice_of(min_level=1) == Lattice((0, 1), (1, 2))
    assert lattice_of(max_level=1) == Lattice((0, 0), (1, 1))
    assert lattice_of(min_level=2, max_level=2) == Lattice((0, 2), (1, 2))


def test_levels_beyond_the_hierarchies_are_all_named() -> None:
    policy = Policy(
        **changed(
            attributes={
                "sex": {"role": "quasi", "hierarchy": SEX, "max_level": 2},
                "age": {"role": "quasi", "hierarchy": AGE, "min_level": 3, "max_level": 4},
            }
        )
    )
    with pytest.raises(PolicyError) as caught:
        policy.lattice(policy.load_hierarchies())
    assert caught.value.faults == (
        "attributes.sex: max_level is 2, but its hierarchy has levels 0 to 1.",
        "attributes.age: min_level is 3, but its hierarchy has levels 0 to 2.",
        "attributes.age: max_level is 4, but its hierarchy has levels 0 to 2.",
    )


def test_a_range_upside_down_is_refused() -> None:
    age = {"role": "quasi", "hierarchy": AGE, "min_level": 2, "max_level": 1}
    assert faults_of(changed(attributes={"age": age})) == (
        "attributes.age.max_level: 1 is below min_level 2; swap the two.",
    )


# Faults


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"serach": {}}, "serach: this key is unknown; did you mean 'search'?"),
        ({"release": {"layer": 2}}, "release.layer: this key is unknown; did you mean 'layers'?"),
        ({"release": {"qqq": 2}}, "release.qqq: this key is unknown; use one of 'suppressed',"),
        ({"attributes": {"ward": {"role": "insensitive", "wieght": 1}}},
         "attributes.ward.wieght: this key is unknown; did you mean 'weight'?"),
        ({"attributes": {"ward": {}}}, "attributes.ward.role: this key is missing; add it."),
        ({"attributes": {"ward": {"role": "secret"}}},
         "attributes.ward.role: 'secret' is unknown; use one of 'identifying', 'removed'"),
        ({"attributes": {"ward": {"role": "quasi"}}},
         "attributes.ward.hierarchy: a quasi-identifier needs a hierarchy;"),
        ({"attributes": {"ward": {"role": "sensitive", "weight": 2.0}}},
         "attributes.ward: only a quasi-identifier has 'weight', and this is sensitive; leave it out."),
        ({"attributes": {"sex": {"role": "quasi", "hierarchy": 3}}},
         "attributes.sex.hierarchy: 3 is not a hierarchy; give the path of a .toml or .csv file, a table "
         "of groups or a list of cut points."),
        ({"attributes": {"sex": {"role": "quasi", "hierarchy": SEX, "weight": -1}}},
         "attributes.sex.weight: -1 is too small; use 0 or more."),
        ({"attributes": {"sex": {"role": "quasi", "hierarchy": SEX, "weight": float("inf")}}},
         "attributes.sex.weight: inf is not a finite number;"),
        ({"attributes": {"sex": {"role": "quasi", "hierarchy": SEX, "min_level": -1}}},
         "attributes.sex.min_level: -1 is too small; use 0 or more."),
        ({"risk": []}, "risk: no model is given; add a [[risk]] table."),
        ({"risk": [{"model": "k-anonimity", "k": 2}]},
         "risk.0: model 'k-anonimity' is unknown; did you mean 'k-anonymity'?"),
        ({"risk": [{"model": "x"}]}, "risk.0: model 'x' is unknown; use one of 'k-anonymity', 'k-map',"),
        ({"risk": [{"k": 2}]}, "risk.0: model None is unknown; use one of 'k-anonymity', 'k-map',"),
        ({"risk": [{"model": "p-uniqueness", "threshold": 0.1, "population": 9, "estimator": "pitmann"}]},
         "risk.0: estimator 'pitmann' is unknown; did you mean 'pitman'?"),
        ({"risk": [{"model": "k-map", "k": 2, "population": 9, "estimator": "posson"}]},
         "risk.0: no estimator 'posson'; did you mean 'poisson'?"),
        ({"risk": [{"model": "t-closeness", "attribute": "ward", "t": 0.1, "distance": "order"}]},
         "risk.0: distance 'order' is unknown; did you mean 'ordered'?"),
        ({"risk": [{"model": "average", "treshold": 0.1}]},
         "risk.0: average has no parameter 'treshold'; did you mean 'threshold'?"),
        ({"risk": [{"model": "k-anonymity"}]}, "risk.0: k-anonymity needs the parameter 'k'."),
        ({"risk": [{"model": "k-anonymity", "k": 2, "l": 3}]},
         "risk.0: k-anonymity has no parameter 'l'; use one of 'k'."),
        ({"risk": [{"model": "k-anonymity", "k": 0}]}, "risk.0: k must be at least 1, got 0."),
        ({"risk": [{"model": "k-anonymity", "k": "5"}]}, "risk.0: k must be a whole number"),
        ({"risk": {"model": "k-anonymity", "k": 2}},
         "risk: {'k': 2, 'model': 'k-anonymity'} is not a list of tables; write each as [[risk]]."),
        ({"release": {"suppression_limit": 1.5}},
         "release.suppression_limit: 1.5 is too large; use 1 or less."),
        ({"release": {"suppression_limit": float("nan")}}, "release.suppression_limit: nan is not"),
        ({"search": {"time_limit": 0}}, "search.time_limit: 0 is too small; use a number above 0."),
        ({"release": {"layers": 0}}, "release.layers: 0 is not a number of layers; use true, false or"),
        ({"release": {"layers": "no"}}, "release.layers: 'no' is not a number of layers; use true"),
        ({"machine": {"workers": 0}}, "machine.workers: 0 is too small; use 1 or more."),
        ({"machine": {"evaluations": 0}}, "machine.evaluations: 0 is too small; use 1 or more."),
        ({"machine": {"memory": "much"}}, "machine.memory: 'much' is not an amount of memory; write"),
        ({"utility": {"aggregate": "median"}},
         "utility.aggregate: 'median' is unknown; use one of 'geometric', 'arithmetic', 'maximum',"),
        ({"utility": {"measure": "entropies"}},
         "utility.measure: 'entropies' is not a measure; did you mean 'entropy'?"),
        ({"utility": {"measure": 3}}, "utility.measure: 3 is not a measure; use one of 'loss',"),
        ({"utility": {"measure": "height", "aggregate": "geometric"}},
         "utility: the measure 'height' has no aggregate; remove the key, or use 'loss', "),
        ({"utility": {"measure": "height", "factor": 0.5}},
         "utility: the measure 'height' has no factor; remove the key, or use 'loss'."),
        ({"utility": {"factor": 1.2}}, "utility.factor: 1.2 is too large; use 1 or less."),
        ({"release": {"suppressed": "hide"}},
         "release.suppressed: 'hide' is unknown; use one of 'drop', 'redact'."),
        ({"data": {"delimiter": ";;"}},
         "data.delimiter: ';;' is not a delimiter; use one ASCII character, such as ';'."),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence_that_begins_with_its_key(
    changes: dict[str, Any], fault: str
) -> None:
    (found,) = faults_of(changed(**changes))
    assert found.startswith(fault)
    assert found.endswith((".", "?"))


@pytest.mark.parametrize("measure", [name for name in MEASURES if name != "loss"])
def test_only_the_loss_weighs_suppression_by_a_factor(measure: str) -> None:
    (found,) = faults_of(changed(utility={"measure": measure, "factor": 0.3}))
    assert (
        found == f"utility: the measure '{measure}' has no factor; remove the key, or use 'loss'."
    )


@pytest.mark.parametrize(
    "entry",
    [
        "k-anonymity",
        5,
        {"model": ["k-anonymity"], "k": 2},
    ],
    ids=str,
)
def test_what_is_no_model_is_refused(entry: object) -> None:
    (found,) = faults_of(changed(risk=[entry]))
    assert found.startswith("risk.0: ")


def test_a_policy_without_quasi_identifiers_is_refused() -> None:
    keys = KEYS | {"attributes": {"ward": {"role": "insensitive"}}}
    assert faults_of(keys) == (
        "attributes: no attribute has the role 'quasi', so there is nothing to generalize; give it to "
        "one.",
    )


def test_all_faults_are_shown_together(tmp_path: Path) -> None:
    text = FULL.replace("k = 5", "k = 0").replace("time_limit", "tiem_limit").replace("0.05", "5")
    text = text.replace('role = "sensitive"', 'role = "secret"') + "\n[extra]\n"
    with pytest.raises(PolicyError) as caught:
        Policy.read(write(tmp_path, text))
    assert len(caught.value.faults) == 5
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'policy.toml'} has 5 defects:")
    for part in ("risk.0", "search.tiem_limit", "suppression_limit", "diagnosis.role", "extra"):
        assert part in message


@pytest.mark.parametrize(
    "changes",
    [
        {"risk": [], "serach": {}},
        {"attributes": {"ward": {"role": "quasi", "wieght": 1}}},
    ],
    ids=["policy", "attribute"],
)
def test_a_missing_part_is_shown_together_with_an_unknown_key(changes: dict[str, Any]) -> None:
    assert len(faults_of(changed(**changes))) == 2


def test_a_single_fault_in_a_file_is_one_line_with_the_file_s_name(tmp_path: Path) -> None:
    path = write(tmp_path, FULL.replace("time_limit", "tiem_limit"))
    with pytest.raises(PolicyError) as caught:
        Policy.read(path)
    assert str(caught.value) == (
        f"{path}: search.tiem_limit: this key is unknown; did you mean 'time_limit'?"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[data\n", "not valid TOML"),
        (b"[data]\npath = 'caf\xe9.csv'\n", "the policy is not UTF-8 text; save it as UTF-8."),
        (b"folder = 'x'\n", "folder: this key is unknown"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "policy.toml").write_bytes(content)
    with pytest.raises(PolicyError) as caught:
        Policy.read(tmp_path / "policy.toml")
    assert str(caught.value).startswith(f"{tmp_path / 'policy.toml'}: {message}")


def test_a_missing_policy_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="there is no such policy file"):
        Policy.read(tmp_path / "nowhere.toml")


def test_the_faults_of_all_hierarchy_files_are_shown_together(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("34;30s;*\n34;30s;*\n")
    with pytest.raises(HierarchyError) as caught:
        Policy.read(write(tmp_path)).load_hierarchies()
    message = str(caught.value)
    assert "'34' already has row 1" in message
    assert "sex.csv: there is no such file" in message


# Defects that ended in a traceback, or in words that explained nothing


@pytest.mark.parametrize("role", [[], {}, 3, None, True, ["quasi"], {"quasi": 1}], ids=repr)
def test_a_role_of_any_type_is_refused_in_one_sentence(role: object) -> None:
    (fault,) = faults_of(changed(attributes={"ward": {"role": role}}))
    assert fault.startswith("attributes.ward.role: ")
    assert fault.endswith(
        "use one of 'identifying', 'removed', 'quasi', 'sensitive', 'insensitive'."
    )


@pytest.mark.parametrize("delimiter", ["", ";;", "§", "\n", '"', 3], ids=repr)
def test_a_delimiter_is_one_ascii_character(delimiter: object) -> None:
    faults = faults_of(changed(data={"delimiter": delimiter}))
    assert [fault.split(":")[0] for fault in faults] == ["data.delimiter"]
    assert "use one ASCII character" in faults[0]


def test_a_nul_in_a_path_is_refused() -> None:
    sex = {"role": "quasi", "hierarchy": "a\0b.csv"}
    assert faults_of(changed(data={"path": "a\0b.csv"}, attributes={"sex": sex})) == (
        "data.path: 'a\\x00b.csv' cannot be the path of a file; correct it.",
        "attributes.sex.hierarchy: 'a\\x00b.csv' is not a hierarchy; give the path of a .toml or "
        ".csv file, a table of groups or a list of cut points.",
    )


@pytest.mark.parametrize(
    "lines",
    [
        'Wr.Hnd = { role = "quasi", hierarchy = "age.csv" }',
        'Wr.Hnd.role = "insensitive"',
        '[attributes.Wr.Hnd]\nrole = "insensitive"',
    ],
)
def test_a_column_with_a_dot_needs_quotes(tmp_path: Path, lines: str) -> None:
    text = FULL.replace("[[risk]]", f"{lines}\n[[risk]]")
    with pytest.raises(PolicyError) as refused:
        Policy.read(write(tmp_path, text))
    assert refused.value.faults == (
        'attributes.Wr: a name with a dot in it needs quotes; quote the name: "Wr.Hnd".',
    )


def test_a_column_with_a_dot_in_quotes_is_a_column_like_any_other(tmp_path: Path) -> None:
    text = FULL.replace("ward       =", '"Wr.Hnd" =')
    assert "Wr.Hnd" in Policy.read(write(tmp_path, text)).attributes
    with pytest.raises(PolicyError, match=r'attributes\."Wr\.Hnd"\.role: \'x\' is unknown'):
        Policy.read(write(tmp_path, text.replace('role = "insensitive"', 'role = "x"')))


@dataclass(frozen=True)
class Fussy(KAnonymity):
    """A user's model that objects in every way."""

    name: ClassVar[str] = "fussy"

    def __post_init__(self) -> None:
        raise {1: ValueError, 2: TypeError, 3: OverflowError, 4: PolicyError}[self.k]("no such k")


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_what_a_model_objects_to_names_its_place(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "fussy", Fussy)
    risk = [{"model": "k-anonymity", "k": 2}, {"model": "fussy", "k": k}]
    (fault,) = faults_of(changed(risk=risk))
    assert fault.startswith("risk.1: ")
    assert "no such k" in fault


@pytest.mark.parametrize("risk", [set(), {KAnonymity(2)}, iter([]), iter([KAnonymity(2)]), {}])
def test_models_are_a_list(risk: object) -> None:
    (fault,) = faults_of(changed(risk=risk))
    assert "is not a list" in fault


def test_long_and_deep_values_do_not_flood_the_message() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in ("x" * 100_000, deep, list(range(100_000)), dict.fromkeys(range(100_000))):
        changes = {"attributes": {"ward": {"role": value}}, "search": {"time_limit": value}}
        faults = faults_of(changed(**changes))
        assert len(faults) == 2
        assert all(len(fault) < 200 for fault in faults)


def test_faults_of_the_whole_are_shown_together_with_faults_of_parts() -> None:
    keys = {
        "attributes": {"ward": {"role": "insensitive", "wieght": 1}, "name": {"role": "sensitive"}},
        "risk": [],
        "serach": {},
    }
    assert [fault.split(":")[0] for fault in faults_of(keys)] == [
        "attributes.ward.wieght",
        "attributes",
        "risk",
        "serach",
    ]


# Policies as dicts


def test_keys_a_path_and_a_policy_are_taken_for_a_policy(tmp_path: Path) -> None:
    path = write(tmp_path)
    policy = Policy.read(path)
    assert Policy.of(policy) is policy
    assert Policy.of(path) == Policy.of(str(path)) == policy
    assert Policy.of(KEYS) == Policy(**KEYS)
    with pytest.raises(PolicyError, match="policy: 3 is not a policy; give a Policy, its keys or"):
        Policy.of(3)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="policy: risk: no model is given"):
        Policy.of(KEYS | {"risk": []})
    with pytest.raises(PolicyError, match="policy: 3: the name 3 is not a string"):
        Policy.of({**KEYS, 3: 4})  # type: ignore[dict-item]


def test_anonymize_takes_the_keys_of_a_policy() -> None:
    frame = pd.DataFrame({"sex": ["F", "M"] * 2, "age": [34, 34, 47, 47], "ward": list("abcd")})
    solution = anonymize(frame, KEYS)
    assert solution.scheme == anonymize(frame, Policy(**KEYS)).scheme


def test_an_id_and_rows_that_are_people_contradict_each_other() -> None:
    with pytest.raises(PolicyError, match=r"data\.rows_are_people: it contradicts id"):
        Policy.of({**KEYS_OF_ONE, "data": {"id": "a", "rows_are_people": True}})


def test_the_path_of_the_table_is_written_without_dots_unless_a_link_forbids_it(
    tmp_path: Path,
) -> None:
    for folder in ("one", "deep/one", "deep/two"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("table.csv", "deep/table.csv"):
        (tmp_path / file).write_text("a\n1\n")
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "one")
    keys = {**KEYS_OF_ONE, "data": {"path": "../table.csv"}}
    assert Policy(**keys, folder=tmp_path / "one").data_path == tmp_path / "table.csv"
    linked = Policy(**keys, folder=tmp_path / "link").data_path
    assert linked is not None
    assert linked.samefile(tmp_path / "deep" / "table.csv")


def test_a_table_or_a_folder_in_place_of_a_policy_is_said(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age\n1\n")
    with pytest.raises(PolicyError, match="this is a table, not a policy; `anonymizer init "):
        Policy.read(tmp_path / "people.csv")
    with pytest.raises(PolicyError, match="this is a folder; name the policy file in it"):
        Policy.read(tmp_path)


def policy_with_data(**data: Any) -> Policy:
    return Policy(
        data=data,
        attributes={"sex": {"role": "quasi", "hierarchy": "sex.csv"}},
        risk=[{"model": "k-anonymity", "k": 2}],
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"url": "postgres://ann:hunter2@host/db", "table": "t"}, "data.url: the address holds a"),
        (
            {"url": "postgres://host/db?password=hunter2", "table": "t"},
            "data.url: the address holds",
        ),
        ({"path": "a.csv", "url": "postgres://host/db"}, "data.url: the table has a path already"),
        ({"path": "a.csv", "table": "t"}, "data.table: a.csv is not a database; leave it out"),
    ],
)
def test_where_a_table_is_is_checked_and_no_password_is_shown(
    data: dict[str, Any], message: str
) -> None:
    with pytest.raises(PolicyError) as raised:
        policy_with_data(**data)
    assert str(raised.value).startswith(f"policy: {message}")
    assert "hunter2" not in str(raised.value)


def test_an_address_is_in_no_description_of_a_policy() -> None:
    policy = policy_with_data(url="postgres://ann@host/db", table="stays")
    assert "host" not in json.dumps(policy.describe())
    assert "ann" not in str(policy.data_source)
