"""The benchmark's pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

BLUE, RED = "#2f6f8f", "#b5483a"
AXES = {
    "rows": "records (registry stand-in, 9 attributes, k = 5)",
    "attributes": "attributes (demo register, 100,000 records, k = 5)",
    "k": "k (ADULT, 9 attributes)",
}


def save(picture: Any, path: Path) -> None:
    """Write a picture as PNG and SVG."""
    picture.savefig(path.with_suffix(".png"), dpi=100)
    picture.savefig(path.with_suffix(".svg"), metadata={"Date": None})


def plot_growth(costs: pd.DataFrame, folder: Path) -> None:
    """Draw seconds and evaluated schemes over growing work, a panel for each way to grow."""
    from matplotlib import figure, rc_context

    ways = [way for way in AXES if way in set(costs["over"])]
    with rc_context({"font.size": 10, "svg.hashsalt": "benchmark"}):
        picture = figure.Figure(figsize=(8, 3.1 * len(ways)), layout="constrained")
        for panel, way in zip(
            picture.subplots(len(ways), 1, squeeze=False).flat, ways, strict=True
        ):
            draw_growth(panel, costs[costs["over"] == way], AXES[way])
        picture.suptitle("What a proven optimum costs as the work grows")
        save(picture, folder / "growth")


def draw_growth(panel: Any, costs: pd.DataFrame, label: str) -> None:
    """Draw one panel; a search that was stopped is an open mark with its gap."""
    panel.plot(costs["at"], costs["seconds"], color=BLUE, marker="o", label="search, seconds")
    stopped = costs[costs["gap"] > 0]
    panel.scatter(
        stopped["at"], stopped["seconds"], s=60, facecolor="white", edgecolor=BLUE, zorder=3,
        label="stopped after a minute; gap in % of the loss",
    )  # fmt: skip
    for at, seconds, gap in stopped[["at", "seconds", "relative gap"]].itertuples(index=False):
        panel.annotate(
            f"{gap:.1%}", (at, seconds), (0, -14), textcoords="offset points", ha="center"
        )
    schemes = panel.twinx()
    schemes.plot(costs["at"], costs["evaluated"], color=RED, marker="s", markersize=4)
    schemes.set_ylabel("schemes evaluated", color=RED)
    schemes.set_yscale("log")
    panel.set_yscale("log")
    if costs["at"].max() / costs["at"].min() > 10:
        panel.set_xscale("log")
    panel.set_xlabel(label)
    panel.set_ylabel("search, seconds", color=BLUE)
    panel.margins(y=0.25)
    if len(stopped):
        panel.legend(frameon=False, loc="upper left")


def plot_gap(rows: pd.DataFrame, folder: Path) -> None:
    """Draw the best loss and the proven bound over time on the widest register."""
    from matplotlib import figure, rc_context

    searches = [mine for _, mine in rows.groupby("workers")]
    with rc_context({"font.size": 10, "svg.hashsalt": "benchmark"}):
        picture = figure.Figure(figsize=(8, 3.4 * len(searches)), layout="constrained")
        panels = picture.subplots(len(searches), 1, sharex=True, squeeze=False).flat
        for panel, mine in zip(panels, searches, strict=True):
            draw_gap(panel, mine)
        schemes = rows["schemes"].iloc[0]
        picture.suptitle(f"20 quasi-identifiers, 100,000 records, k = 5: {schemes:.2g} schemes")
        save(picture, folder / "gap_over_time")


def draw_gap(panel: Any, rows: pd.DataFrame) -> None:
    """Draw one search."""
    last, seconds = rows.loc[rows["gap"].idxmin()], rows["seconds"]
    panel.step(seconds, rows["loss"], where="post", color=RED, label="best loss found")
    panel.step(seconds, rows["bound"], where="post", color=BLUE, label="proven lower bound")
    panel.fill_between(seconds, rows["bound"], rows["loss"], step="post", color="#eeeeee")
    panel.set_xscale("log")
    panel.set_ylim(0, None)
    panel.set_xlabel("seconds of search")
    panel.set_ylabel("loss")
    panel.set_title(
        f"{last['workers']:.0f} worker(s): a gap of {last['gap']:.3f} after {last['seconds']:.0f} s"
    )
    panel.legend(frameon=False)


def plot_cluster(measured: pd.DataFrame, simulated: pd.DataFrame, folder: Path) -> None:
    """Draw the speed-up over the number of workers, measured and simulated, a panel for each table."""
    from matplotlib import figure, rc_context

    names = list(dict.fromkeys(measured["data"]))
    with rc_context({"font.size": 10, "svg.hashsalt": "benchmark"}):
        picture = figure.Figure(figsize=(8, 3.1 * len(names)), layout="constrained")
        panels = picture.subplots(len(names), 1, sharex=True, squeeze=False).flat
        for panel, name in zip(panels, names, strict=True):
            draw_measured(panel, measured[measured["data"] == name])
            draw_simulated(panel, simulated[simulated["data"] == name])
            panel.set_title(name)
        panels[0].legend(frameon=False, loc="upper left")
        panels[-1].set_xlabel("workers")
        picture.suptitle("Speed-up of the same search: measured (marks), simulated (lines)")
        save(picture, folder / "cluster")


def draw_measured(panel: Any, rows: pd.DataFrame) -> None:
    """Draw what was measured with one worker and two, beside one thread."""
    alone = rows["seconds"].iloc[0]
    for (backend, mine), mark in zip(rows.groupby("backend", sort=False), "ovs", strict=True):
        panel.scatter(
            mine["workers"], alone / mine["seconds"], marker=mark, color=RED, alpha=0.7,
            label=f"{backend}, measured", zorder=3,
        )  # fmt: skip


def draw_simulated(panel: Any, rows: pd.DataFrame) -> None:
    """Draw what larger clusters could reach, for each size of a round."""
    for (boxes, mine), style in zip(rows.groupby("boxes of a round"), ("-", "--"), strict=True):
        panel.plot(
            mine["workers"], mine["speed-up"], style, color=BLUE, marker=".",
            label=f"simulated, {boxes} boxes in a round",
        )  # fmt: skip
    panel.plot([1, 64], [1, 64], color="#cccccc", linewidth=1, label="as many as workers")
    panel.set_xscale("log", base=2)
    panel.set_yscale("log", base=2)
    panel.set_ylabel("speed-up")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter("{x:g}")
