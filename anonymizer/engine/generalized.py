"""A table seen through a scheme."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonymizer.data.cells import Cells
from anonymizer.data.table import Table
from anonymizer.engine.microdata import Encoder, raise_uncovered
from anonymizer.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, eq=False)
class GeneralizedTable:
    """A table whose values are replaced, as they are read, by those of a scheme."""

    table: Table
    hierarchies: Sequence[Hierarchy]
    scheme: Mapping[str, int]

    @property
    def name(self) -> str:
        """The table's own name."""
        return self.table.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the hierarchies."""
        return tuple(hierarchy.name for hierarchy in self.hierarchies)

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the generalized cells; values without a leaf are errors, as in `encode`."""
        encoders = {h.name: Encoder(h) for h in self.hierarchies}
        for batch in self.table.batches(columns):
            generalized = []
            for column, cells in zip(columns, batch, strict=True):
                hierarchy, level = encoders[column].hierarchy, self.scheme[column]
                leaves = encoders[column].encode(cells, 0)
                numbers = np.append(hierarchy.codes[level], -1)[leaves]  # the last is missing
                generalized.append(
                    Cells(numbers.astype(np.int64), list(hierarchy.labels[level])).compact()
                )
            yield generalized
        raise_uncovered(list(encoders.values()))

    def digest(self) -> str:
        """Return the digest of the table itself."""
        return self.table.digest()
