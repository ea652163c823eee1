"""A release beside its original: what is counted, compared with rows looked at one by one."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import DataError, Policy, ReleaseError, anonymize, apply, evidence
from anonymizer.comparison.binning import FEWEST_PEOPLE, MOST_BINS, OTHER
from anonymizer.comparison.comparison import MOST_PAIRED, ComparedPair, Comparison, compare
from anonymizer.hierarchy import Hierarchy
from tests.comparison.oracle import count, cramers_v, spread_evenly, total_variation

TOWN = [(f"t{i}", f"region {i // 3}", f"part {i // 6}", "*") for i in range(12)]
AGE = [(str(i), f"{i // 10 * 10}s", "*") for i in range(60)]
SEX = [("F", "*"), ("M", "*")]
HIERARCHIES = {"age": AGE, "sex": SEX, "town": TOWN}


def policy_of(**more: Any) -> Policy:
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, rows)}
        for name, rows in HIERARCHIES.items()
    }
    attributes |= {"illness": {"role": "sensitive"}, "days": {"role": "insensitive"}}
    return Policy(**{"attributes": attributes, "risk": [{"model": "k-anonymity", "k": 3}], **more})


def people(rows: int = 400, seed: int = 1) -> pd.DataFrame:
    """Draw people whose town goes with their age, and whose illness goes with their sex."""
    random = np.random.default_rng(seed)
    age = random.integers(0, 60, rows)
    sex = random.choice(["F", "M"], rows)
    return pd.DataFrame(
        {
            "age": age.astype(str),
            "sex": sex,
            "town": [f"t{town}" for town in (age // 5 + random.geometric(0.7, rows)) % 12],
            "illness": np.where(
                random.random(rows) < 0.8, np.where(sex == "F", "flu", "gout"), "x"
            ),
            "days": random.geometric(0.1, rows),
        }
    )


def column(comparison: Comparison, name: str) -> Any:
    return next(each for each in comparison.columns if each.name == name)


def pair(comparison: Comparison, *names: str) -> ComparedPair:
    return next(each for each in comparison.pairs if {each.one, each.other} == set(names))


@pytest.mark.parametrize("layers", [False, True])
@pytest.mark.parametrize("suppressed", ["drop", "redact"])
def test_every_bin_counts_the_records_before_after_and_suppressed(layers, suppressed):
    frame = people()
    policy = policy_of(release={"layers": layers, "suppressed": suppressed})
    solution = anonymize(frame, policy)
    comparison = compare(solution)
    gone = solution.release.suppressed[solution.release.microdata.tuple_of_row]
    assert comparison.suppressed == gone.sum() > 0
    for each in comparison.columns:
        assert sum(part.before for part in each.bins) == len(frame)
        assert sum(part.suppressed for part in each.bins) == gone.sum()
        kept = suppressed == "redact" and each.name in ("illness", "days")
        expected = len(frame) if kept else len(frame) - gone.sum()
        assert sum(part.after for part in each.bins) == pytest.approx(expected)
    for part in column(comparison, "sex").bins:
        rows = (frame["sex"] == part.label).to_numpy()
        assert (part.before, part.suppressed) == (rows.sum(), (rows & gone).sum())


@given(
    st.integers(0, 30),
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)),
    st.integers(8, 80),
)
def test_distances_and_associations_are_those_of_rows_looked_at_one_by_one(seed, levels, rows):
    frame, scheme = people(rows, seed), dict(zip(HIERARCHIES, levels, strict=True))
    solution = apply(frame, policy_of(), scheme)
    comparison = compare(solution)
    gone = solution.release.suppressed[solution.release.microdata.tuple_of_row].tolist()
    bins = {each.name: bins_by_hand(frame, comparison, each.name) for each in comparison.columns}
    known = {name: spread_by_hand(frame, gone, name, scheme) for name in [*HIERARCHIES, "illness"]}
    for name, cells in known.items():
        after: dict[str, float] = defaultdict(float)
        for cell in cells:
            for leaf, share in (cell or {}).items():
                after[leaf] += share
        expected = total_variation(count(frame[name].tolist()), after)
        assert column(comparison, name).distance == pytest.approx(expected)
    for one, other in combinations(known, 2):
        before: dict[tuple[str, str], float] = defaultdict(float)
        after_pairs: dict[tuple[str, str], float] = defaultdict(float)
        cells = set[tuple[str, str]]()
        for row in range(rows):
            before[bins[one](frame[one][row]), bins[other](frame[other][row])] += 1
            if gone[row]:
                continue
            cells.add(
                (coarser(bins[one], known[one][row]), coarser(bins[other], known[other][row]))
            )
            for a, p in known[one][row].items():
                for b, q in known[other][row].items():
                    after_pairs[bins[one](a), bins[other](b)] += p * q
        freedom = len({a for a, _ in before}), len({b for _, b in before})
        left = len({a for a, _ in cells}), len({b for _, b in cells})
        found = pair(comparison, one, other)
        assert found.before == pytest.approx(cramers_v(before, freedom, before), abs=1e-5)
        assert found.after == pytest.approx(cramers_v(after_pairs, left, before), abs=1e-5)


def bins_by_hand(frame: pd.DataFrame, comparison: Comparison, name: str) -> Any:
    """Return what tells the bin of a value."""
    labels = {part.label for part in column(comparison, name).bins}
    rows = HIERARCHIES.get(name, [(value,) for value in frame[name].astype(str)])
    of_leaf = {row[0]: next((text for text in row if text in labels), OTHER) for row in rows}
    return of_leaf.__getitem__


def spread_by_hand(
    frame: pd.DataFrame, gone: list[bool], name: str, scheme: dict[str, int]
) -> list[dict[str, float]]:
    """Return the leaves that each released cell may stand for; nothing of a suppressed one."""
    values = frame[name].tolist()
    if name not in HIERARCHIES:
        return [{} if out else {value: 1.0} for value, out in zip(values, gone, strict=True)]
    rows = HIERARCHIES[name]
    labels = {row[0]: row[scheme[name]] for row in rows}
    return [
        {} if out else spread_evenly(labels[value], scheme[name], rows)
        for value, out in zip(values, gone, strict=True)
    ]


def coarser(bin_of: Any, leaves: dict[str, float]) -> str:
    """Name the bin that all leaves are in, or else all of these leaves."""
    bins = {bin_of(leaf) for leaf in leaves}
    return bins.pop() if len(bins) == 1 else "|".join(sorted(leaves))


def test_an_untouched_release_is_as_it_was():
    frame = people(60)
    policy = policy_of(risk=[{"model": "k-anonymity", "k": 1}])
    comparison = compare(apply(frame, policy, {"age": 0, "sex": 0, "town": 0}))
    assert all(each.distance == 0 for each in comparison.columns)
    assert all(each.values_before == each.values_after for each in comparison.columns)
    assert all(each.before == each.after for each in comparison.pairs)
    assert comparison.subgroups() == ()


def test_an_association_is_lost_with_one_of_its_columns_and_kept_without():
    comparison = compare(apply(people(), policy_of(), {"age": 2, "sex": 0, "town": 2}))
    lost, kept = pair(comparison, "age", "town"), pair(comparison, "sex", "illness")
    assert lost.before > 0.3
    assert lost.after == 0 == lost.kept
    assert kept.before > 0.5
    assert kept.kept == pytest.approx(1, abs=0.02)
    assert pair(comparison, "sex", "days").kept is None  # there was none


def test_who_is_suppressed_most_comes_first():
    frame = pd.DataFrame({"sex": ["F"] * 50 + ["M"] * 6, "town": ["t0"] * 50 + ["t1"] * 6})
    attributes = {
        name: {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, HIERARCHIES[name])}
        for name in ("sex", "town")
    }
    policy = Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": 10}])
    first, second = compare(apply(frame, policy, {"sex": 0, "town": 0})).subgroups()
    assert {(each.column, each.label) for each in (first, second)} == {("sex", "M"), ("town", "t1")}
    assert (first.suppressed, first.records, first.share) == (6, 6, 1.0)
    assert first.excess == pytest.approx(6 - 6 * 6 / 56)


def test_a_value_of_few_people_has_no_bin_of_its_own():
    frame = people(60)
    frame["illness"] = ["rare"] * (FEWEST_PEOPLE - 1) + ["flu"] * (61 - FEWEST_PEOPLE)
    comparison = compare(anonymize(frame, policy_of()))
    assert [part.label for part in column(comparison, "illness").bins] == ["flu", OTHER]
    assert "rare" not in json.dumps(comparison.describe())


@pytest.mark.parametrize("name", ["illness", "sex"])
def test_rows_of_one_person_make_no_bin(name):
    frame = people(60)
    frame["patient"] = ["one"] * 10 + [f"p{row}" for row in range(50)]
    frame[name] = ["M"] * 10 + ["F"] * 50
    attributes = {**policy_of().attributes, "patient": {"role": "identifying"}}
    policy = policy_of(attributes=attributes, data={"id": "patient"})
    comparison = compare(apply(frame, policy, {"age": 2, "sex": 0, "town": 3}))
    assert [part.label for part in column(comparison, name).bins] == ["F", OTHER]
    assert "patient" not in {each.name for each in comparison.columns}


def test_numbers_are_in_round_ranges_and_columns_in_few_bins():
    comparison = compare(anonymize(people(2000), policy_of()))
    labels = [part.label for part in column(comparison, "days").bins]
    assert labels[0] == "0 to under 5"
    assert labels[1] == "5 to under 10"
    assert labels[-1].endswith(" or more")
    assert all(len(each.bins) <= MOST_BINS + 1 for each in comparison.columns)


@pytest.mark.parametrize("layers", [False, True])
def test_rows_are_released_rows_beside_what_they_were_made_from(layers):
    frame = people()
    solution = anonymize(frame, policy_of(release={"layers": layers}))
    released = {tuple(row) for row in solution.to_frame().astype(str).itertuples(index=False)}
    original = {tuple(row) for row in frame.astype(str).itertuples(index=False)}
    rows = compare(solution).rows
    assert len(rows) == 5
    for row in rows:
        assert tuple(cell for cell, _ in row.values()) in original
        assert tuple(cell for _, cell in row.values()) in released


def test_the_rows_are_not_in_the_json():
    frame = people()
    frame["illness"] = [f"secret {row}" for row in range(len(frame))]
    comparison = compare(anonymize(frame, policy_of()))
    assert "secret" in str(comparison.rows)
    assert "secret" not in json.dumps(comparison.describe())
    assert "secret" not in repr(comparison)


def test_pairs_are_made_of_so_many_columns_and_quasi_identifiers_come_first():
    frame = people(60)
    more = {f"c{number}": {"role": "insensitive"} for number in range(30)}
    for name in more:
        frame[name] = "a"
    policy = policy_of(attributes={**more, **policy_of().attributes})
    comparison = compare(anonymize(frame[[*more, *people(1).columns]], policy))
    assert len(comparison.pairs) == MOST_PAIRED * (MOST_PAIRED - 1) // 2
    assert len(comparison.columns) == 35
    assert len(comparison.unpaired) == 15
    assert not {"age", "sex", "town", "illness"} & set(comparison.unpaired)


def test_nothing_left_is_as_far_as_can_be():
    frame = people(20)
    frame["sex"] = ["F", "M"] * 10
    policy = policy_of(risk=[{"model": "k-anonymity", "k": 20}])
    comparison = compare(apply(frame, policy, {"age": 2, "sex": 0, "town": 3}))
    assert {each.distance for each in comparison.columns} == {1.0}
    assert {each.after for each in comparison.pairs} == {0.0}
    assert comparison.rows == ()


def test_a_table_that_changed_since_is_refused():
    frame = people(60)
    solution = anonymize(frame, policy_of())
    frame.loc[60] = frame.loc[0]
    with pytest.raises(ReleaseError, match="changed since it was anonymized: it had 60 rows"):
        compare(solution)


def test_missing_cells_and_lists_are_no_obstacle():
    frame = people(60)
    frame["illness"] = [None] * 30 + ["flu"] * 30
    table = pa.Table.from_pandas(frame).append_column("list", [[[1, 2]] * 60])
    policy = policy_of(attributes={**policy_of().attributes, "list": {"role": "insensitive"}})
    comparison = compare(anonymize(table, policy))
    assert {part.label for part in column(comparison, "illness").bins} == {"(missing)", "flu"}
    assert "list" not in {each.name for each in comparison.columns}


def weighted(seed: int, **more: Any) -> tuple[pd.DataFrame, Policy]:
    """People with sampling weights, of whom those of weight 3 are of other towns."""
    frame = people(300, seed)
    weights = np.random.default_rng(seed).integers(1, 4, len(frame))
    frame["weight"] = np.where(frame["town"].isin(["t1", "t2"]), 3, weights)
    attributes = dict(policy_of().attributes) | {"weight": {"role": "removed"}}
    analyses = [{"name": name, "kind": name} for name in ("two-way", "marginals", "queries")]
    stated = {"attributes": attributes, "data": {"weight": "weight"}, "analysis": analyses}
    return frame, policy_of(**stated, **more)


@pytest.mark.parametrize("seed", [1, 2])
def test_weights_count_as_so_many_equal_records(seed: int) -> None:
    frame, policy = weighted(seed, risk=[{"model": "k-anonymity", "k": 1}])
    levels = {name: {"min_level": 1, "max_level": 1} for name in ("age", "town")}
    policy = policy.with_attributes(levels)
    repeated = frame.loc[frame.index.repeat(frame["weight"])].reset_index(drop=True)
    repeated["weight"] = 1
    mine, theirs = (anonymize(each, policy) for each in (frame, repeated))
    found, expected = compare(mine), compare(theirs)
    for one, other in zip(found.columns, expected.columns, strict=True):
        assert one.distance == pytest.approx(other.distance, abs=1e-12)
        shares, wanted = (
            {
                part.label: np.array(part.frequencies) / each.records
                for part in next(c for c in each.columns if c.name == one.name).bins
            }
            for each in (found, expected)
        )
        same = shares.keys() & wanted.keys() - {OTHER}  # a few people more have bins of their own
        assert len(same) >= min(2, len(shares))
        assert all(np.allclose(shares[label], wanted[label]) for label in same)
    [text] = found.weighted
    assert text in evidence(mine)["marginals"].method
    marginals = [evidence(each)["marginals"].value for each in (mine, theirs)]
    assert marginals[0] == pytest.approx(marginals[1], abs=1e-12)
    assert "sampling weight" in found.describe()["weighted"][0]


def test_who_is_suppressed_is_missing_by_their_weight() -> None:
    frame, policy = weighted(3, risk=[{"model": "k-anonymity", "k": 8}])
    solution = anonymize(frame, policy)
    assert solution.suppressed
    found = column(compare(solution), "illness")
    kept = frame[~solution.release.suppressed[solution.release.microdata.tuple_of_row]]
    scale = frame["weight"].mean()
    for part in found.bins:
        for share, rows in zip(part.frequencies, (frame, kept), strict=True):
            assert share == pytest.approx(
                rows.loc[rows["illness"] == part.label, "weight"].sum() / scale
            )
        assert part.before == (frame["illness"] == part.label).sum()
    before, after = (rows.groupby("illness")["weight"].sum() for rows in (frame, kept))
    assert found.distance == pytest.approx(
        (before / before.sum()).sub(after / after.sum(), fill_value=0).abs().sum() / 2
    )


def test_a_weight_that_is_none_is_a_sentence() -> None:
    frame, policy = weighted(1)
    solution = anonymize(frame.assign(weight=frame["weight"].where(frame.index != 4, -1)), policy)
    with pytest.raises(DataError, match="'weight': 1 of its values are no sampling weights"):
        compare(solution)
