"""Which candidates become quasi-identifiers, whatever their figures are."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.policy import Role
from anonymizer.proposal.content import Content
from anonymizer.proposal.decision import ColumnFacts
from anonymizer.proposal.figures import Figures
from anonymizer.proposal.kept import KEPT
from anonymizer.proposal.names import Meaning
from anonymizer.proposal.ranking import MOST_KNOWN, MOST_QUASI, choose, singled_out
from anonymizer.proposal.rules import SINGLES_OUT

SHARE = st.sampled_from([0.0, 0.005, 0.02, 0.049, 0.05, 0.3, 1.0])
COLUMN = st.builds(
    lambda meaning, unique, added: (meaning, Figures(100, 0, 50, unique, added)),
    st.sampled_from([None, Meaning.KNOWN, Meaning.SENSITIVE, Meaning.NAME]),
    SHARE,
    st.none() | SHARE,
)
COLUMNS = st.lists(COLUMN, min_size=1, max_size=40).map(
    lambda found: [
        ColumnFacts(f"c{at}", meaning, Content.WHOLE, figures)
        for at, (meaning, figures) in enumerate(found)
    ]
)


def others(number: int) -> list[ColumnFacts]:
    """Quasi-identifiers that the user named."""
    return [
        ColumnFacts(f"u{at}", None, Content.TEXT, Figures(100, 0, 5, 0.0)) for at in range(number)
    ]


def together(columns: Sequence[ColumnFacts]) -> float:
    """The people who are unique by columns together, as if each had its own."""
    return min(1.0, sum(column.figures.unique for column in columns))


@given(COLUMNS, st.integers(0, 15))
def test_no_column_that_singles_out_or_that_others_know_is_kept(
    columns: list[ColumnFacts], given_already: int
) -> None:
    decisions = {each.column: each for each in choose(columns, others(given_already), [], together)}
    assert decisions.keys() == {column.name for column in columns}
    for column in columns:
        role = decisions[column.name].role
        if column.known or column.figures.unique >= SINGLES_OUT:
            assert role in (Role.QUASI, Role.REMOVED)


@given(COLUMNS, st.integers(0, 15))
def test_there_are_some_and_not_too_many_and_the_most_telling_come_first(
    columns: list[ColumnFacts], given_already: int
) -> None:
    decisions = {
        each.column: each.role for each in choose(columns, others(given_already), [], together)
    }
    quasi = [column for column in columns if decisions[column.name] is Role.QUASI]
    known = sum(column.known for column in columns)
    assert given_already + len(quasi) <= max(
        MOST_QUASI, min(known + given_already, MOST_KNOWN), given_already
    )
    assert quasi or given_already
    unknown = [column for column in columns if not column.known]
    taken = [singled_out(column) for column in unknown if column in quasi]
    left = [singled_out(column) for column in unknown if column not in quasi]
    assert min(taken, default=1) >= max(left, default=0) or not taken


@given(COLUMNS, st.integers(0, 15), SHARE)
def test_what_is_kept_of_them_singles_out_few_together(
    columns: list[ColumnFacts], given_already: int, kept_anyway: float
) -> None:
    kept = [ColumnFacts("k", None, Content.TEXT, Figures(100, 0, 5, kept_anyway))]
    roles = {
        each.column: each.role for each in choose(columns, others(given_already), kept, together)
    }
    left = [column for column in columns if roles[column.name] in KEPT]
    assert together([*kept, *left]) - together(kept) < SINGLES_OUT


def test_columns_that_single_out_beside_those_taken_are_generalized_too() -> None:
    columns = [
        ColumnFacts(f"c{at}", None, Content.WHOLE, Figures(100, 0, 9, 0.0, 0.0)) for at in range(6)
    ]
    roles = [each.role for each in choose(columns, others(1), [], lambda some: len(some) / 10)]
    assert roles == [Role.QUASI] * 6


def test_columns_that_single_out_only_together_are_generalized_too() -> None:
    columns = [
        ColumnFacts(f"c{at}", None, Content.WHOLE, Figures(100, 0, 9, 0.0, 0.0)) for at in range(6)
    ]

    def three_are_enough(some: Sequence[ColumnFacts]) -> float:
        return 0.3 if len(some) >= 3 else 0.0

    roles = [each.role for each in choose(columns, [], [], three_are_enough)]
    assert roles.count(Role.QUASI) == 4
    assert roles.count(Role.INSENSITIVE) == 2
