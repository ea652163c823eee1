"""Policies: what decides a release, validated and frozen."""

from anonymizer.policy.analysis import ANALYSES, Analysis
from anonymizer.policy.keep import Keep
from anonymizer.policy.parts import Attribute, Data, Machine, Release, Role, Search, Utility
from anonymizer.policy.policy import (
    Policy,
    PolicyLike,
    described_now,
    digest_of_hierarchy,
    renewed_policy,
)
from anonymizer.policy.schema import policy_schema

__all__ = [
    "ANALYSES",
    "Analysis",
    "Attribute",
    "Data",
    "Keep",
    "Machine",
    "Policy",
    "PolicyLike",
    "Release",
    "Role",
    "Search",
    "Utility",
    "described_now",
    "digest_of_hierarchy",
    "policy_schema",
    "renewed_policy",
]
