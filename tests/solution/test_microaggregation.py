from __future__ import annotations

import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import Policy, PolicyError, anonymize, make_manifest, verify, write_release
from anonymizer.hierarchy import parse_spec
from anonymizer.solution.microaggregation import integers_for

AGE = {"builder": "intervals", "domain": [0, 99], "widths": [10, 50]}
SEX = {"F": "any", "M": "any"}


def policy_of(center: str | None, **keys: Any) -> Policy:
    age = {"role": "quasi", "hierarchy": parse_spec(AGE).build("age")}
    if center is not None:
        age["microaggregation"] = center
    return Policy(
        attributes={"age": age, "sex": {"role": "quasi", "hierarchy": SEX}},
        **{"risk": [{"model": "k-anonymity", "k": 3}], **keys},
    )


def frame_of(ages: list[int | None]) -> pd.DataFrame:
    cells = ["" if age is None else str(age) for age in ages]
    return pd.DataFrame({"age": cells, "sex": ["F" if i % 3 else "M" for i in range(len(ages))]})


AGES = st.lists(st.one_of(st.none(), st.integers(0, 99)), min_size=4, max_size=40)


@settings(max_examples=60)
@pytest.mark.filterwarnings("ignore:column 'age' has missing")
@given(AGES, st.sampled_from(["mean", "median"]))
def test_each_class_has_the_center_of_its_records(ages: list[int | None], center: str) -> None:
    frame = frame_of(ages)
    policy = policy_of(center)
    solution = anonymize(frame, policy)
    plain = anonymize(frame, policy_of(None))
    assert (solution.scheme, solution.loss) == (plain.scheme, plain.loss)
    plan, labels = solution.release.plan(), plain.release.plan()
    members: dict[tuple[str, ...], list[int | None]] = defaultdict(list)
    released: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for at, row in enumerate(plan.rows.tolist()):
        key = tuple(cell(labels, name, at) for name in ("age", "sex"))
        members[key].append(ages[row])
        released[key].add(cell(plan, "age", at))
    for key, texts in released.items():
        assert texts == {center_of(members[key], center, key[0], solution.scheme["age"])}
    manifest = make_manifest(solution, solution.to_frame())
    assert verify(solution.to_frame(), policy, manifest, against=frame).passed


def cell(plan: Any, name: str, at: int) -> str:
    numbers, texts = plan.recoded(name)
    return str(texts[numbers[at]])


def center_of(ages: list[int | None], center: str, label: str, level: int) -> str:
    numbers = sorted(age for age in ages if age is not None)
    if level == 0 or not numbers:
        return label
    if center == "median":
        return str(numbers[(len(numbers) - 1) // 2])
    return str(round(Fraction(sum(numbers), len(numbers))))


@pytest.mark.parametrize("suppressed", ["drop", "redact"])
def test_a_released_file_verifies_and_a_number_that_tells_one_record_apart_does_not(
    suppressed: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    frame = frame_of(rng.integers(20, 60, 300).tolist())
    policy = policy_of("mean", release={"suppressed": suppressed})
    files = write_release(anonymize(frame, policy), tmp_path)
    assert verify(files["release"], policy, against=frame).passed
    table = pd.read_csv(files["release"], dtype=str)
    at = table.index[table["age"] != "*"][0]
    table.loc[at, "age"] = str(int(table.loc[at, "age"]) + 1)
    table.to_csv(files["release"], index=False)
    found = verify(files["release"], policy)
    assert not found.passed
    assert any("in more than one way" in check.detail for check in found.checks)


def test_numbers_stay_numbers() -> None:
    frame = pd.DataFrame({"age": [30, 31, 38, 70, 71, 75], "sex": ["F"] * 6})
    policy = policy_of("mean", release={"suppression_limit": 0.0})
    released = anonymize(frame, policy).to_frame()
    assert released["age"].dtype == frame["age"].dtype
    assert Counter(released["age"].tolist()) == {33: 3, 72: 3}


def test_the_manifest_says_so() -> None:
    solution = anonymize(frame_of([30, 31, 38, 40]), policy_of("median"))
    manifest = make_manifest(solution, solution.to_frame())
    assert manifest["policy"]["attributes"]["age"]["microaggregation"] == "median"
    assert json.loads(json.dumps(manifest))


def test_where_it_has_no_meaning_it_is_refused(tmp_path: Path) -> None:
    frame = frame_of([30, 31, 38, 40])
    statement = tmp_path / "statement.toml"
    statement.write_text('[[source]]\nname = "r"\nkeys = ["age"]\nthreshold = 0.5\n')
    risk = [{"model": "sources", "statement": statement}]
    with pytest.raises(PolicyError, match="'sources' looks at single columns"):
        anonymize(frame, policy_of("mean", risk=risk))
    with pytest.raises(PolicyError, match="one scheme for all records, not layers"):
        anonymize(frame, policy_of("mean", release={"layers": True}))
    attributes = {"sex": {"role": "quasi", "hierarchy": SEX, "microaggregation": "mean"}}
    policy = Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": 2}])
    with pytest.raises(PolicyError, match="needs intervals of numbers, and its hierarchy has no"):
        anonymize(frame[["sex"]], policy)
    with pytest.raises(PolicyError, match="microaggregation"):
        policy_of("mode")


def test_sums_do_not_overflow() -> None:
    assert integers_for([2**40], 10**6) is np.int64
    assert integers_for([-(2**50)], 10**6) is object
