from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice, Scheme, with_level


@st.composite
def lattices(draw: st.DrawFn) -> Lattice:
    ranges = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).map(sorted), max_size=4))
    return Lattice(tuple(low for low, _ in ranges), tuple(high for _, high in ranges))


def is_finer(scheme: Scheme, other: Scheme) -> bool:
    return scheme != other and all(a <= b for a, b in zip(scheme, other, strict=True))


@given(lattices())
def test_it_lists_each_scheme_once_in_lexicographic_order(lattice: Lattice) -> None:
    schemes = list(lattice)
    assert schemes == sorted(set(schemes))
    assert len(schemes) == lattice.size
    assert schemes[0] == lattice.low
    assert schemes[-1] == lattice.high


@given(lattices())
def test_it_contains_what_it_lists_and_nothing_else(lattice: Lattice) -> None:
    wider = itertools.product(range(-1, 5), repeat=len(lattice.low))
    assert [scheme for scheme in wider if scheme in lattice] == list(lattice)


@given(lattices())
def test_neighbours_differ_by_one_step_in_one_attribute(lattice: Lattice) -> None:
    schemes = list(lattice)
    for scheme in schemes:
        one_step = [other for other in schemes if abs(sum(other) - sum(scheme)) == 1]
        assert sorted(lattice.finer(scheme)) == [o for o in one_step if is_finer(o, scheme)]
        assert sorted(lattice.coarser(scheme)) == [o for o in one_step if is_finer(scheme, o)]


@given(lattices(), st.data())
def test_a_split_parts_the_schemes_at_a_level(lattice: Lattice, data: st.DataObject) -> None:
    wide = [a for a, low in enumerate(lattice.low) if low < lattice.high[a]]
    if not wide:
        return
    attribute = data.draw(st.sampled_from(wide))
    level = data.draw(st.integers(lattice.low[attribute], lattice.high[attribute] - 1))
    below, above = lattice.split(attribute, level)
    assert set(below) == {scheme for scheme in lattice if scheme[attribute] <= level}
    assert set(above) == {scheme for scheme in lattice if scheme[attribute] > level}


def test_replacing_a_level_leaves_the_others() -> None:
    assert with_level((4, 5, 6), 0, 9) == (9, 5, 6)
    assert with_level((4, 5, 6), 2, 9) == (4, 5, 9)


def test_the_size_of_a_huge_lattice_is_exact_without_a_list() -> None:
    assert Lattice((0,) * 40, (9,) * 40).size == 10**40
    assert (3,) * 40 in Lattice((0,) * 40, (9,) * 40)


@pytest.mark.parametrize(("low", "high"), [((0, 2), (1, 1)), ((0,), (0, 1))])
def test_bounds_that_do_not_fit_are_refused(low: Scheme, high: Scheme) -> None:
    with pytest.raises(ValueError, match=r"not below|different lengths"):
        Lattice(low, high)
