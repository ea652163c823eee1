"""Progress: how far a search is, in one line; in a notebook on a line that is renewed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from anonymizer.frontiers.points import Stage
from anonymizer.kernels.compilation import while_compiling
from anonymizer.search import Progress

COMPILING = "compiling, once; the time limit waits"
"""What progress says while kernels are compiled; later runs read them from disk."""
QUIET_SECONDS, BETWEEN_LINES = 1.0, 0.2
"""Progress is shown after so many seconds, and then renewed this often."""


def describe_progress(progress: Progress) -> str:
    """Say in one line how far a search is: the best so far, what is proven, and how fast it goes."""
    proof = progress.proof
    pruned = sum(proof.pruned.values())
    line = f"{proof.evaluated:,} evaluated, {pruned:,} pruned of {proof.schemes:,}"
    if proof.partitions:
        line += f", {proof.partitions:,} partitions"
    if progress.seconds > 0:
        line += f" ({progress.rate:,.0f}/s)"
    if progress.best is None:
        return line
    best, bound = progress.best.quality, 1 - proof.bound
    reached = f"quality {best:.4f}, at most {bound:.4f}, gap {progress.gap:.4f}"
    return f"{line}, {reached}" if proof.evaluated else reached  # layers are not counted in schemes


def describe_stage(stage: Stage) -> str:
    """Say in one line which threshold of a frontier is in work, and how far its search is."""
    where = f"threshold {stage.value:g} ({stage.place + 1} of {stage.of}): "
    return where + describe_progress(stage.search)


@contextmanager
def progress_line(
    clock: Callable[[], float] = time.monotonic, show: Callable[[str], Any] | None = None
) -> Iterator[Callable[[Progress | Stage], None]]:
    """Show how far a call is, on a line of the notebook that is renewed and goes when it ends."""
    line = Line(clock, show)

    def tell(told: Progress | Stage) -> None:
        line.say(describe_stage(told) if isinstance(told, Stage) else describe_progress(told))

    try:
        with while_compiling(lambda: line.write(COMPILING)):  # each kernel takes about a second
            yield tell
    finally:
        line.clear()


class Line:
    """A line of text in a notebook; what takes less than a second shows none."""

    def __init__(self, clock: Callable[[], float], show: Callable[[str], Any] | None) -> None:
        self.clock, self.show = clock, show
        self.due = clock() + QUIET_SECONDS
        self.shown = False

    def say(self, text: str) -> None:
        """Show a text, unless one was shown a moment ago."""
        if self.clock() >= self.due:
            self.write(text)

    def write(self, text: str) -> None:
        """Show a text at once."""
        self.due = self.clock() + BETWEEN_LINES
        if self.show is None:
            self.show = updated_display()
        self.shown = True
        self.show(text)

    def clear(self) -> None:
        """Empty the line."""
        if self.shown and self.show is not None:
            self.show("")


def updated_display() -> Callable[[str], Any]:
    """Return what writes into one place below the cell; plain text, so that nothing need be escaped."""
    from IPython.display import display

    handle = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
    return lambda text: handle.update({"text/plain": text}, raw=True)
