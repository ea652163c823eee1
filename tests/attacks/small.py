"""Small releases in which every row may have levels of its own, and the obvious way to match them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from anonymizer import Policy
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.setting import AttackPlan, Setting, Targets
from tests.oracle import Levels, Row, Tree, generalize
from tests.strategies import frame_of, hierarchies_of, tables, trees

SECRETS = ("x", "y", "z")


@dataclass(frozen=True)
class Small:
    """An original, and which of its rows are released on which levels."""

    rows: tuple[Row, ...]
    trees: tuple[Tree, ...]
    secrets: tuple[str, ...]
    released: tuple[tuple[int, Levels], ...]

    @property
    def cells(self) -> list[Row]:
        """The released quasi-identifiers."""
        return [generalize(self.rows[at], self.trees, levels) for at, levels in self.released]

    def frame(self) -> pd.DataFrame:
        return with_secret(frame_of(self.rows, self.trees), self.secrets)

    def release(self) -> pd.DataFrame:
        made = frame_of(self.cells, self.trees)
        return with_secret(made, [self.secrets[at] for at, _ in self.released])

    def policy(self, **parts: Any) -> Policy:
        quasi = {h.name: {"role": "quasi", "hierarchy": h} for h in hierarchies_of(self.trees)}
        attributes = {**quasi, "secret": {"role": "sensitive"}}
        risk = [{"model": "k-anonymity", "k": 2}]
        return Policy(**{"attributes": attributes, "risk": risk, **parts})

    def setting(self, **plan: Any) -> Setting:
        return read_setting(self.release(), self.frame(), self.policy(), None, AttackPlan(**plan))

    def covers(self, released: int, record: int, known: Sequence[int]) -> bool:
        """Whether a released row may be a record's, by some of the quasi-identifiers."""
        _, levels = self.released[released]
        mine, theirs = self.cells[released], self.rows[record]
        return all(self.trees[at][theirs[at]][levels[at]] == mine[at] for at in known)

    def matching(self, record: int, known: Sequence[int]) -> list[int]:
        """List the released rows that may be a record's."""
        return [at for at in range(len(self.released)) if self.covers(at, record, known)]


def with_secret(frame: pd.DataFrame, secrets: Sequence[str]) -> pd.DataFrame:
    return frame.assign(secret=pd.Series(list(secrets), dtype=object))


@st.composite
def smalls(draw: st.DrawFn, one_scheme: bool = False, max_rows: int = 12) -> Small:
    """Draw a table and a release: on one scheme, or with levels drawn for each row."""
    forest = tuple(draw(st.lists(trees(4, 3), min_size=1, max_size=3)))
    rows = draw(tables(forest, max_rows))
    secrets = tuple(draw(st.sampled_from(SECRETS)) for _ in rows)
    levels = st.tuples(*(st.integers(0, len(next(iter(t.values()))) - 1) for t in forest))
    same = draw(levels)
    kept = draw(st.lists(st.sampled_from(range(len(rows))), unique=True, min_size=1))
    released = tuple((at, same if one_scheme else draw(levels)) for at in kept)
    return Small(rows, forest, secrets, released)


def everybody(small: Small, held_out: bool) -> tuple[Setting, Targets, set[int]]:
    """Attack every record, or every second one with their rows taken out; say which rows are left."""
    setting = small.setting()
    some = np.arange(0, len(small.rows), 2)
    left = ~np.isin(setting.owners, some) if held_out else np.ones(len(small.released), np.bool_)
    leaves = setting.original[:, some] if held_out else setting.original
    return setting, Targets(setting.cells.keep(left), leaves), set(np.flatnonzero(left).tolist())
