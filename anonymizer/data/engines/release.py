"""The release of a table in its engine: small mappings joined to the rows, which never leave it.

What a quasi-identifier becomes depends on its own value alone, unless there are layers or class means:
then it depends on the tuple, and the released values of all tuples are joined by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.arrays import values_of
from anonymizer.data.column import MISSING
from anonymizer.data.engines.aggregation import (
    Aggregation,
    Dictionary,
    codes_of,
    join_dictionaries,
    word_name,
    words_of,
)
from anonymizer.data.engines.engine import Engine
from anonymizer.data.formulas import BEGINS, HARMLESS, escape, is_formula, is_text, warn_of
from anonymizer.data.table import Grouped, ReleasePlan
from anonymizer.kernels.partition import number_of_code

FLAG = "flag__"
KEY = "key_{}__"


@dataclass(frozen=True, eq=False)
class Releasing:
    """A plan put to the tuples that an engine counted."""

    engine: Engine
    source: Any
    aggregation: Aggregation
    plan: ReleasePlan
    grouped: Grouped
    types: Mapping[str, pa.DataType]
    to_file: bool = False
    """Whether the engine writes files: there texts may be anything that is read as texts again."""

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which tuples are released."""
        kept = np.zeros(self.plan.tuple_of_row.size, np.bool_)
        kept[self.plan.rows] = True
        return kept

    @cached_property
    def redacted(self) -> NDArray[np.bool_]:
        """Which tuples are released with every recoded cell redacted."""
        return self.grouped.redacted[self.plan.tuple_of_row]

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Which tuples are released with cells of their own."""
        return self.kept & ~self.redacted

    @property
    def records(self) -> int:
        """The number of released rows."""
        return int(self.aggregation.counts[self.kept].sum())

    def query(self) -> Any:
        """Return the released rows, which the engine computes when they are asked for.

        Rows are put into a random order last of all: a join may put them into the order of what it joins.
        """
        labels = {name: self.label_of_code(name) for name in self.plan.recodings}
        by_tuple = [name for name, numbers in labels.items() if numbers is None]
        chosen = self.choose(self.packed(), by_tuple)
        coded = chosen.mutate(**codes_of(chosen, self.deciding))
        labelled = self.with_labels(coded, {n: at for n, at in labels.items() if at is not None})
        query = labelled.select(**{name: self.cell(labelled, name) for name in self.plan.columns})
        return shuffle(query) if self.grouped.shuffled else query

    @property
    def deciding(self) -> list[Dictionary]:
        """The dictionaries of the columns that decide the tuple of a row."""
        return [self.aggregation.dictionary(name) for name in self.grouped.deciding]

    def label_of_code(self, column: str) -> NDArray[np.int64] | None:
        """Return the number of the released value of each code; None where the code does not decide it.

        A code that only suppressed records have is -1.
        """
        numbers = self.plan.recodings[column].number_of_tuple
        found, decided = number_of_code(
            self.aggregation.codes_of(column), self.plan.tuple_of_row, numbers, self.live,
            self.aggregation.dictionary(column).size,
        )  # fmt: skip
        return found if decided else None

    def packed(self) -> Any:
        """Put the codes that decide the tuple of a row, packed, beside the columns that are kept."""
        joined = join_dictionaries(self.source, self.deciding)
        kept = {name: joined[name] for name in self.plan.kept}
        packed = joined.select(**kept, **words_of(joined, self.deciding))
        # a value that was not there before: the rows are counted once they are written
        return packed.filter(packed[word_name(0)].notnull())

    def with_labels(self, coded: Any, labels: Mapping[str, NDArray[np.int64]]) -> Any:
        """Join what codes become."""
        for name, numbers in labels.items():
            dictionary = self.aggregation.dictionary(name)
            used, of_code = np.flatnonzero(numbers >= 0), f"of_{dictionary.code}"
            table = pa.table(
                {
                    of_code: pa.array(used, pa.int64()),
                    label_name(dictionary): self.values(name).take(pa.array(numbers[used])),
                }
            )
            upload = self.engine.upload_labels if self.to_file else self.engine.upload
            coded = coded.left_join(upload(table), [(dictionary.code, of_code)])
        return coded

    def values(self, column: str) -> pa.Array:
        """Return the released values of a column by number, in its own type where they are its own."""
        recoding, kind = self.plan.recodings[column], self.types[column]
        used = self.used(column)
        if recoding.original and not is_text(kind):
            own = values_of(used, kind, recoding.read_texts)
            if own is not None:
                return own
        write = escape if self.plan.escape_formulas else str
        return pa.array([write(text) if text != MISSING else None for text in used], pa.string())

    def warn_of_formulas(self) -> None:
        """Warn of formulas among values that came over; those of other kept columns are not known."""
        counted = {each.column for each in self.aggregation.dictionaries}
        texts = {name: self.values(name).to_pylist() for name in self.plan.recodings}
        texts |= {name: self.kept_values(name) for name in self.plan.kept if name in counted}
        found = [
            name
            for name, values in texts.items()
            if any(isinstance(value, str) and is_formula(value) for value in values)
        ]
        if found and not self.plan.escape_formulas:
            warn_of(found)

    def kept_values(self, column: str) -> list[Any]:
        """Return the distinct values that a counted column has in released rows."""
        values = self.aggregation.dictionary(column).values
        codes = np.unique(self.aggregation.codes_of(column)[self.kept])
        return [values[code] for code in codes.tolist() if code < len(values)]

    def used(self, column: str) -> list[str]:
        """Return the values of a column, without those that only suppressed records have."""
        recoding = self.plan.recodings[column]
        used = np.zeros(len(recoding.values), np.bool_)
        used[recoding.number_of_tuple[self.released_tuples]] = True
        return [v if there else MISSING for v, there in zip(recoding.values, used, strict=True)]

    @cached_property
    def released_tuples(self) -> NDArray[np.bool_]:
        """Which tuples of the plan have a row that is released."""
        released = np.zeros(self.grouped.redacted.size, np.bool_)
        released[self.plan.tuple_of_row[self.plan.rows]] = True
        return released

    def choose(self, packed: Any, by_tuple: Sequence[str]) -> Any:
        """Leave out the rows of suppressed tuples; add what depends on the tuple, or is redacted."""
        kept, redacted = self.kept, self.redacted
        if by_tuple:
            return self.join_keys(packed, kept, "inner", self.labels_of(by_tuple, kept))
        if not kept.all():
            fewer = kept.sum() * 2 < kept.size
            packed = self.join_keys(
                packed, kept if fewer else ~kept, "semi" if fewer else "anti", {}
            )
        if redacted.any():
            flags = {FLAG: pa.array(np.ones(int(redacted.sum()), np.int8))}
            packed = self.join_keys(packed, redacted, "left", flags)
        return packed

    def labels_of(self, columns: Sequence[str], chosen: NDArray[np.bool_]) -> dict[str, pa.Array]:
        """Return the released values of some columns for each of some tuples."""
        found = {}
        for name in columns:
            numbers = self.plan.recodings[name].number_of_tuple[self.plan.tuple_of_row][chosen]
            label = label_name(self.aggregation.dictionary(name))
            found[label] = self.values(name).take(pa.array(numbers, pa.int64()))
        if self.redacted.any():
            flags = np.where(self.redacted[chosen], 1, 0)
            found[FLAG] = pa.array(flags, pa.int8(), mask=flags == 0)
        return found

    def join_keys(
        self,
        packed: Any,
        chosen: NDArray[np.bool_],
        how: str,
        beside: Mapping[str, pa.Array],
    ) -> Any:
        """Join rows with some of the tuples, by the packed codes of what decides a tuple."""
        import pandas as pd

        words = self.aggregation.keys(self.grouped.deciding)
        names = [KEY.format(at) for at in range(len(words))]
        keys = {name: word[chosen] for name, word in zip(names, words, strict=True)}
        first = pa.array(~pd.DataFrame(keys).duplicated().to_numpy())  # groups may be finer
        distinct = pa.table({**keys, **beside}).filter(first)
        pairs = [(word_name(at), name) for at, name in enumerate(names)]
        joined = packed.join(self.engine.upload(distinct), pairs, how=how)
        found = joined.select(*packed.columns, *beside)
        return found.filter(found[word_name(0)].notnull())  # so that more can be joined

    def cell(self, chosen: Any, column: str) -> Any:
        """Return a released cell: as it is, as its label, or redacted."""
        import ibis

        if column not in self.plan.recodings:
            return self.kept_cell(chosen[column], self.types[column])
        label = chosen[label_name(self.aggregation.dictionary(column))]
        if not self.redacted.any():
            return label
        star = ibis.literal(self.redaction(column), "string")
        return ibis.ifelse(chosen[FLAG].notnull(), star, label.cast("string"))

    def redaction(self, column: str) -> str:
        """Return what a redacted cell reads."""
        recoding = self.plan.recodings[column]
        return recoding.values[int(recoding.number_of_tuple[np.argmax(self.grouped.redacted)])]

    def kept_cell(self, cell: Any, kind: pa.DataType) -> Any:
        """Return a cell that is kept, with an apostrophe before it where it is a formula."""
        import ibis

        if not self.plan.escape_formulas or not is_text(kind):
            return cell
        harmless = cell.re_search(f"(?i)^(?:{HARMLESS.pattern})$")
        formula = cell.re_search(BEGINS) & ~harmless
        return ibis.ifelse(formula, ibis.literal("'") + cell, cell)


def shuffle(rows: Any) -> Any:
    """Put rows into a random order."""
    import ibis

    return rows.order_by(ibis.random())


def label_name(dictionary: Dictionary) -> str:
    """Return what the released values of a column are called in the engine."""
    return f"label_{dictionary.place}__"
