"""Arrow files with values that DuckDB refuses whole files for: each of them is missing, and stops nothing.

These are time stamps and durations that no count of microseconds holds, and texts that are not UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oracledp.extras import optional

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS = (1 << 63) // 10**6 - 1  # that microseconds count


def within_reach(connection: Any, path: Path, relation: Any) -> Any:
    """The relation of the file at a path, with what is out of reach missing; it is read batch by batch."""
    arrow, ipc = optional("pyarrow", extra="frames"), optional("pyarrow.ipc", extra="frames")
    try:
        file = ipc.open_file(path)
        batches: Iterator[Any] = (file.get_batch(place) for place in range(file.num_record_batches))
    except arrow.ArrowInvalid:  # a stream
        file = ipc.open_stream(path)
        batches = iter(file)
    if not any(_may_fail(arrow, kind) for kind in file.schema.types):
        return relation
    schema = arrow.schema([field.with_type(_held_type(arrow, field.type)) for field in file.schema])
    held = (arrow.record_batch([_held(arrow, column) for column in batch.columns], schema=schema) for batch in batches)
    return connection.from_arrow(arrow.RecordBatchReader.from_batches(schema, held))


def _may_fail(arrow: Any, kind: Any) -> bool:
    return bool(_is_text(arrow, kind) or _counts_time(arrow, kind) or _held_type(arrow, kind) != kind)


def _is_text(arrow: Any, kind: Any) -> bool:
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind))


def _counts_time(arrow: Any, kind: Any) -> bool:
    return bool(arrow.types.is_timestamp(kind) or arrow.types.is_duration(kind))


def _held_type(arrow: Any, kind: Any, inside: bool = False) -> Any:
    """The type, with counts in the place of time stamps and durations inside of lists and records."""
    if arrow.types.is_struct(kind):
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return arrow.struct([field.with_type(_held_type(arrow, field.type, inside=True)) for field in fields])
    if arrow.types.is_list(kind) or arrow.types.is_large_list(kind):
        make = arrow.list_ if arrow.types.is_list(kind) else arrow.large_list
        return make(kind.value_field.with_type(_held_type(arrow, kind.value_type, inside=True)))
    return arrow.int64() if inside and _counts_time(arrow, kind) else kind


def _held(arrow: Any, column: Any) -> Any:
    if _counts_time(arrow, column.type):
        return _near(arrow, column)
    if _is_text(arrow, column.type):
        return _readable(arrow, column)
    wanted = _held_type(arrow, column.type)
    return column if wanted == column.type else column.cast(wanted)


def _near(arrow: Any, column: Any) -> Any:
    """Without the moments that microseconds do not count. Zeros stand there: DuckDB reads what stands under a gap."""
    compute = optional("pyarrow.compute", extra="frames")
    reach, counts = min(_SECONDS * _PER_SECOND[column.type.unit], (1 << 63) - 1), column.view(arrow.int64())
    near = compute.and_(compute.greater_equal(counts, -reach), compute.less_equal(counts, reach))
    held = compute.if_else(near, counts, arrow.scalar(None, arrow.int64()))
    buffers = [held.buffers()[0], compute.fill_null(held, 0).buffers()[1]]
    return arrow.Array.from_buffers(column.type, len(column), buffers)


def _readable(arrow: Any, column: Any) -> Any:
    """Without the texts that are not UTF-8; looked for one by one only where there are some."""
    try:
        column.validate(full=True)
    except arrow.ArrowInvalid:
        large = arrow.types.is_large_string(column.type)
        texts = column.view(arrow.large_binary() if large else arrow.binary()).to_pylist()
        return arrow.array([_decoded(text) for text in texts], column.type)
    return column


def _decoded(text: bytes | None) -> str | None:
    try:
        return None if text is None else text.decode()
    except UnicodeDecodeError:
        return None
