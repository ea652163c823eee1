"""The parts of a policy: where the table is, what its columns are, and what may be done with it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from enum import StrEnum
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from anonymizer.data.engines.opening import PASSWORD, holds_secret, is_database
from anonymizer.data.opening import TableLike, open_table
from anonymizer.data.release import FileKind
from anonymizer.data.table import Table
from anonymizer.errors import HierarchyError, quote_some, suggest_name
from anonymizer.hierarchy import Builder, DateFormat, Elapsed, Hierarchy
from anonymizer.hierarchy.spec import make_inline
from anonymizer.policy.analysis import Columns
from anonymizer.utility import EVEN, MEASURES, Aggregate, parameters_of
from anonymizer.validation import (
    FROM_NUMPY,
    Count,
    Delimiter,
    Encoding,
    FilePath,
    Flag,
    Level,
    Number,
    Part,
    Text,
    one_of,
    show,
)

MEMORY = re.compile(r"([1-9]\d*(?:\.\d+)?) ?([KMGT])(i?)B")


class Role(StrEnum):
    """What a column is to an attacker."""

    IDENTIFYING = "identifying"
    """Names the person; removed."""
    REMOVED = "removed"
    """Names nobody, but tells too much beside the others; removed."""
    QUASI = "quasi"
    """Known to others; generalized."""
    SENSITIVE = "sensitive"
    """Worth knowing; kept."""
    INSENSITIVE = "insensitive"
    """Neither; kept."""

    @property
    def dropped(self) -> bool:
        """Whether no release has such a column."""
        return self in (Role.IDENTIFYING, Role.REMOVED)


class Located(Part):
    """Where a table is, and how it is read."""

    path: FilePath | None = None
    """A file, a folder of files or a path with wildcards, or a DuckDB database."""
    url: Text | None = None
    """Where a database is, without a password, such as postgres://host/name."""
    table: Text | None = None
    """The table of a database."""
    delimiter: Delimiter | None = None
    """Of a CSV file; found in its header where it is not stated."""
    encoding: Encoding | None = None
    """Of a CSV file; UTF-8 or what its first bytes say where it is not stated."""
    sheet: Text | None = None
    """Of an Excel file that has several."""
    default_role: Annotated[Role, one_of(Role)] | None = None
    """The role of the columns that [attributes] does not name; left out: each must be named."""

    @field_validator("url")
    @classmethod
    def check_url(cls, url: str | None, info: ValidationInfo) -> str | None:
        """Check that an address holds no password, and that there is no path beside it."""
        if url is not None and holds_secret(url):
            raise ValueError(PASSWORD)
        if url is not None and info.data.get("path") is not None:
            raise ValueError("the table has a path already; remove one of them")
        return url

    @field_validator("table")
    @classmethod
    def check_table(cls, table: str | None, info: ValidationInfo) -> str | None:
        """Check that a table is named only where there is a database."""
        path = info.data.get("path")
        if table is not None and info.data.get("url") is None and path and not is_database(path):
            raise ValueError(f"{path} is not a database; leave it out")
        return table

    @field_validator("default_role")
    @classmethod
    def check_default(cls, role: Role | None) -> Role | None:
        """Check that the role needs nothing that only a named column has."""
        if role is Role.QUASI:
            raise ValueError("a quasi-identifier needs a hierarchy; name it in [attributes]")
        return role

    def open(self, data: TableLike, memory: str | None = None, writable: bool = False) -> Table:
        """Open the table to anonymize; its database is `writable` where the release goes there too."""
        own = (self.delimiter, self.encoding, self.sheet, self.table)
        return open_table(data, *own, memory, writable)

    def open_release(self, released: TableLike, memory: str | None = None) -> Table:
        """Open a release, which has the delimiter of the original, but is always in UTF-8."""
        return open_table(released, self.delimiter, memory=memory)


class Data(Located):
    """Where the table is, and who its people are."""

    id: Text | None = None
    """The column that tells whose each row is, where a person has several."""
    rows_are_people: Flag = False
    """Each row is a person of their own, even if a column looks as if it told whose it is."""
    sample: Annotated[Number, Field(gt=0, le=1)] = 1.0
    """The probability with which each person is drawn before anything else; 1 is everybody."""
    weight: Text | None = None
    """The column with the sampling weight of each row: how many people it stands for. Frequencies of a
    comparison and of evidence are weighted by it, and `k-map` with the estimator "survey" reads it."""

    @field_validator("rows_are_people")
    @classmethod
    def check_people(cls, rows: bool, info: ValidationInfo) -> bool:
        """Check that no column is said to tell whose a row is."""
        if rows and info.data.get("id") is not None:
            raise ValueError("it contradicts id, by which a person may have several; remove one")
        return rows

    def describe(self) -> dict[str, Any]:
        """Return what decides a release, as JSON: no paths."""
        default = None if self.default_role is None else self.default_role.value
        sample = None if self.sample == 1 else self.sample
        rows = self.rows_are_people or None
        keys = {"id": self.id, "rows_are_people": rows, "default_role": default, "sample": sample}
        keys["weight"] = self.weight
        return {key: value for key, value in keys.items() if value is not None}

    def open_beside(self, data: TableLike) -> Table:
        """Open a table that comes with the data, such as a population; it has sheets of its own."""
        return open_table(data, self.delimiter, self.encoding)


def parse_hierarchy(value: object) -> Hierarchy | Builder | Path | None:
    """Take a hierarchy, the path of one, or what makes one: a builder, a spec, groups or cut points."""
    if value is None or isinstance(value, Hierarchy | Builder):
        return value
    if isinstance(value, str | Path) and str(value) and "\0" not in str(value):
        return Path(value)
    if isinstance(value, Mapping | list | tuple):
        try:
            return make_inline(value)
        except HierarchyError as error:
            raise ValueError(" ".join(error.faults) or str(error)) from None
    raise ValueError(
        f"{show(value)} is not a hierarchy; give the path of a .toml or .csv file, a table of groups "
        "or a list of cut points"
    )


OWN_KEYS: dict[Role, set[str]] = {
    Role.SENSITIVE: {"hierarchy", "shift"},
    Role.INSENSITIVE: {"shift", "format"},
}
"""The keys that columns of a role may have beside it and the reason; a quasi-identifier has all."""


class Attribute(Part):
    """What one column is, and for a quasi-identifier, what it may become."""

    role: Annotated[Role, one_of(Role)]
    since: Text | None = None
    """Of a date of a child table: count days from this column of the people table, or from the "first"
    event of the person; the hierarchy is then one of days, `elapsed` unless another is named."""
    hierarchy: Annotated[
        Any,
        BeforeValidator(parse_hierarchy),
        WithJsonSchema({"anyOf": [{"type": kind} for kind in ("string", "object", "array")]}),
    ] = None
    """A path, relative to the policy, or the hierarchy itself."""
    type: Literal["text", "number", "date"] | None = None
    """How cells are read, where the hierarchy does not say: exact texts, numbers or dates."""
    format: DateFormat | None = None
    """How the table writes dates, such as %d.%m.%Y; ISO's way is always read."""
    min_level: Level = 0
    max_level: Level | None = None
    weight: Annotated[Number, Field(ge=0)] = 1.0
    microaggregation: Literal["mean", "median"] | None = None
    """What is released of each class in place of the interval that its records share."""
    shift: Flag | None = None
    """Of a column of dates: whether they move by the shift of the release; false: they may tell it."""
    reason: Text | None = None
    """Why a column has its role; the documents of a release repeat it."""
    reveals: Columns = ()
    """Of a column that is kept: the quasi-identifiers that it gives away, which is accepted; those of
    another linked table as its levels are named, such as `visit.kind`."""

    def describe(self) -> dict[str, Any]:
        """Return what decides a release, as JSON; the hierarchy has a digest of its own."""
        if self.role is not Role.QUASI:
            accepted: dict[str, Any] = {"reveals": list(self.reveals)} if self.reveals else {}
            accepted |= {} if self.shift is None else {"shift": self.shift}
            accepted |= {"format": self.format} if self.shift and self.format else {}
            return {"role": self.role.value, **accepted}
        stated = {
            "since": self.since,
            "shift": self.shift,
            "type": self.type,
            "format": self.format,
            "microaggregation": self.microaggregation,
        }
        return {
            "role": self.role.value,
            "weight": self.weight,
            "min_level": self.min_level,
            "max_level": self.max_level,
            **{key: value for key, value in stated.items() if value is not None},
        }

    @field_validator("hierarchy")
    @classmethod
    def check_hierarchy(cls, hierarchy: object, info: ValidationInfo) -> object:
        """Check that a quasi-identifier has a hierarchy; elapsed time has one of its own."""
        if hierarchy is None and info.data.get("since") is not None:
            return Elapsed()
        if hierarchy is None and info.data.get("role") is Role.QUASI:
            raise ValueError(
                "a quasi-identifier needs a hierarchy; `anonymizer hierarchy suggest` proposes one"
            )
        return hierarchy

    @field_validator("max_level")
    @classmethod
    def check_range(cls, max_level: int | None, info: ValidationInfo) -> int | None:
        """Check that the range of levels is not empty."""
        least = info.data.get("min_level", 0)
        if max_level is not None and max_level < least:
            raise ValueError(f"{show(max_level)} is below min_level {show(least)}; swap the two")
        return max_level

    @model_validator(mode="after")
    def check_role(self) -> Self:
        """Check that only a quasi-identifier has what only quasi-identifiers have.

        A sensitive attribute may have a hierarchy: it says how far values are from one another.
        """
        if self.role is Role.INSENSITIVE and self.format is not None and not self.shift:
            raise ValueError(
                "only a quasi-identifier, or dates with shift = true, have 'format'; leave it out"
            )
        if self.since is not None and self.type not in (None, "number"):
            raise ValueError(
                f"since makes its cells numbers of days, and its type is {self.type}; leave out 'type'"
            )
        kept = self.role in (Role.SENSITIVE, Role.INSENSITIVE)
        if self.reveals and not kept:
            raise ValueError(
                f"only a column that is kept as it is reveals others, and this is {self.role}; leave "
                "out 'reveals'"
            )
        extra = (
            self.model_fields_set - {"role", "reason", "reveals"} - OWN_KEYS.get(self.role, set())
        )
        if self.role is not Role.QUASI and extra:
            raise ValueError(
                f"only a quasi-identifier has {quote_some(sorted(extra))}, and this is {self.role}; "
                "leave it out"
            )
        return self


def check_reveals(attributes: Mapping[str, Attribute]) -> None:
    """Check that what a kept column is said to reveal is a quasi-identifier."""
    quasi = [name for name, each in attributes.items() if each.role is Role.QUASI]
    for name, attribute in attributes.items():
        if other := [each for each in attribute.reveals if each not in quasi]:
            raise ValueError(
                f"{name} reveals '{other[0]}', which is not a quasi-identifier; "
                f"{suggest_name(other[0], quasi)}"
            )


def with_default(
    attributes: Mapping[str, Attribute], role: Role | None, columns: Iterable[str]
) -> dict[str, Attribute]:
    """Return the attributes of a table with the default role, if there is one, for other columns."""
    unnamed = [name for name in columns if name not in attributes]
    if role is None or not unnamed:
        return dict(attributes)
    return {**attributes, **{name: Attribute(role=role) for name in dict.fromkeys(unnamed)}}


def parse_measure(value: object) -> object:
    """Take the name of a measure."""
    if isinstance(value, str) and value in MEASURES:
        return value
    names = suggest_name(value, MEASURES, most=len(MEASURES))
    raise ValueError(f"{show(value)} is not a measure; {names}")


class Utility(Part):
    """How quality is measured."""

    measure: Annotated[
        str, BeforeValidator(parse_measure), WithJsonSchema({"enum": [*MEASURES]})
    ] = "loss"
    aggregate: Annotated[Aggregate, one_of(Aggregate)] = Aggregate.GEOMETRIC
    """The geometric mean by default; of other measures than the loss, the arithmetic."""
    factor: Annotated[Number, Field(ge=0, le=1)] = EVEN
    """0.5 weighs a suppressed value as one generalized to the whole domain; 0 makes suppression free."""

    @model_validator(mode="after")
    def check_parameters(self) -> Self:
        """Check that an aggregate and a factor are given only to a measure that has them."""
        for key in ("aggregate", "factor"):
            if key in self.model_fields_set and not self.has(key):
                having = quote_some([name for name in MEASURES if key in parameters_of(name)])
                raise ValueError(
                    f"the measure {self.measure!r} has no {key}; remove the key, or use {having}"
                )
        return self

    @property
    def own_aggregate(self) -> Aggregate:
        """The aggregate that is given, or else the usual one of the measure."""
        if "aggregate" in self.model_fields_set or self.measure == "loss":
            return self.aggregate
        return Aggregate.ARITHMETIC

    def has(self, parameter: str) -> bool:
        """Whether the measure has such a parameter."""
        return parameter in parameters_of(self.measure)


class Search(Part):
    """How far the search may go."""

    time_limit: Annotated[float, Field(strict=True, gt=0)] | None = None
    """Seconds; inf is no limit."""


class Machine(Part):
    """What describes the machine, and never a release: options of a command, or arguments in Python."""

    workers: Annotated[int, Field(strict=True, ge=1, le=256), FROM_NUMPY] = 1
    """Threads of a search, or processes of a backend; they never change its result."""
    memory: Text | None = None
    """What DuckDB may take, and what a search may leave open, such as 2GB; what is above is spilled to a
    temporary folder, or ended one by one, depth first."""
    evaluations: Count | None = None
    """The most schemes that a search evaluates."""

    @field_validator("memory")
    @classmethod
    def check_memory(cls, memory: str | None) -> str | None:
        """Check that an amount of memory is one."""
        if memory is not None and MEMORY.fullmatch(memory) is None:
            raise ValueError(f"{show(memory)} is not an amount of memory; write one such as 2GB")
        return memory

    @property
    def open_bytes(self) -> int:
        """The bytes for what a search leaves open: a GiB unless something is said.

        >>> Machine().open_bytes, Machine(memory="2.5 KB").open_bytes
        (1073741824, 2500)
        """
        found = MEMORY.fullmatch(self.memory or "1GiB")
        assert found is not None  # check_memory
        number, prefix, binary = found.groups()
        base = 1024 if binary else 1000
        return int(float(number) * base ** ("KMGT".index(prefix) + 1))


LAYERS = WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 1}]})


def parse_layers(value: object) -> object:
    """Take whether there are layers, or the most that there may be."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral) and int(value) >= 1:
        return int(value)
    raise ValueError(
        f"{show(value)} is not a number of layers; use true, false or the most, 1 or more"
    )


# a class of pydantic's has a method of that name, an object has not
warnings.filterwarnings("ignore", 'Field name "register"', UserWarning)


class Release(Part):
    """What the released table looks like."""

    suppressed: Literal["drop", "redact"] = "drop"
    shuffle: Flag = True
    escape_formulas: Flag = False
    """Put an apostrophe before texts that a spreadsheet would run as a formula."""
    suppression_limit: Annotated[Number, Field(ge=0, le=1)] = 1.0
    """A share of the records."""
    layers: Annotated[bool | int, BeforeValidator(parse_layers), LAYERS] = False
    """Each record has one of several schemes: as many as help, or at most so many."""
    strict: Flag = False
    """Release nothing while people are alone by all released columns, classes share a sensitive value, a
    column collapsed, or layers would keep more."""
    register: FilePath | None = None
    """The steward's folder of earlier releases, beside which this one is safe."""
    accept_leavers: Count | None = None
    """So many people of earlier releases may be among fewer than k by all releases together."""
    date_shift: Count | None = None
    """Move all dates with shift = true by one random number of days for each person, at most so many."""
    table: Text | None = None
    """The new table that a release becomes, in the database that the original is in."""
    file: FileKind | None = None
    """The kind of file that a release is; None is that of the original."""
    url: Text | None = None
    """Another database for that table, without a password: postgres://host/name, duckdb://file.duckdb."""

    @field_validator("url")
    @classmethod
    def check_url(cls, url: str | None, info: ValidationInfo) -> str | None:
        """Check that an address holds no password, and that a table is named."""
        if url is not None and holds_secret(url):
            raise ValueError(PASSWORD)
        if url is not None and info.data.get("table") is None:
            raise ValueError("no table is named; add table to [release]")
        return url

    @property
    def in_layers(self) -> bool:
        """Whether each record has one of several schemes."""
        return self.layers is not False

    @property
    def most_layers(self) -> int | None:
        """The most schemes that layers may have; None is as many as help."""
        return None if isinstance(self.layers, bool) else self.layers

    @model_validator(mode="after")
    def check_file(self) -> Self:
        """Check that a release is a file or a table, not both."""
        if self.file is not None and self.table is not None:
            raise ValueError("a release is a file or a table; remove file or table")
        return self
