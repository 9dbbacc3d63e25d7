"""Columns of Arrow with values that DuckDB refuses whole files for: each of them is missing, and stops nothing.

These are time stamps and durations that no count of microseconds holds, and texts that are not UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from oracledp.extras import optional

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS = (1 << 63) // 10**6 - 1  # that microseconds count
_DIGITS = 38  # of the decimals that DuckDB has
_KNOWN = ("arrow.uuid", "arrow.bool8")  # extension types that DuckDB has, and of which no value stops it


def held_type(kind: Any, inside: bool = False) -> Any:
    """The type that DuckDB reads, which has counts in the place of moments inside of lists and records."""
    arrow = optional("pyarrow", extra="frames")
    types = arrow.types
    if not inside and kind == arrow.dictionary(arrow.int32(), arrow.string()):
        return kind
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return held_type(kind.value_type, inside)
    if isinstance(kind, arrow.BaseExtensionType):
        return kind if kind.extension_name in _KNOWN else held_type(kind.storage_type, inside)
    if types.is_union(kind):  # it cannot be cast: no row has a value
        return arrow.null()
    if types.is_map(kind):
        return arrow.map_(held_type(kind.key_type, inside=True), held_type(kind.item_type, inside=True))
    if types.is_struct(kind):
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return arrow.struct([field.with_type(held_type(field.type, inside=True)) for field in fields])
    if _is_list(types, kind):
        large = types.is_large_list(kind) or types.is_large_list_view(kind)
        make = arrow.large_list if large else arrow.list_
        return make(kind.value_field.with_type(held_type(kind.value_type, inside=True)))
    if types.is_decimal256(kind):
        return arrow.decimal128(kind.precision, kind.scale) if kind.precision <= _DIGITS else arrow.float64()
    if types.is_float16(kind):
        return arrow.float32()
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return arrow.large_string() if types.is_string_view(kind) else arrow.large_binary()
    return arrow.int64() if inside and _counts_time(types, kind) else kind


def stored_type(kind: Any) -> Any:
    """The same for a column of Parquet, which stores truth values of its own."""
    arrow = optional("pyarrow", extra="frames")
    held = held_type(kind)
    bits = isinstance(held, arrow.BaseExtensionType) and held.extension_name == "arrow.bool8"
    return held.storage_type if bits else held


def held_schema(schema: Any) -> Any:
    """The schema of what :func:`held` makes of batches."""
    arrow = optional("pyarrow", extra="frames")
    return arrow.schema([field.with_type(held_type(field.type)) for field in schema])


def held(columns: Iterable[Any], schema: Any) -> Any:
    """Columns as a batch with a schema that was held, with what is out of reach missing."""
    arrow = optional("pyarrow", extra="frames")
    return arrow.record_batch([_held(arrow, *pair) for pair in zip(columns, schema.types, strict=True)], schema=schema)


def _is_text(types: Any, kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_list(types: Any, kind: Any) -> bool:
    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_list_view, types.is_large_list_view)
    return any(is_of(kind) for is_of in lists)


def _counts_time(types: Any, kind: Any) -> bool:
    return bool(types.is_timestamp(kind) or types.is_duration(kind))


def _held(arrow: Any, column: Any, wanted: Any) -> Any:
    types = arrow.types
    if types.is_dictionary(wanted):
        plain = _is_valid(arrow, column.dictionary)
        return column if plain else _held(arrow, column, wanted.value_type).dictionary_encode()
    if types.is_dictionary(column.type):
        values = _cast(arrow, column.dictionary, wanted)
        column = arrow.DictionaryArray.from_arrays(column.indices, values).dictionary_decode()
    elif types.is_run_end_encoded(column.type):
        column = optional("pyarrow.compute", extra="frames").run_end_decode(column)
    column = _cast(arrow, column, wanted)
    if _counts_time(types, wanted):
        return _near(arrow, column)
    return _readable(arrow, column) if _is_text(types, wanted) or types.is_nested(wanted) else column


def _cast(arrow: Any, column: Any, wanted: Any) -> Any:
    """By way of texts where decimals become doubles: a direct cast may be off by one in the last place."""
    types = arrow.types
    if types.is_union(column.type):
        return arrow.nulls(len(column))
    while isinstance(column.type, arrow.BaseExtensionType) and wanted != column.type:
        column = column.storage
    if types.is_decimal(column.type) and types.is_floating(wanted):
        column = column.cast(arrow.string())
    return column if wanted == column.type else column.cast(wanted, safe=False)


def _near(arrow: Any, column: Any) -> Any:
    """Without the moments that microseconds do not count. Zeros stand there: DuckDB reads what stands under a gap."""
    compute = optional("pyarrow.compute", extra="frames")
    reach, counts = min(_SECONDS * _PER_SECOND[column.type.unit], (1 << 63) - 1), column.view(arrow.int64())
    least = -reach - (column.type.unit == "ns")  # of which every count is in reach
    near = compute.and_(compute.greater_equal(counts, least), compute.less_equal(counts, reach))
    held = compute.if_else(near, counts, arrow.scalar(None, arrow.int64()))
    buffers = [held.buffers()[0], compute.fill_null(held, 0).buffers()[1]]
    return arrow.Array.from_buffers(column.type, len(column), buffers)


def _readable(arrow: Any, column: Any) -> Any:
    """Without the values that hold text that is not UTF-8; looked for one by one only where there are some."""
    if _is_valid(arrow, column):
        return column
    kept = [place if _is_valid(arrow, column.take(arrow.array([place]))) else None for place in range(len(column))]
    return column.take(arrow.array(kept, arrow.int64()))


def _is_valid(arrow: Any, column: Any) -> bool:
    try:
        column.validate(full=True)
    except arrow.ArrowInvalid:
        return False
    return True
