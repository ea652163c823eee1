"""A sample of a table: some of its people, drawn at random before anything else is done.

Who is drawn follows from the steward's secret key, so that the same run draws the same people again and
nobody else can tell who they are. Where a column says whose a row is, people are drawn with all their
rows, each on their own account: they are in the sample of next month's table too.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.columns import Coded, read_columns
from anonymizer.data.contract import Table
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.secret import keyed_digest
from anonymizer.data.selection import Selection
from anonymizer.errors import DataError, percent


class Sample(Selection):
    """The rows of a table that were drawn."""


def draw_sample(table: Table, share: float, person: str | None) -> Table:
    """Draw a share of the people of a table; what is a sample already stays as it is."""
    if share == 1 or isinstance(table, Sample):
        return table
    if isinstance(table, EngineTable):
        raise DataError(
            f"{table.name}: a sample cannot be drawn from a table that stays in an engine; leave out "
            "`sample`, and draw it there."
        )
    if person is None:
        drawn = draw_rows(count_rows(table), share)
    else:
        drawn = draw_people(read_columns(table, [person])[person], share)
    if not drawn.any():
        raise DataError(
            f"{table.name}: none of {drawn.size} rows is in a sample of {percent(share, 2)}; raise "
            "`sample`."
        )
    return Sample(table, drawn)


def count_rows(table: Table) -> int:
    """Return the number of rows, which a text file does not tell before it is read."""
    if table.rows is not None:
        return table.rows
    return sum(batch[0].indices.size for batch in table.batches(table.columns[:1]))


def draw_rows(rows: int, share: float) -> NDArray[np.bool_]:
    """Draw each row with a probability, by its place in the table."""
    seed = int(keyed_digest("sample", b"rows"), 16)
    return np.asarray(np.random.default_rng(seed).random(rows) < share)


def draw_people(person: Coded, share: float) -> NDArray[np.bool_]:
    """Draw each person with a probability, by what they are called; a person has all rows or none."""
    key, limit = bytes.fromhex(keyed_digest("sample", b"people")), int(share * 2**64)
    hashes = (hashlib.blake2b(text.encode(), digest_size=8, key=key) for text in person.texts)
    drawn = np.array([int.from_bytes(each.digest()) < limit for each in hashes], np.bool_)
    return drawn[person.codes]
