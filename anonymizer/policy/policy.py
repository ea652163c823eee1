"""Policy: the validated, frozen description of a run, read from TOML or built in code."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from anonymizer.data.engines.opening import Address, locate
from anonymizer.data.opening import FILES
from anonymizer.display import Displayed
from anonymizer.errors import HierarchyError, PolicyError, suggest_name
from anonymizer.hierarchy import Builder, Hierarchy, load_hierarchy
from anonymizer.hierarchy.spec import renewed_spec
from anonymizer.lattice import Lattice
from anonymizer.policy.analysis import Analysis, AnyAnalysis, renewed_analysis
from anonymizer.policy.date_shift import faults_of_shift
from anonymizer.policy.keep import Keep, faults_of_keep
from anonymizer.policy.parts import (
    Attribute,
    Data,
    Located,
    Machine,
    Release,
    Role,
    Search,
    Utility,
    check_reveals,
    with_default,
)
from anonymizer.policy.register import faults_of_register
from anonymizer.policy.study import ChildTable, faults_of_study
from anonymizer.risk import RiskModel
from anonymizer.risk.parsing import Model, renewed_model
from anonymizer.utility import EVEN, Measure, make_measure
from anonymizer.validation import (
    ONLY_LISTS,
    Part,
    Text,
    check_as_whole,
    explain_dots,
    moved,
    parse,
    raise_faults,
    read_described,
    renewed,
    show,
)

OWNERS = {"data": Data.__name__, "search": Search.__name__}
"""The classes of the tables from which keys went to others."""
TABLES = {".csv", *FILES}
"""How the names of tables end."""


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
    keep: Annotated[tuple[Keep, ...], ONLY_LISTS] = ()
    """Groups of records of which a stated share must stay."""
    analysis: Annotated[tuple[AnyAnalysis, ...], ONLY_LISTS] = ()
    """What the users of the release will compute; `evidence` runs it, and nothing else looks at it."""
    tables: Annotated[dict[Text, ChildTable], explain_dots(ChildTable.model_fields)] = Field({})
    """The tables of events that belong to the people; then all of it is a study."""
    folder: SkipJsonSchema[Path] = Field(Path(), exclude=True)
    """What the paths in the policy are relative to."""
    machine: SkipJsonSchema[Machine] = Field(Machine(), exclude=True)
    """What a run may take of the machine: no key of a policy, but options of commands."""

    @model_validator(mode="before")
    @classmethod
    def read_moved_keys(cls, keys: Any) -> Any:
        """Read the keys that were in other tables in earlier versions."""
        return moved(keys, OWNERS) if isinstance(keys, Mapping) else keys

    @staticmethod
    def read(path: str | Path) -> Policy:
        """Read a policy from a TOML file, or say everything that is wrong with it."""
        if Path(path).suffix.lower() in TABLES and Path(path).is_file():
            raise PolicyError(
                f"{path}: this is a table, not a policy; `anonymizer init {path} --out DIR` writes one."
            )
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

    def with_release(self, **keys: Any) -> Policy:
        """Return the policy with some keys of [release] replaced."""
        stated = {key: getattr(self.release, key) for key in self.release.model_fields_set}
        return Policy(**{**dict(self), "release": {**stated, **keys}})

    def on(self, **machine: Any) -> Policy:
        """Return the policy with some of what describes the machine; what is given as None stays."""
        given = {key: value for key, value in machine.items() if value is not None}
        return self.model_copy(update={"machine": Machine(**{**dict(self.machine), **given})})

    def without_limits(self) -> Policy:
        """Return the policy with a search that ends only with the proof."""
        machine = self.machine.model_copy(update={"evaluations": None})
        return self.model_copy(update={"search": Search(), "machine": machine})

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

    def with_people(self, id: str | None, rows_are_people: bool = False) -> Policy:  # noqa: A002
        """Return the policy with an answer to who is a person; a PolicyError if it says otherwise.

        The column that tells whose each row is is removed, whatever its role was.
        """
        if id is None and not rows_are_people:
            return self
        if id is not None and rows_are_people:
            raise PolicyError(f"rows cannot be people where '{id}' tells whose they are; say one.")
        if self.data.id not in (None, id):
            raise PolicyError(
                f"policy: data.id says that '{self.data.id}' tells whose each row is; change it there."
            )
        if id is not None and id not in self.attributes and self.data.default_role is None:
            names = suggest_name(id, self.attributes)
            raise PolicyError(f"policy: there is no column '{id}' that could be a person; {names}")
        data = {**{key: getattr(self.data, key) for key in self.data.model_fields_set}}
        data |= {"id": id, "rows_are_people": rows_are_people}
        removed = {} if id is None else {id: Attribute(role=Role.IDENTIFYING)}
        attributes = {**self.attributes, **removed}
        return Policy(**{**dict(self), "data": data, "attributes": attributes})

    def with_columns(self, columns: Iterable[str]) -> Policy:
        """Return the policy with the default role, if it has one, for columns that it does not name."""
        attributes = with_default(self.attributes, self.data.default_role, columns)
        return self.model_copy(update={"attributes": attributes})

    def of_table(self, name: str) -> Policy:
        """Return the policy of one child table, as if it were alone."""
        child = self.tables[name]
        stated = Located.model_fields.keys() & child.model_fields_set
        data = Data(**{key: getattr(child, key) for key in stated})
        alone = {"data": data, "attributes": child.attributes, "tables": {}}
        return self.model_copy(update=alone)

    def table_keys(self) -> dict[str, Any]:
        """Return what decides how a table is read: roles and hierarchies of its columns."""
        keys = {
            name: (a.role, a.since, a.hierarchy, a.type, a.format, a.shift)
            for name, a in self.attributes.items()
        }
        linked = {name: child.describe() for name, child in self.tables.items()}
        return {"data": self.data.describe(), "tables": linked, **keys}

    @field_validator("attributes")
    @classmethod
    def check_id(
        cls, attributes: dict[str, Attribute], info: ValidationInfo
    ) -> dict[str, Attribute]:
        """Check that the id is a column, and one that is removed."""
        data: Data = info.data.get("data", Data())
        if data.id is None:
            return attributes
        named = attributes.get(data.id)
        role = data.default_role if named is None else named.role
        if role is None:
            raise ValueError(
                f"data.id names '{data.id}', which is not a column; {suggest_name(data.id, attributes)}"
            )
        if not role.dropped:
            raise ValueError(
                f"data.id names '{data.id}', which would be released and put a person's rows together; "
                "give it the role 'identifying'"
            )
        return attributes

    @field_validator("attributes")
    @classmethod
    def check_weight(
        cls, attributes: dict[str, Attribute], info: ValidationInfo
    ) -> dict[str, Attribute]:
        """Check that the sampling weight is a column, and none that is generalized."""
        data: Data = info.data.get("data", Data())
        if data.weight is None:
            return attributes
        named = attributes.get(data.weight)
        if (data.default_role if named is None else named.role) is None:
            names = suggest_name(data.weight, attributes)
            raise ValueError(f"data.weight names '{data.weight}', which is not a column; {names}")
        if named is not None and named.role is Role.QUASI:
            raise ValueError(
                f"data.weight names '{data.weight}', which is generalized, and is then no weight; give "
                "it the role 'removed' or 'insensitive'"
            )
        return attributes

    @field_validator("attributes")
    @classmethod
    def check_since(cls, attributes: dict[str, Attribute]) -> dict[str, Attribute]:
        """Check that only events are counted from an index date."""
        raise_faults(
            f"{name} has since, which counts the days of events; give it to a column of a table in "
            "[tables]"
            for name, each in attributes.items()
            if each.since is not None
        )
        return attributes

    @field_validator("attributes")
    @classmethod
    def check_revealed(cls, attributes: dict[str, Attribute]) -> dict[str, Attribute]:
        """Check that what a kept column is said to reveal is a quasi-identifier."""
        check_reveals(attributes)
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

    @field_validator("keep")
    @classmethod
    def check_keep(cls, keep: tuple[Keep, ...], info: ValidationInfo) -> tuple[Keep, ...]:
        """Check that groups are told by columns, and that the rest of the policy knows them."""
        raise_faults(faults_of_keep(keep, info.data))
        return keep

    @field_validator("analysis")
    @classmethod
    def check_analyses(
        cls, analyses: tuple[Analysis, ...], info: ValidationInfo
    ) -> tuple[Analysis, ...]:
        """Check that analyses have names of their own, and name columns that are released."""
        names = [each.name.lower() for each in analyses]
        twice = [f"{each.name}: this name is taken; choose another" for n, each in enumerate(analyses)
                 if names.index(each.name.lower()) < n]  # fmt: skip
        if "attributes" in info.data:
            data, attributes = info.data.get("data", Data()), info.data["attributes"]
            twice += [
                f"{each.name}: {fault}"
                for each in analyses
                for name in each.reads
                if (fault := why_not_released(name, attributes, data.default_role)) is not None
            ]
        raise_faults(twice)
        return analyses

    @field_validator("tables")
    @classmethod
    def check_tables(
        cls, tables: dict[str, ChildTable], info: ValidationInfo
    ) -> dict[str, ChildTable]:
        """Check that tables are linked, and that the rest of the policy knows linked tables."""
        parts = {"": info.data.get("attributes", {})}
        parts |= {f"tables.{name}.": child.attributes for name, child in tables.items()}
        each = {f"{start}{name}": a for start, part in parts.items() for name, a in part.items()}
        linked = bool(tables)
        faults = [*faults_of_study(tables, info.data), *faults_of_shift(each, info.data, linked)]
        raise_faults([*faults, *faults_of_register(info.data, linked)])
        return tables

    def find_analysis(self, name: str) -> Analysis:
        """Return the analysis of a name."""
        found: dict[str, Analysis] = {each.name: each for each in self.analysis}
        if name not in found:
            known = suggest_name(name, found) if found else "add an [[analysis]] table."
            raise PolicyError(f"policy: there is no analysis '{name}'; {known}")
        return found[name]

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

    @property
    def dropped(self) -> tuple[str, ...]:
        """The attributes that no release has: identifying ones, and those removed to limit risk."""
        return tuple(name for name, a in self.attributes.items() if a.role.dropped)

    def load_models(self) -> tuple[RiskModel, ...]:
        """Return the risk models with the files they name; a solution meets them all."""
        return self.resolve_models(self.risk)

    def resolve_models(self, models: Iterable[RiskModel]) -> tuple[RiskModel, ...]:
        """Return risk models with the files they name and the hierarchies of attributes they need."""
        return tuple(
            model.with_weight(self.data.weight).resolve(self.folder, self.hierarchy_of)
            for model in models
        )

    def hierarchy_of(self, name: str) -> Hierarchy | None:
        """Return the hierarchy of an attribute, if it has one."""
        given = name in self.attributes and self.attributes[name].hierarchy is not None
        return self.hierarchy(name) if given else None

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the quasi-identifiers."""
        return tuple(self.attributes[name].weight for name in self.quasi_identifiers)

    @property
    def measure(self) -> Measure:
        """The utility measure with the attributes' weights."""
        utility = self.utility
        return make_measure(
            utility.measure,
            aggregate=utility.own_aggregate,
            weights=self.weights,
            factor=utility.factor,
        )

    @property
    def data_path(self) -> Path | None:
        """The path of the table."""
        return None if self.data.path is None else without_dots(self.folder / self.data.path)

    @property
    def data_source(self) -> Path | Address | None:
        """The path of the table, or the address of its database."""
        return self.data_path if self.data.url is None else Address(self.data.url)

    @property
    def release_database(self) -> Path | Address | None:
        """The other database that the release goes to, where there is one."""
        return locate(self.release.url, self.folder)

    @property
    def register_path(self) -> Path | None:
        """The folder of earlier releases, if there is one."""
        register = self.release.register
        return None if register is None else without_dots(self.folder / register)

    @property
    def files(self) -> list[Path]:
        """The files the policy names, none of which a run may overwrite."""
        named = [self.data.path, *(attribute.hierarchy for attribute in self.attributes.values())]
        inside = [path for each in named if isinstance(each, Builder) for path in each.files]
        own = [self.folder / path for path in [*named, *inside] if isinstance(path, str | Path)]
        own += [path for name in self.tables for path in self.of_table(name).files]
        return own + [path for model in self.risk for path in model.files(self.folder)]

    def load_hierarchies(self) -> tuple[Hierarchy, ...]:
        """Load the hierarchies of the quasi-identifiers; all faults in all files are shown at once."""
        loaded, faults = [], []
        for name in self.quasi_identifiers:
            try:
                loaded.append(self.hierarchy(name))
            except HierarchyError as error:
                faults.append(str(error))
        if faults:
            raise (
                HierarchyError(faults[0])
                if len(faults) == 1
                else HierarchyError.defective("policy", faults)
            )
        return tuple(loaded)

    def hierarchy(self, name: str) -> Hierarchy:
        """Load the hierarchy of one attribute."""
        attribute = self.attributes[name]
        if isinstance(attribute.hierarchy, Hierarchy):
            hierarchy = replace(attribute.hierarchy, name=name)
        elif isinstance(attribute.hierarchy, Builder):
            hierarchy = attribute.hierarchy.build(name, folder=self.folder)
        else:
            assert attribute.hierarchy is not None  # check_role
            path = self.folder / attribute.hierarchy
            hierarchy = load_hierarchy(path, name)
        if attribute.since is not None and hierarchy.reading.kind == "date":
            raise HierarchyError(
                f"attributes.{name}: since makes its cells numbers of days, and its hierarchy is one of "
                "dates; leave the hierarchy out, or name one of numbers."
            )
        try:
            dates = None if attribute.since is not None else attribute.format
            return hierarchy.read_as(attribute.type, dates)
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
        described = self.model_dump(
            mode="json", exclude={"data", "attributes", "search", "analysis", "tables"}
        )
        if data := self.data.describe():
            described["data"] = data
        for key in ("table", "url", "file", "strict"):
            del described["release"][key]
        described["release"]["register"] = self.release.register is not None
        for key in ("register", "accept_leavers"):
            if not described["release"][key]:
                del described["release"][key]
        if self.release.date_shift is None:
            del described["release"]["date_shift"]
        if not self.release.escape_formulas:
            del described["release"]["escape_formulas"]
        if self.utility.measure != "loss" and "aggregate" not in self.utility.model_fields_set:
            del described["utility"]["aggregate"]
        if self.utility.factor == EVEN:
            del described["utility"]["factor"]
        if not self.release.in_layers:
            del described["release"]["layers"]
        if not self.keep:
            del described["keep"]
        described["attributes"] = {
            name: attribute.describe() for name, attribute in self.attributes.items()
        }
        if self.tables:
            described["tables"] = {name: child.describe() for name, child in self.tables.items()}
        return described


def renewed_policy(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a policy with the keys of this version alone, and nothing of the machine.

    >>> renewed_policy({"search": {"suppression_limit": 0.1}, "release": {"recoding": "layers"}})
    {'release': {'suppression_limit': 0.1, 'layers': True}}
    """
    found = moved(keys, OWNERS, say=False)
    found.pop("machine", None)
    if "release" in found:
        found["release"] = renewed(Release.__name__, found["release"], say=False)
    if isinstance(found.get("attributes"), Mapping):
        columns = found["attributes"].items()
        found["attributes"] = {name: renewed_attribute(each) for name, each in columns}
    if isinstance(found.get("risk"), list):
        found["risk"] = [renewed_model(each) for each in found["risk"]]
    if isinstance(found.get("analysis"), list):
        found["analysis"] = [renewed_analysis(each) for each in found["analysis"]]
    emptied = [name for name in OWNERS if not found.get(name, True) and keys[name]]
    return {name: each for name, each in found.items() if name not in emptied}


def renewed_attribute(keys: Any) -> Any:
    """Return the keys of a column with those of this version, in its hierarchy too."""
    found = renewed(Attribute.__name__, keys, say=False)
    if isinstance(found, dict) and isinstance(spec := found.get("hierarchy"), Mapping):
        found["hierarchy"] = renewed_spec(spec) if "builder" in spec else spec
    return found


def described_now(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a manifest says of a policy as this version would say it."""
    found = renewed_policy(described)
    release = found.get("release")
    if isinstance(release, Mapping) and release.get("layers") is False:
        found["release"] = {key: value for key, value in release.items() if key != "layers"}
    return found


def why_not_released(
    name: str, attributes: Mapping[str, Attribute], default: Role | None
) -> str | None:
    """Say why an analysis cannot use a column; None where it can."""
    role = attributes[name].role if name in attributes else default
    if role is None:
        return f"'{name}' is not a column; {suggest_name(name, attributes)}"
    if role.dropped:
        return f"'{name}' is {role.value}, so it is not in the release; name another column"
    return None


PolicyLike: TypeAlias = Policy | Mapping[str, Any] | str | Path
"""A policy, its keys, or the path of its TOML file."""


def without_dots(path: Path) -> Path:
    """Write a path without its "..", which make messages hard to read; links may forbid it.

    >>> without_dots(Path("policies/../no/such/table.csv")).as_posix()
    'policies/../no/such/table.csv'
    """
    short = Path(os.path.normpath(path))
    same = short.exists() and path.exists() and short.samefile(path)
    return short if same else path


def digest_of_hierarchy(hierarchy: Hierarchy) -> str:
    """Return a SHA-256 digest of the rows of a hierarchy, without the values of a table it took in."""
    declared, digest = hierarchy.declared or hierarchy, hashlib.sha256()
    for row in declared.rows():
        digest.update(("\0".join(row) + "\n").encode())
    if declared.covers is not None:
        covers = [declared.cover(level).tolist() for level in range(declared.height)]
        digest.update(f"{declared.extent} {covers}\n".encode())
    return digest.hexdigest()
