"""Arrow columns rebuilt, so that nothing is left in their buffers but their own values.

A dictionary lists values that no row has any more; views share the bytes of the column they were taken
from; a structure that is null still has its fields. Whoever reads the bytes of a release would find them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from anonymizer.data.arrays import arrow_numbers


def choose(column: pa.ChunkedArray, rows: NDArray[np.int64]) -> pa.Array:
    """Return some rows of a column in a new array that knows nothing of the others."""
    try:
        chosen = column.take(arrow_numbers(rows)).combine_chunks()
    except pa.ArrowNotImplementedError:  # views and runs
        values = column.to_pylist()
        return from_values([values[row] for row in rows.tolist()], column.type)
    if isinstance(chosen, pa.ChunkedArray):  # what combine_chunks leaves of a column without rows
        return pa.nulls(0, column.type)
    return rebuild(chosen)


def from_values(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Make an array of Python's values, for the types that Arrow has no other way for."""
    if pa.types.is_run_end_encoded(kind):
        flat = pa.array(values, kind.value_type)
        return compute.run_end_encode(flat, run_end_type=kind.run_end_type)
    return pa.array(values, bare_type(kind))


def rebuild(array: pa.Array) -> pa.Array:
    """Copy an array whose flat parts are in buffers of their own, as `take` leaves them."""
    for applies, copy in REBUILDERS:
        if applies(array.type):
            return copy(array)
    return array


def rebuild_dictionary(array: pa.DictionaryArray) -> pa.DictionaryArray:
    """Leave out the values that no row has; the order of the others stays."""
    there = array.indices.is_valid().to_numpy(zero_copy_only=False)
    indices = array.indices.drop_null().to_numpy(zero_copy_only=False)
    used, numbers = np.unique(indices, return_inverse=True)
    of_row = np.zeros(len(array), np.int64)
    of_row[there] = numbers
    return pa.DictionaryArray.from_arrays(
        pa.array(of_row, mask=~there).cast(array.type.index_type),
        choose(pa.chunked_array([array.dictionary]), used.astype(np.int64)),
        ordered=array.type.ordered,
    )


def rebuild_list(array: pa.Array) -> pa.Array:
    """Rebuild the values of lists."""
    offsets, entries = entries_of(array)
    starts = pa.array(offsets, array.offsets.type)
    values = choose(pa.chunked_array([array.values]), entries)
    kind = bare_type(array.type)
    return type(array).from_arrays(starts, values, type=kind, mask=array.is_null())


def rebuild_map(array: pa.MapArray) -> pa.MapArray:
    """Rebuild the keys and items of maps."""
    offsets, entries = entries_of(array)
    keys, items = (choose(pa.chunked_array([part]), entries) for part in (array.keys, array.items))
    hidden = array.is_null().to_numpy(zero_copy_only=False)
    # a map that begins nowhere is null; older versions of Arrow take no mask
    starts = pa.array(offsets, array.offsets.type, mask=np.append(hidden, False))
    return pa.MapArray.from_arrays(starts, keys, items, type=bare_type(array.type))


def entries_of(array: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Say where each list begins, and where its entries are now; those that a null hides are left."""
    bounds = array.offsets.to_numpy().astype(np.int64)
    there = array.is_valid().to_numpy(zero_copy_only=False)
    lengths = np.where(there, np.diff(bounds), 0)
    offsets = np.append(0, np.cumsum(lengths))
    entries = np.repeat(bounds[:-1] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return offsets, entries


def rebuild_fixed_size_list(array: pa.FixedSizeListArray) -> pa.FixedSizeListArray:
    """Rebuild the values of lists of one length; those of a null are null."""
    size, hidden = array.type.list_size, array.is_null()
    of_value = np.repeat(hidden.to_numpy(zero_copy_only=False), size)
    places = array.offset * size + np.arange(of_value.size)
    values = rebuild(array.values.take(pa.array(places, mask=of_value)))
    return pa.FixedSizeListArray.from_arrays(values, type=bare_type(array.type), mask=hidden)


def rebuild_struct(array: pa.StructArray) -> pa.StructArray:
    """Rebuild the fields of structures; those of a null are null."""
    fields = [rebuild(field) for field in array.flatten()]
    if not fields:
        return array
    kind = bare_type(array.type)
    return pa.StructArray.from_arrays(fields, fields=list(kind), mask=array.is_null())


def rebuild_union(array: pa.UnionArray) -> pa.UnionArray:
    """Rebuild the fields of unions; in a sparse one, a field is null where it is not the one meant."""
    kind, numbers = array.type, array.type_codes
    names = [kind.field(at).name for at in range(kind.num_fields)]
    if kind.mode == "dense":
        fields = [rebuild(array.field(at)) for at in range(kind.num_fields)]
        return pa.UnionArray.from_dense(numbers, array.offsets, fields, names, kind.type_codes)
    of_row = numbers.to_numpy()
    fields = [
        rebuild(array.field(at).take(pa.array(np.arange(of_row.size), mask=of_row != code)))
        for at, code in enumerate(kind.type_codes)
    ]
    return pa.UnionArray.from_sparse(numbers, fields, names, kind.type_codes)


def rebuild_extension(array: pa.ExtensionArray) -> pa.ExtensionArray:
    """Rebuild what an extension type is stored in."""
    return pa.ExtensionArray.from_storage(array.type, rebuild(array.storage))


def rebuild_view(array: pa.Array) -> pa.Array:
    """Rebuild lists that share their values."""
    return from_values(array.to_pylist(), array.type)


def bare_type(kind: pa.DataType) -> pa.DataType:
    """Return a type without what the fields inside it say of themselves beside name and type."""
    if pa.types.is_struct(kind):
        return pa.struct([bare_field(field) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(bare_field(kind.key_field), bare_field(kind.item_field), kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(bare_field(kind.value_field), kind.list_size)
    for applies, make in LISTS:
        if applies(kind):
            return make(bare_field(kind.value_field))
    return kind


def bare_field(field: pa.Field) -> pa.Field:
    """Return a field of a name and a type alone."""
    return pa.field(field.name, bare_type(field.type), field.nullable)


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is of lists of any length."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def is_view(kind: pa.DataType) -> bool:
    """Whether a type is of lists that share their values."""
    return bool(pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind))


def is_extension(kind: pa.DataType) -> bool:
    """Whether a type is stored as another."""
    return isinstance(kind, pa.BaseExtensionType)


LISTS: list[tuple[Callable[[pa.DataType], bool], Callable[[pa.Field], pa.DataType]]] = [
    (pa.types.is_list, pa.list_),
    (pa.types.is_large_list, pa.large_list),
    (pa.types.is_list_view, pa.list_view),
    (pa.types.is_large_list_view, pa.large_list_view),
]
"""How each type of lists is made."""

REBUILDERS: list[tuple[Callable[[pa.DataType], bool], Callable[[pa.Array], pa.Array]]] = [
    (is_extension, rebuild_extension),
    (pa.types.is_dictionary, rebuild_dictionary),
    (pa.types.is_map, rebuild_map),
    (is_list, rebuild_list),
    (is_view, rebuild_view),
    (pa.types.is_fixed_size_list, rebuild_fixed_size_list),
    (pa.types.is_struct, rebuild_struct),
    (pa.types.is_union, rebuild_union),
]
"""How each type that has other arrays inside is copied."""
