"""Who is kept, against all subsets of people and every attacker, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import DataError, PolicyError
from anonymizer.risk.study import StudyAnonymity
from anonymizer.study.supports import Supports
from experiments.studies.scale import Size, draw_study
from tests.study.drawing import cases, evaluator_of
from tests.study.oracle import Case, Child, Generalized


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
    kept = {scheme: evaluator.supports.kept(scheme) for scheme in lattice}
    for scheme, left in kept.items():
        assert all((left <= kept[coarser]).all() for coarser in lattice.coarser(scheme))


@pytest.mark.parametrize(("power", "level"), [(1, 0), (2, 2), (3, 2), ("profile", 3)])
def test_events_without_parents_are_the_same_as_forests_and_as_sets(
    power: int | str, level: int
) -> None:
    study = draw_study(Size(1_000, 4))
    model = StudyAnonymity(3, power)  # type: ignore[arg-type]
    as_sets, as_forests = Supports(study, model), Supports(study, model)
    vars(as_forests)["is_flat"] = False
    scheme = (3, 1, 2, level)
    kept = as_sets.kept(scheme)
    assert (kept == as_forests.kept(scheme)).all()
    assert power == 2 or 0 < np.count_nonzero(kept) < study.people


def test_a_power_for_a_table_that_is_not_there_is_refused() -> None:
    with pytest.raises(PolicyError, match="'evnt', which is no table of events; did you mean"):
        Supports(draw_study(Size(5, 2)), StudyAnonymity(2, 1, {"evnt": 1}))


def test_too_many_sets_of_a_person_are_an_error_that_names_the_remedy() -> None:
    study = draw_study(Size(2, 2_000))
    with pytest.raises(DataError, match=r"1,333,335,000 sets of at most 3.*state most_events"):
        Supports(study, StudyAnonymity(1, 3)).kept(study.lattice.high)
    capped = Supports(study, StudyAnonymity(1, 3, most_events=1_999))
    assert not capped.kept(study.lattice.high).any()


def test_events_of_like_parents_are_told_apart_by_their_own_values() -> None:
    """The visits of four diagnoses have labels up to the third, as many as there are rows."""
    kinds = ("v0", "v1", "v2", "v3")
    tree = {kind: (kind, "*") for kind in kinds}
    codes = {code: (code, "*") for code in ("d0", "d1")}
    whose = ((0, "v0"), (0, "v1"), (0, "v3"), (1, "v0"), (1, "v2"), (1, "v3"))
    visits = Child("visit", None, tuple((person, (kind,)) for person, kind in whose), (tree,))
    made = ((0, "d0"), (3, "d1"), (2, "d0"), (5, "d0"))
    diagnoses = Child("diagnosis", 0, tuple((visit, (code,)) for visit, code in made), (codes,))
    case = Case(
        ((), ()), (), (visits, diagnoses), k=2, power=1, powers={"visit": 0}, weights=(1, 1)
    )
    for scheme in case.schemes():
        kept = frozenset(np.flatnonzero(evaluator_of(case).supports.kept(scheme)).tolist())
        assert kept == Generalized(case, scheme).greatest()


def test_two_diagnoses_of_one_visit_are_not_those_of_two() -> None:
    """As multisets all three people have the same diagnoses; at one visit has them one alone."""
    visit, codes = {"v": ("v",)}, {code: (code,) for code in ("d0", "d1")}
    visits = Child("visit", None, tuple((person, ("v",)) for person in (0, 1, 1, 2, 2)), (visit,))
    made = ((0, "d0"), (0, "d1"), (1, "d0"), (2, "d1"), (3, "d0"), (4, "d1"))
    diagnoses = Child("diagnosis", 0, tuple((at, (code,)) for at, code in made), (codes,))
    for power, left in ((1, {0, 1, 2}), (2, {1, 2})):
        case = Case(((), (), ()), (), (visits, diagnoses), k=2, power=power, weights=(1, 1))
        kept = frozenset(np.flatnonzero(evaluator_of(case).supports.kept((0, 0))).tolist())
        assert kept == left == Generalized(case, (0, 0)).greatest()
