"""The three attacks of Kitamura et al. on a published table, each with its indicator and its best guess.

A trial is published as counts: A of Na people in one arm and B of Nb in the other have a characteristic.
The paper has an indicator in bits for each attack, where H is the entropy of a yes or no:

    PDP      a patient knows that they have it, and guesses their arm:      H(A / (A + B))
    PFDOC    the family knows that the patient takes part, and guesses
             whether they have it:                                          H((A + B) / (Na + Nb))
    PFDPTC   the family knows the arm too, and guesses better:              |H(A / Na) - PFDOC|,
                                                                            |H(B / Nb) - PFDOC|

With n arms and k answers, PDP is the entropy of n arms, from 0 to log2(n), and PFDOC that of k answers,
from 0 to log2(k). With two arms and two answers they are the paper's.

The paper's entropies compare with equally likely answers, whatever the trial allocated. So each attack
also has a guess: the answer whose probability rises most above its baseline.

    attack   probability of the answer             baseline
    PDP      the arm's share of the group          the arm's share of the trial: the sizes of the arms
    PFDOC    the group's share of the trial        1 / k: the sizes of the arms say nothing about it
    PFDPTC   the group's share of the arm          the group's share of the trial: the arm is not known,
                                                   and as likely as it is large
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anonymizer.published.partition import Answer, AnswerGroup, Partition


@dataclass(frozen=True, slots=True)
class Guess:
    """The answer whose probability an attack raises most, beside its probability without the attack."""

    answer: str
    probability: float
    baseline: float

    @property
    def advantage(self) -> float:
        """How much the attack raises the probability, from 0 to 1."""
        return self.probability - self.baseline


@dataclass(frozen=True, slots=True)
class Indicator:
    """What one attack learns: the paper's indicator in bits, and the guess."""

    bits: float
    guess: Guess | None
    """None: there is nobody to attack."""

    @property
    def advantage(self) -> float:
        """How much the attack raises a probability; 0 where there is nobody to attack."""
        return 0.0 if self.guess is None else self.guess.advantage


@dataclass(frozen=True, slots=True)
class Indicators:
    """How far the answers to one row resist the three attacks."""

    partition: Partition
    pdp: tuple[Indicator, ...]
    """By group. 0 bits: who is in the group knows the arm."""
    pfdoc: Indicator
    """0 bits: everyone gives the same answer."""
    pfdptc: tuple[Indicator, ...]
    """By arm: how much knowing that somebody is in it changes. 0 bits: nothing."""

    @property
    def attackers(self) -> list[tuple[AnswerGroup, Indicator]]:
        """The groups with somebody in them that PDP is asked of here, each with its attack."""
        pairs = zip(self.partition.groups, self.pdp, strict=True)
        return [(group, attack) for group, attack in pairs if group.attacks and attack.guess]

    def pdp_of(self, answer: Answer) -> Indicator | None:
        """Return PDP for the group with an answer, if there is one."""
        pairs = zip(self.partition.groups, self.pdp, strict=True)
        return next((attack for group, attack in pairs if group.answer is answer), None)


def entropy(counts: Sequence[int]) -> float:
    """Return the entropy in bits of an answer that so many people give; 0 of nobody.

    >>> entropy([1, 1]), entropy([0, 7]), entropy([0, 0]), entropy([1, 1, 2])
    (1.0, 0.0, 0.0, 1.5)
    >>> round(entropy([23, 2]), 3)
    0.402
    """
    whole = sum(counts)
    shares = [count / whole for count in counts if count]
    return -math.fsum(share * math.log2(share) for share in shares) if len(shares) > 1 else 0.0


def measure(partition: Partition, names: Sequence[str]) -> Indicators:
    """Compute the indicators and guesses of a partition; `names` are those of the arms."""
    totals = [group.total for group in partition.groups]
    pfdoc = Indicator(entropy(totals), guess_answer(partition))
    changes = tuple(arm_change(partition, arm, pfdoc.bits) for arm in range(len(names)))
    pdp = tuple(
        Indicator(entropy(group.counts), guess_arm(group, partition.sizes, names))
        for group in partition.groups
    )
    return Indicators(partition, pdp, pfdoc, changes)


def arm_change(partition: Partition, arm: int, overall: float) -> Indicator:
    """Compute PFDPTC for one arm; an arm without people changes nothing."""
    if not partition.sizes[arm]:
        return Indicator(0.0, None)
    inside = entropy([group.counts[arm] for group in partition.groups])
    return Indicator(abs(inside - overall), guess_answer_in_arm(partition, arm))


# --- what an attacker guesses ---


def guess_arm(group: AnswerGroup, sizes: Sequence[int], names: Sequence[str]) -> Guess | None:
    """Guess the arm of somebody in a group; without the table, by the sizes of the arms."""
    shares = shares_of(group.counts)
    return largest_rise(names, shares, shares_of(sizes)) if shares else None


def guess_answer(partition: Partition) -> Guess | None:
    """Guess the answer of a participant; without the table, every answer is as likely."""
    shares = shares_of([group.total for group in partition.groups])
    answers = [group.name for group in partition.groups]
    return largest_rise(answers, shares, [1 / len(answers)] * len(answers)) if shares else None


def guess_answer_in_arm(partition: Partition, arm: int) -> Guess | None:
    """Guess the answer of somebody whose arm is known; without that, by everybody's answers."""
    shares = shares_of([group.counts[arm] for group in partition.groups])
    everybody = shares_of([group.total for group in partition.groups])
    answers = [group.name for group in partition.groups]
    return largest_rise(answers, shares, everybody) if shares else None


def shares_of(counts: Sequence[int]) -> list[float]:
    """Return each count's share of all; nothing where there is nobody."""
    whole = sum(counts)
    return [count / whole for count in counts] if whole else []


def largest_rise(
    answers: Sequence[str], probabilities: Sequence[float], baselines: Sequence[float]
) -> Guess:
    """Return the answer that is most above its baseline; of equals, the likeliest."""
    guesses = map(Guess, answers, probabilities, baselines)
    return max(guesses, key=lambda guess: (round(guess.advantage, 12), guess.probability))
