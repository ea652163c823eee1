"""Downcoding: disclosure by a release in layers, since these were opened one by one.

`layers.narrowing` says which cells can be narrowed down by the layer that a record is in, for whoever
knows how layers are made (minimality: Wong et al. 2007; downcoding: Cohen 2022). All released cells are
counted. Records of one class are narrowed down alike, so that each class counts once for the interval.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting
from anonymizer.estimators.proportions import Rate
from anonymizer.layers.narrowing import takes_whole_classes
from anonymizer.verification.declared import hierarchies_used
from anonymizer.verification.layers import open_classes
from anonymizer.verification.reading import NO_LAYER, layers_of, read_release

NAME = "downcoding"
QUESTION = "Knowing how layers are made, can they rule out a value that a released cell covers?"
NOTHING = "an attacker who does not know how layers are made, who rules out nothing"


def downcoding(setting: Setting) -> Attack:
    """Count the cells that can be narrowed down by the layers alone."""
    manifest = setting.manifest
    if manifest is None:
        return skip(NAME, QUESTION, "it needs the manifest, which says what the layers are.")
    if not layers_of(manifest):
        return skip(NAME, QUESTION, "all records have one scheme: there are no layers to compare.")
    if not takes_whole_classes(setting.policy.load_models()):
        return skip(NAME, QUESTION, "it is not known for a model that may take part of a class.")
    hierarchies = hierarchies_used(setting.policy, manifest)
    reading = read_release(setting.released, setting.policy, hierarchies, manifest)
    if (reading.layer_of_row == NO_LAYER).any():
        return skip(NAME, QUESTION, "some rows fit no layer; verify the release first.")
    narrowed = open_classes(reading).narrowed()
    cells, rows_of_class = int(covers_several(setting).sum()), rows_in_a_class(setting)
    details = {"records_narrowed": narrowed.records, "by_attribute": narrowed.by_attribute}
    success, baseline = (Rate(each, cells, rows_of_class) for each in (narrowed.cells, 0))
    return Attack(NAME, QUESTION, success, baseline, NOTHING, details)


def rows_in_a_class(setting: Setting) -> float:
    """Return how many rows a class has on average."""
    return max(1.0, setting.cells.rows / max(1, setting.row_classes[1]))


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
