"""Settings of an experiment, run on joblib's active backend; without one, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import joblib


def run_settings(measure: Callable[..., Any], settings: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Call a function with each of some settings; what it returns comes in their order.

    `joblib.parallel_config(backend="loky", n_jobs=4)` around an experiment runs four at a time.

    >>> list(run_settings(divmod, [(7, 2), (9, 4)]))
    [(3, 1), (2, 1)]
    """
    tasks = (joblib.delayed(measure_alone)(measure, setting) for setting in settings)
    found: Iterator[Any] = joblib.Parallel(return_as="generator")(tasks)
    return found


def measure_alone(measure: Callable[..., Any], setting: tuple[Any, ...]) -> Any:
    """Measure one setting; what searches on the way stays in this process."""
    with joblib.parallel_config("sequential"):
        return measure(*setting)
