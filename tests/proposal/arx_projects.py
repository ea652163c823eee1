"""ARX projects, made as ARX's source writes them (WorkerSave, Vocabulary_V2); ARX itself made none."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

ROLES = {
    "name": "IDENTIFYING_ATTRIBUTE",
    "age": "QUASI_IDENTIFYING_ATTRIBUTE",
    "sex": "QUASI_IDENTIFYING_ATTRIBUTE",
    "Größe/cm": "QUASI_IDENTIFYING_ATTRIBUTE",
    "disease": "SENSITIVE_ATTRIBUTE",
    "ward": "INSENSITIVE_ATTRIBUTE",
}
HIERARCHIES = {
    "age": "".join(f"{age};{age // 10 * 10}s;*\n" for age in range(20, 60)),
    "sex": "f;*\nm;*\n",
}


def element(name: str, value: object) -> str:
    return f"\t<{name}>{escape(str(value))}</{name}>\n"


def definition(extra: Mapping[str, str] | None = None) -> str:
    """Write input/definition.xml; "assigment" is how ARX spells it."""
    parts = []
    for name, role in ROLES.items():
        lines = element("name", name) + element("type", role) + element("datatype", "String")
        if name in HIERARCHIES:
            low, high = ("All", "1") if name == "age" else ("All", "All")
            lines += (
                element("ref", f"hierarchies/{name}.csv")
                + element("min", low)
                + element("max", high)
            )
        parts.append(f"<assigment>\n{lines}{(extra or {}).get(name, '')}</assigment>\n")
    return f"<definition>\n{''.join(parts)}</definition>\n"


def config(criteria: Sequence[str] = ("2-anonymity",), metric: str = "Loss (0.5/1.0/1.0)") -> str:
    """Write input/config.xml."""
    weights = "".join(
        f"<attributeWeight>\n{element('attribute', name)}{element('weight', weight)}</attributeWeight>\n"
        for name, weight in {"age": 0.5, "sex": 0.25}.items()
    )
    return (
        f"<config>\n{element('suppressTuplesInNonAnonymousOutput', 'false')}"
        "<suppressedAttributeTypes>\n<type>QUASI_IDENTIFYING_ATTRIBUTE</type>\n</suppressedAttributeTypes>\n"
        f"{element('practicalMonotonicity', 'false')}{element('relativeMaxOutliers', 0.25)}"
        f"{element('metric', metric)}<attributeWeights>\n{weights}</attributeWeights>\n<criteria>\n"
        f"{''.join(element('criterion', each) for each in criteria)}</criteria>\n</config>\n"
    )


def table(rows: int = 60, delimiter: str = ";") -> str:
    """Write data/input.csv."""
    cells = [
        [f"P {n}", str(20 + n * 7 % 40), "fm"[n % 2], str(160 + n % 3), "flu", f"W{n % 5}"]
        for n in range(rows)
    ]
    return "".join(f"{delimiter.join(row)}\n" for row in [list(ROLES), *cells])


def parts(delimiter: str = ";") -> dict[str, str | bytes]:
    """The parts of a project, in ARX's order."""
    return {
        "metadata.xml": (
            f"<metadata>\n{element('version', '3.9.1')}{element('vocabulary', '2.0')}</metadata>\n"
        ),
        "project.dat": b"\xac\xed\x00\x05",  # Java objects, never read
        "project.xml": f"<project>\n{element('name', 'p')}{element('separator', delimiter)}</project>\n",
        "data/input.csv": table(delimiter=delimiter),
        "input/config.dat": b"\xac\xed\x00\x05",
        "input/config.xml": config(),
        "input/definition.xml": definition(),
        **{
            f"input/hierarchies/{name}.csv": rows.replace(";", delimiter)
            for name, rows in HIERARCHIES.items()
        },
    }


def write_project(path: Path, content: Mapping[str, str | bytes]) -> Path:
    """Pack the parts of a project."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in content.items():
            file.writestr(name, part)
    return path
