"""The values of a release: each of a level that is declared, in layers as many as declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import label_columns
from anonymizer.data.column import Column
from anonymizer.errors import list_cells
from anonymizer.hierarchy import Hierarchy
from anonymizer.layers.narrowing import OpenClasses, takes_whole_classes
from anonymizer.policy import Policy
from anonymizer.risk import RiskModel
from anonymizer.table.domain import QuasiIdentifier
from anonymizer.verification.claims import Check, check_figures
from anonymizer.verification.reading import NO_LAYER, ReadRelease, describe_part


def check_values(reading: ReadRelease, manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check that each value is of a level that is declared, and each layer has the rows it declares."""
    if not manifest.get("layers"):
        yield check_levels(reading)
        return
    claim = "every row is generalized as one of the layers declares"
    strange = np.flatnonzero(reading.layer_of_row == NO_LAYER)
    if strange.size:
        detail = f"{strange.size} rows fit no layer{reading.first_at(strange[0])}"
        yield Check(claim, False, detail)
        return
    yield Check(claim, True, f"{reading.kept} rows in {len(reading.occupied)} layers")
    counts = reading.records_by_layer().tolist()
    declared = [layer["records"] for layer in manifest["layers"]]
    # a layer without rows is not one
    wrong = sum(not mine or mine != theirs for mine, theirs in zip(counts, declared, strict=True))
    detail = f"{wrong} layers have another number of rows" if wrong else "all numbers agree"
    yield Check("each layer has the records declared", not wrong, detail)


def check_levels(reading: ReadRelease) -> Check:
    """Check that each value is one of the declared level of its hierarchy."""
    [scheme] = reading.schemes
    details = [
        f"column '{name}' has values that are not of level {scheme[name]}"
        f"{list_cells(texts)}{reading.first_at(row)}"
        for name, (texts, row) in reading.unknown.items()
    ]
    if reading.apart:
        details.append(f"{reading.apart} classes are released in more than one way")
    detail = "; ".join(details) or "every cell is of the level in the scheme"
    return Check("every quasi-identifier is generalized as declared", not details, detail)


def check_narrowed(
    reading: ReadRelease, models: Sequence[RiskModel], manifest: Mapping[str, Any]
) -> Check:
    """Check that as many cells can be narrowed down as declared."""
    claim, declared = "as many cells can be narrowed down as declared", manifest.get("narrowed")
    if not takes_whole_classes(models):
        return Check(
            claim, declared is None, "not counted for a model that may take part of a class"
        )
    return check_figures(claim, open_classes(reading).narrowed().describe(), declared or {})


def open_classes(reading: ReadRelease) -> OpenClasses:
    """Return the released classes as values of the hierarchies, each by a leaf below it."""
    rows = label_columns(reading.columns.values())
    first = rows.first_rows()
    layers, hierarchies = reading.layer_of_row[first], reading.hierarchies
    levels = [np.array([s[h.name] for s in reading.schemes])[layers] for h in hierarchies]
    codes = [
        leaves_below(hierarchy, reading.columns[hierarchy.name].keep(first), level)
        for hierarchy, level in zip(hierarchies, levels, strict=True)
    ]
    columns = [
        QuasiIdentifier.build(hierarchy, [np.arange(hierarchy.size)]) for hierarchy in hierarchies
    ]
    sizes = np.bincount(rows.of_row, reading.counts).astype(np.int64)
    return OpenClasses(columns, levels, codes, sizes)


def leaves_below(
    hierarchy: Hierarchy, column: Column, levels: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a leaf that each cell covers, given the level of each."""
    leaves = np.zeros(levels.size, np.int64)
    for level in np.unique(levels).tolist():
        first = np.unique(hierarchy.codes[level], return_index=True)[1].tolist()
        leaf_of = dict(zip(hierarchy.labels[level], first, strict=True))
        here = levels == level
        leaves[here] = np.array([leaf_of.get(text, 0) for text in column.texts])[column.codes[here]]
    return leaves


def check_layer_losses(reading: ReadRelease, policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Check that the records of each layer lose what it declares."""
    parts = zip(reading.records_by_layer().tolist(), reading.covered_by_layer(), strict=True)
    lost = [
        policy.measure.of_release(describe_part(reading, np.array([records]), records, covered))
        for records, covered in parts
    ]
    mine = {str(number): found[0] for number, found in enumerate(lost, 1) if found is not None}
    theirs = {str(number): layer["loss"] for number, layer in enumerate(manifest["layers"], 1)}
    return check_figures("each layer has the loss declared", mine, theirs)
