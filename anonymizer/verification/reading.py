"""A release read back: its values, the layer of each row, and the classes that risk models see.

A release with one scheme is a release in one layer. Nothing of the search or of what wrote it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.external import to_leaves
from anonymizer.data.aggregate import label_columns
from anonymizer.data.coded import CodedTable, read_counted
from anonymizer.data.column import Column
from anonymizer.data.formulas import escape
from anonymizer.data.table import Table
from anonymizer.hierarchy import REDACTED, Hierarchy
from anonymizer.hierarchy.numbers import groups_of_numbers
from anonymizer.policy import Policy
from anonymizer.problem import columns_described, open_population
from anonymizer.risk import Remaining, RiskModel
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from anonymizer.utility import Released

NO_LAYER = -1
NO_LABEL = "\0"
"""What a cell begins with that is a value of no level in use."""

Levels = Mapping[str, int]
"""The level of each quasi-identifier."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadRelease:
    """The quasi-identifiers of a release as read back from it, written as labels of its hierarchies."""

    hierarchies: tuple[Hierarchy, ...]
    schemes: tuple[Levels, ...]
    """The scheme of all records, or those of the layers."""
    columns: dict[str, Column]
    """The records that are not redacted."""
    layer_of_row: NDArray[np.int64]
    """The first layer that has all values of a row; -1 where none has."""
    row_numbers: NDArray[np.int64]
    """Where these rows stand in what was read, from 1."""
    rows: int
    redacted: int
    unknown: dict[str, tuple[list[str], int]]
    """Values of no level in use, by attribute, and the first of these rows that has one."""
    apart: int = 0
    """By how many the distinct rows are more than the classes: records of one class must be alike."""
    sensitive: Mapping[str, Column] = field(default_factory=dict)
    """The sensitive columns of the records that are not redacted."""
    counts: NDArray[np.int64] | None = None
    """How often each of these occurs, where an engine counted equal ones; None: once."""

    @property
    def kept(self) -> int:
        """The number of records that are not redacted."""
        return self.rows - self.redacted

    @property
    def occupied(self) -> list[int]:
        """The layers that have rows."""
        found: list[int] = np.unique(self.layer_of_row[self.layer_of_row >= 0]).tolist()
        return found

    def first_at(self, row: int) -> str:
        """Say where a row stands in the release; nothing where an engine counted equal ones."""
        return "" if self.counts is not None else f", first at row {self.row_numbers[row]}"

    def layer(self, number: int) -> ReadRelease:
        """Return the rows of one layer as a release of its own."""
        here = self.layer_of_row == number
        counts = None if self.counts is None else self.counts[here]
        return replace(
            self,
            schemes=(self.schemes[number],),
            columns=keep_rows(self.columns, here),
            layer_of_row=np.zeros(int(here.sum()), np.int64),
            row_numbers=self.row_numbers[here],
            rows=int(here.sum() if counts is None else counts.sum()),
            redacted=0,
            sensitive=keep_rows(self.sensitive, here),
            counts=counts,
        )

    def records_by_layer(self) -> NDArray[np.int64]:
        """Count the records of each layer."""
        return np.bincount(self.layer_of_row, self.counts, len(self.schemes)).astype(np.int64)

    def covered_by_layer(self) -> NDArray[np.int64]:
        """Sum what the released values cover: one row for each layer, one column an attribute."""
        sums = np.zeros((len(self.schemes), len(self.hierarchies)), np.int64)
        for at, hierarchy in enumerate(self.hierarchies):
            column = self.columns[hierarchy.name]
            cells = self.layer_of_row * len(column.texts) + column.codes
            counts = np.bincount(cells, self.counts, len(self.schemes) * len(column.texts))
            records = counts.astype(np.int64).reshape(len(self.schemes), -1)
            for layer, scheme in enumerate(self.schemes):
                level = scheme[hierarchy.name]
                covers = dict(zip(hierarchy.labels[level], hierarchy.cover(level), strict=True))
                by_text = np.array([covers.get(text, 0) for text in column.texts], np.int64)
                sums[layer, at] = records[layer] @ by_text
        return sums


def read_release(
    table: Table, policy: Policy, hierarchies: tuple[Hierarchy, ...], manifest: Mapping[str, Any]
) -> ReadRelease:
    """Read the quasi-identifiers back, set redacted records apart, and find the layer of each row."""
    schemes = layers_of(manifest) or (manifest["scheme"],)
    names = [hierarchy.name for hierarchy in hierarchies]
    described = columns_described(table, policy.load_models(), policy)
    found, counts = read_counted(table, [*names, *described])
    raw = {name: found[name] for name in names}
    redacted = find_redacted(raw, policy, manifest)
    kept = keep_rows(raw, ~redacted)
    grown, read, unknown = [], {}, {}
    for hierarchy in hierarchies:
        name, column = hierarchy.name, kept[hierarchy.name]
        fitted, labels = labels_of(hierarchy, levels_in_use(schemes, name), column, policy)
        pairs = list(zip(column.texts, labels, strict=True))
        if strange := [text for text, label in pairs if label is None]:
            unknown[name] = (strange, column.first_row(strange))
        grown.append(fitted)
        read[name] = column.rename([f"{NO_LABEL}{t}" if lab is None else lab for t, lab in pairs])
    apart = 0
    if policy.microaggregated and not unknown:  # elsewhere, each value has one label
        apart = label_columns(kept.values()).number - label_columns(read.values()).number
    times = np.ones(redacted.size, np.int64) if counts is None else counts
    return ReadRelease(
        tuple(grown),
        schemes,
        read,
        find_layers(read, grown, schemes),
        np.flatnonzero(~redacted) + 1,
        int(times.sum()),
        int(times[redacted].sum()),
        unknown,
        apart,
        keep_rows({name: found[name] for name in described}, ~redacted),
        None if counts is None else counts[~redacted],
    )


def layers_of(manifest: Mapping[str, Any]) -> tuple[dict[str, int], ...]:
    """Return the schemes of the layers that a manifest declares; nothing where there is one scheme."""
    return tuple(layer["scheme"] for layer in manifest.get("layers") or ())


def keep_rows(columns: Mapping[str, Column], rows: NDArray[np.bool_]) -> dict[str, Column]:
    """Return columns with some rows only."""
    return {name: column.keep(rows) for name, column in columns.items()}


def levels_in_use(schemes: Sequence[Levels], name: str) -> list[int]:
    """List the levels that an attribute has in some schemes."""
    return sorted({scheme[name] for scheme in schemes})


def labels_of(
    hierarchy: Hierarchy, levels: Sequence[int], column: Column, policy: Policy
) -> tuple[Hierarchy, list[str | None]]:
    """Return the label of some levels that each text of a column stands for; None where there is none.

    Values that the hierarchy does not list are taken in, as far as a rule covers them. What is listed at
    one of the levels, such as the top's `*`, is not taken for an unlisted value of another.
    """
    write = escape if policy.release.escape_formulas else str
    listed = {write(label) for level in levels for label in hierarchy.labels[level]}
    unlisted = [text for text in column.texts if text not in listed]
    for level in levels:
        hierarchy = hierarchy.with_labels(unlisted, level)
    known = {write(label): label for level in levels for label in hierarchy.labels[level]}
    pairs = zip(column.texts, hierarchy.read_texts(column.texts, levels), strict=True)
    labels = in_one_way(column.texts, [known.get(text, known.get(value)) for text, value in pairs])
    if hierarchy.name in policy.microaggregated and levels != [0]:
        groups = groups_of_numbers(hierarchy, levels[-1], column.texts)
        labels = [group or label for group, label in zip(groups, labels, strict=True)]
    return hierarchy, labels


def in_one_way(texts: Sequence[str], labels: Sequence[str | None]) -> list[str | None]:
    """Return labels without those of values that are written in two ways, which would tell rows apart.

    >>> in_one_way(["18", "18.0", "19.0"], ["18", "18", "19"])
    ['18', None, '19']
    """
    times = Counter(labels)
    pairs = zip(texts, labels, strict=True)
    return [label if times[label] == 1 or text == label else None for text, label in pairs]


def find_redacted(
    columns: Mapping[str, Column], policy: Policy, manifest: Mapping[str, Any] | None
) -> NDArray[np.bool_]:
    """Mark the records whose every quasi-identifier is redacted, if any were suppressed.

    Where none was, a class may be called the same, such as one with every attribute at its top. Without a
    manifest, nobody says that none was.
    """
    stars = [column.where(REDACTED) for column in columns.values()]
    some = manifest is None or manifest["suppressed"] > 0
    redacts = policy.release.suppressed == "redact" and some
    redacted: NDArray[np.bool_] = np.logical_and.reduce(stars) & redacts
    return redacted


def find_layers(
    columns: Mapping[str, Column], hierarchies: Sequence[Hierarchy], schemes: Sequence[Levels]
) -> NDArray[np.int64]:
    """Return the first layer of each row at whose levels all of its values are; -1 where none is."""
    rows = next(iter(columns.values())).codes.size
    layer = np.full(rows, NO_LAYER, np.int64)
    for number, scheme in enumerate(schemes):
        here = np.flatnonzero(layer == NO_LAYER)
        for hierarchy in hierarchies:
            column, known = columns[hierarchy.name], set(hierarchy.labels[scheme[hierarchy.name]])
            fits = np.array([text in known for text in column.texts], np.bool_)
            here = here[fits[column.codes[here]]]
        layer[here] = number
    return layer


def classes_of(
    reading: ReadRelease, policy: Policy, models: Sequence[RiskModel], input_people: int
) -> Remaining:
    """Partition the released records by their values as they are, over all layers."""
    if len(reading.schemes) == 1:
        return classes_of_layer(reading, policy, models, input_people)
    texts = [
        Hierarchy.from_rows(name, [(text, REDACTED) for text in column.texts])
        for name, column in reading.columns.items()
    ]
    table = CodedTable({**reading.columns, **reading.sensitive}, reading.counts)
    microdata = encode(table, texts, sensitive=list(reading.sensitive))
    classes = partition(microdata, (0,) * len(texts))
    matching = None
    if any(model.inputs.population.table is not None for model in models):
        matching = np.zeros(classes.sizes.size, np.int64)
        of_row = classes.label_of_tuple[microdata.tuple_of_row]
        for number in reading.occupied:
            alone = classes_of_layer(reading.layer(number), policy, models, input_people)
            assert alone.classes.population_sizes is not None
            own = alone.classes.label_of_tuple[alone.microdata.tuple_of_row]
            matching[of_row[reading.layer_of_row == number]] = alone.classes.population_sizes[own]
    classes = replace(classes, input_people=input_people, population_sizes=matching)
    return Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))


def classes_of_layer(
    reading: ReadRelease, policy: Policy, models: Sequence[RiskModel], input_people: int
) -> Remaining:
    """Partition the records of a release with one scheme.

    A leaf stands for each value, and the scheme generalizes it to the value again: so models meet what
    they meet in a search, and others' tables are generalized alike.
    """
    hierarchies, [scheme] = reading.hierarchies, reading.schemes
    released = {h.name: to_leaves(h, scheme[h.name], reading.columns[h.name]) for h in hierarchies}
    microdata = encode(
        CodedTable({**released, **reading.sensitive}, reading.counts),
        hierarchies,
        open_population(models, policy),
        sensitive=list(reading.sensitive),
    )
    classes = partition(microdata, tuple(scheme[h.name] for h in hierarchies))
    classes = replace(classes, input_people=input_people)
    return Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))


def describe_released(reading: ReadRelease, remaining: Remaining | None, records: int) -> Released:
    """Return what a measure may look at."""
    sizes = np.empty(0, np.int64) if remaining is None else remaining.classes.records
    return describe_part(reading, sizes, records, reading.covered_by_layer().sum(axis=0))


def describe_part(
    reading: ReadRelease,
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


def coarsest_of(schemes: Sequence[Levels]) -> dict[str, int]:
    """Return the highest level that any layer has of each attribute."""
    return {name: max(scheme[name] for scheme in schemes) for name in schemes[0]}
