"""Random hierarchies, as rows, for the tests of this folder."""

from __future__ import annotations

from hypothesis import strategies as st

LABELS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
"""Any text a file can hold: quotes, delimiters, line ends and byte order marks included."""


@st.composite
def tree_rows(draw: st.DrawFn, labels: st.SearchStrategy[str] = LABELS) -> list[tuple[str, ...]]:
    """Draw leaves, then merge the values of each level at random into those of the next."""
    column = draw(st.lists(labels, min_size=1, max_size=12, unique=True))
    columns = [column]
    for _ in range(draw(st.integers(0, 3))):
        below = list(dict.fromkeys(columns[-1]))
        # two values of a level that differ only by blanks are a defect
        names = draw(st.lists(labels, min_size=1, max_size=len(below), unique_by=str.strip))
        parent = {value: draw(st.sampled_from(names)) for value in below}
        columns.append([parent[value] for value in columns[-1]])
    return list(zip(*columns, strict=True))
