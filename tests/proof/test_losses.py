"""The checker's figures: exact but for a last rounding that is bounded."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.proof.checker import ERROR, Case, check
from anonymizer.proof.format import ProofError
from anonymizer.proof.losses import Measure, entropy
from tests.proof.cases import K_AND_VALUES, SMALL, asked, proven

SHARES = st.fractions(0, 1, max_denominator=10**9)


@settings(max_examples=200)
@given(losses=st.lists(SHARES, min_size=1, max_size=30), data=st.data())
def test_the_aggregate_is_off_by_less_than_the_error_allowed_for(
    losses: list[Fraction], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.floats(0.001, 1), min_size=len(losses), max_size=len(losses)))
    measure = Measure("loss", "geometric", tuple(weights))
    with localcontext(prec=50):
        product = Decimal(1)
        for weight, loss in zip(weights, losses, strict=True):
            share = Fraction(weight) / Fraction(max(weights)) * loss
            product *= 1 + Decimal(share.numerator) / Decimal(share.denominator)
        exact = product ** (Decimal(1) / len(losses)) - 1
        assert abs(Decimal(measure.combine([float(loss) for loss in losses])) - exact) < ERROR / 4


@settings(max_examples=200)
@given(counts=st.lists(st.integers(1, 10**9), min_size=2, max_size=30))
def test_bits_keep_their_digits_where_one_group_is_nearly_everything(counts: list[int]) -> None:
    with localcontext(prec=50):
        whole = Decimal(sum(counts))
        exact = sum(n * (whole / n).ln() for n in counts) / Decimal(2).ln()
        found = entropy(np.array(counts))
        assert abs(Decimal(found) / exact - 1) < ERROR / 4


@pytest.mark.parametrize("fault", ["splits", "covers less"])
def test_a_hierarchy_whose_levels_do_not_coarsen_proves_nothing(fault: str) -> None:
    found = proven(asked(SMALL, K_AND_VALUES))
    assert found is not None
    case, proof = found
    with pytest.raises(ProofError, match="a level of 'a0' does not coarsen the one below it"):
        check(proof, with_fault(case, fault))


def with_fault(case: Case, fault: str) -> Case:
    """Return the case with a first attribute that is no hierarchy."""
    first, *others = case.table.attributes
    if fault == "splits":
        groups = (first.groups[0], first.groups[-1], *first.groups[2:])
        first = replace(first, groups=groups)
    else:
        first = replace(first, covered=(first.covered[1], first.covered[0], *first.covered[2:]))
    return replace(case, table=replace(case.table, attributes=(first, *others)))
