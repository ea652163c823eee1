"""What every risk model answers."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray


class RiskModel(Protocol):
    """A frozen value that says which classes break it on their own account.

    The search assumes that a model is monotone: a record whose class breaks it at a scheme breaks it
    at every finer scheme. tests/risk/test_contract.py holds every model in MODELS to that.
    """

    name: ClassVar[str]

    def breaking(self, class_sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark the classes that must be suppressed."""

    def check(self, records: int) -> str | None:
        """Say why the model can never be met by a table of so many records, or return None."""
