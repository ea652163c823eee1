"""Downcoding: what it gives away that a scheme is optimal, or that layers were opened one by one.

A release with one scheme, found by a search to the end: the attacker knows the policy, the hierarchies,
the scheme, that no scheme is better, and, at worst, all of the original but one cell. They put each leaf
that the released cell covers in its place and run the search again. A leaf for which another scheme would
have come out is ruled out (minimality: Wong et al. 2007; downcoding: Cohen 2022). Of a sample of released
cells that cover several leaves, it is counted how many can be narrowed down so.

A release in layers: `layers.narrowing` says which cells can be narrowed down by the layer that a record
is in, without any search; all released cells are counted.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attacks.columns import Integers, Quasi
from anonymizer.attacks.matching import NOBODY
from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting
from anonymizer.data.coded import CodedTable, load
from anonymizer.data.columns import Coded
from anonymizer.errors import AnonymizerWarning, InfeasibleError
from anonymizer.estimators.proportions import Rate
from anonymizer.layers.narrowing import takes_whole_classes
from anonymizer.problem import Problem
from anonymizer.risk import Need
from anonymizer.search import Status
from anonymizer.solution.solution import anonymize
from anonymizer.verification.layers import NO_LAYER, layers_of, open_classes, read_layers
from anonymizer.verification.verification import hierarchies_used

NAME = "downcoding"
QUESTION = (
    "Knowing that the scheme is optimal, and all of the original but one cell, can they rule out a value "
    "that the released cell covers?"
)
LAYERED = "Knowing how layers are made, can they rule out a value that a released cell covers?"
NOTHING = "an attacker who does not know how the scheme was found, who rules out nothing"
CELLS, FEW_RECORDS = 20, 2_000
"""So many cells are replayed by default, in tables of at most so many records: each takes searches."""
ALTERNATIVES = 10
"""Of the other leaves that a cell covers, so many are tried at most."""
DRAW = 7


def downcoding(setting: Setting) -> Attack:
    """Narrow released cells down by the layers, or by replaying the search."""
    if setting.manifest is not None and layers_of(setting.manifest):
        return by_layers(setting, setting.manifest)
    if why := why_not(setting):
        return skip(NAME, QUESTION, why)
    replay = Replay.of(setting)
    if replay.scheme(replay.columns) != setting.manifest["scheme"]:  # type: ignore[index]
        return skip(NAME, QUESTION, "the search on the original does not give the released scheme.")
    return by_replay(setting, replay)


def why_not(setting: Setting) -> str | None:
    """Say why the search is not replayed, if it is not."""
    manifest, asked = setting.manifest, setting.plan.replay
    if manifest is None:
        return "it needs the manifest, which says that the scheme is optimal."
    if manifest["status"] != Status.OPTIMAL:
        return f"the release does not claim to be optimal: its status is {manifest['status']}."
    if asked == 0:
        return "no cells were asked for."
    models = setting.policy.load_models()
    if any(model.sampled_from.subset is not None for model in models):
        return "it is not known for a research subset of the table."
    slow = any(Need.POPULATION_TABLE in model.needs for model in models)
    if asked is None and (slow or setting.original.shape[1] > FEW_RECORDS):
        return f"it takes a search for every value tried; ask for it with --replay {CELLS}."
    return None


# --- layers


def by_layers(setting: Setting, manifest: Mapping[str, Any]) -> Attack:
    """Count the cells that can be narrowed down by the layers alone."""
    if not takes_whole_classes(setting.policy.load_models()):
        return skip(NAME, LAYERED, "it is not known for a model that may take part of a class.")
    hierarchies = hierarchies_used(setting.policy, manifest)
    reading = read_layers(setting.released, setting.policy, hierarchies, manifest)
    if (reading.layer_of_row == NO_LAYER).any():
        return skip(NAME, LAYERED, "some rows fit no layer; verify the release first.")
    narrowed = open_classes(reading).narrowed()
    generalized = int(covers_several(setting).sum())
    details = {"records_narrowed": narrowed.records, "by_attribute": narrowed.by_attribute}
    return Attack(NAME, LAYERED, Rate(narrowed.cells, generalized), None, NOTHING, details)


def covers_several(setting: Setting) -> NDArray[np.bool_]:
    """Mark the released cells that cover several leaves: a row for each quasi-identifier."""
    cells = setting.cells
    marked = np.zeros((len(setting.quasi), cells.rows), np.bool_)
    for at in setting.quasi:
        for level, values in enumerate(cells.columns[at].values):
            several = np.bincount(values) > 1
            here = cells.levels[at] == level
            marked[at, here] = several[cells.codes[at][here]]
    return marked


# --- one scheme


@dataclass(frozen=True, eq=False)
class Replay:
    """The original, in which single cells are replaced, and the search on it."""

    setting: Setting
    columns: dict[str, Coded]

    @staticmethod
    def of(setting: Setting) -> Replay:
        """Read all columns of the original."""
        return Replay(setting, dict(load(setting.table, setting.table.columns).coded))

    def scheme(self, columns: Mapping[str, Coded]) -> dict[str, int] | None:
        """Return the best scheme of a table; None where there is none."""
        policy = self.setting.policy.without_limits()
        policy = policy.model_copy(update={"data": policy.data.model_copy(update={"sample": 1.0})})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AnonymizerWarning)  # they were shown before
                return anonymize(Problem.read(CodedTable(columns), policy, warn=False)).scheme
        except InfeasibleError:
            return None

    def ruled_out(self, record: int, column: Quasi, leaf: int) -> bool:
        """Whether another scheme would come out with a leaf in the place of a record's value."""
        assert self.setting.manifest is not None
        old, text = self.columns[column.name], column.hierarchy.leaves[leaf]
        texts = old.texts if text in old.texts else (*old.texts, text)
        codes = old.codes.astype(np.int64)
        codes[record] = texts.index(text)
        changed = {**self.columns, column.name: Coded(codes, texts)}
        return bool(self.scheme(changed) != self.setting.manifest["scheme"])


@dataclass(frozen=True, slots=True)
class Replayed:
    """One cell: the other leaves that it covers, how many were tried, and how many are ruled out."""

    attribute: str
    class_size: int
    others: int
    tried: int
    ruled_out: int


def by_replay(setting: Setting, replay: Replay) -> Attack:
    """Replay the search for a sample of released cells that cover several leaves."""
    random = setting.random(DRAW)
    column, row = np.nonzero(covers_several(setting))
    mine = setting.owners[row] != NOBODY
    column, row = column[mine], row[mine]
    if column.size == 0:
        return skip(NAME, QUESTION, "no released cell covers several values.")
    asked = CELLS if setting.plan.replay is None else setting.plan.replay
    of_row, number = setting.row_classes
    sizes = np.bincount(of_row, minlength=number)[of_row]
    found = [
        replay_cell(setting, replay, int(column[at]), int(row[at]), sizes, random)
        for at in random.permutation(column.size)[:asked].tolist()
    ]
    narrowed = sum(cell.ruled_out > 0 for cell in found)
    return Attack(NAME, QUESTION, Rate(narrowed, len(found)), None, NOTHING, summarize(found))


def replay_cell(
    setting: Setting,
    replay: Replay,
    at: int,
    row: int,
    sizes: Integers,
    random: np.random.Generator,
) -> Replayed:
    """Try other leaves that a released cell covers, in the place of the true one."""
    cells, column = setting.cells, setting.cells.columns[at]
    assert isinstance(column, Quasi)
    record = int(setting.owners[row])
    covered = column.values[int(cells.levels[at, row])] == cells.codes[at, row]
    covered[setting.original[at, record]] = False
    others = np.flatnonzero(covered)
    tried = random.permutation(others)[:ALTERNATIVES].tolist()
    ruled_out = sum(replay.ruled_out(record, column, leaf) for leaf in tried)
    return Replayed(column.name, int(sizes[row]), others.size, len(tried), ruled_out)


def summarize(found: list[Replayed]) -> dict[str, Any]:
    """Count what was tried, and for whom something can be ruled out."""
    narrowed = [cell for cell in found if cell.ruled_out]
    tried = Counter(cell.attribute for cell in found)
    hit = Counter(cell.attribute for cell in narrowed)
    return {
        "values_tried": sum(cell.tried for cell in found),
        "values_ruled_out": sum(cell.ruled_out for cell in found),
        "pinned": sum(cell.ruled_out == cell.others for cell in found),
        "by_attribute": {name: {"cells": tried[name], "narrowed": hit[name]} for name in tried},
        "median_class_narrowed": median([cell.class_size for cell in narrowed]),
        "median_class": median([cell.class_size for cell in found]),
    }


def median(sizes: list[int]) -> float | None:
    """Return the median; None of nothing."""
    return float(np.median(sizes)) if sizes else None
