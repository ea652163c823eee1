"""What is left of a column is counted in records, and what collapsed is said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import anonymize, apply, make_manifest, verify
from anonymizer.layers.retained import column_left, loss_over_existing, retained_share

CELLS = st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 3), st.booleans())
AGES = {"builder": "intervals", "domain": [0, 99], "widths": [10, 50]}
POLICY = {
    "attributes": {
        "age": {"role": "quasi", "hierarchy": AGES},
        "zip": {"role": "quasi", "hierarchy": {"builder": "redaction", "digits": 3}},
        "ward": {"role": "insensitive"},
    },
    "risk": [{"model": "k-anonymity", "k": 3}],
}


def people(rows: int = 120) -> pd.DataFrame:
    random = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": random.integers(0, 100, rows),
            "zip": [f"{code:03}" for code in random.integers(0, 30, rows)],
            "ward": random.choice(["A", "B"], rows),
        }
    )


def entropy(values: pd.Series) -> float:
    shares = values.value_counts(normalize=True)
    return float(-(shares * np.log2(shares)).sum()) if len(values) else 0.0


def obvious(before: pd.Series, after: pd.Series, kept: pd.Series) -> float:
    """Return what is left of a column, record by record."""
    x, y = before[kept], after[kept]
    mutual = entropy(x) + entropy(y) - entropy(x.astype(str) + "|" + y.astype(str))
    whole = entropy(before)
    return 1.0 if whole == 0 else kept.mean() * mutual / whole


@given(st.lists(CELLS, min_size=1, max_size=12))
def test_what_is_left_is_the_mutual_information_over_the_entropy(
    cells: list[tuple[int, int, int, bool]],
) -> None:
    original, released, counts = (np.array([cell[at] for cell in cells]) for at in range(3))
    kept = np.array([cell[3] for cell in cells])
    before, after, there = (
        pd.Series(np.repeat(each, counts)) for each in (original, released, kept)
    )
    found = retained_share(original, released, counts, kept)
    assert 0 <= found <= 1
    assert found == pytest.approx(obvious(before, after, there), abs=1e-9)


def test_a_column_with_one_value_throughout_collapsed_only_if_it_had_more() -> None:
    counts, kept = np.full(10, 10), np.ones(10, np.bool_)
    zeros = np.zeros(10, np.int64)
    assert column_left(np.arange(10), zeros, counts, kept).collapsed
    assert not column_left(zeros, zeros, counts, kept).collapsed
    assert not column_left(np.arange(10), np.arange(10), counts, kept).collapsed


def test_codes_that_do_not_exist_do_not_lower_the_loss_over_those_that_do() -> None:
    solution = apply(people(), POLICY, {"age": 2, "zip": 2})
    over = solution.loss_over_existing
    assert over.keys() == {"zip"}
    assert over["zip"] > 0.9  # nearly all codes are 0**
    assert solution.collapsed == ["zip"]
    assert solution.attribute_loss["zip"] < 0.2
    counts, kept = np.ones(4, np.int64), np.array([True, True, True, False])
    assert loss_over_existing(np.arange(4), np.arange(4), counts, kept) == pytest.approx(0.25)


@pytest.mark.parametrize("release", [{}, {"layers": True}, {"suppressed": "redact"}])
def test_what_is_left_is_verified_and_a_forged_figure_fails(release: dict[str, str]) -> None:
    frame, policy = people(), {**POLICY, "release": release}
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert manifest["retained"] == pytest.approx(solution.retained, abs=0.051)
    assert verify(released, policy, manifest, against=frame).passed
    for forged in ({"retained": {"age": 0.9, "zip": 0.9}}, {"collapsed": ["age"]}):
        assert not verify(released, policy, {**manifest, **forged}, against=frame).passed


def test_of_microaggregated_numbers_as_much_is_left_as_of_their_classes() -> None:
    frame = people().drop(columns="zip")
    age = {"role": "quasi", "hierarchy": AGES}
    keys = {"attributes": {"age": age, "ward": {"role": "insensitive"}}, "risk": POLICY["risk"]}
    plain = apply(frame, keys, {"age": 1})
    keys["attributes"] = {**keys["attributes"], "age": {**age, "microaggregation": "mean"}}
    assert apply(frame, keys, {"age": 1}).retained == pytest.approx(plain.retained)
