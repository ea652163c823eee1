"""Who is kept, against all subsets of people and every attacker, one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.study.drawing import cases, evaluator_of
from tests.study.oracle import Case, Generalized


@given(st.data(), cases())
def test_whoever_is_kept_is_the_largest_of_all_safe_sets_of_people(
    data: st.DataObject, case: Case
) -> None:
    supports = evaluator_of(case).supports
    for scheme in {case.high, data.draw(st.sampled_from(list(case.schemes())))}:
        kept = frozenset(np.flatnonzero(supports.kept(scheme)).tolist())
        assert kept == Generalized(case, scheme).greatest()


@given(cases())
def test_whoever_is_kept_is_kept_at_every_coarser_scheme(case: Case) -> None:
    evaluator = evaluator_of(case)
    lattice = evaluator.study.lattice
    kept = {scheme: evaluator.kept(scheme) for scheme in lattice}
    for scheme, left in kept.items():
        assert all((left <= kept[coarser]).all() for coarser in lattice.coarser(scheme))
