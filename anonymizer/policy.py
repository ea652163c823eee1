"""Policy: the validated, frozen description of a run, read from TOML or built in code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from anonymizer.data.table import Table, TableLike, open_table
from anonymizer.display import Displayed
from anonymizer.errors import AnonymizerError, HierarchyError, PolicyError, quote_some, suggest_name
from anonymizer.hierarchy import Builder, DateFormat, Hierarchy, load_hierarchy
from anonymizer.hierarchy.inline import make_inline
from anonymizer.lattice import Lattice
from anonymizer.risk import RiskModel, check_name, find_model, known_models
from anonymizer.risk.schema import is_required, model_schema
from anonymizer.utility import MEASURES, Aggregate, Measure, make_measure, parameters_of
from anonymizer.validation import (
    FROM_NUMPY,
    ONLY_LISTS,
    Count,
    Delimiter,
    Encoding,
    FilePath,
    Flag,
    Level,
    Number,
    Part,
    Text,
    check_as_whole,
    explain_dots,
    one_of,
    parse,
    plain_schema,
    read_described,
    show,
)


class Role(StrEnum):
    """What a column is to an attacker."""

    IDENTIFYING = "identifying"
    """Names the person; removed."""
    QUASI = "quasi"
    """Known to others; generalized."""
    SENSITIVE = "sensitive"
    """Worth knowing; kept."""
    INSENSITIVE = "insensitive"
    """Neither; kept."""


class Data(Part):
    """Where the table is."""

    path: FilePath | None = None
    delimiter: Delimiter | None = None
    """Of a CSV file; found in its header where it is not stated."""
    encoding: Encoding | None = None
    """Of a CSV file; UTF-8 or what its first bytes say where it is not stated."""
    sheet: Text | None = None
    """Of an Excel file that has several."""
    id: Text | None = None
    """The column that tells whose each row is, where a person has several."""
    default_role: Annotated[Role, one_of(Role)] | None = None
    """The role of the columns that [attributes] does not name; left out: each must be named."""
    sample: Annotated[Number, Field(gt=0, le=1)] = 1.0
    """The probability with which each person is drawn before anything else; 1 is everybody."""

    @field_validator("default_role")
    @classmethod
    def check_default(cls, role: Role | None) -> Role | None:
        """Check that the role needs nothing that only a named column has."""
        if role is Role.QUASI:
            raise ValueError("a quasi-identifier needs a hierarchy; name it in [attributes]")
        return role

    def describe(self) -> dict[str, Any]:
        """Return what decides a release, as JSON: no paths."""
        default = None if self.default_role is None else self.default_role.value
        sample = None if self.sample == 1 else self.sample
        keys = {"id": self.id, "default_role": default, "sample": sample}
        return {key: value for key, value in keys.items() if value is not None}

    def open(self, data: TableLike) -> Table:
        """Open a table that is given to be anonymized."""
        return open_table(data, self.delimiter, self.encoding, self.sheet)

    def open_beside(self, data: TableLike) -> Table:
        """Open a table that comes with the data, such as a population; it has sheets of its own."""
        return open_table(data, self.delimiter, self.encoding)

    def open_release(self, released: TableLike) -> Table:
        """Open a release, which has the delimiter of the original, but is always in UTF-8."""
        return open_table(released, self.delimiter)


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


class Attribute(Part):
    """What one column is, and for a quasi-identifier, what it may become."""

    role: Annotated[Role, one_of(Role)]
    hierarchy: Annotated[
        Any,
        BeforeValidator(parse_hierarchy),
        WithJsonSchema({"anyOf": [{"type": kind} for kind in ("string", "object", "array")]}),
    ] = None
    """A path, relative to the policy, or the hierarchy itself."""
    delimiter: Delimiter = ";"
    """Of a hierarchy in a CSV file."""
    type: Literal["text", "number", "date"] | None = None
    """How cells are read, where the hierarchy does not say: exact texts, numbers or dates."""
    format: DateFormat | None = None
    """How the table writes dates, such as %d.%m.%Y; ISO's way is always read."""
    min_level: Level = 0
    max_level: Level | None = None
    weight: Annotated[Number, Field(ge=0)] = 1.0
    microaggregation: Literal["mean", "median"] | None = None
    """What is released of each class in place of the interval that its records share."""

    def describe(self) -> dict[str, Any]:
        """Return what decides a release, as JSON; the hierarchy has a digest of its own."""
        if self.role is not Role.QUASI:
            return {"role": self.role.value}
        stated = {
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
        """Check that a quasi-identifier has a hierarchy."""
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
        own = {"hierarchy", "delimiter"} if self.role is Role.SENSITIVE else set()
        extra = self.model_fields_set - {"role"} - own
        if self.role is not Role.QUASI and extra:
            raise ValueError(
                f"only a quasi-identifier has {quote_some(sorted(extra))}, and this is {self.role}; "
                "leave it out"
            )
        return self


def parse_measure(value: object) -> object:
    """Take the name of a measure."""
    if isinstance(value, str) and value in MEASURES:
        return value
    known = quote_some(MEASURES, most=len(MEASURES))
    raise ValueError(f"{show(value)} is not a measure; use one of {known}")


class Utility(Part):
    """How quality is measured."""

    measure: Annotated[
        str, BeforeValidator(parse_measure), WithJsonSchema({"enum": [*MEASURES]})
    ] = "loss"
    aggregate: Annotated[Aggregate, one_of(Aggregate)] = Aggregate.GEOMETRIC

    @model_validator(mode="after")
    def check_aggregate(self) -> Self:
        """Check that an aggregate is given only to a measure that has one."""
        if "aggregate" in self.model_fields_set and not self.has("aggregate"):
            raise ValueError(f"the measure {self.measure!r} has no aggregate; remove the key")
        return self

    def has(self, parameter: str) -> bool:
        """Whether the measure has such a parameter."""
        return parameter in parameters_of(self.measure)


class Search(Part):
    """How far the search may go."""

    suppression_limit: Annotated[Number, Field(ge=0, le=1)] = 1.0
    """A share of the records."""
    time_limit: Annotated[float, Field(strict=True, gt=0)] | None = None
    """Seconds; inf is no limit."""
    evaluation_limit: Count | None = None
    memory_limit: Annotated[Number, Field(gt=0)] = 1.0
    """GiB for what a large lattice leaves open; beyond, boxes are ended one by one, depth first."""
    workers: Annotated[int, Field(strict=True, ge=1, le=256), FROM_NUMPY] = 1


class Release(Part):
    """What the released table looks like."""

    suppressed: Literal["drop", "redact"] = "drop"
    shuffle: Flag = True
    escape_formulas: Flag = False
    """Put an apostrophe before texts that a spreadsheet would run as a formula."""
    recoding: Literal["full-domain", "layers"] = "full-domain"
    """One scheme for all records, or for each record one of several."""
    max_layers: Count | None = None
    """The most schemes that layers may have."""

    @model_validator(mode="after")
    def check_layers(self) -> Self:
        """Check that a number of layers is given only where there are layers."""
        if self.max_layers is not None and self.recoding != "layers":
            raise ValueError('max_layers needs recoding = "layers"; add it, or remove max_layers')
        return self


def parse_model(value: object) -> RiskModel:
    """Make a risk model of a table such as {"model": "k-anonymity", "k": 5}."""
    if isinstance(value, RiskModel):
        check_name(value)
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"{show(value)} is not a risk model; give a table with the key 'model'")
    parameters = dict(value)
    name = parameters.pop("model", None)
    model: Any = find_model(name)
    keys = {field.name: is_required(field) for field in fields(model)}
    if unknown := [key for key in parameters if key not in keys]:
        raise ValueError(
            f"{name} has no parameter {quote_some(unknown)}; it has {quote_some(keys)}"
        )
    if absent := [key for key, required in keys.items() if required and key not in parameters]:
        raise ValueError(f"{name} needs the parameter {quote_some(absent)}")
    try:
        made: RiskModel = model(**parameters)
    except TypeError as error:  # a parameter of a kind that cannot even be compared
        raise ValueError(f"{name}: a parameter is of the wrong kind ({error})") from None
    return made


def print_model(model: RiskModel) -> dict[str, object]:
    """Write a risk model as a table that JSON can hold, which `parse_model` reads back."""
    return {"model": model.name, **model.describe()}


def read_model(value: object) -> object:
    """Make a risk model; what the model refuses is a fault of the policy, at the model's place."""
    try:
        return parse_model(value)
    except (TypeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"a parameter has the wrong type ({error})") from None
    except AnonymizerError as error:
        raise ValueError(str(error)) from None


def check_models(value: object) -> Iterator[str]:
    """Check that there is something to generalize for."""
    if isinstance(value, list | tuple) and not value:
        yield "no model is given; add a [[risk]] table"


def check_roles(value: object) -> Iterator[str]:
    """Check that there is something to generalize, as far as the roles are known."""
    if not isinstance(value, Mapping):
        return
    tables = list(value.values())
    roles = [dict(table).get("role") for table in tables if isinstance(table, Mapping | Attribute)]
    others = [role.value for role in Role if role is not Role.QUASI]
    if len(roles) == len(tables) and all(role in others for role in roles):
        yield "no attribute has the role 'quasi', so there is nothing to generalize; give it to one"


Model = Annotated[Any, BeforeValidator(read_model), PlainSerializer(print_model)]


class Policy(Displayed, Part):
    """Everything that decides what a release is.

    >>> sex = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
    >>> policy = Policy(
    ...     attributes={"sex": {"role": "quasi", "hierarchy": sex}, "ward": {"role": "insensitive"}},
    ...     risk=[{"model": "k-anonymity", "k": 2}],
    ... )
    >>> policy.quasi_identifiers
    ('sex',)
    """

    data: Data = Data()
    attributes: Annotated[
        dict[Text, Attribute], explain_dots(Attribute.model_fields), check_as_whole(check_roles)
    ]
    risk: Annotated[tuple[Model, ...], ONLY_LISTS, check_as_whole(check_models)]
    utility: Utility = Utility()
    search: Search = Search()
    release: Release = Release()
    folder: SkipJsonSchema[Path] = Field(Path(), exclude=True)
    """What the paths in the policy are relative to."""

    @staticmethod
    def read(path: str | Path) -> Policy:
        """Read a policy from a TOML file, or say everything that is wrong with it."""
        return read_described(Policy, path, "policy")

    @staticmethod
    def of(policy: PolicyLike) -> Policy:
        """Take a policy, the keys of one, or the path of its TOML file."""
        if isinstance(policy, Policy):
            return policy
        if isinstance(policy, str | Path):
            return Policy.read(policy)
        if isinstance(policy, Mapping):
            return parse(Policy, dict(policy))
        raise PolicyError(
            f"policy: {show(policy)} is not a policy; give a Policy, its keys or the path of a file."
        )

    def with_search(self, **keys: Any) -> Policy:
        """Return the policy with some keys of [search] replaced; those given as None stay."""
        given = {key: value for key, value in keys.items() if value is not None}
        return Policy(**{**dict(self), "search": {**dict(self.search), **given}})

    def without_limits(self) -> Policy:
        """Return the policy with a search that ends only with the proof."""
        search = self.search.model_copy(update={"time_limit": None, "evaluation_limit": None})
        return self.model_copy(update={"search": search})

    def with_attributes(self, changes: Mapping[str, Mapping[str, Any]]) -> Policy:
        """Return the policy with some keys of some attributes replaced."""
        unknown = [name for name in changes if name not in self.attributes]
        if unknown:
            names = suggest_name(unknown[0], self.attributes)
            raise PolicyError(f"policy: there is no attribute '{unknown[0]}'; {names}")
        changed = {
            name: {
                **{key: getattr(attribute, key) for key in attribute.model_fields_set},
                **changes.get(name, {}),
            }
            for name, attribute in self.attributes.items()
        }
        return Policy(**{**dict(self), "attributes": changed})

    def with_columns(self, columns: Iterable[str]) -> Policy:
        """Return the policy with the default role, if it has one, for columns that it does not name."""
        role = self.data.default_role
        unnamed = [name for name in columns if name not in self.attributes]
        if role is None or not unnamed:
            return self
        added = {name: Attribute(role=role) for name in dict.fromkeys(unnamed)}
        return self.model_copy(update={"attributes": {**self.attributes, **added}})

    def table_keys(self) -> dict[str, Any]:
        """Return what decides how a table is read: roles and hierarchies of its columns."""
        keys = {
            name: (a.role, a.hierarchy, a.delimiter, a.type, a.format)
            for name, a in self.attributes.items()
        }
        return {"data": self.data.describe(), **keys}

    @field_validator("attributes")
    @classmethod
    def check_id(
        cls, attributes: dict[str, Attribute], info: ValidationInfo
    ) -> dict[str, Attribute]:
        """Check that the id is a column, and one that is removed."""
        data: Data = info.data.get("data", Data())
        if data.id is None:
            return attributes
        if data.id not in attributes and data.default_role is Role.IDENTIFYING:
            return attributes
        if data.id not in attributes:
            raise ValueError(
                f"data.id names '{data.id}', which is not a column; {suggest_name(data.id, attributes)}"
            )
        if attributes[data.id].role is not Role.IDENTIFYING:
            raise ValueError(
                f"data.id names '{data.id}', which would be released and put a person's rows together; "
                "give it the role 'identifying'"
            )
        return attributes

    @field_validator("utility")
    @classmethod
    def check_weights(cls, utility: Utility, info: ValidationInfo) -> Utility:
        """Check that weights are given only to a measure that has them."""
        attributes: dict[str, Attribute] = info.data.get("attributes", {})
        if not utility.has("weights") and any(each.weight != 1 for each in attributes.values()):
            raise ValueError(
                f"the measure {utility.measure!r} looks at classes, not attributes, so it has no "
                "weights; remove the key 'weight' from the attributes"
            )
        return utility

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers, in the order of the policy."""
        return self.with_role(Role.QUASI)

    @property
    def microaggregated(self) -> tuple[str, ...]:
        """The quasi-identifiers that are released as a number of each class."""
        names = self.quasi_identifiers
        return tuple(name for name in names if self.attributes[name].microaggregation is not None)

    def with_role(self, role: Role) -> tuple[str, ...]:
        """List the attributes that have a role."""
        return tuple(name for name, a in self.attributes.items() if a.role is role)

    def load_models(self) -> tuple[RiskModel, ...]:
        """Return the risk models with the files they name; a solution meets them all."""
        return self.resolve_models(self.risk)

    def resolve_models(self, models: Iterable[RiskModel]) -> tuple[RiskModel, ...]:
        """Return risk models with the files they name and the hierarchies of attributes they need."""
        return tuple(self.resolve_model(model) for model in models)

    def resolve_model(self, model: RiskModel) -> RiskModel:
        """Return a risk model with its files and hierarchies."""
        found = model.resolve(self.folder)
        for name in found.hierarchies:
            if name in self.attributes and self.attributes[name].hierarchy is not None:
                found = found.with_hierarchy(name, self.hierarchy(name))
        return found

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the quasi-identifiers."""
        return tuple(self.attributes[name].weight for name in self.quasi_identifiers)

    @property
    def measure(self) -> Measure:
        """The utility measure with the attributes' weights."""
        utility = self.utility
        return make_measure(utility.measure, aggregate=utility.aggregate, weights=self.weights)

    @property
    def data_path(self) -> Path | None:
        """The path of the table."""
        return None if self.data.path is None else self.folder / self.data.path

    @property
    def files(self) -> list[Path]:
        """The files the policy names, none of which a run may overwrite."""
        named = [self.data.path, *(attribute.hierarchy for attribute in self.attributes.values())]
        own = [self.folder / path for path in named if isinstance(path, str | Path)]
        return own + [path for model in self.risk for path in model.reads(self.folder)]

    def load_hierarchies(self) -> tuple[Hierarchy, ...]:
        """Load the hierarchies of the quasi-identifiers; all faults in all files are shown at once."""
        loaded, faults = [], []
        for name in self.quasi_identifiers:
            try:
                loaded.append(self.hierarchy(name))
            except HierarchyError as error:
                faults.append(str(error))
        if faults:
            raise HierarchyError("\n".join(faults))
        return tuple(loaded)

    def hierarchy(self, name: str) -> Hierarchy:
        """Load the hierarchy of one attribute."""
        attribute = self.attributes[name]
        if isinstance(attribute.hierarchy, Hierarchy):
            hierarchy = replace(attribute.hierarchy, name=name)
        elif isinstance(attribute.hierarchy, Builder):
            hierarchy = attribute.hierarchy.build(name)
        else:
            assert attribute.hierarchy is not None  # check_role
            path = self.folder / attribute.hierarchy
            hierarchy = load_hierarchy(path, name, attribute.delimiter)
        try:
            return hierarchy.read_as(attribute.type, attribute.format)
        except ValueError as error:
            raise HierarchyError(f"attributes.{name}: {error}.") from None

    def lattice(self, hierarchies: tuple[Hierarchy, ...]) -> Lattice:
        """Return the schemes that the level ranges allow."""
        attributes = [self.attributes[name] for name in self.quasi_identifiers]
        faults = [
            f"attributes.{hierarchy.name}: {key} is {level}, but its hierarchy has levels 0 to "
            f"{hierarchy.height - 1}."
            for attribute, hierarchy in zip(attributes, hierarchies, strict=True)
            for key, level in (
                ("min_level", attribute.min_level),
                ("max_level", attribute.max_level),
            )
            if level is not None and level >= hierarchy.height
        ]
        if faults:
            raise PolicyError.defective("policy", faults)
        return Lattice(
            tuple(attribute.min_level for attribute in attributes),
            tuple(
                hierarchy.height - 1 if attribute.max_level is None else attribute.max_level
                for attribute, hierarchy in zip(attributes, hierarchies, strict=True)
            ),
        )

    def describe(self) -> dict[str, Any]:
        """Return what decides a release, as JSON: no paths of data, no limits of the search."""
        described = self.model_dump(mode="json", exclude={"data", "attributes"})
        if data := self.data.describe():
            described["data"] = data
        described["search"] = {"suppression_limit": self.search.suppression_limit}
        if not self.release.escape_formulas:
            del described["release"]["escape_formulas"]
        if not self.utility.has("aggregate"):
            del described["utility"]["aggregate"]
        if self.release.recoding == "full-domain":
            del described["release"]["recoding"], described["release"]["max_layers"]
        described["attributes"] = {
            name: attribute.describe() for name, attribute in self.attributes.items()
        }
        return described


PolicyLike: TypeAlias = Policy | Mapping[str, Any] | str | Path
"""A policy, its keys, or the path of its TOML file."""


def digest_of_hierarchy(hierarchy: Hierarchy) -> str:
    """Return a SHA-256 digest of the rows of a hierarchy, without the values of a table it took in."""
    declared, digest = hierarchy.declared or hierarchy, hashlib.sha256()
    for row in declared.rows():
        digest.update(("\0".join(row) + "\n").encode())
    if declared.covers is not None:
        covers = [declared.cover(level).tolist() for level in range(declared.height)]
        digest.update(f"{declared.extent} {covers}\n".encode())
    return digest.hexdigest()


def policy_schema() -> dict[str, Any]:
    """Return the JSON schema of a policy, for editors that complete and check its keys.

    >>> list(policy_schema()["properties"])
    ['data', 'attributes', 'risk', 'utility', 'search', 'release']
    """
    schema = plain_schema(Policy)
    models = [model_schema(name, model) for name, model in known_models().items()]
    schema["properties"]["risk"] |= {"items": {"oneOf": models}, "minItems": 1}
    return schema
