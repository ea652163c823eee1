"""A release in layers, read back: which layer each row is of, and what its classes are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.coded import CodedTable
from anonymizer.data.columns import Coded
from anonymizer.data.formulas import escape
from anonymizer.data.labels import label_columns
from anonymizer.data.table import Table
from anonymizer.hierarchy import MISSING, REDACTED, Hierarchy
from anonymizer.layers.narrowing import OpenClasses, takes_whole_classes
from anonymizer.policy import Policy
from anonymizer.risk import Remaining, RiskModel
from anonymizer.table.classes import partition
from anonymizer.table.domain import Column
from anonymizer.table.microdata import encode
from anonymizer.utility import Released
from anonymizer.verification.claims import Check, check_figures
from anonymizer.verification.reading import (
    ReadRelease,
    check_model,
    classes_of,
    find_redacted,
    in_one_way,
    read_columns_of,
)

NO_LAYER = -1


@dataclass(frozen=True, slots=True, eq=False)
class LayeredReading:
    """The quasi-identifiers of a release in layers, as read back from it."""

    hierarchies: tuple[Hierarchy, ...]
    schemes: tuple[Mapping[str, int], ...]
    columns: dict[str, Coded]
    """The records that are not redacted."""
    layer_of_row: NDArray[np.int64]
    """The first layer that has all values of a row; -1 where none has."""
    rows: int
    redacted: int
    sensitive: Mapping[str, Coded]
    """The sensitive columns of the records that are not redacted."""

    @property
    def kept(self) -> int:
        """The number of records that are not redacted."""
        return self.rows - self.redacted

    def layer(self, number: int) -> ReadRelease:
        """Return the rows of one layer as a release of its own."""
        here = self.layer_of_row == number
        columns = {name: column.keep(here) for name, column in self.columns.items()}
        sensitive = {name: column.keep(here) for name, column in self.sensitive.items()}
        rows = int(here.sum())
        return ReadRelease(
            self.hierarchies, self.schemes[number], columns, rows, 0, {}, 0, sensitive
        )

    @property
    def occupied(self) -> list[int]:
        """The layers that have rows."""
        found: list[int] = np.unique(self.layer_of_row[self.layer_of_row >= 0]).tolist()
        return found


def layers_of(manifest: Mapping[str, Any]) -> tuple[dict[str, int], ...]:
    """Return the schemes of the layers that a manifest declares; nothing where there is one scheme."""
    return tuple(layer["scheme"] for layer in manifest.get("layers") or ())


def read_layers(
    table: Table,
    policy: Policy,
    hierarchies: tuple[Hierarchy, ...],
    manifest: Mapping[str, Any],
) -> LayeredReading:
    """Read the quasi-identifiers back, and find the layer of each row."""
    schemes = layers_of(manifest)
    columns, sensitive = read_columns_of(table, policy, hierarchies)
    if policy.release.escape_formulas:
        columns = {h.name: as_labels(columns[h.name], h) for h in hierarchies}
    hierarchies, columns = take_in(hierarchies, columns)
    redacted = find_redacted(columns, policy, manifest)
    kept = {name: column.keep(~redacted) for name, column in columns.items()}
    layers = find_layers(kept, hierarchies, schemes)
    left = {name: column.keep(~redacted) for name, column in sensitive.items()}
    rows, gone = redacted.size, int(redacted.sum())
    return LayeredReading(hierarchies, schemes, kept, layers, rows, gone, left)


def take_in(
    hierarchies: tuple[Hierarchy, ...], columns: Mapping[str, Coded]
) -> tuple[tuple[Hierarchy, ...], dict[str, Coded]]:
    """Take in released values that hierarchies do not list, and write all as labels."""
    grown, read = [], {}
    for hierarchy in hierarchies:
        column = columns[hierarchy.name]
        fitted, labels = hierarchy.fit(column.texts)
        pairs = zip(column.texts, in_one_way(column.texts, labels), strict=True)
        grown.append(fitted)
        read[hierarchy.name] = column.rename(
            [f"\0{text}" if label is None else label for text, label in pairs]
        )
    return tuple(grown), read


def as_labels(column: Coded, hierarchy: Hierarchy) -> Coded:
    """Read escaped values as the labels that they stand for; one that should be escaped is none.

    What needs no escaping is left as it is: a value that is not listed may be covered all the same.
    """
    labels = {MISSING, REDACTED, *(label for labels in hierarchy.labels for label in labels)}
    known = {escape(label): label for label in labels}
    known = {text: text for text in column.texts if escape(text) == text} | known
    return column.rename([known.get(text, f"\0{text}") for text in column.texts])


def find_layers(
    columns: Mapping[str, Coded],
    hierarchies: Sequence[Hierarchy],
    schemes: Sequence[Mapping[str, int]],
) -> NDArray[np.int64]:
    """Return the first layer of each row at whose levels all of its values are; -1 where none is."""
    rows = label_columns(columns.values())
    first = rows.first_rows()
    layer = np.full(first.size, NO_LAYER, np.int64)
    at_level = {h.name: labels_by_level(h, columns[h.name]) for h in hierarchies}
    for number, scheme in enumerate(schemes):
        fits = layer == NO_LAYER
        for name, known in at_level.items():
            fits &= known[scheme[name]][columns[name].codes[first]]
        layer[fits] = number
    return layer[rows.of_row]


def labels_by_level(hierarchy: Hierarchy, column: Coded) -> NDArray[np.bool_]:
    """Mark the texts of a column that are values of each level."""
    return np.array(
        [[text in known for text in column.texts] for known in map(set, hierarchy.labels)], np.bool_
    )


def check_layers(reading: LayeredReading, manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check that every row is of a declared layer, and that each layer has the rows it declares.

    A layer without rows is not one.
    """
    claim = "every row is generalized as one of the layers declares"
    strange = np.flatnonzero(reading.layer_of_row == NO_LAYER)
    if strange.size:
        detail = f"{strange.size} rows fit no layer, the first of them row {strange[0] + 1}"
        yield Check(claim, False, detail)
        return
    yield Check(claim, True, f"{reading.kept} rows in {len(reading.occupied)} layers")
    counts = np.bincount(reading.layer_of_row, minlength=len(reading.schemes)).tolist()
    declared = [layer["records"] for layer in manifest["layers"]]
    wrong = sum(not mine or mine != theirs for mine, theirs in zip(counts, declared, strict=True))
    detail = f"{wrong} layers have another number of rows" if wrong else "all numbers agree"
    yield Check("each layer has the records declared", not wrong, detail)


def check_narrowed(
    reading: LayeredReading, models: Sequence[RiskModel], manifest: Mapping[str, Any]
) -> Check:
    """Check that as many cells can be narrowed down as declared."""
    claim, declared = "as many cells can be narrowed down as declared", manifest.get("narrowed")
    if not takes_whole_classes(models):
        return Check(
            claim, declared is None, "not counted for a model that may take part of a class"
        )
    return check_figures(claim, open_classes(reading).narrowed().describe(), declared or {})


def open_classes(reading: LayeredReading) -> OpenClasses:
    """Return the released classes as values of the hierarchies, each by a leaf below it."""
    rows = label_columns(reading.columns.values())
    first = rows.first_rows()
    layers, hierarchies = reading.layer_of_row[first], reading.hierarchies
    levels = [np.array([s[h.name] for s in reading.schemes])[layers] for h in hierarchies]
    codes = [
        leaves_below(hierarchy, reading.columns[hierarchy.name].keep(first), level)
        for hierarchy, level in zip(hierarchies, levels, strict=True)
    ]
    columns = [Column.build(hierarchy, [np.arange(hierarchy.size)]) for hierarchy in hierarchies]
    return OpenClasses(columns, levels, codes, np.bincount(rows.of_row))


def leaves_below(
    hierarchy: Hierarchy, column: Coded, levels: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a leaf that each cell covers, given the level of each."""
    leaves = np.zeros(levels.size, np.int64)
    for level in np.unique(levels).tolist():
        first = np.unique(hierarchy.codes[level], return_index=True)[1].tolist()
        leaf_of = dict(zip(hierarchy.labels[level], first, strict=True))
        here = levels == level
        leaves[here] = np.array([leaf_of.get(text, 0) for text in column.texts])[column.codes[here]]
    return leaves


def layered_classes(
    reading: LayeredReading, policy: Policy, models: Sequence[RiskModel], input_people: int
) -> Remaining:
    """Partition the released records by their values as they are, over all layers."""
    texts = [
        Hierarchy.from_rows(name, [(text, REDACTED) for text in column.texts])
        for name, column in reading.columns.items()
    ]
    table = CodedTable({**reading.columns, **reading.sensitive})
    microdata = encode(table, texts, sensitive=list(reading.sensitive))
    classes = partition(microdata, (0,) * len(texts))
    matching = None
    if any(model.inputs.population.table is not None for model in models):
        matching = np.zeros(classes.sizes.size, np.int64)
        of_row = classes.label_of_tuple[microdata.tuple_of_row]
        for number in reading.occupied:
            alone = classes_of(reading.layer(number), policy, models, input_people)
            assert alone.classes.population_sizes is not None
            own = alone.classes.label_of_tuple[alone.microdata.tuple_of_row]
            matching[of_row[reading.layer_of_row == number]] = alone.classes.population_sizes[own]
    classes = replace(classes, input_people=input_people, population_sizes=matching)
    return Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))


def check_layered_model(
    model: RiskModel,
    reading: LayeredReading,
    together: Remaining,
    policy: Policy,
    overall: Mapping[str, Any],
) -> Check:
    """Check a model on the classes of all layers; one that looks at more, on each layer by itself."""
    if model.violators is None:
        return check_model(model, together, overall)
    people = together.classes.input_people
    checks = [
        check_model(model, classes_of(reading.layer(number), policy, [model], people))
        for number in reading.occupied
    ]
    worst = min(checks, key=lambda check: (check.passed is not False, check.passed is not None))
    detail = f"each of {len(checks)} layers by itself; {worst.detail}"
    return replace(worst, detail=detail)


def describe_layers(reading: LayeredReading, remaining: Remaining | None, records: int) -> Released:
    """Return what a measure may look at."""
    sizes = np.empty(0, np.int64) if remaining is None else remaining.classes.records
    return describe_part(reading, sizes, records, covered_by_layer(reading).sum(axis=0))


def describe_part(
    reading: LayeredReading,
    class_sizes: NDArray[np.int64],
    records: int,
    covered: NDArray[np.int64],
) -> Released:
    """Return what a measure may look at of some released records, given what they cover."""
    hierarchies = reading.hierarchies
    coarsest = coarsest_of(reading.schemes)
    return Released(
        records,
        class_sizes,
        np.array([coarsest[hierarchy.name] for hierarchy in hierarchies]),
        np.array([hierarchy.height for hierarchy in hierarchies]),
        np.array([hierarchy.extent for hierarchy in hierarchies]),
        covered,
        np.array([hierarchy.least_cover for hierarchy in hierarchies]),
    )


def coarsest_of(schemes: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the highest level that any layer has of each attribute."""
    return {name: max(scheme[name] for scheme in schemes) for name in schemes[0]}


def covered_by_layer(reading: LayeredReading) -> NDArray[np.int64]:
    """Sum what the released values cover: one row for each layer, one column an attribute."""
    sums = np.zeros((len(reading.schemes), len(reading.hierarchies)), np.int64)
    for a, hierarchy in enumerate(reading.hierarchies):
        column = reading.columns[hierarchy.name]
        levels = np.array([scheme[hierarchy.name] for scheme in reading.schemes])
        for level in np.unique(levels).tolist():
            here = levels[reading.layer_of_row] == level
            covers = dict(
                zip(hierarchy.labels[level], hierarchy.cover(level).tolist(), strict=True)
            )
            by_value = np.array([covers.get(text, 0) for text in column.texts], np.int64)
            np.add.at(sums[:, a], reading.layer_of_row[here], by_value[column.codes[here]])
    return sums


def check_layer_losses(
    reading: LayeredReading, policy: Policy, manifest: Mapping[str, Any]
) -> Check:
    """Check that the records of each layer lose what it declares."""
    counts = np.bincount(reading.layer_of_row, minlength=len(reading.schemes))
    lost = [
        policy.measure.of_release(describe_part(reading, np.array([records]), records, covered))
        for records, covered in zip(counts.tolist(), covered_by_layer(reading), strict=True)
    ]
    mine = {str(number): found[0] for number, found in enumerate(lost, 1) if found is not None}
    theirs = {str(number): layer["loss"] for number, layer in enumerate(manifest["layers"], 1)}
    return check_figures("each layer has the loss declared", mine, theirs)
