"""Every number of the paper's tables and of the text on them, and whether it is reproduced.

The usage and disclosure rates of Tables 5 and 6 are inputs, taken as printed. Figures 2 and 3 have no
numbers but those of the text.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

REPRODUCED, CONTRADICTED, NOT_HAD = "reproduced", "contradicted", "not to be had"
CHOSEN = "recovered from this table"
COLUMNS = ["where", "what", "printed", "here", "verdict", "note"]


def printed_table(
    table_7: pd.DataFrame, table_8: pd.DataFrame, figure_2: pd.DataFrame
) -> pd.DataFrame:
    """Return a row for every printed number."""
    rows = [*of_table_7(table_7), *of_table_8(table_8), *of_text(table_8, figure_2)]
    return pd.DataFrame(rows, columns=COLUMNS)


def of_table_7(ours: pd.DataFrame) -> Iterator[list[str]]:
    """Compare disclosure likelihoods; the rate of a condition follows from the number itself."""
    for row in ours.to_dict("records"):
        same = row["units of the last digit off"] == 0
        circular = row["rate"] == CHOSEN
        note = "its rate is not printed, and was recovered from this number" if circular else ""
        said = NOT_HAD if circular else REPRODUCED if same else CONTRADICTED
        yield [
            "Table 7",
            str(row["attribute"]),
            str(row["printed"]),
            str(row["equation 4"]),
            said,
            note,
        ]


def of_table_8(ours: pd.DataFrame) -> Iterator[list[str]]:
    """Compare re-identification probabilities, each of which must come from a whole number of records."""
    for row in ours.to_dict("records"):
        off = abs(int(row["units of the last digit off"]))
        note = "by one unit of the sixth digit, as rates are known to six" if off else ""
        said = REPRODUCED if off <= 1 else CONTRADICTED
        name = str(row["combination"])
        yield ["Table 8", name, str(row["printed"]), str(row["recomputed"]), said, note]


def of_text(table_8: pd.DataFrame, figure_2: pd.DataFrame) -> Iterator[list[str]]:
    """Compare the sentences that have a number."""
    risk = figure_2.set_index("sources")
    low, high = (float(risk.loc["t", f"n = 4,000,000, at {end}"]) for end in ("least", "most"))
    here = f"{low:.3f} to {high:.3f}"
    said = REPRODUCED if low <= 0.35 <= high else CONTRADICTED
    yield [
        "text",
        "risk with Twitter at 4 million records",
        "0.35",
        here,
        said,
        "by its own Table 8",
    ]
    sizes = table_8["size"]
    most = f"{int(sizes.isin([3, 4]).sum())} of {len(sizes)}"
    said = REPRODUCED if sizes.isin([3, 4]).mean() > 0.5 else CONTRADICTED
    yield ["text", "most combinations have 3 to 4 attributes", "most", most, said, ""]
    facebook = float(risk.loc["f", "n = 4,000,000, at least"])
    said = REPRODUCED if facebook > 0.99 else CONTRADICTED
    yield [
        "text",
        "risk with Facebook at 4 million records",
        "almost maximal",
        f"{facebook:.7f}",
        said,
        "",
    ]
    note = "the counts of all 65,536 subsets are not printed"
    yield ["Figure 3", "curves of uniqueness and re-identification", "", "", NOT_HAD, note]
