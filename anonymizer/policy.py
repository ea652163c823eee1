"""Policy: the validated, frozen description of a run, read from TOML or built in code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from anonymizer.errors import HierarchyError, PolicyError, quote_some, suggest_name
from anonymizer.hierarchy import Hierarchy, load_hierarchy
from anonymizer.lattice import Lattice
from anonymizer.risk import RiskModel, check_name, find_model
from anonymizer.utility import MEASURES, Aggregate, Measure, make_measure, parameters_of
from anonymizer.validation import read_toml

NO_HIERARCHY = "a quasi-identifier needs a hierarchy; `anonymizer hierarchy suggest` proposes one"
NO_MODEL = "risk: no model is given; add a [[risk]] table"
NO_QUASI_IDENTIFIER = "no attribute has the role 'quasi', so there is nothing to generalize"


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


Described = TypeVar("Described")


class Part(BaseModel):
    """A part of a policy: frozen, and without room for keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Data(Part):
    """Where the table is."""

    path: Path | None = None
    delimiter: str = Field(",", min_length=1, max_length=1)


def parse_hierarchy(value: object) -> Hierarchy | Path:
    """Take a hierarchy or the path of one."""
    if isinstance(value, str):
        return Path(value)
    if isinstance(value, Hierarchy | Path):
        return value
    raise ValueError(f"{value!r} does not fit: give the path of a .toml or .csv file")


class Attribute(Part):
    """What one column is, and for a quasi-identifier, what it may become."""

    role: Role
    hierarchy: Annotated[Any, BeforeValidator(parse_hierarchy)] = None
    """A path, relative to the policy, or a Hierarchy."""
    delimiter: str = Field(";", min_length=1, max_length=1)
    """Of a hierarchy in a CSV file."""
    min_level: int = Field(0, ge=0)
    max_level: int | None = Field(None, ge=0)
    weight: float = Field(1.0, ge=0, allow_inf_nan=False)

    def describe(self) -> dict[str, Any]:
        """Return what decides a release, as JSON; the hierarchy has a digest of its own."""
        if self.role is not Role.QUASI:
            return {"role": self.role.value}
        return {
            "role": self.role.value,
            "weight": self.weight,
            "min_level": self.min_level,
            "max_level": self.max_level,
        }

    @model_validator(mode="after")
    def check_role(self) -> Self:
        """Check that a quasi-identifier has a hierarchy, and that nothing else has."""
        if self.role is Role.QUASI and self.hierarchy is None:
            raise ValueError(NO_HIERARCHY)
        extra = self.model_fields_set - {"role"}
        if self.role is not Role.QUASI and extra:
            raise ValueError(
                f"only a quasi-identifier has {quote_some(sorted(extra))}, and this is {self.role}"
            )
        if self.max_level is not None and self.max_level < self.min_level:
            raise ValueError(f"max_level {self.max_level} is below min_level {self.min_level}")
        return self


def parse_measure(value: object) -> object:
    """Take the name of a measure."""
    if isinstance(value, str) and value in MEASURES:
        return value
    known = quote_some(MEASURES, most=len(MEASURES))
    raise ValueError(f"{value!r} does not fit: use one of {known}")


class Utility(Part):
    """How quality is measured."""

    measure: Annotated[str, BeforeValidator(parse_measure)] = "loss"
    aggregate: Aggregate = Aggregate.GEOMETRIC

    @model_validator(mode="after")
    def check_aggregate(self) -> Self:
        """Check that an aggregate is given only to a measure that has one."""
        if "aggregate" in self.model_fields_set and not self.has("aggregate"):
            raise ValueError(f"the measure {self.measure!r} has no aggregate; remove the key")
        return self

    def has(self, parameter: str) -> bool:
        """Whether the measure can be told this."""
        return parameter in parameters_of(self.measure)


class Search(Part):
    """How far the search may go."""

    suppression_limit: float = Field(1.0, ge=0, le=1)
    time_limit: float | None = Field(None, gt=0)
    evaluation_limit: int | None = Field(None, ge=1)
    memory_limit: float = Field(1.0, gt=0, allow_inf_nan=False)
    """GiB for what a large lattice leaves open; beyond, boxes are ended one by one, depth first."""
    workers: int = Field(1, ge=1, le=256)


class Release(Part):
    """What the released table looks like."""

    suppressed: Literal["drop", "redact"] = "drop"
    shuffle: bool = True


def parse_model(value: object) -> RiskModel:
    """Make a risk model of a table such as {"model": "k-anonymity", "k": 5}."""
    if isinstance(value, RiskModel):
        check_name(value)
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"{value!r} is not a risk model; give a table with the key 'model'")
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


def is_required(field: Any) -> bool:
    """Whether a field of a dataclass has no default."""
    return field.default is NO_DEFAULT and field.default_factory is NO_DEFAULT


def print_model(model: RiskModel) -> dict[str, object]:
    """Write a risk model as a table that JSON can hold, which `parse_model` reads back."""
    return {"model": model.name, **model.describe()}


Model = Annotated[Any, BeforeValidator(parse_model), PlainSerializer(print_model)]


class Policy(Part):
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
    attributes: dict[str, Attribute]
    risk: tuple[Model, ...]
    utility: Utility = Utility()
    search: Search = Search()
    release: Release = Release()
    folder: Path = Field(Path(), exclude=True)
    """What the paths in the policy are relative to."""

    def __init__(self, **keys: Any) -> None:
        try:
            super().__init__(**keys)
        except ValidationError as error:
            faults = list(dict.fromkeys([*list_faults(error), *missing_parts(keys)]))
            raise PolicyError.defective("policy", faults) from None

    @staticmethod
    def read(path: str | Path) -> Policy:
        """Read a policy from a TOML file, or say everything that is wrong with it."""
        return read_described(Policy, path, "policy")

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

    def table_keys(self) -> dict[str, Any]:
        """Return what decides how a table is read: roles and hierarchies of its columns."""
        return {name: (a.role, a.hierarchy, a.delimiter) for name, a in self.attributes.items()}

    @model_validator(mode="after")
    def check_complete(self) -> Self:
        """Check that there is something to generalize, and something to generalize for."""
        if not self.risk:
            raise ValueError(NO_MODEL)
        if not self.quasi_identifiers:
            raise ValueError(NO_QUASI_IDENTIFIER)
        if not self.utility.has("weights") and any(weight != 1 for weight in self.weights):
            raise ValueError(
                f"utility.measure: {self.utility.measure!r} looks at classes, not attributes, so it has "
                "no weights; remove the key 'weight' from the attributes"
            )
        return self

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers, in the order of the policy."""
        return self.with_role(Role.QUASI)

    def with_role(self, role: Role) -> tuple[str, ...]:
        """List the attributes that have a role."""
        return tuple(name for name, a in self.attributes.items() if a.role is role)

    def load_models(self) -> tuple[RiskModel, ...]:
        """Return the risk models with the files they name; a solution meets them all."""
        return tuple(model.resolve(self.folder) for model in self.risk)

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
        named += [path for model in self.risk for path in model.files()]
        return [self.folder / path for path in named if isinstance(path, str | Path)]

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
        """Load the hierarchy of one quasi-identifier."""
        attribute = self.attributes[name]
        if isinstance(attribute.hierarchy, Hierarchy):
            given = attribute.hierarchy
            return Hierarchy(name, given.labels, given.codes, given.source)
        assert attribute.hierarchy is not None  # check_role
        return load_hierarchy(self.folder / attribute.hierarchy, name, attribute.delimiter)

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
        described["search"] = {"suppression_limit": self.search.suppression_limit}
        if not self.utility.has("aggregate"):
            del described["utility"]["aggregate"]
        described["attributes"] = {
            name: attribute.describe() for name, attribute in self.attributes.items()
        }
        return described


def read_described(make: Callable[..., Described], path: str | Path, kind: str) -> Described:
    """Make what a TOML file describes; its faults are told with the file's name."""
    keys = read_toml(path, kind)
    if "folder" in keys:  # what paths are relative to is where the file is
        raise PolicyError(f"{path}: folder: this key is unknown; remove it.")
    try:
        return make(**keys, folder=Path(path).parent)
    except PolicyError as error:
        raise PolicyError.defective(str(path), error.faults) from None


def digest_of_hierarchy(hierarchy: Hierarchy) -> str:
    """Return a SHA-256 digest of the rows of a hierarchy."""
    digest = hashlib.sha256()
    for row in hierarchy.rows():
        digest.update(("\0".join(row) + "\n").encode())
    return digest.hexdigest()


def missing_parts(keys: Mapping[str, Any]) -> list[str]:
    """List what a policy lacks as a whole; pydantic looks for that only where each key is sound."""
    faults = [] if keys.get("risk", True) else [f"{NO_MODEL}."]
    attributes = keys.get("attributes")
    if not isinstance(attributes, Mapping):
        return faults
    tables = {name: table for name, table in attributes.items() if isinstance(table, Mapping)}
    quasi = {name: table for name, table in tables.items() if table.get("role") == Role.QUASI}
    faults += [
        f"attributes.{name}: {NO_HIERARCHY}."
        for name, table in quasi.items()
        if table.get("hierarchy") is None
    ]
    if tables and all(table.get("role") in set(Role) - {Role.QUASI} for table in tables.values()):
        faults.append(f"{NO_QUASI_IDENTIFIER}.")
    return faults


def list_faults(error: ValidationError) -> list[str]:
    """Write every fault as one sentence that begins with the key."""
    faults = []
    for fault in error.errors():
        where = ".".join(str(key) for key in fault["loc"])
        faults.append(f"{where}: {describe_fault(fault)}" if where else describe_fault(fault))
    return list(dict.fromkeys(faults))


def describe_fault(fault: Any) -> str:
    """Say what is wrong with one key, and what to do."""
    kind, value = fault["type"], fault["input"]
    if kind == "extra_forbidden":
        return f"this key is unknown; {suggest_key(fault['loc'])}"
    if kind == "missing":
        return "this key is missing; add it."
    if kind == "value_error":
        return f"{fault['ctx']['error']}."
    message = fault["msg"][:1].lower() + fault["msg"][1:]
    return f"{value!r} does not fit: {message}."


SECTIONS: dict[str, type[Part]] = {
    "data": Data,
    "utility": Utility,
    "search": Search,
    "release": Release,
    "attributes": Attribute,
}


def suggest_key(place: tuple[int | str, ...]) -> str:
    """Propose the key that was meant."""
    section: type[Part] = SECTIONS.get(str(place[0]), Policy) if len(place) > 1 else Policy
    keys = [name for name in section.model_fields if name != "folder"]
    return suggest_name(str(place[-1]), keys)
