"""Where an attacker may learn attributes of a person, and how likely they learn each.

A source is a social network, a register, a newspaper: the share of people who are in it (usage), and for
each attribute the share of these who disclose it there. Sources and attributes are taken as independent
(equations 4 and 5 of the naive re-identification framework).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic.dataclasses import dataclass

from anonymizer.attackers.statement import Threshold
from anonymizer.data.opening import describe_header, end_sentence, guess_delimiter, is_shown
from anonymizer.data.table import Table
from anonymizer.errors import PolicyError, quote, quote_some, suggest_name
from anonymizer.validation import (
    CHECKED,
    ONLY_LISTS,
    ByName,
    Count,
    Delimiter,
    FilePath,
    Part,
    Place,
    Probability,
    Text,
    explain_dots,
    parse,
    plain_errors,
    read_toml,
    validate_also,
)

EXAMPLE = """
threshold = 0.09                                 # nobody may be found with a higher probability
id = "patient_id"                                # whose a row is; left out: the policy's id
disclosure = { age = 0.216, gender = 0.7629 }    # the share of users who disclose it, in every source
# what is out there, to count who is unique in it; values may be of another level of their hierarchy
external = { path = "profiles.csv", delimiter = ";", id = "user", names = { age = "age_group" } }

[[source]]
name = "Twitter"
usage = 0.19                                     # the share of people who are in it

[[source]]
name = "Facebook"
usage = 0.58
# and here also this; a rate may follow from counts: of the sentences that mention it, those that say
# that the writer has it, over the share of people who have it
disclosure = { location = 0.193, asthma = { candidates = 1200, disclosing = 30, prevalence = 0.08 } }
"""
"""Sources with every key there is."""

NO_ATTRIBUTE = "no attribute is named; write a rate for each that is disclosed"

Floats = NDArray[np.float64]


@plain_errors()
@dataclass(frozen=True, slots=True, config=CHECKED)
class Source:
    """A place where people disclose attributes, with the probabilities that they do.

    >>> Source("Twitter", 0.19, {"age": 0.216}).likelihood("age")
    0.04104
    """

    name: Text
    usage: Probability
    """The share of people who are in it."""
    disclosure: ByName[Probability] = field(hash=False)
    """The share of these who disclose an attribute; one that is not named is never disclosed."""

    @field_validator("disclosure")
    @classmethod
    def check_some(cls, rates: dict[str, float]) -> dict[str, float]:
        """Check that something is disclosed."""
        if not rates:
            raise ValueError(NO_ATTRIBUTE)
        return rates

    def likelihood(self, attribute: str) -> float:
        """Return the probability that a random person's attribute is disclosed here."""
        return self.usage * self.disclosure.get(attribute, 0.0)

    def describe(self) -> dict[str, Any]:
        """Return the source as TOML has it."""
        return {"name": self.name, "usage": self.usage, "disclosure": dict(self.disclosure)}


class Mentions(Part):
    """Counts of posts about a condition, for the share of those with it who say so."""

    candidates: Count
    """Sentences that mention it."""
    disclosing: Annotated[int, Field(strict=True, ge=0)]
    """Those that say that the writer has it."""
    prevalence: Annotated[float, Field(gt=0, le=1)]
    """The share of people who have it."""
    truthful: Probability = 1.0
    """How often such a sentence is true."""

    @model_validator(mode="after")
    def check_rate(self) -> Self:
        """Check that the counts make a probability."""
        if self.disclosing > self.candidates:
            raise ValueError(
                f"{self.disclosing} sentences disclose it, of {self.candidates} that mention it; check "
                "the counts"
            )
        if self.rate > 1:
            raise ValueError(
                f"they make a rate of {self.rate:.3g}, above 1: more disclose it than have it; check the "
                "counts and the prevalence"
            )
        return self

    @property
    def rate(self) -> float:
        """P(Z|x) = P(x|Z) P(Z) / P(x), with P(Z) = disclosing / candidates (equations 6 to 8)."""
        return self.truthful * (self.disclosing / self.candidates) / self.prevalence


def parse_rate(value: object) -> object:
    """Take a rate, or the counts that it follows from.

    >>> parse_rate({"candidates": 100, "disclosing": 5, "prevalence": 0.1})
    0.5
    """
    if not isinstance(value, Mapping):
        return value
    try:
        return parse(Mentions, dict(value)).rate
    except PolicyError as error:
        raise ValueError("; ".join(fault.rstrip(".") for fault in error.faults)) from None


Rate = Annotated[Probability, BeforeValidator(parse_rate)]
Rates = Annotated[dict[Text, Rate], explain_dots(Mentions.model_fields)]
"""The share of users who disclose each attribute."""


def disclosure_likelihood(sources: Sequence[Source], attributes: Sequence[str]) -> Floats:
    """Return for each attribute the probability that it is disclosed in at least one source.

    >>> twice = [Source("one", 0.5, {"age": 0.5}), Source("other", 0.5, {"age": 1.0})]
    >>> disclosure_likelihood(twice, ["age", "sex"]).tolist()
    [0.625, 0.0]
    """
    return np.array([likelihood_of(sources, attribute) for attribute in attributes])


def likelihood_of(sources: Sequence[Source], attribute: str) -> float:
    """Return the probability that an attribute is disclosed in at least one source."""
    each = [source.likelihood(attribute) for source in sources]
    if max(each, default=0.0) >= 1:
        return 1.0
    return 0.0 - math.expm1(math.fsum(math.log1p(-one) for one in each))


def subset_likelihood(likelihoods: Floats) -> Floats:
    """Return for each subset the probability that just its attributes are disclosed.

    Bit i of a subset's number stands for attribute i.

    >>> subset_likelihood(np.array([0.5, 0.25])).tolist()  # nothing, the first, the second, both
    [0.375, 0.375, 0.125, 0.125]
    """
    exactly = np.ones(1)
    for likelihood in likelihoods:
        exactly = np.concatenate([exactly * (1 - likelihood), exactly * likelihood])
    return exactly


def named_attributes(sources: Sequence[Source]) -> tuple[str, ...]:
    """List the attributes that the sources disclose, each once."""
    return tuple(dict.fromkeys(name for source in sources for name in source.disclosure))


class ExternalTable(Part):
    """A table of what is disclosed, in which E-uniqueness is counted."""

    path: FilePath
    delimiter: Delimiter | None = None
    names: ByName[Text] = Field({})
    """Its own names of our attributes, where they differ."""
    id: Text | None = None
    """The column that tells whose each row is."""


@plain_dataclass(frozen=True, slots=True)
class Disclosing:
    """The sources in which people disclose attributes, and the questions about them."""

    sources: tuple[Source, ...]
    threshold: float | None = None
    """The highest risk of a person that is accepted; None where no verdict is asked for."""
    id: str | None = None
    """The column that tells whose each row is."""
    external: ExternalTable | None = None
    folder: Path = Path()
    """What the path of the external table is relative to."""

    @property
    def columns(self) -> list[str]:
        """The columns of our table that are looked at."""
        return [*named_attributes(self.sources), *([] if self.id is None else [self.id])]

    @property
    def files(self) -> list[Path]:
        """The files that are named."""
        return [] if self.external is None else [self.folder / self.external.path]


def read_disclosing(path: str | Path) -> Disclosing:
    """Read a file of sources, or say everything that is wrong with it."""
    return parse_disclosing(read_toml(path, "sources"), str(path), Path(path).parent)


def parse_disclosing(
    keys: Mapping[str, Any], where: str = "sources", folder: Path = Path()
) -> Disclosing:
    """Take the keys of a file of sources; `disclosure` beside them holds for all sources."""
    file = parse(SourcesFile, dict(keys), where)
    sources = tuple(
        Source(source.name, source.usage, {**file.disclosure, **source.disclosure})
        for source in file.source
    )
    return Disclosing(sources, file.threshold, file.id, file.external, folder)


def read_sources(path: str | Path) -> tuple[Source, ...]:
    """Read sources from a TOML file, or say everything that is wrong with it."""
    return read_disclosing(path).sources


class SourceTable(Part):
    """A source as it is written in a file; what all sources disclose may be written once."""

    name: Text
    usage: Probability
    disclosure: Rates = Field({})


class SourcesFile(Part):
    """What a file of sources holds."""

    threshold: Threshold | None = None
    """The highest risk of a person that is accepted."""
    id: Text | None = None
    """The column that tells whose each row is, where a person has several."""
    disclosure: Rates = Field({})
    external: ExternalTable | None = None
    source: Annotated[tuple[SourceTable, ...], ONLY_LISTS] = ()

    @field_validator("source", mode="wrap")
    @classmethod
    def check_sources(
        cls, value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> Any:
        """Check the sources together, too, and even where some of them are not sound."""
        tables = value if isinstance(value, list | tuple) else [None]
        faults = [*shared_names(tables), *silent_sources(tables, info.data.get("disclosure", True))]
        return validate_also(value, handler, faults)


def shared_names(tables: Sequence[object]) -> Iterator[tuple[Place, str]]:
    """Check that there are sources, and that no two have one name."""
    if not tables:
        yield (), "no source is given; add a [[source]] table"
    names = [table.get("name") for table in tables if isinstance(table, Mapping)]
    for name, times in Counter(name for name in names if isinstance(name, str)).items():
        if times > 1:
            yield (), f"the name {quote(name)} is given twice; each source has its own"


def silent_sources(tables: Sequence[object], common: object) -> Iterator[tuple[Place, str]]:
    """Check that each source discloses something, if only what all do."""
    for number, table in enumerate(tables):
        if not common and isinstance(table, Mapping) and table.get("disclosure", {}) == {}:
            yield (number, "disclosure"), NO_ATTRIBUTE


def check_named(sources: Sequence[Source], table: Table) -> None:
    """Raise a PolicyError unless there are sources, and the table has all that they disclose."""
    if not sources:
        raise PolicyError("no source is given; name at least one, or there is no risk to compute.")
    named = named_attributes(sources)
    faults = [
        f"disclosure: {table.name} has no column '{name}'; {propose(name, table, named)}"
        for name in named
        if name not in table.columns
    ]
    if faults:
        raise PolicyError.defective("sources", faults)


def propose(name: str, table: Table, expected: Sequence[str]) -> str:
    """Propose the column that was meant, or list them."""
    if not is_shown(table, expected):
        return end_sentence(describe_header(table, expected))
    if delimiter := guess_delimiter(table):
        return f"its columns are {quote_some(table.columns, most=20)}{delimiter}"
    return suggest_name(name, table.columns, most=20)
