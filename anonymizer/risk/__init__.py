"""Risk models: which classes must go, and what risk remains."""

from anonymizer.risk.k_anonymity import KAnonymity
from anonymizer.risk.model import RiskModel
from anonymizer.risk.profile import RiskProfile, profile

MODELS: dict[str, type[RiskModel]] = {KAnonymity.name: KAnonymity}
"""The models a policy can ask for, by name."""

__all__ = ["MODELS", "KAnonymity", "RiskModel", "RiskProfile", "profile"]
