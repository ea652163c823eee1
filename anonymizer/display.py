"""Display: what a notebook shows of a value, and how far a long call is.

A notebook asks the value itself for `_repr_html_`, but imports point one way: `report` knows every value,
and no value knows `report`. So a value that is shown is `Displayed`, which hands itself to
`anonymizer.report.notebook`. That module is imported by name when first asked, and has one function for
each kind of value (`functools.singledispatch`). A new value that notebooks show inherits from `Displayed`
and is registered there; nothing else changes. Progress takes the same way.

What is safe to show: figures, names of columns, levels, and bins that several people share. No display
has a cell of a single person.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

Told = TypeVar("Told")
OnTold = Callable[[Told], None]


def notebook() -> Any:
    """Return the module that draws values, imported when first asked for."""
    return import_module("anonymizer.report.notebook")


class Displayed:
    """A value with a short sentence for the prompt and a picture for a notebook."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(notebook().sentence(self))

    def _repr_html_(self) -> str:
        return str(notebook().html(self))


class Plotted(Displayed):
    """A displayed value that matplotlib draws for a paper."""

    __slots__ = ()

    def plot(self, ax: Any = None, show: str | None = None) -> Any:
        """Draw it on axes of matplotlib, new ones without `ax`; return the axes.

        A frontier shows quality over the threshold, with `show="layers"` over the number of layers. A
        solution shows how many records look alike, with `show="losses"` what each attribute lost.
        """
        return import_module("anonymizer.report.plot").plot(self, ax, show)


def in_notebook() -> bool:
    """Whether this is a Jupyter kernel, which can update a line that it showed."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and type(ipython.get_ipython()).__name__ == "ZMQInteractiveShell"


@contextmanager
def shown(on_told: OnTold[Told] | None) -> Iterator[OnTold[Told] | None]:
    """Return the callback for progress: the one given, else a line in a notebook, else None."""
    if on_told is not None or not in_notebook():
        yield on_told
        return
    with import_module("anonymizer.report.progress").progress_line() as line:
        yield line
