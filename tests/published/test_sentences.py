from __future__ import annotations

from anonymizer.published import Arms, Characteristic, assess_published, say_attacks
from tests.published.tables import TRIAL


def say(*rows: Characteristic, arms: Arms = TRIAL) -> list[dict]:
    return [say_attacks(row, arms) for row in assess_published(rows, arms).rows]


def test_each_attack_is_told_in_plain_language() -> None:
    (said,) = say(Characteristic("Hydroxychloroquine", (1, 0)))
    assert said["pdp"]["has it"] == (
        "Somebody who has it is certainly in the treatment arm: 1 of 1. The table raises the treatment "
        "arm to 100 %, from 68.5 % by the sizes of the arms alone."
    )
    assert said["pdp"]["does not have it"].endswith(
        ": 227 of 332. The table raises the placebo arm "
        "to 31.6 %, from 31.5 % by the sizes of the arms alone."
    )
    assert said["pfdoc"] == "Somebody in the trial most likely does not have it: 332 of 333."
    assert said["pfdptc"]["treatment"] == (
        "The chance that somebody has it is 0.4 % in the treatment arm and 0.3 % in the whole trial."
    )


def test_what_nobody_or_everybody_has_is_told() -> None:
    (said,) = say(Characteristic("none", (0, 0)))
    assert said["pdp"]["has it"] == "Nobody has it."
    assert said["pdp"]["does not have it"].endswith("The sizes of the arms alone say the same.")
    (said,) = say(Characteristic("all", (228, 105)))
    assert said["pdp"]["does not have it"] == "Everybody has it."
    assert said["pfdoc"] == "Somebody in the trial certainly has it: 333 of 333."


def test_the_arm_that_rises_is_told_where_another_is_likelier() -> None:
    (said,) = say(Characteristic("Asthma", (9, 5)))
    assert "most likely in the treatment arm: 9 of 14" in said["pdp"]["has it"]
    assert "raises the placebo arm to 35.7 %, from 31.5 %" in said["pdp"]["has it"]


def test_an_arm_that_is_left_out_is_told_where_several_remain() -> None:
    arms = Arms(("low", "high", "placebo"), (10, 10, 10))
    (said,) = say(Characteristic("it", (3, 2, 0)), arms=arms)
    assert said["pdp"]["has it"].endswith("Nobody of them is in the placebo arm.")
    (said,) = say(Characteristic("it", (3, 0, 0)), arms=arms)
    assert "Nobody of them" not in said["pdp"]["has it"]


def test_who_was_not_measured_is_told() -> None:
    everybody, measured = say(Characteristic("it", (5, 0), (10, 0)))
    assert "Somebody who was not measured is" in everybody["pdp"]["not measured"]
    assert everybody["pfdoc"] == "Somebody in the trial most likely was not measured: 323 of 333."
    assert measured["pfdoc"] == "Somebody measured most likely has it: 5 of 10."
    assert measured["pfdptc"]["placebo"] == "Nobody in the placebo arm was measured."
    assert "in all those measured." in measured["pfdptc"]["treatment"]


def test_categories_are_told_by_their_names() -> None:
    rows = [
        Characteristic(name, counts, None, "Titre", category=True)
        for name, counts in {"1:40": (100, 50), "1:80": (100, 50)}.items()
    ]
    said = say(*rows)[-1]
    assert said["pfdoc"] == "Somebody in the trial most likely is in '1:40': 150 of 333."
    assert "Somebody who is in none of the categories is" in said["pdp"]["none of these"]
