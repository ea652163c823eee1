"""The procedure against plain group-bys: random tables and sources, each at levels of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer import Policy, Statement
from anonymizer.assessment.procedure import follow_procedure
from anonymizer.hierarchy import Hierarchy

AGE = Hierarchy.from_rows("age", [(str(a), f"{a // 5 * 5}+", "*") for a in range(20, 60)])
ZIP = Hierarchy.from_rows("zip", [(z, f"{z[:2]}*", "*") for z in ("101", "102", "111", "112")])
POLICY = Policy(
    attributes={
        "age": {"role": "quasi", "hierarchy": AGE},
        "zip": {"role": "quasi", "hierarchy": ZIP},
        "person": {"role": "identifying"},
        "diagnosis": {"role": "sensitive"},
    },
    risk=[{"model": "k-anonymity", "k": 2}],
)
KEYS = ["age", "zip"]
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(4, 15))]
P, Q, THRESHOLD = 0.7, 0.9, 0.2


@dataclass(frozen=True)
class Draw:
    """A table and an external one, the values of each at a level for each key."""

    raw: pd.DataFrame
    raw_external: pd.DataFrame
    levels: tuple[int, int]
    external_levels: tuple[int, int]

    def at(self, levels: tuple[int, ...]) -> tuple[pd.DataFrame, pd.DataFrame]:
        return generalize(self.raw, levels), generalize(self.raw_external, levels)


def generalize(frame: pd.DataFrame, levels: tuple[int, ...]) -> pd.DataFrame:
    rows = {
        h.name: {row[0]: row[level] for row in h.rows()}
        for h, level in zip((AGE, ZIP), levels, strict=True)
    }
    return frame.assign(**{key: frame[key].map(rows[key]) for key in KEYS})


def draw(seed: int) -> Draw:
    random = np.random.default_rng(seed)
    rows, others = random.integers(5, 80, 2)

    def keys(n: int, zips: list[str]) -> dict[str, np.ndarray]:
        return {"age": random.integers(20, 60, n).astype(str), "zip": random.choice(zips, n)}

    frame = pd.DataFrame(keys(rows, ["101", "102", "111"]))
    frame["person"] = random.integers(0, max(2, rows // 2), rows).astype(str)
    frame["diagnosis"] = random.choice(["a", "b"], rows)
    external = pd.DataFrame(keys(others, ["101", "111", "112"]))  # one that the table has not
    levels = random.integers(0, 2, 4).tolist()
    return Draw(frame, external, tuple(levels[:2]), tuple(levels[2:]))


def people_in_cells(frame: pd.DataFrame) -> pd.Series:
    """Count for each row the people in its cell."""
    return frame.groupby(KEYS)["person"].transform("nunique")


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_probabilities_and_homogeneity_are_those_of_group_bys(seed: int) -> None:
    drawn = draw(seed)
    frame = generalize(drawn.raw, drawn.levels)
    statement = Statement(
        source=[{"name": "news", "keys": KEYS, "p": P, "q": Q}],
        id="person",
        sensitive={"diagnosis": [frame["diagnosis"][0]]},
        threshold=THRESHOLD,
    )
    (found,) = follow_procedure(frame, POLICY, statement).sources
    smallest = people_in_cells(frame).groupby(frame["person"]).min()
    assert found.rarity.violations == {k: (smallest < k).sum() for k in (2, 3, 5)}
    risk = P * Q / smallest
    assert found.probabilities.highest == pytest.approx(risk.max())
    assert found.probabilities.average == pytest.approx(risk.mean())
    assert found.probabilities.above == (risk > THRESHOLD).sum()
    cells = [rows for _, rows in frame.groupby(KEYS) if 3 <= rows["person"].nunique() <= 5]
    marked = [rows[rows["diagnosis"] == frame["diagnosis"][0]] for rows in cells]
    alike = [
        sick["person"].nunique() == rows["person"].nunique()
        for rows, sick in zip(cells, marked, strict=True)
    ]
    assert (found.homogeneity[0].cells, found.homogeneity[0].homogeneous) == (
        len(cells),
        sum(alike),
    )


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_source_is_linked_on_the_coarser_of_the_levels(seed: int, tmp_path: Path) -> None:
    drawn = draw(seed)
    generalize(drawn.raw_external, drawn.external_levels).to_csv(tmp_path / "x.csv", index=False)
    statement = Statement(
        source=[{"name": "list", "keys": KEYS, "path": "x.csv"}], id="person", folder=tmp_path
    )
    frame = generalize(drawn.raw, drawn.levels)
    (found,) = follow_procedure(frame, POLICY, statement).sources
    mine, theirs = drawn.at(tuple(map(max, drawn.levels, drawn.external_levels)))
    m = mine.merge(theirs.groupby(KEYS).size().rename("m"), how="left", on=KEYS)["m"].fillna(0)
    row_risk = np.where(m > 0, 1 / (people_in_cells(mine) * m.clip(lower=1)), 0)
    risk = pd.Series(row_risk).groupby(mine["person"]).max()
    assert found.probabilities.highest == pytest.approx(risk.max())
    assert found.probabilities.average == pytest.approx(risk.mean())
    assert found.linkage is not None
    assert found.linkage.unmatched == (risk == 0).sum()
    assert found.linkage.one_to_one == (risk == 1).sum()
    assert all(value.people > 0 for value in found.rarity.key_values)


def redact(frame: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """Leave some cells empty and write others as a release writes suppressed ones."""
    drawn = {key: random.choice(["keep", "", "*"], len(frame), p=[0.8, 0.1, 0.1]) for key in KEYS}
    return frame.assign(
        **{key: np.where(drawn[key] == "keep", frame[key], drawn[key]) for key in KEYS}
    )


def may_match(one: str, other: str) -> bool:
    return one == other or {one, other} & {"", "*"} != set()


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("by_id", [False, True])
def test_open_cells_match_every_value_of_the_other_table(
    seed: int, by_id: bool, tmp_path: Path
) -> None:
    drawn, random = draw(seed), np.random.default_rng(seed)
    mine = redact(generalize(drawn.raw, (1, 0)), random)
    theirs = redact(generalize(drawn.raw_external, (1, 0)), random)
    theirs["who"] = random.integers(0, 8, len(theirs)) if by_id else np.arange(len(theirs))
    theirs.to_csv(tmp_path / "x.csv", index=False)
    source = {"name": "list", "keys": KEYS, "path": "x.csv", **({"id": "who"} if by_id else {})}
    statement = Statement(source=[source], id="person", folder=tmp_path)
    (found,) = follow_procedure(mine, POLICY, statement).sources
    equal = mine.replace({"*": ""})

    def probability(row: int) -> float:
        same = (equal[KEYS] == equal.loc[row, KEYS]).all(axis=1)
        k = equal.loc[same, "person"].nunique()
        matching = [
            who
            for other, who in zip(theirs[KEYS].to_numpy(), theirs["who"], strict=True)
            if all(map(may_match, mine.loc[row, KEYS], other))
        ]
        return 1 / (k * len({*matching})) if matching else 0.0

    risk = pd.Series([probability(row) for row in mine.index]).groupby(mine["person"]).max()
    assert found.probabilities.highest == pytest.approx(risk.max())
    assert found.probabilities.average == pytest.approx(risk.mean())
    assert found.linkage is not None
    assert found.linkage.unmatched == (risk == 0).sum()
    matched = {
        who
        for other, who in zip(theirs[KEYS].to_numpy(), theirs["who"], strict=True)
        if any(all(map(may_match, row, other)) for row in mine[KEYS].to_numpy())
    }
    assert found.linkage.external_matched == len(matched)
    assert found.linkage.external_people == theirs["who"].nunique()
