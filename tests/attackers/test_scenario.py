"""Scenarios: what is refused, what reads back, and the network they are."""

from __future__ import annotations

import pickle
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.attackers.network import from_network, to_network
from anonymizer.attackers.probability import Chance
from anonymizer.attackers.scenario import EXAMPLE, AttributeGroup, Scenario
from anonymizer.demo import OLDEST_AGE, QUASI_IDENTIFIERS
from anonymizer.demo.example import ATTACKERS
from anonymizer.errors import PolicyError
from anonymizer.validation.toml import write_keys

DEMO = ATTACKERS / "scenario.toml"

PARAMETERS = {"population": 1000, "p_m": 0.2, "p_fm": 0.5, "p_c": 0.2, "p_cu": 0.8}

probabilities = st.floats(0, 1)
names = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4
)  # surrogates are no text


@st.composite
def amounts(draw: st.DrawFn) -> Any:
    """Draw a probability or a range."""
    low, high = sorted([draw(probabilities), draw(probabilities)])
    return draw(st.sampled_from([low, (low, high)]))


@st.composite
def chances(draw: st.DrawFn, columns: list[str]) -> Chance:
    """Draw a probability of any kind."""
    if draw(st.booleans()):
        return Chance(draw(amounts()))
    if draw(st.booleans()):
        return Chance(column=draw(names))
    by = tuple(columns[: draw(st.integers(1, 2))])
    table = st.dictionaries(names, amounts(), max_size=3)
    if len(by) == 2:
        table = st.dictionaries(names, amounts() | table, max_size=3)
    return Chance(by=by, probabilities=draw(table), default=draw(amounts()))


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Draw a scenario with odd names."""
    attributes = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    causes = draw(st.dictionaries(names, chances(attributes), max_size=2))
    groups = []
    for cause in (None, *causes):
        members = draw(st.lists(st.sampled_from(attributes), min_size=1, unique=True))
        group = AttributeGroup(tuple(members), 0.5, cause=cause)
        groups.append(group.with_chance(draw(chances(attributes))))
    parameters: list[Any] = [draw(chances(attributes)) for _ in range(4)]
    population = draw(st.integers(1, 10**9))
    estimator = draw(st.sampled_from(["pitman", "zayatz"]))
    return Scenario(tuple(groups), population, *parameters, causes=causes, estimator=estimator)


def scenario_of(*groups: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The keys of a small scenario, some changed."""
    return (
        PARAMETERS
        | {"learned": list(groups) or [{"attributes": ["age"], "probability": 1}]}
        | changes
    )


def faults_of(keys: dict[str, Any]) -> tuple[str, ...]:
    with pytest.raises(PolicyError) as raised:
        Scenario.parse(keys)
    return raised.value.faults


@given(scenarios())
def test_what_is_written_reads_back_equal(tmp_path_factory: Any, scenario: Scenario) -> None:
    path = tmp_path_factory.mktemp("scenario") / "scenario.toml"
    path.write_text("\n".join(write_keys(scenario.describe())), encoding="utf-8", newline="")
    assert Scenario.read(path) == scenario
    assert Scenario.parse(scenario.describe()) == scenario


@given(scenarios())
def test_a_network_holds_the_whole_scenario(scenario: Scenario) -> None:
    assert from_network(to_network(scenario)) == scenario


def test_the_example_has_every_key() -> None:
    keys = tomllib.loads(EXAMPLE)
    assert set(keys) == {each.name for each in fields(Scenario)}
    assert {key for group in keys["learned"] for key in group} == {
        each.name for each in fields(AttributeGroup)
    }
    assert Scenario.parse(keys).has_ranges


def test_a_population_table_is_found_beside_the_scenario(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text("\n".join(write_keys(scenario_of(population="people.csv"))))
    assert Scenario.read(path).population == tmp_path / "people.csv"


def test_of_several_attributes_the_first_that_is_not_listed_decides_for_the_default() -> None:
    table = {"TN": {"F": 0.6, "M": {"yes": 0.5}}, "OH": 0.7}
    chance = Chance(by=("state", "sex", "insured"), probabilities=table, default=0.1)
    assert chance.of(["TN", "F", "no"]) == 0.6
    assert chance.of(["TN", "M", "yes"]) == 0.5
    assert chance.of(["TN", "M", "no"]) == chance.of(["TN", "X", "no"]) == 0.1
    assert chance.of(["OH", "F", "no"]) == 0.7
    assert chance.of(["CA", "F", "no"]) == 0.1
    women = chance.fix("sex", "F")
    assert women.by == ("state", "insured")
    assert (women.of(["TN", "no"]), women.of(["OH", "no"]), women.of(["CA", "no"])) == (
        0.6,
        0.7,
        0.1,
    )
    assert chance.fix("state", "OH") == Chance(0.7)
    assert Chance(column="told").fix("told", "0.25") == Chance(0.25)


def test_a_scenario_is_a_value() -> None:
    one, other = Scenario.parse(scenario_of()), Scenario.parse(scenario_of())
    assert one == other
    assert len({one, other}) == 1
    assert pickle.loads(pickle.dumps(one)) == one


def test_the_demo_scenario_fits_the_demo_register() -> None:
    scenario = Scenario.read(DEMO)
    assert scenario.check_attributes(QUASI_IDENTIFIERS) == []
    assert set(scenario.attributes) == set(QUASI_IDENTIFIERS)
    ages = [str(age) for age in range(OLDEST_AGE + 1)]
    assert [scenario.learned[0].chance.of([age]) for age in ages] == [0] * 18 + [0.64] * (
        OLDEST_AGE - 17
    )


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        (scenario_of(p_m=1.5), "p_m: 1.5 is not a probability; use a number from 0 to 1."),
        (scenario_of(p_c=-0.1), "p_c: -0.1 is not a probability; use a number from 0 to 1."),
        (scenario_of(p_c=float("nan")), "p_c: nan is not a probability; use a number from 0 to 1."),
        (scenario_of(p_cu=True), "p_cu: True is not a probability; use a number from 0 to 1."),
        (scenario_of(p_fm="1"), "p_fm: '1' is not a probability; use a number from 0 to 1."),
        (scenario_of(population=0), "population: 0 is too small; use 1 or more."),
        (
            scenario_of(population=1.5),
            "population: 1.5 is not a whole number; write one without quotes or a decimal point.",
        ),
        (scenario_of(popultion=5), "popultion: this key is unknown; did you mean 'population'?"),
        (scenario_of(learned=[]), "learned: no group is given; add a [[learned]] table."),
        (
            scenario_of(learned="age"),
            "learned: 'age' is not a list of tables; write each as [[learned]].",
        ),
        (
            scenario_of({"attributes": [], "probability": 1}),
            "learned.0.attributes: this is empty; name at least one.",
        ),
        (
            scenario_of({"attributes": "age", "probability": 1}),
            "learned.0.attributes: 'age' is not a list; write it as [ ... ].",
        ),
        (
            scenario_of({"attributes": [3], "probability": 1}),
            "learned.0.attributes.0: 3 is not a string; put it in quotes.",
        ),
        (
            scenario_of({"attributes": ["age", "age"], "probability": 1}),
            "learned.0.attributes: listed more than once: 'age'; keep one of each.",
        ),
        (
            scenario_of({"attributes": ["age"], "probability": 2}),
            "learned.0.probability: 2 is not a probability; use a number from 0 to 1.",
        ),
        (
            scenario_of({"attributes": ["age"]}),
            "learned.0.by: give one of `probability`, `column`, or this with `probabilities` and "
            "`default`.",
        ),
        (
            scenario_of({"attributes": ["age"], "probability": 1, "by": "age", "default": 1}),
            "learned.0.by: give one of `probability`, `column`, or this with `probabilities` and "
            "`default`.",
        ),
        (
            scenario_of({"attributes": ["age"], "by": "age"}),
            "learned.0.default: this key is missing; give the probability for all values not listed.",
        ),
        (
            scenario_of(
                {"attributes": ["age"], "by": "age", "default": 1, "probabilities": {"7": 7}}
            ),
            "learned.0.probabilities.7: 7 is not a probability; use a number from 0 to 1.",
        ),
        (
            scenario_of({"attributes": ["age"], "by": "age", "default": 1, "probabilities": 1}),
            "learned.0.probabilities: 1 is not a table; write it as name = value.",
        ),
        (
            scenario_of({"attributes": ["age"], "probability": 1, "default": 1}),
            "learned.0.default: this key needs `by`, the attribute that the probability depends on.",
        ),
        (
            scenario_of({"attributes": ["age"], "probability": 1, "column": "told"}),
            "learned.0.by: give one of `probability`, `column`, or this with `probabilities` and "
            "`default`.",
        ),
        (
            scenario_of(p_m=[0.8, 0.2]),
            "p_m: [0.8, 0.2] is upside down; write the lower number first.",
        ),
        (
            scenario_of(p_m=[0.8]),
            "p_m: [0.8] is not a range; give two probabilities, the lower first.",
        ),
        (
            scenario_of(p_m=[0.8, 1.2]),
            "p_m: 1.2 is not a probability; use a number from 0 to 1.",
        ),
        (
            scenario_of({"attributes": ["age"], "probability": [0.8, 0.2]}),
            "learned.0.probability: [0.8, 0.2] is upside down; write the lower number first.",
        ),
        (
            scenario_of(p_m={"by": "age", "probabilities": {"7": [0.8, 0.2]}, "default": 1}),
            "p_m.probabilities.7: [0.8, 0.2] is upside down; write the lower number first.",
        ),
        (
            scenario_of({"attributes": ["age"], "by": ["age", "age"], "default": 1}),
            "learned.0.by: listed more than once: 'age'; keep one of each.",
        ),
        (
            scenario_of(
                {
                    "attributes": ["age"],
                    "by": ["age", "sex"],
                    "default": 1,
                    "probabilities": {"7": {"F": 2}},
                }
            ),
            "learned.0.probabilities.7.F: 2 is not a probability; use a number from 0 to 1.",
        ),
        (
            scenario_of(p_m={"by": "age"}),
            "p_m.default: this key is missing; give the probability for all values not listed.",
        ),
        (
            scenario_of(p_m={"colum": "told"}),
            "p_m: the key 'colum' is unknown; did you mean 'column'?",
        ),
        (
            scenario_of({"attributes": ["age"], "probability": 1, "cause": "acount"}),
            "causes: 'acount', the cause of a group, is unknown; describe it in [causes].",
        ),
        (
            scenario_of(causes={"account": 0.5}),
            "causes: 'account' is the cause of no group; name it in one, or remove it.",
        ),
        (
            scenario_of(causes=0.5),
            "causes: 0.5 is not a table; write it as name = value.",
        ),
        (
            scenario_of(estimator="pittman"),
            "estimator: 'pittman' is not an estimator; did you mean 'pitman'?",
        ),
        (
            scenario_of(population=""),
            "population: '' cannot be the path of a file; correct it.",
        ),
        (
            scenario_of({"attributes": ["age"], "chance": 1, "probability": 1}),
            "learned.0.chance: this key is unknown; use one of 'attributes', 'probability', "
            "'column', 'by', 'probabilities', 'default', 'cause', 'levels', 'source'.",
        ),
    ],
)
def test_a_fault_is_one_sentence(keys: dict[str, Any], fault: str) -> None:
    assert faults_of(keys) == (fault,)


def test_all_faults_are_shown_together(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(
        "population = 0\np_m = 2\nc = 1\n[[learned]]\nattributes = []\nprobability = 3\n"
    )
    with pytest.raises(PolicyError) as raised:
        Scenario.read(path)
    assert str(raised.value).startswith(f"{path} has 8 defects:\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"p_m = ", "not valid TOML"), (b"\xff", "not UTF-8"), (None, "no such scenario file")],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "scenario.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PolicyError, match=message) as raised:
        Scenario.read(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_values_built_in_code_are_checked_too() -> None:
    group = AttributeGroup(("age",), 0.5)
    with pytest.raises(PolicyError, match="attribute group: probability: 2 is not a probability"):
        AttributeGroup(("age",), 2)
    with pytest.raises(PolicyError, match="scenario: population: 0 is too small"):
        Scenario((group,), 0, 1, 1, 1, 1)


def test_a_star_stands_for_what_no_group_names() -> None:
    keys = {"attributes": ["*"], "probability": 1}, {"attributes": ["age"], "probability": 0.5}
    scenario = Scenario.parse(scenario_of(*keys))
    assert scenario.check_attributes(["age", "sex", "zip"]) == []
    expanded = scenario.expand(["age", "sex", "zip"])
    assert [group.attributes for group in expanded.learned] == [("sex", "zip"), ("age",)]
    assert [group.attributes for group in scenario.expand(["age"]).learned] == [("age",)]


def test_levels_and_sources_survive_toml() -> None:
    group = {"attributes": ["age"], "probability": 0.5, "levels": {"age": 2}, "source": 'a "list"'}
    scenario = Scenario.parse(scenario_of(group))
    assert Scenario.parse(tomllib.loads("\n".join(write_keys(scenario.describe())))) == scenario
    assert scenario.learned[0].levels == {"age": 2}
    with pytest.raises(
        PolicyError, match="levels: the group has no attribute 'sex'; use one of 'age'"
    ):
        AttributeGroup(("age",), 0.5, levels={"sex": 1})
    with pytest.raises(PolicyError, match=r"levels\.age: -1 is too small"):
        AttributeGroup(("age",), 0.5, levels={"age": -1})


def test_attributes_that_are_not_quasi_identifiers_are_named() -> None:
    keys = scenario_of({"attributes": ["aeg"], "by": "state", "default": 1})
    assert Scenario.parse(keys).check_attributes(["age", "sex"]) == [
        "learned: 'aeg' is not a quasi-identifier; did you mean 'age'?",
    ]
    assert Scenario.parse(keys).beside(["age", "sex"]) == ("state",)


def test_a_table_larger_than_the_population_is_refused() -> None:
    scenario = Scenario.parse(scenario_of())
    assert scenario.check_people(1000) is None
    assert "1000 people are fewer than the table's 1001;" in str(scenario.check_people(1001))


# --- the network


def test_the_network_is_that_of_figure_1() -> None:
    graph = to_network(Scenario.parse(scenario_of()))
    assert set(graph.edges) == {
        ("Y_1", "X_ud"),
        ("Y_1", "X_up"),
        ("Y_1", "X_s"),
        ("X_m", "X_lm"),
        ("X_ud", "X_lm"),
        ("X_up", "X_lu"),
        ("X_s", "X_lc"),
        ("X_c", "X_lc"),
        ("X_lm", "X_r"),
        ("X_lu", "X_r"),
        ("X_lc", "X_r"),
    }
    assert graph.nodes["X_lm"]["table"][True, True] == PARAMETERS["p_fm"]
    assert graph.nodes["X_lm"]["table"][True, False] == 0
    assert graph.nodes["X_r"]["table"][False, True, False] == 1


def test_a_common_cause_stands_above_its_groups() -> None:
    group = {"attributes": ["age"], "probability": 0.5, "cause": "account"}
    graph = to_network(Scenario.parse(scenario_of(group, causes={"account": [0.1, 0.2]})))
    assert ("C_account", "Y_1") in graph.edges
    assert graph.nodes["C_account"]["layer"] < graph.nodes["Y_1"]["layer"]
    graph.remove_edge("C_account", "Y_1")
    with pytest.raises(
        PolicyError, match="Y_1: the network of Figure 1 has an arrow from C_account"
    ):
        from_network(graph)


def test_more_than_nine_groups_keep_their_order() -> None:
    groups = [{"attributes": [f"a{number}"], "probability": 0.5} for number in range(12)]
    scenario = Scenario.parse(scenario_of(*groups))
    assert from_network(to_network(scenario)) == scenario


def test_parameters_changed_in_the_network_are_read_back() -> None:
    graph = to_network(Scenario.parse(scenario_of()))
    graph.nodes["X_m"]["table"] = {(): 0.75}
    graph.nodes["Y_1"]["probability"] = 0.25
    scenario = from_network(graph)
    assert (scenario.p_m, scenario.learned[0].probability) == (0.75, 0.25)


def test_a_network_with_other_arrows_or_tables_is_refused() -> None:
    graph = to_network(Scenario.parse(scenario_of()))
    graph.add_edge("X_ud", "X_up")
    graph.add_node("X_z")
    graph.nodes["X_r"]["table"][True, True, True] = 0.5
    with pytest.raises(PolicyError) as raised:
        from_network(graph)
    assert raised.value.faults == (
        "X_z: the network of Figure 1 has no node.",
        "X_up: the network of Figure 1 has no arrow from X_ud.",
        "X_r: its table is not that of Figure 1; change the parameters only.",
    )


def test_a_network_without_its_parameters_is_refused() -> None:
    graph = to_network(Scenario.parse(scenario_of()))
    graph.remove_node("X_c")
    with pytest.raises(PolicyError, match="it has no node 'X_c'"):
        from_network(graph)
