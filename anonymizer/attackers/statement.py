"""Statement: what a steward has to say before anything can be computed, read from TOML or built in code.

It names the external sources, the keys for linking them, their overlap with the table, the values that
would do harm, and the acceptable probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from anonymizer.attackers.overlap import (
    AttackKind,
    Overlap,
    PeopleShare,
    Proportion,
)
from anonymizer.errors import quote, quote_some, suggest_name
from anonymizer.validation import (
    NOT_EMPTY,
    ONLY_LISTS,
    ByName,
    CellText,
    Delimiter,
    FilePath,
    Level,
    Name,
    Names,
    Part,
    Text,
    check_as_whole,
    expecting,
    explain_dots,
    one_of,
    raise_faults,
    read_described,
)

SMALL_CELL = 5
"""A cell of so many people may give a sensitive value away; a larger one is a crowd."""
THRESHOLDS = {"general": 0.2, "sensitive": 0.05}
"""What is usually accepted for a public file: 1 in 5, and 1 in 20 where stigma is at stake."""

EXAMPLE = """
id = "patient_id"              # rows with the same id are one person; left out: the policy's id
threshold = "general"          # 0.2; or "sensitive", 0.05; or a number of your own

most = 1.0                     # a cell gives a value away if so large a share of its people has it
given_away = "counted"         # or "none": the risk model `sources` lets no small cell give one away

[sensitive]                    # the values of a column that would do harm if disclosed
diagnosis = ["F32", "F33"]

[outcome]                      # the values that an analysis needs: dropping such records costs most
readmitted = ["yes"]

[access]                       # what you would accept where not everybody gets the data
"data use agreement" = 0.5
"data enclave" = 1.0

[[source]]                     # one for each source that people could be looked up in
name = "death register"
keys = ["age", "sex", "state", "year"]
attack = "systematic"          # a file of identified people; or "idiosyncratic", what someone knows
p = 0.12                       # share of the source's people who are in your table; default 1
q = 1.0                        # share of your table's people who are in the source; default 1
without = { state = { q = 0.14 } }      # the overlap once a key is left out; of several, the largest
levels = { age = 1 }           # the level of the hierarchy on which the source knows a key; default 0
threshold = "sensitive"
knows = ["diagnosis"]          # sensitive columns that it has already: no disclosure to it

[[source]]
name = "newspapers"
keys = ["age", "sex", "state"]
attack = "idiosyncratic"
p = { by = "state", probabilities = { "Ohio" = 0.3 }, default = 0.1 }   # by the value of a key

[[source]]                     # a source that is at hand is linked, and needs no p and q
name = "voter list"
keys = ["age", "sex", "zip"]
path = "voters.csv"
delimiter = ","
names = { zip = "postcode" }   # what the source calls a key
id = "voter_id"                # rows with the same id are one person; left out: each row is a person
"""
"""A statement with every key there is."""


def parse_threshold(value: object) -> object:
    """Take a number, or the name of a usual threshold."""
    return THRESHOLDS.get(value, value) if isinstance(value, str) else value


def parse_values(value: object) -> object:
    """Take one value for a list of it."""
    return value if isinstance(value, list | tuple) else [value]


Threshold = Annotated[
    float,
    Field(strict=True, gt=0, le=1),
    expecting(f"is not a threshold; use {quote_some(THRESHOLDS)}, or a number above 0 and up to 1"),
    BeforeValidator(parse_threshold),
]
Values = Annotated[
    tuple[CellText, ...],
    BeforeValidator(parse_values),
    NOT_EMPTY,
    expecting("is not a list of values; list those that would do harm, as in ['yes']"),
]


Majority = Annotated[
    float,
    Field(strict=True, gt=0.5, le=1),
    expecting("is not most of a cell; use a number above 0.5 and up to 1, which is everyone"),
]


class OverlapWithout(Part):
    """The overlap that is left once a key is left out."""

    p: PeopleShare | None = None
    q: PeopleShare | None = None


class ExternalSource(Part):
    """An external source, and the keys it has in common with the table."""

    name: Name
    keys: Names
    attack: Annotated[AttackKind, one_of(AttackKind)] = AttackKind.SYSTEMATIC
    p: PeopleShare = Proportion()
    q: PeopleShare = Proportion()
    without: Annotated[dict[Text, OverlapWithout], explain_dots(OverlapWithout.model_fields)] = (
        Field({})
    )
    levels: ByName[Level] = Field({})
    threshold: Threshold | None = None
    knows: Annotated[tuple[Text, ...], ONLY_LISTS] = ()
    """Sensitive columns that the source has already: whoever uses it learns nothing new of them."""
    path: FilePath | None = None
    delimiter: Delimiter | None = None
    names: ByName[Text] = Field({})
    id: Text | None = None
    """The column of the table that tells whose a row is; None where each row is a person."""

    @field_validator("p", "q")
    @classmethod
    def check_by(cls, share: Proportion, info: ValidationInfo) -> Proportion:
        """Check that a share depends on a key of the source."""
        raise_faults(unknown_keys([] if share.by is None else [share.by], info))
        return share

    @field_validator("without", "levels", "names")
    @classmethod
    def check_keys(cls, table: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        """Check that what is said of keys is said of keys of the source."""
        raise_faults(unknown_keys(table, info))
        return table

    @model_validator(mode="after")
    def check_table(self) -> Self:
        """Check that a source with a table has no overlap, and one without no names and no id."""
        overlap = self.model_fields_set & {"p", "q", "without"}
        if self.path is not None and overlap:
            raise ValueError(
                f"with a table, {quote_some(sorted(overlap))} is not estimated; leave it out"
            )
        about_table = self.model_fields_set & {"names", "id"}
        if self.path is None and about_table:
            raise ValueError(
                f"{quote_some(sorted(about_table))} is about a table; name it under 'path'"
            )
        return self

    def overlap(
        self, left_out: Sequence[str] = ()
    ) -> tuple[tuple[Proportion, ...], tuple[Proportion, ...]]:
        """Return p and q, as they are once some keys are left out.

        Where it is stated for several of these keys, all that is stated: the largest counts.
        """
        without = [self.without[key] for key in left_out if key in self.without]
        p = tuple(overlap.p for overlap in without if overlap.p is not None)
        q = tuple(overlap.q for overlap in without if overlap.q is not None)
        return p or (self.p,), q or (self.q,)

    def learns(self, column: str) -> bool:
        """Whether a column would be new to whoever uses the source: it is neither a key nor known."""
        return column not in self.keys and column not in self.knows

    def shares(self) -> Iterator[Proportion]:
        """Go through p and q, as they are with all keys and once some are left out."""
        yield from (self.p, self.q)
        for overlap in self.without.values():
            yield from (share for share in (overlap.p, overlap.q) if share is not None)

    def level_faults(self, heights: Mapping[str, int]) -> Iterator[str]:
        """Say which keys are stated on a level that their hierarchy, of so many levels, does not have."""
        for key, level in self.levels.items():
            if level >= heights.get(key, level + 1):
                yield f"'{key}' has levels 0 to {heights[key] - 1}, not {level}; choose one of these."

    def largest_overlap(self, left_out: Sequence[str] = ()) -> Overlap:
        """Return p and q where they are highest."""
        p, q = (max(share.largest for share in shares) for shares in self.overlap(left_out))
        return Overlap(p, q)


def unknown_keys(names: Iterable[str], info: ValidationInfo) -> Iterator[str]:
    """Say which names are not keys of the source, where its keys are sound."""
    keys = info.data.get("keys", names)
    for name in names:
        if name not in keys:
            yield f"{quote(name)} is not a key of this source; {suggest_name(name, keys)}"


def check_sources(value: object) -> Iterator[str]:
    """Check that there are sources, and that no two have one name."""
    if not isinstance(value, list | tuple):
        return
    if not value:
        yield "no source is given; add a [[source]] table for each"
    # `keys` of a source are its keys: dict() would call them
    tables = [
        each if isinstance(each, Mapping) else vars(each)
        for each in value
        if isinstance(each, Mapping | ExternalSource)
    ]
    names = Counter(name for each in tables if isinstance(name := each.get("name"), str))
    if repeated := [name for name, times in names.items() if times > 1]:
        yield f"{quote_some(repeated)} is the name of two sources; rename one"


class Statement(Part):
    """All that a steward states about a table.

    >>> statement = Statement(source=[{"name": "voters", "keys": ["age"], "p": 0.5}])
    >>> statement.source[0].p.default, statement.threshold
    (0.5, 0.2)
    """

    source: Annotated[tuple[ExternalSource, ...], ONLY_LISTS, check_as_whole(check_sources)] = ()
    id: Text | None = None
    threshold: Threshold = THRESHOLDS["general"]
    sensitive: ByName[Values] = Field({})
    most: Majority = 1.0
    """The share of a small cell's people with a sensitive value from which on the cell gives it away."""
    given_away: Literal["counted", "none"] = "counted"
    """Whether the model `sources` also refuses small cells that give a sensitive value away."""
    outcome: ByName[Values] = Field({})
    """The values of a column that an analysis needs: a plan says how many records with them it drops."""
    access: ByName[Threshold] = Field({"data enclave": 1.0})
    folder: Path = Field(Path(), exclude=True)
    """What the paths are relative to."""

    @model_validator(mode="after")
    def check_known(self) -> Self:
        """Check that what sources know is sensitive, and that what is refused can be."""
        for source in self.source:
            if unknown := [name for name in source.knows if name not in self.sensitive]:
                raise ValueError(
                    f"'{source.name}' knows '{unknown[0]}', which is no sensitive column and says "
                    "nothing; leave it out, or name it under [sensitive]"
                )
        if self.given_away == "none":
            raise_faults(self.faults_of_refusal())
        return self

    def faults_of_refusal(self) -> Iterator[str]:
        """Say why small cells that give something away cannot be refused."""
        if not self.sensitive:
            yield "given_away is none, and no value is sensitive; name some under [sensitive]"
        if self.most < 1:
            yield (
                'given_away = "none" is for values that everyone of a cell has, and most is '
                f"{self.most:g}; leave out most"
            )
        if named := [source.name for source in self.source if source.path is not None]:
            yield (
                f'given_away = "none" asks for p and q of every source, and {quote_some(named)} has a '
                "table; leave out path"
            )

    @staticmethod
    def read(path: str | Path) -> Statement:
        """Read a statement from a TOML file, or say everything that is wrong with it."""
        return read_described(Statement, path, "statement")

    @property
    def files(self) -> list[Path]:
        """The tables it names, none of which may be overwritten."""
        return [self.folder / source.path for source in self.source if source.path is not None]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that are looked at."""
        keys = [key for source in self.source for key in source.keys]
        names = [*keys, *self.sensitive, *self.outcome, *([] if self.id is None else [self.id])]
        return tuple(dict.fromkeys(names))

    def threshold_of(self, source: ExternalSource) -> float:
        """Return what probability is acceptable for a source."""
        return self.threshold if source.threshold is None else source.threshold
