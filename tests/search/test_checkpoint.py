"""A checkpoint is refused if it cannot be what a search of this lattice left."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.errors import ReleaseError
from anonymizer.lattice import Lattice
from anonymizer.risk import KAnonymity
from anonymizer.search import Checkpoint, Limits, Pruning, SearchParams, StopReason, search
from anonymizer.search.checkpoint import FEW_BOXES, OpenBox, digest_basis, overlap
from anonymizer.table.people import People
from tests.oracle import Problem
from tests.risk.test_contract import ALL
from tests.search.test_boxes import EVALUATIONS, essence, medium
from tests.strategies import evaluator_of, lattice_of, problems
from tests.utility.test_contract import EVERY, evaluator_for

Change = Callable[[Checkpoint], Checkpoint]


def stopped(limit: int = 20) -> Checkpoint:
    """What a search of 1,024 schemes left when it was stopped."""
    evaluator, lattice = evaluator_of(medium()), lattice_of(medium())
    found = search(evaluator, lattice, Limits(evaluations=limit), params=EVALUATIONS)
    assert found.checkpoint is not None
    assert len(found.checkpoint.open) > 2
    return found.checkpoint


def resume(checkpoint: Checkpoint, problem: Problem | None = None) -> object:
    problem = problem or medium()
    return search(evaluator_of(problem), lattice_of(problem), resume=checkpoint)


def with_box(checkpoint: Checkpoint, place: int, **changes: object) -> Checkpoint:
    boxes = list(checkpoint.open)
    boxes[place] = replace(boxes[place], **changes)  # type: ignore[arg-type]
    return replace(checkpoint, open=tuple(boxes))


FORGED: dict[str, tuple[Change, str]] = {
    "nothing open": (lambda c: replace(c, open=()), "accounts for"),
    "a box is left out": (lambda c: replace(c, open=c.open[1:]), "accounts for"),
    "a box occurs twice": (lambda c: replace(c, open=(*c.open, c.open[0])), "overlap"),
    "more is pruned": (
        lambda c: replace(c, pruned={**c.pruned, Pruning.BOUND: c.pruned[Pruning.BOUND] + 1}),
        "accounts for",
    ),
    "less than nothing is pruned": (
        lambda c: replace(c, pruned={**c.pruned, Pruning.TIE: -1}, evaluated=c.evaluated + 1),
        "a count is too small",
    ),
    "nothing is evaluated": (
        lambda c: replace(
            c, evaluated=0, pruned={Pruning.BOUND: sum(c.pruned.values()) + c.evaluated}
        ),
        "a count is too small",
    ),
    "a box below the lattice": (lambda c: with_box(c, 0, low=(-1,) * 5), "an open box is not in"),
    "a box above the lattice": (lambda c: with_box(c, 0, high=(4,) * 5), "an open box is not in"),
    "an empty box": (
        lambda c: with_box(c, 0, low=(3,) * 5, high=(0,) * 5),
        "an open box is not in",
    ),
    "another number of levels": (
        lambda c: with_box(c, 0, low=(0,), high=(0,)),
        "an open box is not",
    ),
    "a bound that is not a number": (
        lambda c: with_box(c, 0, bound=float("nan")),
        "a bound is not",
    ),
    "a negative bound": (lambda c: with_box(c, 0, bound=-0.5), "a bound is not"),
    "a scheme of another box": (
        lambda c: with_box(c, 0, evaluated=(tuple(level + 1 for level in c.open[0].high),)),
        "an evaluated scheme is not in its box",
    ),
    "a best scheme below the lattice": (
        lambda c: replace(c, best=((-1,) * 5,)),
        "a best scheme is",
    ),
    "another best scheme": (lambda c: replace(c, best=((3,) * 5,)), "does not lose what it says"),
    "a better loss": (lambda c: replace(c, best_loss=0.01), "does not lose what it says"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_checkpoint_is_refused(name: str) -> None:
    change, message = FORGED[name]
    with pytest.raises(
        ReleaseError, match=rf"cannot be resumed .*{message}.*; search from the start"
    ):
        resume(change(stopped()))


def test_a_bound_above_what_a_best_scheme_loses_is_refused() -> None:
    best = stopped().best[0]
    whole = OpenBox((0,) * 5, (3,) * 5, 0.0, ((3,) * 5, best))
    honest = Checkpoint((whole,), (best,), stopped().best_loss, 2, {})
    assert (
        resume(honest).best.scheme
        == search(evaluator_of(medium()), lattice_of(medium())).best.scheme
    )  # type: ignore[attr-defined, union-attr]
    with pytest.raises(ReleaseError, match="a scheme loses less than the bound of its box"):
        resume(with_box(honest, 0, bound=0.69))


def test_levels_below_the_least_allowed_are_refused() -> None:
    limited = replace(medium(), low=(1, 0, 0, 0, 0))
    checkpoint = replace(stopped(), basis=None)
    with pytest.raises(ReleaseError, match="not in the lattice of the policy"):
        resume(checkpoint, limited)


@pytest.mark.parametrize(
    "changed",
    [
        replace(medium(), k=4),
        replace(medium(), suppression_limit=50),
        replace(medium(), weights=(1.0, 1.0, 1.0, 1.0, 0.5)),
        replace(medium(), rows=medium().rows[1:]),
    ],
)
def test_a_checkpoint_of_another_question_is_refused(changed: Problem) -> None:
    with pytest.raises(ReleaseError, match="the table, a model, the measure or the suppression"):
        resume(stopped(), changed)


@settings(max_examples=200)
@given(problems(limits=True), st.integers(1, 30))
def test_what_a_search_leaves_is_never_refused(problem: Problem, limit: int) -> None:
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    found = search(evaluator, lattice, Limits(evaluations=limit))
    if found.checkpoint is not None:
        found.checkpoint.check(evaluator, lattice)
        assert list(found.checkpoint.faults(lattice)) == []
        assert Checkpoint.read(found.checkpoint.describe()) == found.checkpoint


@st.composite
def parts(draw: st.DrawFn) -> list[Lattice]:
    """Split a lattice into boxes, leave some out, and perhaps let one grow."""
    tops = draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
    boxes = [Lattice((0,) * len(tops), tuple(tops))]
    for _ in range(draw(st.integers(0, 150))):
        box = boxes.pop(0)
        wide = [
            a for a, (low, high) in enumerate(zip(box.low, box.high, strict=True)) if low < high
        ]
        if not wide:
            boxes.append(box)
            break
        attribute = draw(st.sampled_from(wide))
        boxes += box.split(
            attribute, draw(st.integers(box.low[attribute], box.high[attribute] - 1))
        )
    if draw(st.booleans()):
        boxes[0] = Lattice((0,) * len(tops), boxes[0].high)
    return boxes


@settings(max_examples=300)
@given(parts())
def test_boxes_overlap_if_two_of_them_share_a_scheme(boxes: list[Lattice]) -> None:
    schemes = list(itertools.chain.from_iterable(boxes))
    expected = len(schemes) != len(set(schemes))
    assert overlap(np.array([(box.low, box.high) for box in boxes])) == expected


def test_many_boxes_are_compared_without_comparing_each_with_each() -> None:
    schemes = np.array(list(Lattice((0,) * 4, (9,) * 4)))
    boxes = np.stack([schemes, schemes], axis=1)
    assert len(boxes) == 10_000 > FEW_BOXES
    assert not overlap(boxes)
    boxes[77] = boxes[5_000]
    assert overlap(boxes)


# Progress


def resume_until_complete(
    evaluator: object, lattice: Lattice, limits: Limits, **options: object
) -> int:
    """Resume again and again; return how many runs it took."""
    checkpoint, evaluated = None, 0
    straight = search(evaluator, lattice, **options)  # type: ignore[arg-type]
    # each target for the gap may take a run of its own
    for runs in range(1, 3 * lattice.size + 3 + len(SearchParams().target_gaps)):
        found = search(evaluator, lattice, limits, resume=checkpoint, **options)  # type: ignore[arg-type]
        assert found.proof.effort > evaluated or found.stopped is StopReason.COMPLETE
        evaluated = found.proof.effort
        if found.checkpoint is None:
            assert essence(found.best) == essence(straight.best)
            assert found.status is straight.status
            assert found.proof.open == 0
            return runs
        checkpoint = Checkpoint.read(found.checkpoint.describe())
    raise AssertionError("no progress")


LIMITS = [Limits(evaluations=1), Limits(evaluations=2), Limits(seconds=0), Limits(seconds=1e-9)]


@pytest.mark.slow
@pytest.mark.parametrize("params", [SearchParams(), SearchParams(large_lattice=0)])
@pytest.mark.parametrize("limits", LIMITS)
@settings(max_examples=40)
@given(problem=problems(limits=True))
def test_with_the_tightest_limits_resuming_still_comes_to_an_end(
    params: SearchParams, limits: Limits, problem: Problem
) -> None:
    resume_until_complete(evaluator_of(problem), lattice_of(problem), limits, params=params)


@pytest.mark.parametrize("params", [SearchParams(), SearchParams(large_lattice=0)])
@pytest.mark.parametrize("limits", [Limits(evaluations=2), Limits(seconds=0)])
def test_resuming_ends_for_a_problem_of_some_size(params: SearchParams, limits: Limits) -> None:
    evaluator, lattice = evaluator_of(medium()), lattice_of(medium())
    assert resume_until_complete(evaluator, lattice, limits, params=params) > 2


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=10)
@given(problem=problems(max_attributes=3))
def test_resuming_ends_with_every_measure(name: str, problem: Problem) -> None:
    evaluator = evaluator_for(name, problem, [KAnonymity(problem.k)])
    resume_until_complete(evaluator, lattice_of(problem), Limits(evaluations=1))


@pytest.mark.slow
@pytest.mark.parametrize("model", ALL, ids=str)
@settings(max_examples=5)
@given(problem=problems(max_attributes=3))
def test_resuming_ends_with_every_model(model: object, problem: Problem) -> None:
    evaluator = evaluator_for("loss", problem, [model])
    resume_until_complete(evaluator, lattice_of(problem), Limits(evaluations=1))


def test_the_digest_of_what_is_searched_depends_on_every_part_of_it() -> None:
    evaluator, lattice = evaluator_of(medium()), lattice_of(medium())
    microdata = evaluator.microdata
    one = np.zeros(microdata.records, np.int64)
    others = [
        replace(evaluator, models=[KAnonymity(4)]),
        replace(evaluator, suppression_limit=3),
        replace(evaluator, measure=replace(evaluator.measure, weights=(1.0, 1.0, 1.0, 1.0, 0.5))),
        replace(evaluator, microdata=replace(microdata, counts=microdata.counts + 1)),
        replace(evaluator, microdata=replace(microdata, codes=microdata.codes[:, ::-1])),
        replace(
            evaluator,
            microdata=replace(
                microdata, people=People.of_rows(one, microdata.tuple_of_row, microdata.distinct)
            ),
        ),
    ]
    digests = [digest_basis(each, lattice) for each in (evaluator, *others)]
    digests.append(digest_basis(evaluator, Lattice((1, 0, 0, 0, 0), lattice.high)))
    assert len(set(digests)) == len(digests)
    assert digest_basis(evaluator_of(medium()), lattice) == digests[0]
