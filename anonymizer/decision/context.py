"""Context: who releases what to whom and why, which no table tells; read from TOML or built in code."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from anonymizer.validation import (
    ONLY_LISTS,
    Name,
    Part,
    Probability,
    expecting,
    one_of,
    read_described,
)

PUBLIC_THRESHOLD = 0.09
"""What EMA's Policy 0070 and Health Canada's guidance name for public release."""
PUBLIC_CLASS = 11
"""The class that this figure stands for: one in eleven is 0.0909."""

EXAMPLE = """
organization = "County Hospital"          # who releases the data
responsible = "A. Jones, data steward"    # who answers for the decision
prepared_by = "B. Chen, statistician"
purpose = "Research on readmissions within 30 days"
recipients = "Anybody: the file is put on the hospital's site"
release_model = "public"                  # or "agreement", "enclave"
legal_basis = "HIPAA, 45 CFR 164.514(b)(1)"
controls = []                             # what binds the recipients, such as "no linkage"
threshold_reason = "0.09, as EMA and Health Canada ask for public release"
acceptable = 0.09                         # how likely anybody may be found, tries included
attempt = 1.0                             # how likely it is that a recipient tries
acquaintance = 1.0                        # that a recipient knows somebody in the data
breach = 1.0                              # that the data get lost
expert = "B. Chen, ten years of disclosure control"
incident = "The file is taken down, and the data protection officer is told"
reidentification = "A study of 2023 on last year's file found nobody"
earlier_releases = "None"
review = "2027-06-30"                     # when to look at it again
"""
"""A context with every key there is."""


class ReleaseModel(StrEnum):
    """How data are released."""

    PUBLIC = "public"
    """Anybody may have them."""
    AGREEMENT = "agreement"
    """Those who sign a data use agreement."""
    ENCLAVE = "enclave"
    """They can be looked at where they are."""


Stated = Annotated[Name, expecting("is not a text that says something; fill it in or leave it out")]


class Context(Part):
    """What a steward states about a release; what is left out shows as not stated."""

    organization: Stated | None = None
    """Who releases the data."""
    responsible: Stated | None = None
    """Who answers for the decision."""
    prepared_by: Stated | None = None
    """Who made the release and this page."""
    purpose: Stated | None = None
    """What the data are released for."""
    recipients: Stated | None = None
    """Who gets the data."""
    release_model: Annotated[ReleaseModel, one_of(ReleaseModel)] | None = None
    """How: to the public, under an agreement, or in an enclave."""
    legal_basis: Stated | None = None
    """The law, policy or guidance that the decision is made under."""
    controls: Annotated[tuple[Stated, ...], ONLY_LISTS] | None = None
    """What binds the recipients; an empty list says that nothing does."""
    threshold_reason: Stated | None = None
    """Why the thresholds of the policy are acceptable here."""
    acceptable: Probability | None = None
    """How likely it may be at most that somebody tries to find a person and does."""
    attempt: Probability | None = None
    """How likely it is that a recipient tries; of a public release, that is certain."""
    acquaintance: Probability | None = None
    """How likely it is that a recipient knows somebody in the data and recognizes them."""
    breach: Probability | None = None
    """How likely it is that the data get lost to somebody who tries."""
    expert: Stated | None = None
    """Who determines the risk, with their knowledge and experience."""
    incident: Stated | None = None
    """What is done if somebody is found."""
    reidentification: Stated | None = None
    """Known attempts to re-identify people in these data or data like them."""
    earlier_releases: Stated | None = None
    """Releases of the same people, with which this one could be combined."""
    review: Stated | None = None
    """When the decision is to be looked at again."""
    folder: Path = Field(Path(), exclude=True)

    @staticmethod
    def read(path: str | Path) -> Context:
        """Read a context from a TOML file, or say everything that is wrong with it."""
        return read_described(Context, path, "context")

    @property
    def public(self) -> bool:
        """Whether anybody may get the data; unless it is stated otherwise, that is assumed."""
        return self.release_model in (None, ReleaseModel.PUBLIC)

    def missing(self) -> Iterator[str]:
        """Name what is not stated."""
        certain = {"attempt", "acquaintance", "breach"} if self.public else set()
        return (
            key for key, value in self.describe().items() if value is None and key not in certain
        )

    def describe(self) -> dict[str, Any]:
        """Return it as JSON; what is not stated is null."""
        return self.model_dump(mode="json")
