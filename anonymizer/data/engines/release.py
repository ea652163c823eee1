"""The release of a table in its engine: small mappings joined to the rows, which never leave it.

What a quasi-identifier becomes depends on its own value alone, unless there are layers or class means:
then it depends on the tuple, and the released values of all tuples are joined by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.aggregate import word_radices
from anonymizer.data.assemble import values_of
from anonymizer.data.cells import MISSING
from anonymizer.data.engines.aggregation import Aggregation
from anonymizer.data.engines.dictionaries import Dictionary, code_of, join_dictionaries, words_of
from anonymizer.data.engines.engine import Engine
from anonymizer.data.formulas import BEGINS, HARMLESS, escape, is_formula, is_text, warn_of
from anonymizer.data.plan import Grouped, Recoding, ReleasePlan

FLAG = "flag__"
KEY = "key_{}__"
INTEGERS = {"int16": pa.int16(), "int32": pa.int32(), "int64": pa.int64()}


@dataclass(frozen=True, slots=True, eq=False)
class Releasing:
    """A plan put to the tuples that an engine counted."""

    engine: Engine
    source: Any
    aggregation: Aggregation
    plan: ReleasePlan
    grouped: Grouped
    types: Mapping[str, pa.DataType]

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which tuples are released."""
        kept = np.zeros(self.plan.tuple_of_row.size, np.bool_)
        kept[self.plan.rows] = True
        return kept

    @property
    def redacted(self) -> NDArray[np.bool_]:
        """Which tuples are released with every recoded cell redacted."""
        return self.grouped.redacted[self.plan.tuple_of_row]

    @property
    def records(self) -> int:
        """The number of released rows."""
        return int(self.aggregation.counts[self.kept].sum())

    def query(self) -> Any:
        """Return the released rows, which the engine computes when they are asked for.

        Rows are put into a random order: while they are codes, where the engine keeps it from there on.
        """
        labels = {name: self.label_of_code(name) for name in self.plan.recodings}
        by_tuple = [name for name, numbers in labels.items() if numbers is None]
        chosen = without_words(self.choose(self.with_codes(), by_tuple))
        if self.grouped.shuffled and self.engine.sorts_codes:
            chosen = shuffle(chosen)
        labelled = self.with_labels(chosen, {n: at for n, at in labels.items() if at is not None})
        query = labelled.select(**{name: self.cell(labelled, name) for name in self.plan.columns})
        if self.grouped.shuffled and not self.engine.sorts_codes:
            query = shuffle(query)
        return query

    def label_of_code(self, column: str) -> NDArray[np.int64] | None:
        """Return the number of the released value of each code; None where the code does not decide it.

        A code that only suppressed records have is -1.
        """
        live = self.kept & ~self.redacted
        numbers = self.plan.recodings[column].number_of_tuple[self.plan.tuple_of_row][live]
        codes = self.aggregation.codes_of(column)[live]
        found = np.full(self.aggregation.dictionary(column).size, -1, np.int64)
        found[codes] = numbers
        return found if np.array_equal(found[codes], numbers) else None

    def with_codes(self) -> Any:
        """Put the codes that decide the tuple of a row beside the columns that are kept, also packed."""
        deciding = [self.aggregation.dictionary(name) for name in self.grouped.deciding]
        joined = join_dictionaries(self.source, deciding)
        radices = [each.size for each in deciding]
        words = words_of([code_of(joined, each) for each in deciding], radices, word_radices)
        codes = {each.code: narrow(code_of(joined, each), each.size) for each in deciding}
        kept = {name: joined[name] for name in self.plan.kept}
        coded = joined.select(**kept, **codes, **words)
        # a value that was not there before: the rows are counted once they are written
        return coded.filter(coded["word_0__"].notnull())

    def with_labels(self, coded: Any, labels: Mapping[str, NDArray[np.int64]]) -> Any:
        """Join what codes become."""
        for name, numbers in labels.items():
            dictionary = self.aggregation.dictionary(name)
            used, of_code = np.flatnonzero(numbers >= 0), f"of_{dictionary.code}"
            table = pa.table(
                {
                    of_code: pa.array(used, INTEGERS[narrow_type(dictionary.size)]),
                    label_name(dictionary): self.values(name).take(pa.array(numbers[used])),
                }
            )
            coded = coded.left_join(self.engine.upload(table), [(dictionary.code, of_code)])
        return coded

    def values(self, column: str) -> pa.Array:
        """Return the released values of a column by number, in its own type where they are its own."""
        recoding, kind = self.plan.recodings[column], self.types[column]
        used = self.used(recoding)
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

    def used(self, recoding: Recoding) -> list[str]:
        """Return the values of a recoding, without those that only suppressed records have."""
        numbers = recoding.number_of_tuple[self.plan.tuple_of_row[self.plan.rows]]
        used = np.zeros(len(recoding.values), np.bool_)
        used[numbers] = True
        return [v if there else MISSING for v, there in zip(recoding.values, used, strict=True)]

    def choose(self, coded: Any, by_tuple: Sequence[str]) -> Any:
        """Leave out the rows of suppressed tuples; add what depends on the tuple, or is redacted."""
        kept, redacted = self.kept, self.redacted
        if by_tuple:
            return self.join_keys(coded, kept, "inner", self.labels_of(by_tuple, kept))
        if not kept.all():
            fewer = kept.sum() * 2 < kept.size
            coded = self.join_keys(coded, kept if fewer else ~kept, "semi" if fewer else "anti", {})
        if redacted.any():
            flags = {FLAG: pa.array(np.ones(int(redacted.sum()), np.int8))}
            coded = self.join_keys(coded, redacted, "left", flags)
        return coded

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
        coded: Any,
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
        pairs = [(f"word_{at}__", name) for at, name in enumerate(names)]
        joined = coded.join(self.engine.upload(distinct), pairs, how=how)
        found = joined.select(*coded.columns, *beside)
        return found.filter(found["word_0__"].notnull())  # so that more can be joined

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


def narrow_type(size: int) -> str:
    """Return the type of the smallest integers that number so many things in every engine."""
    return next(kind for kind in INTEGERS if size <= 1 << (int(kind[3:]) - 1))


def narrow(code: Any, size: int) -> Any:
    """Write a code in as few bytes as it needs: it is sorted with the row."""
    return code.cast(narrow_type(size))


def without_words(coded: Any) -> Any:
    """Leave out packed codes, once tuples are chosen."""
    return coded.select(*(name for name in coded.columns if not name.startswith("word_")))


def shuffle(rows: Any) -> Any:
    """Put rows into a random order."""
    import ibis

    return rows.order_by(ibis.random())


def label_name(dictionary: Dictionary) -> str:
    """Return what the released values of a column are called in the engine."""
    return f"label_{dictionary.place}__"
