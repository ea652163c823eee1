"""What the paper prints: Prasser, Kohlmayer, Kuhn, Methods Inf Med 2016; 55: 347-355."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RECORDS = {"adult": 30_162, "cup": 63_441, "fars": 100_937, "atus": 539_253, "ihis": 1_193_504}
"""The data sets and their records (section 5.1)."""

POPULATIONS = {"Houston": 2_200_000, "Texas": 27_000_000, "USA": 318_900_000}
SIGNIFICANCE = 0.1
THRESHOLDS = tuple(float(f"1e-{digits}") for digits in range(8, 1, -1))
"""Of p-uniqueness in Figure 6: 10^-6 % to 1 %."""

WEAK = 0.5
"""Nobody is alone: what the paper calls weak or low protection."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of Table 2 or 3: the model, the prosecutor's risk, and the quality in percent."""

    table: int
    label: str
    risk: dict[str, Any]
    prosecutor: str
    printed: dict[str, float]


def k_anonymity(k: int) -> dict[str, Any]:
    return {"model": "k-anonymity", "k": k}


def k_map(k: int, city: str) -> dict[str, Any]:
    population = POPULATIONS[city]
    return {"model": "k-map", "k": k, "population": population, "significance": SIGNIFICANCE}


def strict_average(k: int, threshold: float) -> dict[str, Any]:
    return {"model": "strict-average", "k": k, "threshold": threshold}


def p_uniqueness(threshold: float, population: int) -> dict[str, Any]:
    return {"model": "p-uniqueness", "threshold": threshold, "population": population}


def row(table: int, label: str, risk: dict[str, Any], prosecutor: str, *quality: float) -> Row:
    """Pair the qualities with the data sets, in the order of the columns."""
    return Row(table, label, risk, prosecutor, dict(zip(RECORDS, quality, strict=True)))


def strict_label(k: int, threshold: float) -> str:
    return f"strict-average, k' = {k}, average {threshold:.0%}"


ROWS = (
    row(2, "k-anonymity, k = 5", k_anonymity(5), "20%", 77.9, 86.0, 84.7, 91.3, 87.1),
    row(2, "k-map, Houston", k_map(5, "Houston"), "(20%-50%)", 83.3, 88.6, 86.8, 92.0, 87.1),
    row(2, "k-map, Texas", k_map(5, "Texas"), "(33%-50%)", 83.3, 88.6, 88.7, 94.5, 90.0),
    row(2, "k-map, USA", k_map(5, "USA"), "(50%)", 83.3, 88.6, 88.7, 94.5, 92.3),
    row(2, strict_label(3, 0.2), strict_average(3, 0.2), "33%", 80.8, 87.4, 86.8, 92.8, 90.0),
    row(2, strict_label(2, 0.2), strict_average(2, 0.2), "50%", 83.8, 88.6, 88.7, 94.5, 92.3),
    row(3, "k-anonymity, k = 10", k_anonymity(10), "10%", 73.8, 82.4, 81.8, 89.0, 84.9),
    row(3, "k-map, Houston", k_map(10, "Houston"), "(10%-50%)", 83.8, 87.4, 86.8, 90.7, 84.9),
    row(3, "k-map, Texas", k_map(10, "Texas"), "(33%-50%)", 83.8, 88.6, 88.7, 94.5, 90.0),
    row(3, "k-map, USA", k_map(10, "USA"), "(50%)", 83.8, 88.6, 88.7, 94.5, 92.3),
    row(3, strict_label(5, 0.1), strict_average(5, 0.1), "20%", 77.9, 86.0, 84.7, 91.3, 87.1),
    row(3, strict_label(3, 0.1), strict_average(3, 0.1), "33%", 80.8, 87.4, 86.8, 92.8, 90.0),
)
TARGET = {2: 0.2, 3: 0.1}
"""The threshold that each table is about."""


@dataclass(frozen=True, slots=True)
class Protection:
    """One row of Table 1: the degree of protection against each attacker."""

    model: str
    prosecutor: str
    journalist: str
    marketer: str


TABLE_1 = (
    Protection("k-anonymity", "high", "high", "high"),
    Protection("k-map", "low", "high", "high"),
    Protection("strict-average", "low", "low", "high"),
    Protection("p-uniqueness", "-", "low", "high"),
)

GAINS = {"2-anonymity": (4, 17), "5-anonymity": (7, 20), "10-anonymity": (9, 24)}
"""By how many points p-uniqueness of 1 % improves quality, over all five data sets (section 5.2)."""
