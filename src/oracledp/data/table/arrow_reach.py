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


def held_type(kind: Any, inside: bool = False) -> Any:
    """The type that DuckDB reads, which has counts in the place of moments inside of lists and records."""
    arrow = optional("pyarrow", extra="frames")
    types = arrow.types
    if not inside and kind == arrow.dictionary(arrow.int32(), arrow.string()):
        return kind
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return held_type(kind.value_type, inside)
    if isinstance(kind, arrow.BaseExtensionType) and _is_text(types, held_type(kind.storage_type)):
        return held_type(kind.storage_type)
    if types.is_map(kind):
        return arrow.map_(held_type(kind.key_type, inside=True), held_type(kind.item_type, inside=True))
    if types.is_struct(kind):
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return arrow.struct([field.with_type(held_type(field.type, inside=True)) for field in fields])
    if types.is_list(kind) or types.is_large_list(kind):
        make = arrow.list_ if types.is_list(kind) else arrow.large_list
        return make(kind.value_field.with_type(held_type(kind.value_type, inside=True)))
    if types.is_decimal256(kind):
        return arrow.decimal128(kind.precision, kind.scale) if kind.precision <= _DIGITS else arrow.float64()
    if types.is_float16(kind):
        return arrow.float32()
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return arrow.large_string() if types.is_string_view(kind) else arrow.large_binary()
    return arrow.int64() if inside and _counts_time(types, kind) else kind


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


def _counts_time(types: Any, kind: Any) -> bool:
    return bool(types.is_timestamp(kind) or types.is_duration(kind))


def _held(arrow: Any, column: Any, wanted: Any) -> Any:
    types = arrow.types
    if types.is_dictionary(wanted):
        plain = _is_valid(arrow, column.dictionary)
        return column if plain else _held(arrow, column, wanted.value_type).dictionary_encode()
    if types.is_dictionary(column.type):
        values = column.dictionary.cast(wanted, safe=False)
        column = arrow.DictionaryArray.from_arrays(column.indices, values).dictionary_decode()
    elif types.is_run_end_encoded(column.type):
        column = optional("pyarrow.compute", extra="frames").run_end_decode(column)
    if isinstance(column.type, arrow.BaseExtensionType) and wanted != column.type:
        column = column.storage
    if wanted != column.type:
        column = column.cast(wanted, safe=False)
    if _counts_time(types, wanted):
        return _near(arrow, column)
    return _readable(arrow, column) if _is_text(types, wanted) or types.is_nested(wanted) else column


def _near(arrow: Any, column: Any) -> Any:
    """Without the moments that microseconds do not count. Zeros stand there: DuckDB reads what stands under a gap."""
    compute = optional("pyarrow.compute", extra="frames")
    reach, counts = min(_SECONDS * _PER_SECOND[column.type.unit], (1 << 63) - 1), column.view(arrow.int64())
    near = compute.and_(compute.greater_equal(counts, -reach), compute.less_equal(counts, reach))
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
