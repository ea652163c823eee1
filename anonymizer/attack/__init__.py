"""What an adversary can do with a table: how likely each person is found, by whom, and why."""

from anonymizer.attack.assessment import Assessment, assess
from anonymizer.attack.catalogue import load_scenario, shipped_scenarios

__all__ = ["Assessment", "assess", "load_scenario", "shipped_scenarios"]
