"""ARX projects: reading the roles, hierarchies, models and data of a `.deid` file.

A project is a zip file as ARX's own window writes it (WorkerSave and Vocabulary_V2 in its source,
versions 2 and 3): `project.xml`, `input/config.xml`, `input/definition.xml`, `data/input.csv` and
`input/hierarchies/*.csv`. What it has as Java objects (`*.dat`) is never made objects of: one name is
looked for among their bytes, that of the aggregate, which stands nowhere else.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from anonymizer.errors import DataError, quote

DATA = "data/input.csv"
SUBSET = "data/input_subset.csv"
CONFIG, DEFINITION, PROJECT = "input/config.xml", "input/definition.xml", "project.xml"
RESULTS = ("output/", "lattice.", "data/output")
OBJECTS = "input/config.dat"
AGGREGATE = re.compile(
    rb"Metric\$AggregateFunction.{0,80}?t\0[\x03-\x0f](SUM|MAXIMUM|ARITHMETIC_MEAN|GEOMETRIC_MEAN|RANK)",
    re.DOTALL,
)
"""A constant of that class as Java writes it: its class, and a string with its length before it."""
MOST_BYTES = {".xml": 2**24, ".dat": 2**24, ".csv": 2**31}
"""A larger part is refused: what a small zip file unpacks to can fill the memory."""
MOST_RATIO, SMALL = 500, 2**20
"""Tables pack to a few hundredths; a part beyond SMALL bytes that packs to less than 1/500 is refused."""


@dataclass(frozen=True)
class ArxAttribute:
    """One column of a project."""

    name: str
    kind: str
    """Its role, such as QUASI_IDENTIFYING_ATTRIBUTE."""
    hierarchy: str | None
    """The rows of its hierarchy as CSV text; None where it has none."""
    min_level: str
    max_level: str
    """A number or All."""
    others: Mapping[str, str]
    """What else is stated, by the name of the element."""


@dataclass(frozen=True)
class ArxProject:
    """What a project says, as ARX writes it."""

    path: Path
    delimiter: str
    attributes: tuple[ArxAttribute, ...]
    criteria: tuple[str, ...]
    metric: str
    suppression_limit: str
    weights: Mapping[str, str]
    suppressed_types: tuple[str, ...]
    data: str | None
    """The table as CSV text; None where the project has none."""
    subset: str | None
    """The research subset as CSV text, where it is not the whole table; None where there is none."""
    aggregate: str | None
    """How ARX puts the losses of attributes together, such as SUM; None where it is not said."""
    has_results: bool
    recoded: tuple[str, ...]
    """Parts that are not UTF-8, read as Windows-1252."""


def read_project(path: Path) -> ArxProject:
    """Read a project, or say in one sentence why not."""
    try:
        with zipfile.ZipFile(path) as file:
            return _Parts(path, file).project()
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file; check the path.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); check the path.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError):
        raise DataError(
            f"{path}: this is not a zip file, or it is damaged; save the project in ARX again."
        ) from None
    except (RuntimeError, NotImplementedError) as error:
        raise DataError(
            f"{path}: cannot be unpacked ({error}); save the project in ARX again."
        ) from None


class _Parts:
    """The parts of a zip file, each read once and within limits."""

    def __init__(self, path: Path, file: zipfile.ZipFile) -> None:
        self.path, self.file = path, file
        self.names = {info.filename: info for info in file.infolist()}
        self.recoded: list[str] = []
        if strange := [name for name in self.names if is_strange(name)]:
            self.refuse(f"has a part called {quote(strange[0])}, which leads out of the project")
        if len(self.names) < len(file.infolist()):
            self.refuse("has two parts of one name")

    def refuse(self, what: str) -> NoReturn:
        """Raise a DataError about the project."""
        raise DataError(f"{self.path}: the project {what}; save it in ARX again.")

    def project(self) -> ArxProject:
        config, definition = self.xml(CONFIG, "config"), self.xml(DEFINITION, "definition")
        attributes = tuple(self.attribute(part) for part in definition.iter("assigment"))
        names = [attribute.name for attribute in attributes]
        if not names or len(set(names)) < len(names):
            self.refuse(f"names no column, or one twice, in {DEFINITION}")
        delimiter = self.xml(PROJECT, "project").findtext("separator") or ";"
        data = self.text(DATA) if DATA in self.names else None
        return ArxProject(
            self.path,
            delimiter,
            attributes,
            tuple(part.text or "" for part in config.iter("criterion")),
            config.findtext("metric") or "",
            config.findtext("relativeMaxOutliers") or "",
            {
                part.findtext("attribute") or "": part.findtext("weight") or ""
                for part in config.iter("attributeWeight")
            },
            tuple(part.text or "" for part in config.findall("suppressedAttributeTypes/type")),
            data,
            self.subset(data),
            self.aggregate(),
            any(name.startswith(RESULTS) for name in self.names),
            tuple(self.recoded),
        )

    def subset(self, data: str | None) -> str | None:
        """Return the research subset, where it is a part of the table."""
        text = self.text(SUBSET) if SUBSET in self.names else None
        return None if text == data else text

    def aggregate(self) -> str | None:
        """Look for the one name of an aggregate among the bytes of the configuration."""
        if OBJECTS not in self.names:
            return None
        found = set(AGGREGATE.findall(self.unpack(OBJECTS)))
        return found.pop().decode() if len(found) == 1 else None

    def attribute(self, part: Element) -> ArxAttribute:
        stated = {child.tag: child.text or "" for child in part}
        name, kind = stated.pop("name", ""), stated.pop("type", "")
        if not name:
            self.refuse(f"has a column without a name in {DEFINITION}")
        ref = stated.pop("ref", None)
        hierarchy = None if ref is None else self.text(f"input/{ref}")
        low, high = stated.pop("min", "All"), stated.pop("max", "All")
        return ArxAttribute(name, kind, hierarchy, low, high, stated)

    def xml(self, name: str, root: str) -> Element:
        """Parse a part; a document type, and with it every entity, is refused."""
        builder, parser = TreeBuilder(), expat.ParserCreate("utf-8")
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        parser.StartDoctypeDeclHandler = lambda *_: self.refuse(f"declares entities in {name}")
        try:
            parser.Parse(self.text(name).encode(), True)
        except expat.ExpatError as error:
            self.refuse(f"has broken XML in {name}, line {error.lineno}")
        element: Element = builder.close()
        if element.tag != root:
            self.refuse(f"has <{element.tag}> where <{root}> should be, in {name}")
        return element

    def text(self, name: str) -> str:
        """Unpack a part as text."""
        content = self.unpack(name)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.recoded.append(name)
            return content.decode("cp1252", errors="replace")

    def unpack(self, name: str) -> bytes:
        """Unpack a part within limits."""
        if name not in self.names:
            self.refuse(f"lacks {quote(name)}")
        info, limit = self.names[name], MOST_BYTES[PurePosixPath(name).suffix]
        packed = max(info.compress_size, 1)
        if info.file_size > limit or info.file_size > max(SMALL, MOST_RATIO * packed):
            self.refuse(f"has {quote(name)}, which unpacks to {info.file_size:,} bytes")
        with self.file.open(info) as stream:
            return stream.read(info.file_size + 1)


def is_strange(name: str) -> bool:
    """Whether a name leads out of the folder that it is unpacked to.

    >>> is_strange("input/hierarchies/../../x"), is_strange("/etc/passwd"), is_strange("data/input.csv")
    (True, True, False)
    """
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or name[1:2] == ":"
