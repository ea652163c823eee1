"""Codes: their structure says what is above them, and a file of the user's what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.errors import HierarchyError, quote, quote_some
from anonymizer.hierarchy import icd10
from anonymizer.hierarchy.builders import Builder, Columns, builder
from anonymizer.hierarchy.fields import Values, check_size, expand
from anonymizer.hierarchy.hierarchy import Growth
from anonymizer.hierarchy.levels import MISSING
from anonymizer.hierarchy.lookup import read_labels
from anonymizer.hierarchy.priority import check_falling
from anonymizer.hierarchy.values import TEXT, Kind, Reading
from anonymizer.validation import (
    CHECKED,
    ONLY_LISTS,
    CellText,
    Count,
    Flag,
    parse_path,
    raise_faults,
    validate_each,
)

SystemName = Literal["icd-10", "atc", "isco-08", "nuts", "postal"]
NUTS_COUNTRIES = (
    "AL|AT|BA|BE|BG|CH|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GE|HR|HU|IE|IS|IT|LI|LT|LU|LV|MD|ME|MK|MT|NL|NO|PL|"
    "PT|RO|RS|SE|SI|SK|TR|UA|UK|XK"
)
"""Countries that have NUTS codes or statistical regions coded alike; Greece is EL."""
ARMED_FORCES = {"110": "0110", "210": "0210", "310": "0310"}
"""Codes of ISCO-08 that lost their zero as numbers; no group of three digits is called so."""


@plain_dataclass(frozen=True, slots=True)
class System:
    """How the codes of a classification are written, and what is above them."""

    noun: str
    """What one code is called, with its article."""
    form: re.Pattern[str]
    """A code without blanks, in capitals; its groups, joined by dots, are how it is written."""
    prefixes: tuple[int, ...] = ()
    """The numbers of leading characters at each level; none where they depend on the codes."""

    def read(self, text: str) -> str | None:
        """Return the code that a text stands for; None where it is none."""
        plain = "".join(text.split()).upper()
        found = self.form.fullmatch(plain)
        return None if found is None else ".".join(part for part in found.groups() if part)

    def above(self, code: str, prefixes: Sequence[int]) -> tuple[str, ...]:
        """Return the groups of a code, level by level."""
        cut = [code[:length] for length in prefixes]
        return tuple(prefix.rstrip(" -") or prefix for prefix in cut)

    def first_of(self, group: str) -> str | None:  # noqa: ARG002 - of a group that is a prefix
        """Return a code in a group that is not called as one; None where there is no such group."""
        return None


class Icd10(System):
    """ICD-10, whose blocks and chapters are ranges of categories."""

    def above(self, code: str, prefixes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Return category, block and chapter."""
        return icd10.groups_above(code)

    def first_of(self, group: str) -> str | None:
        """Return the first category of a block or a chapter."""
        return icd10.first_of(group)


class Isco(System):
    """ISCO-08, whose codes are often kept as numbers."""

    def read(self, text: str) -> str | None:
        """Return the code; a number without decimals is one, a zero that it lost is put back."""
        code = System.read(self, text)
        return code if code is None else ARMED_FORCES.get(code, code)


class Postal(System):
    """Postal codes; in those of two halves, a blank tells where the second begins, written or not."""

    def read(self, text: str) -> str | None:
        """Return the code, with a blank where it has two halves."""
        code = System.read(self, text)
        halves = None if code is None else HALVES.fullmatch(code)
        return code if halves is None else " ".join(half for half in halves.groups() if half)

    def first_of(self, group: str) -> str | None:
        """Return a code that begins with a whole half and a part of the other."""
        whole = [f"{group}{tail}" for tail in TAILS if " " in group]
        return next((code for code in whole if self.read(code) == code), None)


HALVES = re.compile(
    r"([A-Z]{1,2}\d[A-Z\d]?)(\d[A-Z]{2})|(\d{4})([A-Z]{2})|([A-Z]\d[A-Z])(\d[A-Z]\d)"
    r"|([A-Z]\d[\dW])([A-Z\d]{4})"
)
"""Postal codes of Britain, the Netherlands, Canada and Ireland."""
TAILS = ("", "A", "AA", "0", "A0", "00", "000")
"""What makes the second half whole."""
SYSTEMS: dict[SystemName, System] = {
    "icd-10": Icd10("an ICD-10 code", re.compile(r"([A-Z]\d[\dA-Z])(?:\.?([\dA-Z]{1,4})|\.?-)?")),
    "atc": System(
        "an ATC code",
        re.compile(r"([ABCDGHJLMNPRSV](?:\d\d(?:[A-Z](?:[A-Z](?:\d\d)?)?)?)?)"),
        (5, 4, 3, 1),
    ),
    "isco-08": Isco("an ISCO-08 code", re.compile(r"(\d{1,4})(?:\.0*)?"), (3, 2, 1)),
    "nuts": System("a NUTS code", re.compile(rf"((?:{NUTS_COUNTRIES})[\dA-Z]{{0,3}})"), (4, 3, 2)),
    "postal": Postal("a postal code", re.compile(r"([\dA-Z]+(?:-[\dA-Z]+)*)")),
}
ANY_CODE = System("a code", re.compile(r"(.+)"))
"""Codes of which only the prefixes are known: exact texts."""


def system_of(name: SystemName | None) -> System:
    """Return a system by its name; None is that of any codes."""
    return ANY_CODE if name is None else SYSTEMS[name]


@plain_dataclass(frozen=True, slots=True)
class AsCode(Reading):
    """A code of a system, however it is written.

    >>> [AsCode("icd-10").read(text) for text in ("E11.9", "e119", " E11 ", "E11.-", "diabetes")]
    ['E11.9', 'E11.9', 'E11', 'E11', None]
    >>> AsCode("isco-08").read("110.0"), AsCode("postal").read("sw1a 1aa")
    ('0110', 'SW1A 1AA')
    """

    kind: ClassVar[Kind] = "text"
    system: SystemName

    @property
    def noun(self) -> str:
        """What a value is, with its article."""
        return SYSTEMS[self.system].noun

    def read(self, text: str) -> str | None:
        """Return the one way in which the code is written; a blank cell is a missing one."""
        return SYSTEMS[self.system].read(text) if text.strip() else MISSING

    def stated(self, kind: Kind | None, form: str | None) -> Reading:
        """Return another reading where a number or a date is asked for."""
        return self if kind in (None, "text") and form is None else Reading.stated(self, kind, form)


def parse_labels(value: Any) -> Any:
    """Take the path of a file, or labels by code."""
    if isinstance(value, Mapping):
        return validate_each(dict[CellText, CellText], [((), value)])[()]
    return None if value is None else Path(parse_path(value))  # type: ignore[arg-type]


def read_codes(
    labels: Iterable[Sequence[str]], name: SystemName | None
) -> tuple[dict[str, str], list[str]]:
    """Write the codes of labels in one way; also say which are no codes, or have two labels."""
    system, found, strange, faults = system_of(name), dict[str, str](), list[str](), list[str]()
    for text, label in labels:
        code = text if name is None or system.first_of(text) else system.read(text)
        if code is None:
            strange += [] if RANGE.fullmatch(text) else [text]
        elif found.setdefault(code, label) != label:
            twice = f"{quote(found[code])} and {quote(label)}"
            faults.append(f"{quote(text)} is labelled {twice}; keep one of them")
    if strange:
        faults.append(f"not {system.noun} or a group of them: {quote_some(strange)}; correct it")
    return found, faults


RANGE = re.compile(r"[A-Z]\d[\dA-Z]-[A-Z]\d[\dA-Z]")
"""Ranges of ICD-10 above the finest blocks, such as C00-C97, which label nothing here."""


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Coded(Builder):
    """Codes whose structure says what is above them.

    Either the `system` is known: `icd-10` (category, block and chapter of WHO's ICD-10), `atc` (5, 4, 3
    and 1 characters), `isco-08` (3, 2 and 1 digits), `nuts` (4, 3 and 2 characters), `postal` (one
    character less each time, or `prefixes`). Or `prefixes` says how many leading characters each level
    keeps. With a system, blanks, dots and small letters make no difference: `E11.9` and `e119` are one.

    The leaves are the `values`; without them, the codes that the `labels` list. Labels follow the codes
    above level 0.

    >>> list(Coded(system="icd-10", values=("E119", "I10")).rows())
    [('E11.9', 'E11', 'E10-E14', 'IV', '*'), ('I10', 'I10', 'I10-I15', 'IX', '*')]
    >>> list(Coded(prefixes=(3, 1), values=("S4-12",), labels={"S": "surgery"}).rows())
    [('S4-12', 'S4', 'S surgery', '*')]
    """

    kind: ClassVar[str] = "codes"
    system: SystemName | None = None
    prefixes: Annotated[tuple[Count, ...], AfterValidator(check_falling), ONLY_LISTS] = ()
    """How many leading characters are kept at each level, where the system does not say it."""
    values: Values = ()
    """The codes."""
    labels: Annotated[Any, BeforeValidator(parse_labels)] = None
    """What codes mean: a table with codes and labels in its first two columns, or labels by code."""
    unlisted: Flag = False
    """Whether codes that are not listed are covered; they do not count for the loss."""

    @field_validator("prefixes")
    @classmethod
    def check_prefixes(cls, prefixes: Any, info: ValidationInfo) -> Any:
        """Check that the structure is known in one way."""
        system = info.data.get("system")
        if "system" in info.data and system not in (None, "postal") and prefixes:
            raise ValueError(f"the structure of '{system}' is known; leave it out")
        if "system" in info.data and system is None and not prefixes:
            raise ValueError(f"give prefixes, or the `system`: {', '.join(get_args(SystemName))}")
        return prefixes

    @field_validator("values")
    @classmethod
    def check_values(cls, values: Any, info: ValidationInfo) -> Any:
        """Check that the values are codes of the system."""
        name = info.data.get("system")
        codes = expand(values)
        check_size(len(codes), len(info.data.get("prefixes", ())))
        system = system_of(name)
        strange = [code for code in codes if name and system.read(code) is None]
        if strange:
            raise ValueError(
                f"not {system.noun}: {quote_some(strange)}; correct it, or list it in `others`"
            )
        return values

    @field_validator("labels")
    @classmethod
    def check_labels(cls, labels: Any, info: ValidationInfo) -> Any:
        """Check that labels are of codes, and that there are codes."""
        if not {"system", "values"} <= info.data.keys():
            return labels
        name = info.data["system"]
        if isinstance(labels, dict):
            labels, faults = read_codes(labels.items(), name)
            raise_faults(faults)
        if not info.data["values"] and not isinstance(labels, Path) and not codes_in(labels, name):
            raise ValueError("list the codes in `values`, or name a file that has them")
        return labels

    @property
    def files(self) -> tuple[Path, ...]:
        """The table that the labels come from."""
        return (self.labels,) if isinstance(self.labels, Path) else ()

    def resolve(self, folder: Path) -> Builder:
        """Return the builder with the labels that the file has."""
        if not isinstance(self.labels, Path):
            return self
        path = folder / self.labels
        header, *rows = read_labels(path)
        named = self.system is not None and system_of(self.system).read(header[0])
        labels, faults = read_codes([header, *rows] if named else rows, self.system)
        if faults:
            raise HierarchyError.defective(str(path), [f"{fault}." for fault in faults])
        return replace(self, labels=labels)

    @property
    def reading(self) -> Reading:
        """Cells are codes of the system, however they are written."""
        return TEXT if self.system is None else AsCode(self.system)

    def columns(self) -> Columns:
        """List the codes, then their groups, level by level."""
        codes = self._codes()
        lengths = self._lengths(codes)
        rows = ((code, *self.groups_of(code, lengths)) for code in codes)
        return [list(column) for column in zip(*rows, strict=True)]

    def _codes(self) -> list[str]:
        listed = expand(self.values) or codes_in(self.labels, self.system)
        if self.system is None:
            return listed
        return list(dict.fromkeys(SYSTEMS[self.system].read(code) or code for code in listed))

    def _lengths(self, codes: Sequence[str]) -> tuple[int, ...]:
        known = self.prefixes or system_of(self.system).prefixes
        return known or tuple(range(max(map(len, codes)) - 1, 0, -1))

    def groups_of(self, code: str, lengths: Sequence[int]) -> Iterator[str]:
        """Name what a code becomes, level by level below the top."""
        labels = self.labels or {}
        for group in system_of(self.system).above(code, lengths):
            yield f"{group} {labels[group]}" if labels.get(group) else group

    def remedy(self) -> str | None:
        """Say how to cover values that are not listed."""
        return None if self.unlisted else "or cover all codes with `unlisted = true`"

    def traits(self) -> dict[str, Any]:
        """Return what knows codes that are not listed."""
        return (
            {"growth": UnlistedCodes(self, self._lengths(self._codes()))} if self.unlisted else {}
        )


def codes_in(labels: Mapping[str, str] | None, name: SystemName | None) -> list[str]:
    """List the codes among what labels are of; blocks and chapters are none."""
    return [code for code in labels or () if system_of(name).read(code) is not None]


@plain_dataclass(frozen=True)
class UnlistedCodes(Growth):
    """Codes that are not listed: their structure says what they become."""

    coded: Coded
    lengths: tuple[int, ...]

    def row_of(self, value: str) -> tuple[str, ...]:
        """Return what a code becomes."""
        return (value, *self.coded.groups_of(value, self.lengths), self.coded.top)

    def cover_of(self, level: int, label: str) -> int:  # noqa: ARG002 - no listed code becomes it
        """Return 1: a group without a listed code covers as much as a single one."""
        return 1

    def leaf_of(self, level: int, label: str) -> str | None:
        """Return a code that becomes a label."""
        group = self.named.get(label, label)
        first, read = system_of(self.coded.system).first_of(group), self.coded.reading.read
        tried = [first] if first else [group, f"{group}0", f"{group}-0"]
        codes = [code for code in map(read, tried) if code]
        return next((code for code in codes if self.row_of(code)[level] == label), None)

    @cached_property
    def named(self) -> dict[str, str]:
        """The groups by what they are called with their labels."""
        return {f"{group} {label}": group for group, label in (self.coded.labels or {}).items()}
