"""Tables in Arrow's memory: its own, and dataframes of other libraries than pandas, through narwhals."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from anonymizer.data.arrays import batches_of_arrow
from anonymizer.data.column import Cells
from anonymizer.data.formulas import is_text
from anonymizer.data.table import ReleasePlan, Table
from anonymizer.errors import DataError


class ArrowStream(Protocol):
    """An object that hands out its rows as an Arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the capsule of the stream."""


@dataclass(frozen=True, slots=True, eq=False)
class ArrowTable(Table):
    """A table in Arrow's memory."""

    content: pa.Table

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the table"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.content.column_names)

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of its columns."""
        return dict(zip(self.columns, self.content.schema.types, strict=True))

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return int(self.content.num_rows)

    @staticmethod
    def of_stream(data: ArrowStream) -> ArrowTable:
        """Read a stream of record batches to its end; it cannot be read again."""
        try:
            return ArrowTable(pa.table(data))
        except (pa.ArrowException, OSError):
            raise DataError(
                f"the data is a {type(data).__name__} that Arrow cannot read as a table; give a "
                "dataframe, or a stream that was not read before."
            ) from None

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield its record batches as distinct values."""
        return batches_of_arrow(self.content.select(list(columns)))

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Return some columns."""
        return self.content.select(list(columns))


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

    def to_native(self, plan: ReleasePlan) -> Any:
        """Make a release of the same library; values in an order become an Enum."""
        import narwhals as nw

        table = self.assemble(plan)
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
