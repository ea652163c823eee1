"""Statement: what a steward has to say before anything can be computed, read from TOML or built in code.

Which external sources there are, by which keys they could be linked, how far they overlap with the table,
which values would do harm, and what probability is acceptable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from anonymizer.assessment.procedure.overlap import (
    AttackKind,
    Overlap,
    Proportion,
    parse_proportion,
)
from anonymizer.errors import PolicyError, quote_some, suggest_name
from anonymizer.policy import Part, Policy, Role, describe_fault, read_described

THRESHOLDS = {"general": 0.2, "sensitive": 0.05}
"""What is usually accepted for a public file: 1 in 5, and 1 in 20 where stigma is at stake."""

EXAMPLE = """
id = "patient_id"              # rows with the same id are one person; left out: each row is a person
threshold = "general"          # 0.2; or "sensitive", 0.05; or a number of your own

[sensitive]                    # the values of a column that would do harm if they came out
diagnosis = ["F32", "F33"]

[access]                       # what you would accept where not everybody gets the data
"data use agreement" = 0.5
"data enclave" = 1.0

[[source]]                     # one for each source that people could be looked up in
name = "death register"
keys = ["age", "sex", "state", "year"]
attack = "systematic"          # a file of identified people; or "idiosyncratic", what someone knows
p = 0.12                       # share of the source's people who are in your table; default 1
q = 1.0                        # share of your table's people who are in the source; default 1
without = { state = { q = 0.14 } }      # the overlap once a key is left out, where it changes
levels = { age = 1 }           # the level of the hierarchy on which the source knows a key; default 0
threshold = "sensitive"

[[source]]
name = "newspapers"
keys = ["age", "sex", "state"]
attack = "idiosyncratic"
p = { by = "state", values = { "Ohio" = 0.3 }, default = 0.1 }          # by the value of a key

[[source]]                     # a source that is at hand is linked, and needs no p and q
name = "voter list"
keys = ["age", "sex", "zip"]
table = "voters.csv"
delimiter = ","
columns = { zip = "postcode" } # what the source calls a key
"""
"""A statement with every key there is."""


def parse_threshold(value: object) -> float:
    """Take a number, or the name of a usual threshold."""
    if isinstance(value, str) and value in THRESHOLDS:
        return THRESHOLDS[value]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0 < value <= 1):  # type: ignore[operator]  # it is a number
        names = quote_some(THRESHOLDS)
        raise ValueError(f"{value!r} is no threshold; use {names}, or a number above 0 and up to 1")
    return float(value)  # type: ignore[arg-type]  # it is a number


def parse_values(value: object) -> tuple[str, ...]:
    """Take one value or a list of them, as texts."""
    values = value if isinstance(value, list | tuple) else [value]
    if not values or not all(isinstance(v, str | int) and not isinstance(v, bool) for v in values):
        raise ValueError(
            f"{value!r} does not fit; list the values that would do harm, as in ['yes']"
        )
    return tuple(map(str, values))


Threshold = Annotated[float, BeforeValidator(parse_threshold)]
Share = Annotated[Proportion, BeforeValidator(parse_proportion)]
Values = Annotated[tuple[str, ...], BeforeValidator(parse_values)]


class OverlapWithout(Part):
    """The overlap that is left once a key is left out."""

    p: Share | None = None
    q: Share | None = None


def no_key(part: str, name: str, keys: Sequence[str]) -> str:
    """Say that a name is no key of a source; what is wrong with a part ends without a full stop."""
    return f"{part}: '{name}' is no key of this source; {suggest_name(name, keys).rstrip('.')}"


class ExternalSource(Part):
    """An external source, and the keys it has in common with the table."""

    name: str = Field(min_length=1)
    keys: tuple[str, ...] = Field(min_length=1)
    attack: AttackKind = AttackKind.SYSTEMATIC
    p: Share = Proportion()
    q: Share = Proportion()
    without: dict[str, OverlapWithout] = Field({})
    levels: dict[str, Annotated[int, Field(ge=0)]] = Field({})
    threshold: Threshold | None = None
    table: Path | None = None
    delimiter: str = Field(",", min_length=1, max_length=1)
    columns: dict[str, str] = Field({})

    @model_validator(mode="after")
    def check_keys(self) -> Self:
        """Check that what is said of keys is said of keys of the source."""
        faults = list(self.key_faults())
        overlap = self.model_fields_set & {"p", "q", "without"}
        if self.table is not None and overlap:
            faults.append(
                f"with a table, {quote_some(sorted(overlap))} is not estimated; leave it out"
            )
        if self.table is None and self.columns:
            faults.append("'columns' is about a table; name it under 'table'")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def key_faults(self) -> Iterator[str]:
        """Say which names are no keys of the source."""
        if repeated := sorted({key for key in self.keys if self.keys.count(key) > 1}):
            yield f"keys: {quote_some(repeated)} is named twice; name it once"
        named = {"without": [*self.without], "levels": [*self.levels], "columns": [*self.columns]}
        for part, names in named.items():
            for name in names:
                if name not in self.keys:
                    yield no_key(part, name, self.keys)
        for part, share in (("p", self.p), ("q", self.q)):
            if share.by is not None and share.by not in self.keys:
                yield no_key(part, share.by, self.keys)

    def overlap(self, left_out: Sequence[str] = ()) -> tuple[Proportion, Proportion]:
        """Return p and q, as they are once some keys are left out."""
        p, q = self.p, self.q
        for key in left_out:
            if key in self.without:
                p = self.without[key].p or p
                q = self.without[key].q or q
        return p, q

    def largest_overlap(self) -> Overlap:
        """Return p and q where they are highest."""
        p, q = (max([share.default, *share.values.values()]) for share in (self.p, self.q))
        return Overlap(p, q)


class Statement(Part):
    """All that a steward states about a table.

    >>> statement = Statement(source=[{"name": "voters", "keys": ["age"], "p": 0.5}])
    >>> statement.source[0].p.default, statement.threshold
    (0.5, 0.2)
    """

    source: tuple[ExternalSource, ...] = ()
    id: str | None = None
    threshold: Threshold = THRESHOLDS["general"]
    sensitive: dict[str, Values] = Field({})
    access: dict[str, Threshold] = Field({"data enclave": 1.0})
    folder: Path = Field(Path(), exclude=True)
    """What the paths are relative to."""

    def __init__(self, **keys: Any) -> None:
        try:
            super().__init__(**keys)
        except ValidationError as error:
            raise PolicyError.defective("statement", list_faults(error)) from None

    @staticmethod
    def read(path: str | Path) -> Statement:
        """Read a statement from a TOML file, or say everything that is wrong with it."""
        return read_described(Statement, path, "statement")

    @model_validator(mode="after")
    def check_names(self) -> Self:
        """Check that there are sources, and that no two have one name."""
        if not self.source:
            raise ValueError("source: no source is given; add a [[source]] table for each")
        names = [source.name for source in self.source]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(
                f"source: {quote_some(repeated)} is the name of two sources; rename one"
            )
        return self

    @property
    def files(self) -> list[Path]:
        """The tables it names, none of which may be overwritten."""
        return [self.folder / source.table for source in self.source if source.table is not None]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that are looked at."""
        keys = [key for source in self.source for key in source.keys]
        names = [*keys, *self.sensitive, *([] if self.id is None else [self.id])]
        return tuple(dict.fromkeys(names))

    def threshold_of(self, source: ExternalSource) -> float:
        """Return what probability is acceptable for a source."""
        return self.threshold if source.threshold is None else source.threshold

    def check_against(self, policy: Policy) -> None:
        """Raise a PolicyError that lists every name that is no column of the policy's table."""
        known = tuple(policy.attributes)
        faults = []
        for number, source in enumerate(self.source):
            faults += [
                f"source.{number}.keys: '{key}' is no column; {suggest_name(key, known)}"
                for key in source.keys
                if key not in known
            ]
            faults += list(level_faults(f"source.{number}", source, policy))
            if self.id in source.keys:
                faults.append(
                    f"source.{number}.keys: '{self.id}' is the id; a key is known to others."
                )
        faults += [
            f"sensitive: '{name}' is no column; {suggest_name(name, known)}"
            for name in self.sensitive
            if name not in known
        ]
        if self.id is not None and self.id not in known:
            faults.append(f"id: '{self.id}' is no column; {suggest_name(self.id, known)}")
        if faults:
            raise PolicyError.defective("statement", faults)


def level_faults(where: str, source: ExternalSource, policy: Policy) -> Iterator[str]:
    """Check that keys known on a coarser level have a hierarchy with that level."""
    for key, level in source.levels.items():
        if key not in policy.attributes or not level:
            continue
        if policy.attributes[key].role is not Role.QUASI:
            yield f"{where}.levels: '{key}' has no hierarchy in the policy; leave it out."
        elif level >= (height := policy.hierarchy(key).height):
            yield (
                f"{where}.levels: '{key}' has levels 0 to {height - 1}, not {level}; choose one of "
                "these."
            )


def close(sentence: str) -> str:
    """End a sentence with one mark.

    >>> close("use it"), close("did you mean it?.")
    ('use it.', 'did you mean it?')
    """
    text = sentence.rstrip(".")
    return text if text.endswith("?") else f"{text}."


PARTS: dict[str, type[Part]] = {"without": OverlapWithout, "source": ExternalSource}


def list_faults(error: ValidationError) -> list[str]:
    """Write every fault as one sentence that begins with the key."""
    faults = []
    for fault in error.errors():
        where = ".".join(map(str, fault["loc"]))
        text = unknown_key(fault["loc"]) if fault["type"] == "extra_forbidden" else ""
        text = text or close(describe_fault(fault))
        faults.append(f"{where}: {text}" if where else text)
    return list(dict.fromkeys(faults))


def unknown_key(place: Sequence[int | str]) -> str:
    """Say that a key is unknown, and which was meant."""
    inside: Mapping[str, Any] = Statement.model_fields
    for name, part in PARTS.items():
        if name in place[:-1]:
            inside = part.model_fields
            break
    keys = [key for key in inside if key != "folder"]
    return f"this key is unknown; {suggest_name(str(place[-1]), keys)}"
