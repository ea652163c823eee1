"""Dataframes of other libraries than pandas, through narwhals: polars, modin, cuDF and their like."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from anonymizer.data.arrow import ArrowTable
from anonymizer.data.assemble import assemble
from anonymizer.data.formulas import is_text
from anonymizer.data.plan import ReleasePlan


@dataclass(frozen=True, slots=True, eq=False)
class DataFrameTable(ArrowTable):
    """A dataframe of any library that narwhals knows, as a table in Arrow's memory."""

    library: Any
    """What narwhals calls the library."""
    lazy: bool
    """Whether it is a query that was collected, and a release is to be one too."""

    @staticmethod
    def of(native: Any) -> DataFrameTable:
        """Take a dataframe, or collect a lazy one."""
        import narwhals as nw

        frame: Any = nw.from_native(native)
        lazy = isinstance(frame, nw.LazyFrame)
        eager = frame.collect() if lazy else frame
        enums = {name for name, kind in eager.schema.items() if isinstance(kind, nw.Enum)}
        return DataFrameTable(in_order(eager.to_arrow(), enums), eager.implementation, lazy)

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the dataframe"

    def release(self, plan: ReleasePlan) -> Any:
        """Make a release of the same library; values in an order become an Enum."""
        import narwhals as nw

        table = assemble(self, plan)
        frame = nw.from_arrow(without_dictionaries(table), backend=self.library)
        types = {
            name: nw.Enum(table[name].chunk(0).dictionary.to_pylist())
            if table[name].type.ordered
            else nw.Categorical()
            for name in plan.columns
            if is_category(table[name].type)
            and (table[name].type.ordered or pa.types.is_dictionary(self.types[name]))
        }
        cast = frame.with_columns(nw.col(name).cast(kind) for name, kind in types.items())
        return (cast.lazy() if self.lazy else cast).to_native()


def in_order(table: pa.Table, enums: Collection[str]) -> pa.Table:
    """Say of Enums that their values have an order, which older versions of polars leave out."""
    kinds = {name: table.schema.field(name).type for name in enums}
    ordered = {
        name: pa.dictionary(kind.index_type, kind.value_type, ordered=True)
        for name, kind in kinds.items()
        if is_category(kind) and not kind.ordered
    }
    fields = [each.with_type(ordered.get(each.name, each.type)) for each in table.schema]
    return table.cast(pa.schema(fields)) if ordered else table


def is_category(kind: pa.DataType) -> bool:
    """Whether a type has texts that are stored once each."""
    return bool(pa.types.is_dictionary(kind)) and is_text(kind.value_type)


def without_dictionaries(table: pa.Table) -> pa.Table:
    """Write out the texts of dictionaries: what becomes a category is said afterwards."""
    schema = [
        (field.name, field.type.value_type if is_category(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(schema))
