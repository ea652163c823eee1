"""Generalization hierarchies: built, read, written, checked, suggested and drawn."""

from anonymizer.hierarchy.arx import read_arx, read_rows, write_arx
from anonymizer.hierarchy.builders import Builder
from anonymizer.hierarchy.codes import Coded
from anonymizer.hierarchy.coverage import check_values
from anonymizer.hierarchy.dates import DateFormat, Dates
from anonymizer.hierarchy.draw import draw
from anonymizer.hierarchy.elapsed import Elapsed
from anonymizer.hierarchy.groups import Explicit, Ordered
from anonymizer.hierarchy.hierarchy import MISSING, REDACTED, Hierarchy
from anonymizer.hierarchy.intervals import Intervals
from anonymizer.hierarchy.lint import Defect, check_rows
from anonymizer.hierarchy.priority import Priority
from anonymizer.hierarchy.redaction import Redaction
from anonymizer.hierarchy.spec import BUILDERS, check_file, load_hierarchy, parse_spec, read_spec
from anonymizer.hierarchy.suggest import kind_of_texts, suggest

__all__ = [
    "BUILDERS",
    "MISSING",
    "REDACTED",
    "Builder",
    "Coded",
    "DateFormat",
    "Dates",
    "Defect",
    "Elapsed",
    "Explicit",
    "Hierarchy",
    "Intervals",
    "Ordered",
    "Priority",
    "Redaction",
    "check_file",
    "check_rows",
    "check_values",
    "draw",
    "kind_of_texts",
    "load_hierarchy",
    "parse_spec",
    "read_arx",
    "read_rows",
    "read_spec",
    "suggest",
    "write_arx",
]
