"""The shipped scenarios, and how they are fitted to a table."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from anonymizer.attackers.catalogue import find_scenario, load_scenario, shipped_scenarios
from anonymizer.attackers.scenario import Scenario
from anonymizer.errors import PolicyError
from tests.assessment import patients
from tests.shared import ABSENT, REFERENCE

STATES = REFERENCE / "facts" / "state_table.csv"


def test_the_attackers_that_people_ask_about_are_shipped() -> None:
    assert set(shipped_scenarios()) == {
        "worst-case",
        "voter-registration",
        "social-media",
        "social-media-account",
        "insurer",
        "employer",
        "neighbour",
        "journalist",
        "data-broker",
    }


@pytest.mark.parametrize("path", shipped_scenarios().values(), ids=lambda path: path.stem)
def test_every_number_has_its_source(path: Path) -> None:
    """A probability has a mark on its line, or the header says where a whole list comes from."""
    text = path.read_text(encoding="utf-8")
    assert "[F]" in text
    assert "[A]" in text
    for line in text.splitlines():
        if re.match(r"(probability|default|population) = (?!0\.0$)", line):
            above = text[: text.index(line)].splitlines()[-2:]
            assert any(re.search(r"\[[FDA]\]", near) for near in [line, *above]), line


def test_every_state_is_on_one_list_at_most_and_all_are_listed() -> None:
    scenario = load_scenario("voter-registration")
    for state in patients.hierarchy("state").leaves:
        chances = [group.chance.of([state]) for group in scenario.learned]
        assert sum(chance > 0 for chance in chances) <= 1
        assert state in scenario.learned[0].probabilities
    unknown = [group.chance.of(["Atlantis"]) for group in scenario.learned]
    assert sum(unknown) == pytest.approx(0.642)  # what is not known must not look safe


@pytest.mark.skipif(not STATES.exists(), reason=ABSENT)
def test_the_voter_lists_are_those_of_the_reference() -> None:
    scenario = load_scenario("voter-registration")
    closed = {"IL", "IN", "MA", "NH", "ND"}
    with STATES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            told = {
                name: float(chance)
                for group in scenario.learned
                if (chance := group.chance.of([row["abbr"]])) > 0
                for name in group.attributes
            }
            if row["abbr"] in closed:
                assert told == {}
                continue
            expected = {"state"}
            expected |= {"year_of_birth"} if row["voter_birth"] != "none" else set()
            expected |= {"sex"} if row["voter_sex"] == "Y" else set()
            expected |= {"race"} if row["voter_race"] == "Y" else set()
            assert set(told) - {"ethnicity", "country_of_birth"} == expected
            share = float(row["registered_pct_of_adult_pop_cps2016"]) / 100
            assert list(told.values()) == pytest.approx([share] * len(told))


def test_columns_are_renamed_and_constants_taken_out() -> None:
    voters = load_scenario("voter-registration", {"year_of_birth": "age"}, {"state": "TN"}, 5000)
    (group,) = voters.learned
    assert group.attributes == ("age", "sex", "race")
    assert (group.probability, group.by) == (0.643, None)
    assert voters.population == 5000
    by_region = load_scenario("voter-registration", {"state": "region"})
    assert {group.by for group in by_region.learned} == {"region"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"zip": "plz"}, None), "it has no attribute 'zip'; it speaks of 'state'"),
        ((None, {"state": "Tennessee"}), "no figures for the state 'Tennessee'; use one of 'AL'"),
        ((None, {"state": "ND"}), "with the state 'ND' the attacker learns nothing"),
    ],
)
def test_what_does_not_fit_is_one_sentence(arguments, message) -> None:
    with pytest.raises(PolicyError, match=message):
        load_scenario("voter-registration", *arguments)


def test_a_scenario_is_found_by_name_or_path(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(find_scenario("social-media").read_text(encoding="utf-8"), encoding="utf-8")
    assert find_scenario(mine) == mine
    assert Scenario.read(mine) == load_scenario("social-media")
    with pytest.raises(PolicyError, match="did you mean 'worst-case'"):
        find_scenario("worst_case")
    with pytest.raises(PolicyError, match="neither a file nor a shipped scenario"):
        find_scenario("xyz")
