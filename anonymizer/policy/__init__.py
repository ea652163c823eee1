"""Policies: what decides a release, validated and frozen."""

from anonymizer.policy.analysis import ANALYSES, Analysis
from anonymizer.policy.parts import Attribute, Data, Release, Role, Search, Utility
from anonymizer.policy.policy import Policy, PolicyLike, digest_of_hierarchy
from anonymizer.policy.schema import policy_schema

__all__ = [
    "ANALYSES",
    "Analysis",
    "Attribute",
    "Data",
    "Policy",
    "PolicyLike",
    "Release",
    "Role",
    "Search",
    "Utility",
    "digest_of_hierarchy",
    "policy_schema",
]
