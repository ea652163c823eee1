"""Risk models: which classes must go, and what risk remains."""

from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.risk.average import Average, StrictAverage
from anonymizer.risk.beta_likeness import BetaLikeness
from anonymizer.risk.delta_disclosure import DeltaDisclosure
from anonymizer.risk.delta_presence import DeltaPresence
from anonymizer.risk.distinct_l import DistinctL
from anonymizer.risk.entropy_l import EntropyL
from anonymizer.risk.expected_uniques import ExpectedUniques
from anonymizer.risk.inputs import Inputs, Population
from anonymizer.risk.k_anonymity import KAnonymity
from anonymizer.risk.k_map import KMap
from anonymizer.risk.model import (
    ClassModel,
    Estimates,
    ModelKind,
    RiskModel,
    TableModel,
)
from anonymizer.risk.nrf import NRF
from anonymizer.risk.overall import Overall
from anonymizer.risk.parameters import Direction, Parameter
from anonymizer.risk.profile import Attacker, PopulationModel, RiskProfile, profile
from anonymizer.risk.recursive_cl import RecursiveCL
from anonymizer.risk.registry import (
    ENTRY_POINTS,
    MODELS,
    check_name,
    find_model,
    known_models,
    packages_of,
)
from anonymizer.risk.remaining import Binding, Histogram, Remaining
from anonymizer.risk.sizes import Sizes
from anonymizer.risk.sources import Sources
from anonymizer.risk.t_closeness import TCloseness
from anonymizer.risk.uniqueness import PUniqueness, SampleUniqueness

__all__ = [
    "ENTRY_POINTS",
    "MODELS",
    "NRF",
    "Attacker",
    "AttributeGroup",
    "Average",
    "BetaLikeness",
    "Binding",
    "ClassModel",
    "DeltaDisclosure",
    "DeltaPresence",
    "Direction",
    "DistinctL",
    "EntropyL",
    "Estimates",
    "ExpectedUniques",
    "Histogram",
    "Inputs",
    "KAnonymity",
    "KMap",
    "ModelKind",
    "Overall",
    "PUniqueness",
    "Parameter",
    "Population",
    "PopulationModel",
    "RecursiveCL",
    "Remaining",
    "RiskModel",
    "RiskProfile",
    "SampleUniqueness",
    "Scenario",
    "Sizes",
    "Sources",
    "StrictAverage",
    "TCloseness",
    "TableModel",
    "check_name",
    "find_model",
    "known_models",
    "packages_of",
    "profile",
]
