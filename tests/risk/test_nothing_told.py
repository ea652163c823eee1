"""No small cell gives a value away: against every scheme with every subset of the records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonymizer import anonymize, make_manifest, verify
from anonymizer.attackers.statement import SMALL_CELL, Statement
from anonymizer.errors import PolicyError
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.proof.checker import check
from anonymizer.search import search
from tests import oracle
from tests.proof.cases import proven
from tests.strategies import frame_of, hierarchies_of, names_of, problems


@st.composite
def statements(draw: st.DrawFn, names: list[str]) -> Statement:
    """Draw sources that know some columns, one of them perhaps the sensitive one."""
    sources = []
    for number in range(draw(st.integers(1, 2))):
        keys = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        p: Any = draw(st.sampled_from([0.1, 0.6, 1.0, 1.0]))
        if draw(st.booleans()):
            p = {"by": keys[0], "probabilities": {"v0": 0.05}, "default": p}
        source: dict[str, Any] = {"name": f"s{number}", "keys": keys, "p": p}
        if draw(st.integers(0, 2)) == 0:
            source["without"] = {keys[-1]: {"p": draw(st.sampled_from([0.0, 1.0]))}}
        if draw(st.integers(0, 3)) == 0:
            source["knows"] = ["ill"]
        sources.append({**source, "threshold": draw(st.sampled_from([0.2, 0.34, 0.5]))})
    sensitive = {"ill": ["yes"], **({"fit": ["no"]} if draw(st.booleans()) else {})}
    return Statement(source=sources, sensitive=sensitive, given_away="none")


@st.composite
def cases(draw: st.DrawFn, max_rows: int = 6) -> Any:
    """Draw a table with two sensitive columns, and a statement."""
    problem = draw(problems(max_attributes=2, max_rows=max_rows))
    rows = len(problem.rows)
    columns = {
        name: draw(st.lists(st.sampled_from(["yes", "no"]), min_size=rows, max_size=rows))
        for name in ("ill", "fit")
    }
    statement = draw(statements(names_of(problem.trees)))
    assume(all({*values} <= {*columns[name]} for name, values in statement.sensitive.items()))
    share = draw(st.sampled_from([None, None, 0.5, 1.0]))
    return problem, columns, statement, share


def put(
    problem: oracle.Problem, columns: Any, statement: Statement, share: float | None
) -> Problem:
    """Put a statement to a table; perhaps who is ill must be kept, too."""
    frame = frame_of(problem.rows, problem.trees)
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": tree, "weight": w, "min_level": low, "max_level": high}
        for name, tree, w, low, high in zip(
            names_of(problem.trees), hierarchies_of(problem.trees), problem.weights, problem.low,
            problem.high, strict=True,
        )
    }  # fmt: skip
    for name, cells in columns.items():
        frame[name] = cells
        attributes[name] = {"role": "sensitive"}
    policy = Policy(
        data={"rows_are_people": True},
        attributes=attributes,
        risk=[{"model": "sources", "statement": statement}],
        utility={"aggregate": problem.aggregate},
        keep=[] if share is None else [{"where": "ill = yes", "at_least": share}],
    )
    read = Problem.read(frame, policy, warn=False)
    return read.with_suppression_limit(problem.suppression_limit)


def passes(
    problem: oracle.Problem, columns: Any, statement: Statement, levels: Any, left: list[int]
) -> bool:
    """Whether nobody is found, and nothing told, through any source."""
    names = names_of(problem.trees)
    for source in statement.source:
        places = [names.index(key) for key in source.keys]
        tops = [
            key for key, at in zip(source.keys, places, strict=True)
            if levels[at] == oracle.height(problem.trees[at]) - 1
            and len({oracle.generalize(row, problem.trees, levels)[at] for row in problem.rows}) == 1
        ]  # fmt: skip
        stated = [source.without[key].p for key in tops if key in source.without]
        cells: dict[Any, list[int]] = {}
        for row in left:
            label = oracle.generalize(problem.rows[row], problem.trees, levels)
            cells.setdefault(tuple(label[at] for at in places), []).append(row)

        def certainty(row: int, stated: Any = stated, source: Any = source) -> float:
            shares = stated or [source.p]
            of = [share.of([problem.rows[row][names.index(share.by)]])[0] if share.by else share.default
                  for share in shares]  # fmt: skip
            return max(of)

        for members in cells.values():
            sure = max(map(certainty, members))
            if sure / len(members) > source.threshold + 1e-9:
                return False
            for name, values in statement.sensitive.items():
                everyone = all(columns[name][row] in values for row in members)
                small = len(members) <= SMALL_CELL
                if (
                    name not in source.knows
                    and everyone
                    and small
                    and sure > source.threshold + 1e-9
                ):
                    return False
    return True


def every_release(
    problem: oracle.Problem, columns: Any, statement: Statement, share: float | None
) -> Iterator[float]:
    """Go through every scheme with every subset of the records that passes."""
    ill = [row for row, cell in enumerate(columns["ill"]) if cell == "yes"]
    rows = range(len(problem.rows))
    for levels in problem.schemes():
        for keeps in itertools.product((True, False), repeat=len(rows)):
            left = [row for row in rows if keeps[row]]
            if len(rows) - len(left) > problem.suppression_limit:
                continue
            if share is not None and sum(keeps[row] for row in ill) < share * len(ill):
                continue
            if passes(problem, columns, statement, levels, left):
                yield oracle.loss(problem, levels, frozenset(rows) - frozenset(left))


@settings(max_examples=12)
@given(case=cases())
def test_the_optimum_is_that_of_all_schemes_and_all_subsets_of_records(case: Any) -> None:
    asked = put(*case)
    found = search(asked.evaluator, asked.lattice).best
    best = min(every_release(*case), default=None)
    assert (found is None) == (best is None)
    if found is not None and best is not None:
        assert math.isclose(found.loss, best, abs_tol=1e-12)


@settings(max_examples=12)
@given(case=cases(max_rows=20))
def test_every_optimum_passes_and_is_proven(case: Any) -> None:
    asked = put(*case)
    result = proven(asked)
    if result is None:
        return
    check(result[1], result[0])
    outcome = asked.outcome(result[1].claim.scheme)
    there = ~outcome.suppressed[outcome.classes.label_of_tuple][asked.microdata.tuple_of_row]
    problem, columns, statement, _ = case
    left = [row for row, stays in enumerate(there.tolist()) if stays]
    assert passes(problem, columns, statement, result[1].claim.scheme, left)


def asked(**changes: Any) -> dict[str, Any]:
    """Return a statement of a source that finds one person in two, told nothing."""
    source = {"name": "register", "keys": ["age"], "p": 0.6, "threshold": 0.2}
    source |= changes.pop("source", {})
    return {"source": [source], "sensitive": {"ill": ["yes"]}, "given_away": "none", **changes}


def kept_of(frame: pd.DataFrame, statement: Any, **keys: Any) -> int:
    """Count the records kept where ages stay as they are."""
    attributes = {
        "age": {"role": "quasi", "hierarchy": {"30": "*", "40": "*"}, "max_level": 0},
        "ill": {"role": "sensitive"},
    }
    risk = [{"model": "sources", "statement": Statement(**statement)}]
    attributes |= {"id": {"role": "identifying"}} if "id" in frame else {}
    data = {"id": "id"} if "id" in frame else {"rows_are_people": True}
    policy = Policy(data=data, attributes=attributes, risk=risk, **keys)
    solution = anonymize(frame, policy)
    if solution.suppressed < solution.records:
        released = solution.to_frame()
        checks = verify(released, policy, make_manifest(solution, released), against=frame)
        assert checks.passed, [check.detail for check in checks.failures]
    return solution.records - solution.suppressed


def people(thirty: str, forty: str = "nnnnnn") -> pd.DataFrame:
    """Return people of two ages, each ill (y) or not (n)."""
    ages = ["30"] * len(thirty) + ["40"] * len(forty)
    ill = [{"y": "yes", "n": "no"}[cell] for cell in thirty + forty]
    return pd.DataFrame({"age": ages, "ill": ill})


@pytest.mark.parametrize(
    ("thirty", "changes", "kept"),
    [
        ("yyyyy", {"given_away": "counted"}, 11),
        ("yyyyy", {}, 6),  # everybody of a small cell
        ("yyyyn", {}, 11),  # somebody is not ill
        ("yyyyyy", {}, 12),  # a crowd
        ("yyyyy", {"source": {"knows": ["ill"]}}, 11),  # nothing new
        ("yyyyy", {"source": {"p": 0.2}}, 11),  # too seldom led there
        ("nnnnn", {}, 11),  # that nobody is ill does no harm
    ],
)
def test_a_small_cell_whose_people_are_all_ill_goes(
    thirty: str, changes: dict[str, Any], kept: int
) -> None:
    frame = people(thirty, "nnnnny" if "y" not in thirty else "nnnnnn")
    assert kept_of(frame, asked(**changes)) == kept


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sensitive": {}}, "no value is sensitive"),
        ({"most": 0.9}, "leave out most"),
        ({"source": {"knows": ["age"]}}, "knows 'age', which is no sensitive column"),
    ],
)
def test_what_cannot_be_refused_is_one_sentence(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        Statement(**asked(**changes))


def test_sources_at_hand_and_people_with_several_rows_are_refused() -> None:
    table = {"name": "a", "keys": ["age"], "path": "a.csv"}
    with pytest.raises(PolicyError, match="'a' has a table"):
        Statement(source=[table], sensitive={"ill": ["yes"]}, given_away="none")
    with pytest.raises(PolicyError, match="counts each row as a person"):
        kept_of(people("yyyyy").assign(id="p"), asked())
    with pytest.raises(PolicyError, match="does not occur in the column"):
        kept_of(people("yyyyy"), asked(sensitive={"ill": ["perhaps"]}))
    sources = Statement(**asked(sensitive={"age": ["30"]})).source
    with pytest.raises(PolicyError, match="is a quasi-identifier"):
        kept_of(people("yyyyy"), asked(sensitive={"age": ["30"]}) | {"source": sources})
