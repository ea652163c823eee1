"""Quality over the number of layers, with the bound above it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt


def draw(curve: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw quality over the number of layers on a logarithmic axis."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    numbers = [row["layers"] for row in curve]
    quality = [row["quality"] for row in curve]
    most = max(row["quality at most"] for row in curve)
    bound = min(row["quality at most"] for row in curve)
    axes.axhspan(bound, 1, color="#d9d9d9", label="no release in layers (proven)")
    axes.plot(numbers, quality, "o-", color="#1b7837", label="found")
    for number, value in zip(numbers, quality, strict=True):
        axes.annotate(
            f"{value:.3f}", (number, value), (6, -12), textcoords="offset points", ha="left"
        )
    axes.set_xscale("log")
    axes.set_xticks(numbers, [str(number) for number in numbers])
    axes.minorticks_off()
    axes.set_xlim(0.8 * min(numbers), 1.8 * max(numbers))  # room for the last label
    axes.set_ylim(min(quality) - 0.04, max(1.0, most))
    axes.set_xlabel("layers (schemes)")
    axes.set_ylabel("quality (arithmetic)")
    axes.set_title("ADULT, k = 5: quality over the number of layers")
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=150)
    plt.close(figure)
