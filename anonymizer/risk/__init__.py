"""Risk models: which classes must go, and what risk remains."""

from importlib.metadata import entry_points

from anonymizer.knowledge.scenario import AttributeGroup, Scenario
from anonymizer.risk.average import Average, StrictAverage
from anonymizer.risk.k_anonymity import KAnonymity
from anonymizer.risk.k_map import KMap
from anonymizer.risk.model import (
    Binding,
    ClassModel,
    Histogram,
    Monotone,
    Need,
    Remaining,
    RiskModel,
    TableModel,
)
from anonymizer.risk.overall import Overall
from anonymizer.risk.profile import Attacker, PopulationModel, RiskProfile, profile
from anonymizer.risk.uniqueness import PUniqueness, SampleUniqueness

MODELS: dict[str, type[RiskModel]] = {
    model.name: model
    for model in (KAnonymity, KMap, Average, StrictAverage, SampleUniqueness, PUniqueness, Overall)
}
"""The models a policy can ask for, by name."""

ENTRY_POINTS = "anonymizer.risk_models"
"""The group in which other packages announce models of their own."""


def known_models() -> dict[str, type[RiskModel]]:
    """Return the models by name: ours, and those that installed packages announce."""
    announced = {point.name: point.load() for point in entry_points(group=ENTRY_POINTS)}
    return MODELS | announced


__all__ = [
    "ENTRY_POINTS",
    "MODELS",
    "Attacker",
    "AttributeGroup",
    "Average",
    "Binding",
    "ClassModel",
    "Histogram",
    "KAnonymity",
    "KMap",
    "Monotone",
    "Need",
    "Overall",
    "PUniqueness",
    "PopulationModel",
    "Remaining",
    "RiskModel",
    "RiskProfile",
    "SampleUniqueness",
    "Scenario",
    "StrictAverage",
    "TableModel",
    "known_models",
    "profile",
]
