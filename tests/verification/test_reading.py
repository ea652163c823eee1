from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import Policy, anonymize, apply, make_manifest, verify
from anonymizer.data.column import Column
from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.hierarchy.groups import Explicit
from anonymizer.risk import BetaLikeness, DeltaDisclosure, Remaining, RiskModel, TCloseness
from anonymizer.solution.manifest import rounding_step
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from anonymizer.verification.models import check_exactly, check_model
from anonymizer.verification.reading import classes_of, find_layers, labels_of, read_release
from tests.wards import patients

pytestmark = pytest.mark.quick

VALUES = ("a", "b", "c", "d")
TREE = Hierarchy.from_rows(
    "s", [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")]
)
GROUPS = Hierarchy.from_rows("q", [("0", "*"), ("1", "*"), ("2", "*")])
QUASI = {
    "sex": {"role": "quasi", "hierarchy": {"F": "*", "M": "*"}},
    "zip": {
        "role": "quasi",
        "hierarchy": Hierarchy.from_rows(
            "zip", [(z, z[:2], "*") for z in ("101", "102", "111", "201")]
        ),
    },
}
COUNTS = st.tuples(*[st.integers(0, 60)] * len(VALUES))
LIMITS = st.floats(0.01, 0.9)
MODELS = st.one_of(
    st.builds(TCloseness, st.just("s"), LIMITS),
    st.builds(TCloseness, st.just("s"), LIMITS, st.just("ordered"), st.just(VALUES)),
    st.builds(TCloseness, st.just("s"), LIMITS, st.just("hierarchical"), st.none(), st.just(TREE)),
    st.builds(BetaLikeness, st.just("s"), st.floats(0.05, 3), st.booleans()),
    st.builds(DeltaDisclosure, st.just("s"), st.floats(0.05, 3), st.sampled_from(["fail", "skip"])),
)
Histograms = list[tuple[int, ...]]


def released(classes: Histograms) -> Remaining:
    """Make a release of some classes, given how often each has each value."""
    rows = [
        (str(number), value)
        for number, counts in enumerate(classes)
        for value, count in zip(VALUES, counts, strict=True)
        for _ in range(count)
    ]
    frame = pd.DataFrame(rows, columns=["q", "s"], dtype=object)
    microdata = encode(FrameTable(frame), [GROUPS], sensitive=["s"])
    found = partition(microdata, (0,))
    return Remaining(microdata, found, np.zeros(found.sizes.size, np.bool_))


def overall_of(
    classes: Histograms, suppressed: tuple[int, ...], known: bool
) -> tuple[dict[str, object], list[float]]:
    """Return what a manifest says of the values that are released, and the true shares of all."""
    totals = np.sum([*classes, suppressed], axis=0)
    records = int(totals.sum())
    step, there = rounding_step(records), np.sum(classes, axis=0) > 0
    shares = totals / records
    rounded = {
        value: round(round(q / step) * step, 9)
        for value, q, is_there in zip(VALUES, shares, there, strict=True)
        if is_there
    }
    numbers = {"records": records, "suppressed": sum(suppressed)} if known else {}
    given = {"step": step, "shares": rounded, "complete": True, **numbers}
    return given, shares[there].tolist()


@settings(max_examples=200, deadline=None)
@given(
    classes=st.lists(COUNTS.filter(any), min_size=1, max_size=3),
    suppressed=COUNTS,
    model=MODELS,
    known=st.booleans(),
)
def test_a_release_is_never_judged_otherwise_than_with_the_true_shares(
    classes: Histograms, suppressed: tuple[int, ...], model: RiskModel, known: bool
) -> None:
    there = np.sum(classes, axis=0) > 0
    suppressed = tuple(int(n) * int(t) for n, t in zip(suppressed, there, strict=True))
    remaining = released(classes)
    given, shares = overall_of(classes, suppressed, known)
    column = replace(remaining.microdata.sensitive["s"], input_shares=np.array(shares))
    microdata = replace(remaining.microdata, sensitive={"s": column})
    true = replace(
        remaining,
        microdata=microdata,
        classes=replace(remaining.classes, microdata=microdata, counted={}),
    )
    found, exact = check_model(model, remaining, {"s": given}), check_exactly(model, true)
    assert found.passed in (None, exact.passed)
    if known and not any(suppressed):
        assert found.passed is not None  # the release has all that the input has


def test_what_little_is_suppressed_leaves_open_is_less_than_rounding_does() -> None:
    classes, suppressed = [(20, 20, 10, 10), (12, 28, 10, 10)], (1, 0, 0, 0)
    remaining, model = released(classes), TCloseness("s", 0.09)
    rough, fine = (overall_of(classes, suppressed, known)[0] for known in (False, True))
    assert check_model(model, remaining, {"s": rough}).passed is None
    assert check_model(model, remaining, {"s": fine}).passed is True


@pytest.mark.parametrize("change", [{"a": 0.9}, {"a": 0.0}])
def test_shares_that_the_released_values_contradict_are_not_believed(
    change: dict[str, float],
) -> None:
    classes = [(20, 20, 10, 10), (12, 28, 10, 10)]
    given, _ = overall_of(classes, (0, 0, 0, 0), known=True)
    forged = {**given, "shares": {**given["shares"], **change}}  # type: ignore[dict-item]
    found = check_model(TCloseness("s", 0.9), released(classes), {"s": forged})
    assert found.passed is False
    assert "are not those of a table with the released values" in found.detail


def test_a_release_with_one_scheme_is_read_as_a_release_in_one_layer() -> None:
    people = patients(60)
    random = np.random.default_rng(5)
    for suppressed, k in (("drop", 2), ("redact", 3), ("redact", 7)):
        policy = Policy(
            attributes={**QUASI, "diagnosis": {"role": "sensitive"}},
            risk=[{"model": "k-anonymity", "k": k}],
            release={"suppressed": suppressed, "suppression_limit": 1.0},
            data={"rows_are_people": True},
        )
        solution = anonymize(people[[*QUASI, "diagnosis"]], policy)
        frame = solution.to_frame(seed=1)
        manifest = make_manifest(solution, frame)
        layer = {"scheme": manifest["scheme"], "records": len(frame), "loss": 0.0}
        for cell in ("", "*", "F", "old"):
            row, column = random.integers(len(frame)), str(random.choice([*QUASI]))
            frame.loc[frame.index[row], column] = cell or frame[column].iloc[row]
            one, layers = (
                read_release(FrameTable(frame), policy, policy.load_hierarchies(), each)
                for each in (manifest, manifest | {"layers": [layer]})
            )
            assert one.layer_of_row.tolist() == layers.layer_of_row.tolist()
            assert (one.layer_of_row < 0).any() == bool(one.unknown)
            assert (one.rows, one.redacted, one.unknown) == (
                layers.rows,
                layers.redacted,
                layers.unknown,
            )
            if not one.unknown:
                together, [scheme] = classes_of(one, policy, [], 60), one.schemes
                alone = classes_of(replace(one, schemes=(scheme, scheme)), policy, [], 60)
                sizes = (sorted(each.classes.sizes.tolist()) for each in (together, alone))
                assert next(sizes) == next(sizes)


def test_a_missing_cell_is_no_value_of_a_level_that_has_none() -> None:
    policy = Policy(
        attributes={"sex": QUASI["sex"]},
        risk=[{"model": "k-anonymity", "k": 2}],
        data={"rows_are_people": True},
    )
    frame = pd.DataFrame({"sex": ["F", "M", "M", "F"]})
    solution = apply(frame, policy, {"sex": 1})
    released = solution.to_frame(seed=1)
    released["sex"] = ""
    [failed] = verify(released, policy, make_manifest(solution, frame)).failures[1:]
    assert failed.claim == "every quasi-identifier is generalized as declared"


def test_a_value_of_no_level_is_named_by_a_row_that_is_not_redacted() -> None:
    policy = Policy(
        attributes={"sex": QUASI["sex"], "zip": QUASI["zip"]},
        risk=[{"model": "k-anonymity", "k": 2}],
        release={"suppressed": "redact", "suppression_limit": 1.0},
        data={"rows_are_people": True},
    )
    solution = anonymize(pd.DataFrame({"sex": list("FFM"), "zip": ["101"] * 3}), policy)
    released = pd.DataFrame({"sex": ["*", "*", "F", "F"], "zip": ["*", "101", "101", "101"]})
    manifest = make_manifest(solution, released) | {"scheme": {"sex": 0, "zip": 0}}
    found = verify(released, policy, manifest)
    [failed] = [each for each in found.failures if each.claim.endswith("as declared")]
    assert "first at row 2" in failed.detail


def test_a_label_of_one_layer_is_no_new_value_in_another_that_takes_values_in() -> None:
    sex = Explicit(values=("f", "m"), unlisted=True).build("sex")
    assert "*" in sex.with_values(["*"]).leaves  # as a cell of a table, it would be
    policy = Policy(
        attributes={"sex": {"role": "quasi", "hierarchy": sex}},
        risk=[{"model": "k-anonymity", "k": 2}],
        data={"rows_are_people": True},
    )
    read = Column(np.arange(3), ["m", "x", "*"])
    grown, labels = labels_of(sex, [0, 1], read, policy)
    assert labels == ["m", "x", "*"]
    assert find_layers({"sex": read}, [grown], [{"sex": 0}, {"sex": 1}]).tolist() == [0, 0, 1]
