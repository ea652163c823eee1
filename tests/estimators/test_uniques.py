from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonymizer.estimators.pitman import Pitman, fit_pitman
from anonymizer.estimators.uniques import ESTIMATORS, first_cut, histogram, unique_given_unique
from anonymizer.kernels import uniques as kernels
from tests.shared import ABSENT, REFERENCE

FACTS = REFERENCE / "facts"
Histogram = dict[int, int]


def read(name: str) -> list[dict[str, Any]]:
    """Read reference values; none where the folder is absent."""
    path = FACTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


PITMAN = read("pitman_test_vectors")
BY_ID = {vector["id"]: vector for vector in PITMAN}
needs_reference = pytest.mark.skipif(not PITMAN, reason=ABSENT)


def arrays(classes: Histogram) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Turn a histogram into what the estimators take."""
    items = sorted(classes.items())
    return np.array([size for size, _ in items]), np.array([count for _, count in items])


def of_vector(vector: dict[str, Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return arrays({int(size): count for size, count in vector["histogram"].items()})


def records(classes: Histogram) -> int:
    return sum(size * count for size, count in classes.items())


def partitions(n: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """List all ways to split n records into classes."""
    if n == 0:
        yield ()
    for size in range(min(n, largest or n), 0, -1):
        for others in partitions(n - size, size):
            yield (size, *others)


def histograms(max_uniques: int = 60) -> st.SearchStrategy[Histogram]:
    """Draw histograms with sample uniques and larger classes, of which a few may be very large."""
    size = st.one_of(st.integers(2, 6), st.integers(2, 300))
    larger = st.dictionaries(size, st.integers(1, 12), min_size=1, max_size=6)
    uniques = st.integers(1, max_uniques)
    return st.builds(lambda s1, others: {1: s1, **others}, uniques, larger)


def gradient(theta: float, alpha: float, classes: Histogram) -> tuple[float, float, float, float]:
    """Compute both sides of the two likelihood equations, term by term."""
    n, u = records(classes), sum(classes.values())
    return (
        math.fsum(1 / (theta + i * alpha) for i in range(1, u)),
        math.fsum(1 / (theta + i) for i in range(1, n)),
        math.fsum(i / (theta + i * alpha) for i in range(1, u)),
        math.fsum(
            count / (i - alpha) for size, count in classes.items() for i in range(1, size)
        ),
    )  # fmt: skip


def log_likelihood(theta: float, alpha: float, classes: Histogram) -> float:
    """Compute the logarithm of Pitman's sampling formula, but for a constant."""
    n, u = records(classes), sum(classes.values())
    terms = [math.log(theta + i * alpha) for i in range(1, u)]
    terms += [-math.log(theta + i) for i in range(1, n)]
    terms += [
        count * math.log(i - alpha) for size, count in classes.items() for i in range(1, size)
    ]
    return math.fsum(terms)


def probability(classes: Histogram, theta: float, alpha: float) -> float:
    """Compute Pitman's sampling formula."""
    n, u = records(classes), sum(classes.values())
    result = math.factorial(n) * math.prod(theta + i * alpha for i in range(u))
    result /= math.prod(theta + i for i in range(n))
    for size, count in classes.items():
        weight = math.prod(i - alpha for i in range(1, size)) / math.factorial(size)
        result *= weight**count / math.factorial(count)
    return result


# --- Pitman's model


@needs_reference
@pytest.mark.parametrize("vector", PITMAN, ids=[vector["id"] for vector in PITMAN])
def test_pitman_meets_every_reference_value(vector: dict[str, Any]) -> None:
    model = fit_pitman(*of_vector(vector))
    if "no MLE" in vector["status"]:
        assert model is None
        assert math.isnan(ESTIMATORS["pitman"](*of_vector(vector), 10**6))
        return
    assert model is not None
    assert model.boundary == ("boundary" in vector["status"])
    assert model.theta == pytest.approx(float(vector["theta"]), rel=5e-14)
    assert model.alpha == pytest.approx(float(vector["alpha"]), rel=5e-14, abs=0)
    for population, expected in vector["N"].items():
        found = {
            "S1_asymptotic": model.population_uniques(int(population)),
            "S1_exact": model.population_uniques(int(population), exact=True),
            "p_sample_unique_is_pop_unique": model.unique_given_unique(
                vector["n"], int(population)
            ),
        }
        assert found == pytest.approx({key: float(expected[key]) for key in found}, rel=1e-11)
        estimate = ESTIMATORS["pitman"](*of_vector(vector), int(population))
        uniques = min(found["S1_asymptotic"], int(population)) if vector["s1"] else 0
        assert estimate == pytest.approx(uniques, rel=1e-12)


@needs_reference
def test_moments_are_those_of_all_partitions() -> None:
    for check in read("pitman_enumeration_checks"):
        n, theta, alpha = check["n"], check["theta"], check["alpha"]
        model = Pitman(theta, alpha, boundary=False)
        chances = [
            (probability(Counter(classes), theta, alpha), classes.count(1))
            for classes in partitions(n)
        ]
        assert math.fsum(chance for chance, _ in chances) == pytest.approx(1, rel=1e-12)
        uniques = math.fsum(chance * ones for chance, ones in chances)
        assert model.population_uniques(n, exact=True) == pytest.approx(uniques, rel=1e-12)
        assert uniques == pytest.approx(float(check["E_S1"]), rel=1e-12)


@given(st.floats(0, 0.99), st.floats(0.001, 1e4), st.integers(1, 1000), st.integers(0, 10**9))
def test_population_uniques_in_the_sample_are_the_sample_uniques_that_are_so(
    alpha: float, above: float, n: int, unseen: int
) -> None:
    model, population = Pitman(above - alpha, alpha, boundary=False), n + unseen
    in_sample = model.population_uniques(population, exact=True) * n / population
    sample_uniques = model.population_uniques(n, exact=True)
    chance = model.unique_given_unique(n, population)
    assert sample_uniques * chance == pytest.approx(in_sample, rel=1e-11)
    assert chance <= 1


@given(histograms())
@example({1: 5, 2: 3, 100: 1, 500: 1})
@example({1: 50, 1000: 1})
@example({1: 60, 300: 1})
@example({2: 50})
@example({1: 1, 2: 1})
def test_the_likelihood_equations_hold_inside_and_do_not_rise_from_the_boundary(
    classes: Histogram,
) -> None:
    model = fit_pitman(*arrays(classes))
    assert model is not None
    left, right, left_alpha, right_alpha = gradient(model.theta, model.alpha, classes)
    assert left == pytest.approx(right, rel=1e-10)
    if model.boundary:
        assert left_alpha <= right_alpha * (1 + 1e-12)
    else:
        assert left_alpha == pytest.approx(right_alpha, rel=1e-10)


@settings(max_examples=20)
@given(histograms(max_uniques=30))
@example({1: 5, 2: 3, 100: 1, 500: 1})
@example({1: 10, 2: 5, 3: 2, 5: 1})
def test_no_point_of_a_grid_is_more_likely(classes: Histogram) -> None:
    model = fit_pitman(*arrays(classes))
    assert model is not None
    best = log_likelihood(model.theta, model.alpha, classes)
    for alpha in (0.0, 0.001, 0.03, 0.1, 0.25, 0.5, 0.7, 0.9, 0.97, 0.999):
        for exponent in range(-6, 13):
            above = 10 ** (exponent / 2)
            assert log_likelihood(above - alpha, alpha, classes) <= best + 1e-9


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 9, 10])
def test_every_partition_with_a_maximum_is_fitted(n: int) -> None:
    for classes in partitions(n):
        model = fit_pitman(*histogram(np.array(classes)))
        assert (model is None) == (len(classes) in (1, n))


SCALES: dict[str, Histogram] = {
    "nearly all unique": {1: 10**8 - 2, 2: 1},
    "nearly all unique but one large class": {1: 10**8 - 10**4, 10**4: 1},
    "one unique": {1: 1, 10**8 - 1: 1},
    "a thousand of a million": {1: 100, 10**5: 999, 10**6: 1},
    "pairs": {1: 2 * 10**7, 2: 4 * 10**7},
    "every size": {size: 1 + 10**7 // size**2 for size in range(1, 10_000)},
    "long tail": {size: int(1.6e6 * size**-1.6) or 1 for size in range(1, 3000)},
}


@pytest.mark.parametrize("name", SCALES)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimates_from_many_records_are_numbers(name: str, estimator: str) -> None:
    classes = SCALES[name]
    for population in (max(records(classes), 10**8), 10**9, 10**10):
        estimate = ESTIMATORS[estimator](*arrays(classes), population)
        if estimator == "snb" and math.isnan(estimate):
            continue  # its equations need not have a solution
        assert 0 < estimate < 1e16
        if estimator == "zayatz":
            assert estimate <= population


def sum_reciprocals(theta: float, step: float, stop: int, block: int = 100_000) -> float:
    """Sum 1 / (theta + i step) for 1 <= i < stop, a block at a time."""
    return math.fsum(
        float((1 / (theta + step * np.arange(first, min(first + block, stop)))).sum())
        for first in range(1, stop, block)
    )


@pytest.mark.parametrize("name", SCALES)
def test_models_of_many_records_satisfy_the_likelihood_equations(name: str) -> None:
    model = fit_pitman(*arrays(SCALES[name]))
    assert model is not None
    n, u = records(SCALES[name]), sum(SCALES[name].values())
    left = sum_reciprocals(model.theta, model.alpha, u)
    assert left == pytest.approx(sum_reciprocals(model.theta, 1.0, n), rel=1e-12)
    exact = model.population_uniques(10**10, exact=True)
    assert exact <= 10**10
    assert model.unique_given_unique(n, 10**10) <= 1


def test_a_probability_is_estimated_from_class_sizes_where_the_model_can_be_fitted() -> None:
    sizes = np.array([1] * 50 + [1000])
    assert unique_given_unique(sizes, 10**6) == pytest.approx(0.894526493685, rel=1e-10)
    assert unique_given_unique(np.ones(5, np.int64), 10**6) is None


# --- the other estimators


@needs_reference
def test_zayatz_meets_every_reference_value() -> None:
    vectors = read("zayatz_test_vectors")
    assert len(vectors) > 130
    for vector in vectors:
        classes = of_vector(BY_ID[vector["id"]])
        found = ESTIMATORS["zayatz"](*classes, int(vector["N"]))
        assert found == pytest.approx(vector["S1_zayatz"], rel=5e-15)


@given(histograms(), st.integers(0, 1000))
def test_zayatz_is_the_share_of_sample_uniques_from_population_uniques(
    classes: Histogram, unseen: int
) -> None:
    n = records(classes)
    population = n + unseen
    one_drawn = {
        size: size * math.comb(population - size, n - 1) / math.comb(population, n)
        for size in classes
    }
    share = classes[1] * one_drawn[1]
    share /= math.fsum(count * one_drawn[size] for size, count in classes.items())
    found = ESTIMATORS["zayatz"](*arrays(classes), population)
    assert found == pytest.approx(classes[1] * share * population / n, rel=1e-12)


@needs_reference
def test_snb_meets_every_reference_value() -> None:
    vectors = read("snb_test_vectors")
    assert len(vectors) >= 27
    for vector in vectors:
        found = ESTIMATORS["snb"](*of_vector(BY_ID[vector["id"]]), vector["N"])
        expected = [solution["uniques"] for solution in vector["solutions"]] or [math.nan]
        assert [found] == pytest.approx(expected, rel=1e-12, nan_ok=True)


@given(histograms(), st.floats(1.01, 1e4))
def test_snb_solves_its_equations_or_says_that_nothing_does(
    classes: Histogram, ratio: float
) -> None:
    sizes, counts = arrays(classes)
    n = records(classes)
    population = max(float(n + 1), n * ratio)
    found = ESTIMATORS["snb"](sizes, counts, population)
    f, total = n / population, kernels.shlosser(sizes, counts, 0, population)
    if 2 not in classes:
        assert math.isnan(found)
    elif math.isnan(found):
        # at beta = 1 the sizes less one are Poisson; nothing nearer has a larger E[s1]
        pairs = classes[2] / (classes[1] * f)
        mean = np.roots([1 - f, 2 - 2 * pairs * (1 - f), -2 * pairs]).real.max()
        highest = (1 + (1 - f) * mean) * math.exp(-f * mean)
        assert classes[1] / (total * f) >= highest * (1 - 1e-9)
    else:
        assert 0 <= found <= total * (1 + 1e-12)


@needs_reference
def test_dankar_takes_the_estimator_that_the_sampling_fraction_calls_for() -> None:
    for vector in PITMAN:
        classes = of_vector(vector)
        for population in map(int, vector["N"]):
            by = {name: ESTIMATORS[name](*classes, population) for name in ESTIMATORS}
            if vector["n"] / population > 0.1:
                expected = np.nanmin([by["zayatz"], by["snb"]])
            else:
                expected = by["zayatz"] if math.isnan(by["pitman"]) else by["pitman"]
            assert by["dankar"] == expected


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_without_sample_uniques_there_are_no_population_uniques(estimator: str) -> None:
    for classes in ({2: 5}, {7: 1}, {}):
        assert ESTIMATORS[estimator](*arrays(classes), 1000) == 0  # type: ignore[arg-type]
        assert first_cut(*arrays(classes), 1000, 0.0, estimator) == 0  # type: ignore[arg-type]


@pytest.mark.parametrize("estimator", ["zayatz", "snb", "dankar"])
def test_a_sample_of_everybody_has_its_own_uniques(estimator: str) -> None:
    assert ESTIMATORS[estimator](*arrays({1: 7, 2: 3, 9: 1}), 22) == pytest.approx(7)


# --- cuts


def scan(classes: Histogram, population: float, limit: float, estimator: str) -> int:
    """Try one cut after another."""
    for removed in range(classes[1]):
        fewer = {**classes, 1: classes[1] - removed}
        if ESTIMATORS[estimator](*arrays(fewer), population) <= limit:
            return removed
    return classes[1]


VALLEY: Histogram = {1: 13, 2: 1, 3: 1}  # in a population of 18 the estimates fall, rise, fall


@settings(max_examples=150)
@given(histograms(), st.floats(1, 30), st.floats(0, 1), st.sampled_from(list(ESTIMATORS)))
@example(VALLEY, 1, 16.7 / 18, "pitman")
@example(VALLEY, 1, 16.6 / 18, "pitman")
@example({1: 8, 3: 2}, 1, 9.12 / 14, "pitman")
@example({1: 9}, 3, 0.5, "pitman")
@example({1: 9}, 30, 0.5, "dankar")
@example({1: 40, 2: 9, 3: 2}, 8, 0.2, "dankar")
def test_the_first_cut_is_that_of_a_scan(
    classes: Histogram, ratio: float, share: float, estimator: str
) -> None:
    population = float(math.floor(records(classes) * ratio))
    limit = share * population
    found = first_cut(*arrays(classes), population, limit, estimator)
    assert found == scan(classes, population, limit, estimator)


@given(histograms(), st.floats(1, 1e6), st.sampled_from(list(ESTIMATORS)))
@example({1: 950, 2: 25}, 1.5, "pitman")  # Hoshino's form gives 19,316 people of 1,500
def test_no_estimate_is_above_the_population(
    classes: Histogram, ratio: float, estimator: str
) -> None:
    population = float(math.floor(records(classes) * ratio))
    assert not ESTIMATORS[estimator](*arrays(classes), population) > population  # or NaN
    assert first_cut(*arrays(classes), population, population, estimator) == scan(
        classes, population, population, estimator
    )


@pytest.mark.parametrize("ratio", [1, 1.5, 10])
def test_the_first_cut_of_every_small_table_is_that_of_a_scan(ratio: float) -> None:
    for n in range(3, 19):
        for partition in partitions(n):
            classes = Counter(partition)
            if not classes[1] or len(classes) == 1:
                continue
            sizes, counts = arrays(classes)
            estimates = [
                min(kernels.pitman(sizes, counts, cut, float(n * ratio)), n * ratio)
                for cut in range(classes[1])
            ]
            for limit in estimates:
                # the limit is an estimate itself, and is passed by it
                first = next(cut for cut, value in enumerate(estimates) if value <= limit)
                assert first_cut(sizes, counts, float(n * ratio), limit) == first


@pytest.mark.parametrize("ratio", [1, 2, 100])
def test_the_first_cut_of_thousands_of_uniques_is_that_of_a_scan(ratio: int) -> None:
    for classes in (
        {1: 1712, 2: 95, 3: 9},
        {1: 1933, 2: 56, 3: 255},
        {1: 3000, 2: 40, 5: 7, 90: 3},
    ):
        sizes, counts = arrays(classes)
        population = float(records(classes) * ratio)
        estimates = np.array(
            [kernels.pitman(sizes, counts, cut, population) for cut in range(classes[1])]
        ).clip(max=population)
        for limit in (*estimates[:: classes[1] // 25], *(population * np.logspace(-5, 0, 6))):
            passing = np.flatnonzero(estimates <= limit)
            expected = int(passing[0]) if passing.size else classes[1]
            assert first_cut(sizes, counts, population, limit) == expected


@given(histograms(), st.floats(1, 100))
def test_below_a_tenth_of_the_population_estimates_fall_at_every_cut(
    classes: Histogram, ratio: float
) -> None:
    sizes, counts = arrays(classes)
    population = math.floor(records(classes) * ratio)
    estimates = [kernels.pitman(sizes, counts, cut, float(population)) for cut in range(classes[1])]
    for before, after in itertools.pairwise(estimates):
        assert after < before or before > population / 10


@given(histograms())
def test_alpha_does_not_rise_along_the_cuts_and_at_the_boundary_theta_falls(
    classes: Histogram,
) -> None:
    fits = [kernels.fit(*arrays(classes), cut)[:2] for cut in range(classes[1])]
    for (theta_before, alpha_before), (theta, alpha) in itertools.pairwise(fits):
        assert alpha <= alpha_before + 1e-12
        assert alpha > 0 or alpha_before > 0 or theta < theta_before


def test_many_uniques_are_cut_without_trying_each() -> None:
    classes = arrays({1: 10**7, 2: 10**6, 3: 10**5, 7: 100})
    for estimator in ("pitman", "zayatz"):
        for share in (0.0001, 0.3):
            cut = first_cut(*classes, 10**8, share * 10**8, estimator)
            kernel = getattr(kernels, estimator)
            assert kernel(*classes, cut, 1e8) <= share * 10**8
            assert cut == 0 or kernel(*classes, cut - 1, 1e8) > share * 10**8
    assert first_cut(*arrays({1: 10**8}), 10**9, 10**6, "snb") == 10**8


def test_a_table_of_uniques_alone_must_lose_them_all() -> None:
    assert first_cut(*arrays({1: 50}), 10**6, 10**5) == 50


# --- histograms and arguments


@given(st.lists(st.integers(1, 9)))
def test_a_histogram_counts_the_classes_of_each_size(class_sizes: list[int]) -> None:
    sizes, counts = histogram(np.array(class_sizes, np.int32))
    assert sizes.dtype == counts.dtype == np.int64
    assert list(zip(sizes, counts, strict=True)) == sorted(Counter(class_sizes).items())


def test_an_empty_class_is_refused() -> None:
    with pytest.raises(ValueError, match="a class has at least 1 record, got 0"):
        histogram(np.array([2, 0]))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_population_smaller_than_its_sample_is_refused(estimator: str) -> None:
    with pytest.raises(ValueError, match="at least as large as the sample: 13 < 14"):
        ESTIMATORS[estimator](*arrays({1: 8, 3: 2}), 13)
    with pytest.raises(ValueError, match="at least as large as the sample: 13 < 14"):
        first_cut(*arrays({1: 8, 3: 2}), 13, 1.0, estimator)


def test_other_bad_arguments_are_refused() -> None:
    classes = arrays({1: 8, 3: 2})
    with pytest.raises(ValueError, match="no estimator 'ewens'; use one of 'pitman', 'zayatz'"):
        first_cut(*classes, 100, 1.0, "ewens")
    with pytest.raises(ValueError, match="the limit must be at least 0, got nan"):
        first_cut(*classes, 100, math.nan)
    with pytest.raises(ValueError, match="of one length"):
        ESTIMATORS["pitman"](classes[0], classes[1][:1], 100)


@pytest.mark.parametrize(
    ("theta", "alpha", "message"),
    [
        (1.0, 1.0, "alpha must be at least 0 and less than 1, got 1.0"),
        (1.0, -0.1, "alpha must be at least 0 and less than 1, got -0.1"),
        (-0.5, 0.5, "theta must be greater than -alpha = -0.5, got -0.5"),
        (math.nan, 0.5, "theta must be greater"),
    ],
)
def test_parameters_outside_the_model_are_refused(theta: float, alpha: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Pitman(theta, alpha, boundary=False)


def test_a_model_refuses_populations_it_cannot_have() -> None:
    model = Pitman(1.3, 0.4, boundary=False)
    with pytest.raises(ValueError, match="at least 1 person, got 0"):
        model.population_uniques(0)
    with pytest.raises(ValueError, match="at least as large as the sample: 9 < 10"):
        model.unique_given_unique(10, 9)


@pytest.mark.parametrize("largest", [1, 50, 10**9])
def test_one_huge_class_is_counted_like_any_other(largest: int) -> None:
    sizes, counts = histogram(np.array([2, largest, 2]))
    assert dict(zip(sizes.tolist(), counts.tolist(), strict=True)) == {2: 2, largest: 1}
