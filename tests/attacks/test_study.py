"""Attackers of linked tables: who matches is as defined, and the promise holds against its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import PolicyError, anonymize, attack, make_study_manifest, write_study
from anonymizer.attacks.setting import AttackPlan
from anonymizer.attacks.study import StudySetting, attackers, by_power, count_matches, fits
from anonymizer.risk.study import StudyAnonymity
from anonymizer.verification.attackers import Attackers, PlainStudy
from tests.clinic import POLICY, frames, write_clinic
from tests.study.drawing import cases, evaluator_of, model_of
from tests.study.oracle import Case, Generalized
from tests.verification.test_attackers import plain_of


@given(st.data(), cases())
def test_who_matches_has_a_map_of_all_events_that_are_known(
    data: st.DataObject, case: Case
) -> None:
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    person, other = (data.draw(st.integers(0, len(case.people) - 1)) for _ in range(2))
    known = data.draw(st.sets(st.sampled_from(case.events[person] or [None])).map(tuple))
    known = tuple(event for event in known if event is not None)
    histories = plain_of(case, scheme)
    mine = histories.written([(table + 1, row) for table, row in known])
    theirs = histories.written(histories.events[other])
    expected = Generalized(case, scheme).matches(case.closure(known), other)
    assert fits(mine, theirs) == expected


@given(st.data(), cases())
def test_nobody_is_among_fewer_than_k_for_the_promised_power(
    data: st.DataObject, case: Case
) -> None:
    case = replace(case, share=0.0)  # of those dropped, more may be known than of those released
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    kept = np.flatnonzero(evaluator_of(case).kept(scheme)[0]).tolist()
    whole = plain_of(case, scheme)
    setting = StudySetting(part_of(whole, kept), whole, model_of(case), AttackPlan(100, 1))
    assert all(n == 0 or n >= case.k for n in count_matches(setting, setting.model))
    for name, model in attackers(setting.model):
        found = by_power(setting, name, model)
        if found.skipped is None:
            assert found.details["released"] == len(kept)
            assert found.details["alone"]["successes"] <= found.success.trials
    shown = Attackers(whole, setting.model)
    everybody = StudySetting(whole, whole, setting.model, AttackPlan(100, 1))
    for person, least in zip(everybody.drawn, count_matches(everybody, setting.model), strict=True):
        assert least >= shown.fewest[person]


def part_of(histories: PlainStudy, kept: list[int]) -> PlainStudy:
    """Return the same with the rows of some people alone."""
    number: list[dict[int, int]] = []
    tables = []
    for place, rows in enumerate(histories.tables):
        stay = [
            row
            for row in range(len(rows.values))
            if (row if place == 0 else histories.person((place, row))) in kept
        ]
        number.append({row: at for at, row in enumerate(stay)})
        above = (
            [] if rows.parent is None else [number[rows.parent][rows.parent_row[r]] for r in stay]
        )
        tables.append(replace(rows, values=[rows.values[r] for r in stay], parent_row=above))
    return PlainStudy(tuple(tables))


def test_a_release_is_attacked_by_three_powers(tmp_path: Path, run) -> None:
    policy, out = write_clinic(tmp_path), tmp_path / "out"
    solution = anonymize(None, policy)
    write_study(solution, out)
    found = attack(out, policy, tmp_path)
    assert [each.name for each in found.results] == [
        "power 2, promised", "power 3", "profile", "number of events", "all released columns",
    ]  # fmt: skip
    promised, more, profile, number, everything = (each.details for each in found.results)
    assert promised["in fewer than k"]["successes"] == 0
    assert promised["alone"]["successes"] == 0
    assert more["in fewer than k"]["successes"] <= profile["in fewer than k"]["successes"]
    assert profile["alone"]["successes"] == solution.left_out.alone_by_profile
    left = solution.left_out
    assert everything["alone"]["successes"] == left.alone_by_all
    assert max(left.alone_by_number.values()) <= number["alone"]["successes"]
    assert found.describe() == attack(out, policy, tmp_path).describe()
    status, printed, _ = run(
        "attack", out, "--against", tmp_path, "--policy", policy, "--out", tmp_path / "attacked"
    )
    assert status == 0
    assert "power 2, promised" in printed
    assert "0 people are alone, 0 among fewer than 3" in " ".join(printed.split())
    assert (tmp_path / "attacked" / "attacks.html").is_file()


def test_dataframes_are_attacked_with_their_manifest(tmp_path: Path) -> None:
    policy = write_clinic(tmp_path, POLICY.replace("power = 2", 'power = "profile"'))
    solution = anonymize(frames(), policy)
    released = solution.to_frames()
    manifest = make_study_manifest(solution, released)
    found, *_ = attack(released, policy, frames(), manifest=manifest).results
    assert found.details["in fewer than k"]["successes"] == 0
    with pytest.raises(PolicyError, match="leave these out"):
        attack(released, policy, frames(), manifest=manifest, control=frames()["drug"])


def test_what_is_promised_for_no_table_is_known_to_the_next() -> None:
    model = StudyAnonymity(5, 1, {"cm": 0, "ae": 2}, most_events=9)
    names, models = zip(*attackers(model), strict=True)
    assert names == ("power 1, promised", "power 2", "profile")
    assert (models[1].power, models[1].powers) == (2, {"cm": 0, "ae": 3})
    assert models[2] == StudyAnonymity(5, "profile")
