"""Attacks on a published table of patient characteristics, and how far each row resists them.

`table` is what is printed: arms and rows. `reading` reads it from a CSV file. `partition` divides the
people of a trial by what they would answer to a row. `indicators` computes the paper's entropies, and
what each attack guesses beside what it would guess without the table. `summaries` attacks medians,
quartiles and means, which `summary_cells` reads. `sentences` says it in words, and `verdict` holds rows
against limits.
"""

from anonymizer.published.indicators import (
    Guess,
    Indicator,
    Indicators,
    entropy,
    measure,
)
from anonymizer.published.partition import AnswerGroup, Partition
from anonymizer.published.reading import read_published
from anonymizer.published.sentences import say_attacks
from anonymizer.published.summaries import AttackedSummary, Summary, ValueAttack
from anonymizer.published.table import Arms, Characteristic
from anonymizer.published.verdict import (
    Breach,
    Published,
    PublishedLimits,
    assess_published,
)

__all__ = [
    "AnswerGroup",
    "Arms",
    "AttackedSummary",
    "Breach",
    "Characteristic",
    "Guess",
    "Indicator",
    "Indicators",
    "Partition",
    "Published",
    "PublishedLimits",
    "Summary",
    "ValueAttack",
    "assess_published",
    "entropy",
    "measure",
    "read_published",
    "say_attacks",
]
