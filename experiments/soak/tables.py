"""Random tables: the package's optimum and release against those of the oracle."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import InfeasibleError, Policy, Solution, anonymize
from anonymizer.hierarchy import Hierarchy
from anonymizer.search import Status
from experiments.soak import oracle
from experiments.soak.failure import Failure, Found, OnCase, randomness
from experiments.soak.oracle import Levels, Question, Row, Tree

PART = "tables"
CLOSE = 1e-9
THROUGH_FILES = 8
"""One table in so many is read from a file, and its release read back from one."""
THRESHOLDS = (0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.75, 1.0)


def soak_tables(cases: Iterable[int], seed: int, folder: Path, on_case: OnCase) -> Found:
    """Compare so many random tables; return what differs."""
    found = Found()
    for done, case in enumerate(cases, 1):
        try:
            faults = list(compare(case, seed, folder))
        except Exception as error:  # whatever it is, it is a finding
            faults = [f"{type(error).__name__}: {error}"]
        found.note(*(Failure(PART, case, seed, what) for what in faults))
        on_case(done, len(found.failures))
    return found


# --- drawing ---


def draw(random: random.Random) -> Question:
    """Draw a small table and what is asked of its release."""
    trees = tuple(draw_tree(random) for _ in range(random.randint(1, 4)))
    records = random.randint(1, 28)
    rows = tuple(draw_row(random, trees) for _ in range(records))
    repeats = random.random() < 0.4
    people = tuple(str(random.randrange(records) if repeats else row) for row in range(records))
    values = random.randint(1, 4)
    sensitive = tuple(f"s{random.randrange(values)}" for _ in range(records))
    tops = [len(next(iter(tree.values()))) - 1 for tree in trees]
    low, high = draw_ranges(random, tops)
    return Question(
        rows,
        trees,
        people,
        sensitive,
        draw_models(random, people, sensitive),
        tuple(random.choice((1.0, 1.0, 0.0, 0.5, 3.7)) for _ in trees),
        random.choice(("geometric", "arithmetic")),
        random.choice((records, records, random.randint(0, records))),
        low,
        high,
    )


def draw_tree(random: random.Random) -> Tree:
    """Draw leaves, then merge the labels of each level; the top may keep several."""
    paths = {f"v{leaf}": (f"v{leaf}",) for leaf in range(random.randint(1, 7))}
    for level in range(1, random.randint(1, 4)):
        below = list(dict.fromkeys(labels[-1] for labels in paths.values()))
        groups = random.randint(1, len(below))
        parent = {label: f"{level}.{random.randint(1, groups)}" for label in below}
        paths = {leaf: (*labels, parent[labels[-1]]) for leaf, labels in paths.items()}
    if random.random() < 0.5:
        paths = {leaf: (*labels, "*") for leaf, labels in paths.items()}
    return paths


def draw_row(random: random.Random, trees: Sequence[Tree]) -> Row:
    """Draw one value for each attribute; the first are more common than the last."""
    leaves = [list(tree) for tree in trees]
    return tuple(values[min(random.choices(range(len(values)), k=2))] for values in leaves)


def draw_ranges(random: random.Random, tops: Sequence[int]) -> tuple[Levels, Levels]:
    """Draw the levels that are allowed: all of them as a rule."""
    if random.random() < 0.6:
        return (0,) * len(tops), tuple(tops)
    low = tuple(random.randint(0, top) for top in tops)
    return low, tuple(random.randint(least, top) for least, top in zip(low, tops, strict=True))


def draw_models(
    random: random.Random, people: Sequence[str], sensitive: Sequence[str]
) -> tuple[dict[str, Any], ...]:
    """Draw one to three models that the table is large enough for."""
    k = random.randint(1, min(5, len(set(people))))
    least = random.randint(1, len(set(sensitive)))
    models: list[dict[str, Any]] = [
        {"model": "k-anonymity", "k": k},
        {"model": "average", "threshold": draw_threshold(random)},
        {"model": "strict-average", "k": k, "threshold": draw_threshold(random)},
        {"model": "sample-uniqueness", "threshold": draw_threshold(random)},
        {"model": "distinct-l", "attribute": "sensitive", "l": least},
    ]
    return tuple(random.sample(models, random.choice((1, 1, 2, 3))))


def draw_threshold(random: random.Random) -> float:
    """Draw a round number, or a share of so many people that is met to the last bit."""
    people = random.randint(1, 28)
    return random.choice((random.choice(THRESHOLDS), random.randint(0, people) / people))


# --- comparing ---


def compare(case: int, seed: int, folder: Path) -> Iterator[str]:
    """Say where the package and the oracle differ on one table."""
    random = randomness(seed, PART, case)
    question = draw(random)
    redacted, workers = random.random() < 0.25, random.choice((1, 1, 2))
    expected = oracle.best(question)
    frame = frame_of(question)
    alone = len(set(question.people)) == len(question.people) and random.random() < 0.5
    policy = policy_of(question, redacted, workers, {} if alone else {"id": "person"})
    path = folder / f"table-{case}.csv" if case % THROUGH_FILES == 0 else None
    if path is not None:
        frame.to_csv(path, index=False)
    try:
        solution = anonymize(frame if path is None else path, policy)
    except InfeasibleError:
        if expected is not None:
            yield f"called infeasible, but {expected.levels} has loss {expected.loss:.12g}"
        return
    if expected is None:
        yield f"released at {solution.scheme}, but no scheme is feasible"
        return
    yield from differences(solution, expected)
    levels = tuple(solution.scheme.values())
    released = released_rows(question, solution, path)
    yield from oracle.faults_of_release(question, levels, solution.suppressed, released, redacted)


def differences(solution: Solution, expected: oracle.Answer) -> Iterator[str]:
    """Say in which figures a solution is not the optimum."""
    levels = tuple(solution.scheme.values())
    if solution.status is not Status.OPTIMAL:
        yield f"the status is {solution.status.value}, though nothing stopped the search"
    if abs(solution.loss - expected.loss) > CLOSE:
        least = f"{expected.loss:.12g} at {expected.levels}"
        yield f"the loss at {levels} is {solution.loss:.12g}, the least {least}"
    elif (levels, solution.suppressed) != (expected.levels, len(expected.suppressed)):
        yield (
            f"of equal losses, {levels} with {solution.suppressed} suppressed was taken, not "
            f"{expected.levels} with {len(expected.suppressed)}"
        )


def frame_of(question: Question) -> pd.DataFrame:
    """Write the table; the number of each row is kept, so that the release can be compared."""
    frame = pd.DataFrame(list(question.rows), columns=names_of(question), dtype=object)
    return frame.assign(
        person=list(question.people),
        sensitive=list(question.sensitive),
        number=[f"{row}" for row in range(len(question.rows))],
    )


def names_of(question: Question) -> list[str]:
    """Name the attributes."""
    return [f"a{at}" for at in range(len(question.trees))]


def policy_of(question: Question, redacted: bool, workers: int, data: dict[str, str]) -> Policy:
    """Write a question as a policy; without an id, each row is a person."""
    attributes: dict[str, Any] = {
        name: {
            "role": "quasi",
            "hierarchy": Hierarchy.from_rows(name, tree.values()),
            "weight": weight,
            "min_level": low,
            "max_level": high,
        }
        for name, tree, weight, low, high in zip(
            names_of(question),
            question.trees,
            question.weights,
            question.low,
            question.high,
            strict=True,
        )
    }
    attributes["person"] = {"role": "identifying"}
    attributes["sensitive"] = {"role": "sensitive"}
    attributes["number"] = {"role": "insensitive"}
    return Policy(
        data=data,
        attributes=attributes,
        risk=list(question.models),
        utility={"aggregate": question.aggregate},
        release={
            "suppression_limit": question.most_suppressed / len(question.rows),
            "suppressed": "redact" if redacted else "drop",
        },
    ).on(workers=workers)


def released_rows(question: Question, solution: Solution, path: Path | None) -> dict[int, Row]:
    """Return the released rows by the number of the original row of each."""
    names = names_of(question)
    if path is None:
        records = solution.to_frame().astype(str).to_dict("records")
    else:
        target = path.with_suffix(".release.csv")
        solution.release.write(target, solution.random())
        with target.open(encoding="utf-8", newline="") as file:
            records = list(csv.DictReader(file))
    return {int(row["number"]): tuple(row[name] for name in names) for row in records}
