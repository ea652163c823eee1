"""What each attack learns from a row of a published table, in plain language."""

from __future__ import annotations

from typing import Any

from anonymizer.errors import percent
from anonymizer.published.indicators import Guess, Indicator, Indicators
from anonymizer.published.partition import Answer, AnswerGroup, Partition
from anonymizer.published.summaries import ValueAttack
from anonymizer.published.table import Arms

NOTICEABLE = 0.0005
"""A smaller advantage is none to the digits that are shown."""


def say_attacks(row: Indicators, arms: Arms) -> dict[str, Any]:
    """Say what each attack learns: PDP for each group that attacks, PFDPTC for each arm."""
    part = row.partition
    pairs = zip(part.groups, row.pdp, strict=True)
    return {
        "pdp": {
            group.name: say_arm(group, attack, arms) for group, attack in pairs if group.attacks
        },
        "pfdoc": say_answer(part),
        "pfdptc": {
            arm: say_change(part, arm, attack)
            for arm, attack in zip(arms.names, row.pfdptc, strict=True)
        },
    }


def say_arm(group: AnswerGroup, attack: Indicator, arms: Arms) -> str:
    """Say what somebody in a group learns about their arm, and what the sizes of the arms say already."""
    if attack.guess is None:
        return say_nobody(group)
    most = max(group.counts)
    arm = arms.names[group.counts.index(most)]
    return (
        f"Somebody who {verb(group)} is {how_sure(most, group.total)} in the {arm} arm: {most} of "
        f"{group.total}. {say_rise(attack.guess)}{say_excluded(group, arms)}"
    )


def say_nobody(group: AnswerGroup) -> str:
    """Say that a group is empty."""
    return "Everybody has it." if group.answer is Answer.LACKS else f"Nobody {verb(group)}."


def say_rise(guess: Guess) -> str:
    """Say how much the table adds to the sizes of the arms."""
    if guess.advantage < NOTICEABLE:
        return "The sizes of the arms alone say the same."
    return (
        f"The table raises the {guess.answer} arm to {percent(guess.probability)}, from "
        f"{percent(guess.baseline)} by the sizes of the arms alone."
    )


def say_excluded(group: AnswerGroup, arms: Arms) -> str:
    """Name the arms that somebody in a group cannot be in, where several are left."""
    empty = [arm for arm, count in zip(arms.names, group.counts, strict=True) if not count]
    if not empty or len(empty) == len(arms.names) - 1:
        return ""
    return f" Nobody of them is in the {' or the '.join(empty)} arm."


def say_answer(part: Partition) -> str:
    """Say what is most likely for a participant."""
    who = "Somebody measured" if part.measured_only else "Somebody in the trial"
    group = max(part.groups, key=lambda each: each.total)
    sure = how_sure(group.total, part.total)
    return f"{who} {sure} {verb(group)}: {group.total} of {part.total}."


def say_change(part: Partition, arm: str, attack: Indicator) -> str:
    """Say how knowing the arm changes what is likely for a participant."""
    if attack.guess is None:
        return f"Nobody in the {arm} arm was measured."
    group = next(each for each in part.groups if each.name == attack.guess.answer)
    everybody = "all those measured" if part.measured_only else "the whole trial"
    return (
        f"The chance that somebody {verb(group)} is {percent(attack.guess.probability)} in the {arm} "
        f"arm and {percent(attack.guess.baseline)} in {everybody}."
    )


def say_values(attack: ValueAttack) -> str:
    """Say whose values the figures of an arm give away."""
    people = attack.cell.people
    if not attack.fits:
        how = "however quartiles are computed"
        return f"No {people} people have such figures, {how}; look at them again."
    said = []
    if (guess := attack.outsider) is not None:
        has = round(guess.probability * people)
        verb = "have" if has > 1 else "has"
        said.append(f"{has} of {people} in the {attack.arm} arm {verb} exactly {guess.answer}.")
    if attack.participant is not None:
        known, others = round(attack.participant.probability * (people - 1)), people - 1
        said.append(
            f"A participant who knows their own value can know that of {known} of the {others} others."
            if others > 1
            else "Who knows one value knows the other."
        )
    return " ".join(said) or f"Nobody's value follows for the {people} in the {attack.arm} arm."


def how_sure(most: int, people: int) -> str:
    """Say how sure a guess is."""
    return "certainly" if most == people else "most likely"


def verb(group: AnswerGroup) -> str:
    """Say what somebody in a group does."""
    if group.answer is Answer.MISSING:
        return "was not measured"
    if group.answer is Answer.CATEGORY:
        return f"is in '{group.name}'"
    return "has it" if group.answer is Answer.HAS else lacking(group)


def lacking(group: AnswerGroup) -> str:
    """Say what somebody does not have: the characteristic, or any of the categories."""
    return "does not have it" if group.name == Answer.LACKS else "is in none of the categories"
