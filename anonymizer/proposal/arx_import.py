"""Importing ARX projects: a policy with its hierarchies, and a sentence for what has no counterpart."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from anonymizer import __version__
from anonymizer.data.staging import Staging
from anonymizer.errors import AnonymizerError, DataError, HierarchyError, quote
from anonymizer.hierarchy import Hierarchy
from anonymizer.hierarchy.numbers import why_not_in_runs
from anonymizer.policy import Policy, Role
from anonymizer.proposal.arx_project import ArxAttribute, ArxProject, read_project
from anonymizer.proposal.policy_file import FOLDER, file_names
from anonymizer.proposal.proposal import POLICY, check_new
from anonymizer.utility import EVEN, parameters_of
from anonymizer.validation import write_comment, write_keys, write_value

TABLE, POPULATION = "input.csv", "population.csv"
ROLES = {
    "IDENTIFYING_ATTRIBUTE": Role.IDENTIFYING,
    "QUASI_IDENTIFYING_ATTRIBUTE": Role.QUASI,
    "SENSITIVE_ATTRIBUTE": Role.SENSITIVE,
    "INSENSITIVE_ATTRIBUTE": Role.INSENSITIVE,
}
NUMBER = r"\d+(?:\.\d+)?(?:E-?\d+)?"
OF = r" for attribute '(?P<attribute>.*)'"
DISTANCE = "(?P<distance>equal|ordered|hierarchical)"
MODELS: dict[str, str] = {
    r"(?P<k>\d+)-anonymity": "k-anonymity",
    rf"\((?P<threshold>{NUMBER})\)-(?:avg|average)-reidentification-risk": "average",
    rf"\((?P<threshold>{NUMBER})\)-sample-uniqueness": "sample-uniqueness",
    rf"distinct-(?P<l>\d+)-diversity{OF}": "distinct-l",
    rf"(?:shannon-)?entropy-(?P<l>{NUMBER})-diversity{OF}": "entropy-l",
    rf"recursive-\((?P<c>{NUMBER}), ?(?P<l>\d+)\)-diversity{OF}": "recursive-cl",
    rf"(?P<t>{NUMBER})-closeness with {DISTANCE} distance{OF}": "t-closeness",
    rf"(?P<beta>{NUMBER})-basic likeness{OF}": "beta-likeness",
    rf"(?P<enhanced>enhanced)-(?P<beta>{NUMBER})-likeness{OF}": "beta-likeness",
    rf"(?P<delta>{NUMBER})-disclosure privacy{OF}": "delta-disclosure",
}
"""How ARX writes a privacy model, with the names of its parameters here, and what it is called here."""
MISSING_PARAMETERS = {
    r"\(\d+\)-map.*": "k-map",
    r"\(.*\)-population-uniqueness.*": "p-uniqueness",
    r"\(.*\)-presence": "delta-presence",
}
"""Models that are here too, but of which the project's texts do not say enough."""
WITH_POPULATION = {
    r"\((?P<k>\d+)\)-map": "k-map",
    rf"\((?P<minimum>{NUMBER}), ?(?P<maximum>{NUMBER})\)-presence": "delta-presence",
}
"""Those of them that say enough where the project has a research subset: its table is the population."""
AGGREGATES = {
    "GEOMETRIC_MEAN": "geometric",
    "ARITHMETIC_MEAN": "arithmetic",
    "MAXIMUM": "maximum",
    "SUM": "sum",
}
"""What ARX calls the aggregates of the loss."""
CENTERS: dict[str, Literal["mean", "median"]] = {
    "arithmetic mean": "mean",
    "arithmetric mean": "mean",
    "median": "median",
}
"""What ARX calls the functions of micro-aggregation that are here too."""
MICROAGGREGATION = "microAggregation"
FUNCTION = f"{MICROAGGREGATION}Function"
MEASURES = {
    r"(?!monotonic).*entropy.*": "entropy",
    r"(?!monotonic).*precision.*": "precision",
    r"(?!monotonic).*discernab.*": "discernibility",
    r"average equivalence class size.*": "class-size",
}
DEFAULT = "loss"
LOSS = re.compile(r"Loss(?: \((?P<factor>[^/]+)/.*\))?")
DATA_TYPES = ("datatype", "format", "locale")
"""How ARX reads cells; hierarchies in CSV files are matched by exact text."""


@dataclass(frozen=True)
class ImportedProject:
    """What an import wrote, and what it could not carry over."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]
    """One sentence for each setting without a counterpart."""

    def describe(self) -> dict[str, list[str]]:
        """Return all of it as JSON."""
        return {"files": [str(path) for path in self.files], "notes": list(self.notes)}


def import_project(path: Path, folder: Path, with_data: bool = True) -> ImportedProject:
    """Write the policy, hierarchies and data of a project into a folder, all or nothing."""
    project = read_project(path)
    if not with_data:  # nobody is a population where there is no table
        project = replace(project, subset=None)
    texts, notes = translate(project, with_data)
    check_new(folder, list(texts))
    with Staging(folder, [path]) as staging:
        for name, text in texts.items():
            target = staging.path(name)
            target.parent.mkdir(exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
        if list(models_of(project)):
            check_policy(staging)
    return ImportedProject(tuple(folder / name for name in texts), notes)


def check_policy(staging: Staging) -> None:
    """Check that the policy and its hierarchies can be read before they are where they belong."""
    try:
        Policy.read(staging.path(POLICY)).load_hierarchies()
    except AnonymizerError as error:
        message = str(error).replace(str(staging.staged), str(staging.folder))
        raise DataError(f"{message} Correct the project in ARX.") from None


def translate(project: ArxProject, with_data: bool) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the files of a policy by name, and what is not carried over."""
    compared = compared_by_hierarchy(project)
    listed = [
        each
        for each in project.attributes
        if ROLES.get(each.kind) is Role.QUASI or (each.name in compared and each.hierarchy)
    ]
    names = {
        column: f"{FOLDER}/{Path(name).stem}.csv"
        for column, name in file_names([each.name for each in listed]).items()
    }
    hierarchies = {names[each.name]: each.hierarchy or identity(project, each) for each in listed}
    notes = tuple(all_notes(project))
    table = {TABLE: project.data} if with_data and project.data is not None else {}
    if table and project.subset is not None:
        table = {TABLE: project.subset, POPULATION: table[TABLE]}
    policy = "\n".join(policy_lines(project, names, notes, bool(table))) + "\n"
    return {POLICY: policy, **hierarchies, **table}, notes


def identity(project: ArxProject, attribute: ArxAttribute) -> str:
    """Write the hierarchy that ARX uses where none is given: each value stays itself."""
    rows = read_rows(project)
    if not rows or attribute.name not in rows[0]:
        raise DataError(
            f"{project.path}: column '{attribute.name}' has no hierarchy, and no values in "
            "data/input.csv to make one of; give it one in ARX."
        )
    at = rows[0].index(attribute.name)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=project.delimiter, lineterminator="\n")
    writer.writerows(
        [value] for value in dict.fromkeys(row[at] for row in rows[1:] if len(row) > at)
    )
    return out.getvalue()


def read_rows(project: ArxProject) -> list[list[str]]:
    """Read the rows of the table, the header first; none where the project has no table."""
    text = io.StringIO(project.data or "", newline="")
    try:
        return list(csv.reader(text, delimiter=project.delimiter))
    except (csv.Error, TypeError) as error:
        raise DataError(
            f"{project.path}: data/input.csv cannot be read ({error}); save the project in ARX again."
        ) from None


def policy_lines(
    project: ArxProject, names: dict[str, str], notes: tuple[str, ...], has_table: bool
) -> Iterator[str]:
    """Write the policy, line by line."""
    yield f"# Imported by anonymizer {__version__} from {write_comment(project.path.name)}."
    yield from (f"# Not carried over: {write_comment(note)}" for note in notes)
    yield from ("", "[data]")
    if has_table:
        yield f"path = {write_value(TABLE)}"
    else:
        yield '# path = "table.csv"   # add the table here'
    yield from (f"delimiter = {write_value(project.delimiter)}", "", "[attributes]")
    yield from (attribute_line(project, each, names) for each in project.attributes)
    yield ""
    for model in models_of(project):
        yield from ("[[risk]]", *write_keys(model), "")
    yield from (
        "[utility]",
        *write_keys(measure_of(project) or {"measure": DEFAULT}),
        "",
        "[release]",
    )
    yield f"suppression_limit = {number(project, project.suppression_limit or '0.0')}"


def attribute_line(project: ArxProject, attribute: ArxAttribute, names: dict[str, str]) -> str:
    """Write the keys of one column."""
    role = ROLES.get(attribute.kind)
    if role is None:
        raise DataError(
            f"{project.path}: column '{attribute.name}' has the type {quote(attribute.kind)}, which is "
            "unknown; choose another in ARX."
        )
    keys: dict[str, str | float] = {"role": role.value}
    if attribute.name in names:
        keys["hierarchy"] = names[attribute.name]
    if role is Role.QUASI:
        levels = {"min_level": attribute.min_level, "max_level": attribute.max_level}
        keys |= {key: whole(project, n) for key, n in levels.items() if n != "All"}
        if center := center_of(project, attribute):
            keys["microaggregation"] = center
        weighted = "weights" in parameters_of(measure_name(project))
        if (
            weighted
            and len(set(project.weights.values())) > 1
            and attribute.name in project.weights
        ):
            keys["weight"] = number(project, project.weights[attribute.name])
    return "".join(write_keys({attribute.name: keys}))


def number(project: ArxProject, text: str) -> float:
    """Read a number as Java writes it."""
    if re.fullmatch(NUMBER, text) is None:
        raise DataError(
            f"{project.path}: {quote(text)} is not a number; save the project in ARX again."
        )
    return float(text)


def whole(project: ArxProject, text: str) -> int:
    """Read a level."""
    return int(number(project, text))


def center_of(project: ArxProject, attribute: ArxAttribute) -> Literal["mean", "median"] | None:
    """Translate the function of micro-aggregation, where the hierarchy has intervals of numbers."""
    center = CENTERS.get(attribute.others.get(FUNCTION, "").strip().lower())
    if center is None or attribute.hierarchy is None or ROLES.get(attribute.kind) is not Role.QUASI:
        return None
    text = io.StringIO(attribute.hierarchy, newline="")
    try:
        hierarchy = Hierarchy.from_rows("", list(csv.reader(text, delimiter=project.delimiter)))
    except (HierarchyError, csv.Error, TypeError):
        return None
    return center if why_not_in_runs(hierarchy) is None else None


def forms_of(project: ArxProject) -> dict[str, str]:
    """Return how the privacy models that can be carried over are written."""
    return MODELS if project.subset is None else {**MODELS, **WITH_POPULATION}


def models_of(project: ArxProject) -> Iterator[dict[str, str | float]]:
    """Translate the privacy models that have a counterpart to keys and values of a policy."""
    for criterion in dict.fromkeys(project.criteria):
        for form, model in forms_of(project).items():
            if found := re.fullmatch(form, criterion.strip(), re.IGNORECASE):
                stated = found.groupdict()
                people = {"population_table": POPULATION} if form in WITH_POPULATION else {}
                yield {
                    "model": model,
                    **{key: parameter(key, text) for key, text in stated.items()},
                    **people,
                }


def parameter(key: str, text: str) -> str | float:
    """Read a parameter of a model.

    >>> parameter("attribute", "disease"), parameter("t", "1.0E-2"), parameter("l", "3")
    ('disease', 0.01, 3)
    """
    if key in ("attribute", "distance"):
        return text
    if key == "enhanced":
        return True
    return int(text) if text.isdecimal() else float(text)


def compared_by_hierarchy(project: ArxProject) -> set[str]:
    """Return the columns whose values are compared by their hierarchy."""
    return {
        each.name
        for each in project.attributes
        for model in models_of(project)
        if model.get("distance") == "hierarchical" and model["attribute"] == each.name
    }


def measure_name(project: ArxProject) -> str:
    """Return what the measure of the policy is called."""
    return str((measure_of(project) or {"measure": DEFAULT})["measure"])


def measure_of(project: ArxProject) -> dict[str, str | float] | None:
    """Translate the quality model to keys of a policy; None where it has no counterpart."""
    if found := LOSS.fullmatch(project.metric.strip()):
        stated = {"aggregate": AGGREGATES.get(project.aggregate or "")}
        factor = number(project, found["factor"] or str(EVEN))
        keys = {key: value for key, value in stated.items() if value is not None}
        return {"measure": "loss", **keys, **({} if factor == EVEN else {"factor": factor})}
    for form, measure in MEASURES.items():
        if re.fullmatch(form, project.metric.strip().lower()):
            return {"measure": measure}
    return None


def all_notes(project: ArxProject) -> Iterator[str]:
    """Say all that is not carried over."""
    yield from model_notes(project)
    if measure_of(project) is None:
        yield f"the quality model {quote(project.metric)} has no counterpart; 'loss' is used."
    elif measure_name(project) == "loss" and project.aggregate not in AGGREGATES:
        yield (
            "how 'Loss' is aggregated is not said in the project's files, or has no counterpart; the "
            "geometric mean is used, ARX's own default."
        )
    for attribute in project.attributes:
        yield from attribute_notes(project, attribute)
    if also := [kind for kind in project.suppressed_types if not kind.startswith("QUASI")]:
        yield f"of suppressed records ARX also hides {quote(', '.join(also))}; here they are dropped."
    if project.has_results:
        yield "results of earlier runs in ARX are not read; run the policy."
    if project.recoded:
        yield f"{quote(project.recoded[0])} is not UTF-8 and was read as Windows-1252; check its letters."


def model_notes(project: ArxProject) -> Iterator[str]:
    """Say which privacy models are not carried over."""
    for criterion in dict.fromkeys(project.criteria):
        plain = criterion.strip()
        if any(re.fullmatch(form, plain, re.IGNORECASE) for form in forms_of(project)):
            continue
        near = [
            s for form, s in MISSING_PARAMETERS.items() if re.fullmatch(form, plain, re.IGNORECASE)
        ]
        if near:
            yield (
                f"the privacy model {quote(plain)} is {near[0]}, but ARX keeps the population as a Java "
                "object; add the model with its population."
            )
        else:
            yield f"the privacy model {quote(plain)} has no counterpart; a release may not meet it."
    if not list(models_of(project)):
        yield "no privacy model could be carried over; add a [[risk]] table before a run."


def attribute_notes(project: ArxProject, attribute: ArxAttribute) -> Iterator[str]:
    """Say what of a column is not carried over."""
    where = f"column '{attribute.name}'"
    compared = attribute.name in compared_by_hierarchy(project)
    used = compared or ROLES.get(attribute.kind) is Role.QUASI
    carried = center_of(project, attribute) is not None
    if not used and attribute.hierarchy is not None:
        yield f"{where}: its hierarchy is not used, as it is not a quasi-identifier."
    for key, value in attribute.others.items():
        if key not in DATA_TYPES and not (carried and key.startswith(MICROAGGREGATION)):
            yield f"{where}: {quote(key)} ({quote(value)}) is not carried over."
