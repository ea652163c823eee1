"""Random draws from tables: one named stream for each column, one draw for each person."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.int16]
Uniforms = NDArray[np.float64]


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the random stream of one column, independent of all others of the same seed.

    >>> stream(1, "age").random() == stream(1, "age").random() != stream(1, "sex").random()
    True
    """
    # PCG64 by name, as numpy may change the bit generator behind `default_rng`.
    return np.random.Generator(np.random.PCG64([seed, zlib.crc32(name.encode())]))


def uniforms(seed: int, name: str, size: int) -> Uniforms:
    """Draw one number in [0, 1) for each person from the stream of that name."""
    return stream(seed, name).random(size)


def pick(weights: ArrayLike, rows: NDArray[np.integer], chance: Uniforms) -> Codes:
    """Pick a column of `weights` for each person, who has a row of it and a number in [0, 1).

    A column of weight 0 is never picked.

    >>> pick([[1, 1, 0], [0, 0, 5]], np.array([0, 0, 1]), np.array([0.2, 0.999, 0.0])).tolist()
    [0, 1, 2]
    """
    cumulative = np.cumsum(np.asarray(weights, dtype=np.float64), axis=1)
    thresholds = cumulative / cumulative[:, -1:]
    codes = np.zeros(len(rows), dtype=np.int16)
    for threshold in thresholds[:, :-1].T:  # over columns: people stay one array
        codes += chance >= threshold[rows]
    return codes


def tilt(chance: Uniforms, odds: NDArray[np.float64]) -> Uniforms:
    """Multiply the odds of `chance` by `odds`: above 1 moves towards the last columns of a table.

    >>> tilt(np.array([0.5, 0.5]), np.array([1.0, 3.0])).tolist()
    [0.5, 0.75]
    """
    tilted = chance * odds / (1.0 - chance + chance * odds)
    return np.minimum(tilted, np.nextafter(1.0, 0.0))  # rounding must not make it 1


def band(ages: NDArray[np.integer], lowest: Sequence[int]) -> NDArray[np.intp]:
    """Return the number of the age band each person is in, given the lowest age of each.

    >>> band(np.array([0, 17, 18, 90]), (0, 18, 65)).tolist()
    [0, 0, 1, 2]
    """
    return np.searchsorted(np.asarray(lowest), ages, side="right") - 1


def labels(values: Sequence[str], codes: NDArray[np.integer]) -> pd.Series[str]:
    """Return the values with these codes as a column of plain strings."""
    return pd.Series(values).take(codes).reset_index(drop=True)
