"""Hierarchies for the quasi-identifiers, as `suggest` proposes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from anonymizer.data.cells import MISSING
from anonymizer.data.columns import Coded
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import suggest

if TYPE_CHECKING:
    import pandas as pd


def propose_specs(columns: Mapping[str, Coded]) -> dict[str, str]:
    """Propose a spec for each column; one HierarchyError names all for which there is none."""
    specs, faults = {}, []
    for name, column in columns.items():
        try:
            specs[name] = suggest(as_series(name, column))
        except HierarchyError as error:
            faults.append(str(error))
    if faults:
        raise HierarchyError("\n".join(faults))
    return specs


def as_series(name: str, column: Coded) -> pd.Series:
    """Write a column out as texts, as hierarchies know them; missing cells are None."""
    import pandas as pd

    texts = np.array([text if text != MISSING else None for text in column.texts], object)
    return pd.Series(texts[column.codes], name=name, dtype=object)
