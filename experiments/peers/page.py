"""The page on the peers; every figure and verdict on it is computed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from experiments.nrf.page import grid

Row = dict[str, Any]

NAMES = {"anonymizer": "anonymizer", "openmed": "OpenMed", "anjana": "ANJANA"}
K, LIMIT = 2, 0.0
"""The task that README shows."""
WHY = {
    "k": "the same",
    "l": "the same",
    "entropy l": "pyCANON rounds exp(entropy) down to a whole number",
    "c": "pyCANON divides the least frequent value by all but the l - 1 least frequent, rounds down and "
    "adds one; by the definition it is the most frequent one over all but the l - 1 most frequent",
    "t": "the same, of the released table, which is what pyCANON has",
    "beta": "the same, of the released table",
    "enhanced beta": "ours is the largest gain (p - q) / q, to be held against beta and -ln q of its own "
    "value; pyCANON's is the lesser of that gain and of -ln q of the rarest value",
    "delta": "pyCANON takes natural logarithms and leaves out values that a class lacks; ours are bits, "
    "and a lacking value is infinitely far unless `absent` is skip",
}
"""Why a figure of pyCANON's is what it is; `explained` in judged.csv says whether that gives it."""
ASKED = (
    "Loss is ours (Iyengar's, the geometric mean), counted from the cells that each tool released; rows "
    "that it dropped have lost everything.",
    "OpenMed minimizes the mean of costs that it is given for each level: they are chosen so that, with "
    "nothing suppressed, its order of the schemes is that of our loss. With suppression its objective is "
    "another one: it adds the share of the suppressed records.",
    "ANJANA has no objective: it generalizes the attribute with the most values until few enough records "
    "are left in small classes.",
)


def write_page(peers: pd.DataFrame, judged: pd.DataFrame, claims: pd.DataFrame) -> str:
    """Write README.md."""
    sections = [
        "# Peers that pip installs",
        "Written by `python -m experiments.peers` with `peers.csv`, `judged.csv` and `claims.csv`. "
        f"Each tool runs in an environment and a process of its own ({describe_versions(peers)}), with "
        "the same table, hierarchies and k. Seconds are of the processor, from the table in memory to "
        "the release in memory; MiB are the most that the process had.",
        f"## In short\n\nk = {K}, nothing suppressed.\n\n{quote(peers)}",
        "## Every task\n\n" + describe_tasks(peers),
        "## What they are asked\n\n" + describe_asked(peers),
        "## Our releases, as pyCANON measures them\n\n" + describe_judged(judged),
        "## What else OpenMed does with tables\n\n" + describe_claims(claims),
    ]
    return "\n\n".join(sections) + "\n"


def describe_versions(peers: pd.DataFrame) -> str:
    """List the versions that ran."""
    known = peers[peers["version"] != ""].drop_duplicates("peer")
    return ", ".join(f"{NAMES[row.peer]} {row.version}" for row in known.itertuples())


def quote(peers: pd.DataFrame) -> str:
    """Write the table that README shows: one row for each tool, one column for each table."""
    task = peers[(peers["k"] == K) & (peers["suppression_limit"] == LIMIT)]
    rows = []
    for peer, cells in task.groupby("peer", sort=False):
        own = {heading(cell): describe_cell(cell) for cell in cells.to_dict("records")}
        rows.append({"tool": NAMES[str(peer)], **own})
    return grid(list(rows[0]), rows)


def heading(cell: Row) -> str:
    """Name a table with its lattice."""
    return f"{cell['data']}: {cell['schemes']:,} schemes"


def describe_cell(cell: Row) -> str:
    """Say what a tool made of a task."""
    if cell["status"] == "not finished":
        return f"not finished in {float(cell['cpu_seconds']):.0f} s"
    if cell["status"] != "found":
        return str(cell["status"])
    which = "the optimum" if is_true(cell["optimal"]) else "not the optimum"
    proven = ", proven" if is_true(cell["proven"]) else ""
    seconds = float(cell["cpu_seconds"])
    cost = f"{seconds:{'.0f' if seconds >= 10 else '.2g'}} s, {float(cell['peak_mib']):.0f} MiB"
    return f"loss {float(cell['loss']):.4f} ({which}{proven}), {cost}"


def is_true(value: object) -> bool:
    """Whether a cell of a CSV file says true."""
    return str(value) == "True"


def describe_tasks(peers: pd.DataFrame) -> str:
    """Write a row for each task, a column for each tool."""
    rows = []
    keys = ["data", "schemes", "suppression_limit", "k"]
    for (data, schemes, limit, k), cells in peers.groupby(keys, sort=False):
        own = {NAMES[cell["peer"]]: describe_cell(cell) for cell in cells.to_dict("records")}
        task = {"data": data, "schemes": f"{schemes:,}", "may go": f"{limit:.0%}", "k": k}
        rows.append({**task, **own})
    return grid(list(rows[0]), rows)


def describe_asked(peers: pd.DataFrame) -> str:
    """Say what each tool does, and what stopped it."""
    lines = (
        *ASKED,
        "A task that is not finished was stopped after the seconds of the processor in its cell, and is "
        "not tried again with another k or more suppression on the same table.",
        *describe_rates(peers),
        *describe_refusals(peers),
    )
    return "\n".join(f"- {line}" for line in lines)


def describe_rates(peers: pd.DataFrame) -> Iterator[str]:
    """Say what the exhaustive search pays for a scheme, and what that would be for all attributes."""
    found = peers[(peers["peer"] == "openmed") & (peers["status"] == "found")]
    plain = found[found["suppression_limit"] == LIMIT]
    if plain.empty:
        return
    each = (plain["cpu_seconds"].astype(float) / plain["evaluated"].astype(float)).median()
    for data, cells in peers[peers["status"] == "not finished"].groupby("data", sort=False):
        schemes = int(cells["schemes"].iloc[0])
        yield (
            f"OpenMed lists all schemes and takes {each:.2g} s for one of {plain['records'].iloc[0]:,} "
            f"records. On {data} it would take about {schemes * each / 3600:.0f} hours for {schemes:,} "
            "schemes, if more attributes cost no more."
            if not (cells["suppression_limit"].astype(float) > 0).all()
            else f"With suppression OpenMed tries every set of classes that may go, at each of the "
            f"schemes; it gives up after 100,000 sets, and did not come so far on {data}."
        )


def describe_refusals(peers: pd.DataFrame) -> Iterator[str]:
    """Quote what tools refuse."""
    refused = peers[peers["status"].isin(["refused", "failed", "none found", "not installed"])]
    for (peer, data, said), cells in refused.groupby(["peer", "data", "said"], sort=False):
        tasks = f"{len(cells)} task{'s' if len(cells) > 1 else ''}"
        status = cells["status"].iloc[0]
        yield f"{NAMES[peer]} on {data} ({tasks}): {status}{': ' if said else ''}{said}"


# --- what pyCANON measures ---


def describe_judged(judged: pd.DataFrame) -> str:
    """Say how often the figures are the same, why they are not elsewhere, and who keeps the promise."""
    if (judged["pycanon"] == "").all():
        return "pyCANON could not be installed, so that nothing was measured."
    rows = []
    for measure, figures in judged.groupby("measure", sort=False):
        same, explained = (figures[name].map(is_true) for name in ("same", "explained"))
        rows.append(
            {
                "measure": measure,
                "releases": len(figures),
                "the same": int(same.sum()),
                "by its formula": int((explained & ~same).sum()),
                "unexplained": int((~explained & ~same).sum()),
                "why": WHY[str(measure)],
            }
        )
    kept = judged[judged["limit"] != ""]
    promised = [
        {
            "release": row["release"],
            "limit": show(row["limit"]),
            "ours, of the input": show(row["ours_of_input"]),
            "ours, of the release": show(row["ours_of_release"]),
            "pyCANON": show(row["pycanon"]),
            "within the limit": "yes" if is_true(row["meets"]) else "no",
        }
        for row in kept.to_dict("records")
    ]
    return "\n\n".join(
        (
            f"{judged['release'].nunique()} releases of ADULT, k = 5 where no other is said. "
            "`by its formula`: the figure is another one, and the formula in pyCANON's source, computed "
            "from the released cells, gives it to 1e-9.",
            grid(list(rows[0]), rows),
            "What each release promises, limits in pyCANON's unit. `no` is a promise about the input, "
            'which is the default: `reference = "release"` promises it of what pyCANON sees.',
            grid(list(promised[0]), promised),
        )
    )


def describe_claims(claims: pd.DataFrame) -> str:
    """Say what came of twelve people with two visits each."""
    if claims.empty:
        return "OpenMed could not be installed, so that nothing was tried."
    rows = grid(list(claims), claims.to_dict("records"))
    return f"Tried on twelve people with two visits each.\n\n{rows}"


def show(figure: object) -> str:
    """Write a figure with as many digits as tell it from others.

    >>> show("0.29741720"), show("inf"), show(3.0)
    ('0.2974', 'infinite', '3')
    """
    number = float(str(figure))
    return "infinite" if math.isinf(number) else f"{number:.4g}"
