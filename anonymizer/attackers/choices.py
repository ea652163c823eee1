"""The risk of every choice of released columns: which ones to leave out.

Whoever learns the attributes S of a person can use those that are released, S and A. So the risk of
releasing A is the sum over C in A of u_C q_C prod_{x in C} z_x prod_{x in A, not in C} (1 - z_x).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Choice:
    """Some of the attributes, and the risk if only they are released."""

    released: tuple[str, ...]
    left_out: tuple[str, ...]
    individual: float
    """That a random person is re-identified."""
    data_set: float
    """That at least one person is."""
    highest: float | None = None
    """The risk of the person who is most at risk; None where it was not computed."""


def risk_of_choices(found: Floats, disclosed: Floats) -> Floats:
    """Return the risk of a random person for every subset of attributes that may be released.

    `found` is u_C q_C for each subset C, `disclosed` the probability z of each attribute; bit i of a
    subset's number stands for attribute i.

    >>> risk_of_choices(np.array([0.0, 0.5, 0.2, 1.0]), np.array([0.5, 0.5])).tolist()
    [0.0, 0.25, 0.1, 0.425]
    """
    risk = found.copy()
    for attribute, chance in enumerate(disclosed):
        pairs = risk.reshape(-1, 2, 1 << attribute)  # without and with the attribute
        pairs[:, 1] = (1 - chance) * pairs[:, 0] + chance * pairs[:, 1]
    return np.clip(risk, 0.0, 1.0)
