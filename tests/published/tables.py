"""Arms, and random published tables."""

from __future__ import annotations

from hypothesis import strategies as st

from anonymizer.published import Arms, Characteristic, PublishedLimits

TRIAL = Arms(("treatment", "placebo"), (228, 105))


@st.composite
def arms_of(draw: st.DrawFn, most_people: int = 5) -> Arms:
    """Two or three arms, few people in all."""
    sizes = draw(
        st.lists(st.integers(1, 3), min_size=2, max_size=3).filter(
            lambda sizes: sum(sizes) <= most_people
        )
    )
    return Arms(tuple("abc"[: len(sizes)]), tuple(sizes))


@st.composite
def totals_of(draw: st.DrawFn, arms: Arms) -> tuple[int, ...] | None:
    """How many of each arm were measured; None: all."""
    some = st.tuples(*(st.integers(0, size) for size in arms.sizes))
    return draw(st.none() | some)


@st.composite
def rows_of(draw: st.DrawFn, arms: Arms) -> tuple[Characteristic, ...]:
    """A row, or two or three categories under a heading."""
    totals = draw(totals_of(arms))
    left = list(totals or arms.sizes)
    rows = []
    for number in range(draw(st.integers(1, 3))):
        counts = tuple(draw(st.integers(0, most)) for most in left)
        left = [most - count for most, count in zip(left, counts, strict=True)]
        rows.append(Characteristic(f"class {number}", counts, totals, "titre", category=True))
    return tuple(rows)


@st.composite
def limits_of(draw: st.DrawFn) -> PublishedLimits:
    """Limits on everything."""
    l_values = [draw(st.floats(1, 2)) for _ in range(3)]
    return PublishedLimits(*l_values, advantage=draw(st.floats(0, 1)))
