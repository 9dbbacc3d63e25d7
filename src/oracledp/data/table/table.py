"""Table: what every mechanism sees of private rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.data.schema import Schema
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.histogram import distinct
from oracledp.data.table.pushdown import PushDown
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.capacity import refuse_rows
from oracledp.showing import html_table

if TYPE_CHECKING:
    from oracledp.data.table.text_columns import TextRows

MAX_CELLS = 1 << 28  # of one dense histogram: 2 GiB
VALUES_IN_SCHEMA = "all values of the table lie in its schema"


@dataclass(frozen=True, eq=False)
class Table:
    """Distinct encoded records with their counts. **All of it is private but the schema.**

    ``codes`` (distinct records × columns, the smallest unsigned type) is sorted, so the order of the rows
    leaves no trace; ``counts`` says how many rows each record stands for. Both are read-only. Printing shows
    only the schema. A pickle of a table holds the private records: keep it as you keep the data.

    Every row becomes exactly one record, by a rule that the schema alone decides and that knows no other row
    (docs/schema.md): what the schema does not know counts as *other*, missing or the nearest bound. With
    ``strict=True`` a source refuses such values instead, by column and place. A refusal tells about the data, so
    that is for data one may look at, and :attr:`assumes` then lists what a guarantee must assume. An empty table is
    a table. ``mapped`` (columns × flaws, of :class:`oracledp.data.table.flaws.Flaw`) says how many values the rule met:
    as private as the counts, not in pickles, and None where that is not known.

    With ``person="patient_id"`` every source keeps at most ``rows_per_person`` rows (one by default) of each value of
    that column, by a choice that is fixed and knows no other person's rows, and guarantees then speak of persons
    (proofs/persons.md). The column is none of the schema's. :attr:`unit` remembers it.

    A table has no ``len``: the number of rows is private under add/remove-one, and the number of distinct
    records always. :attr:`rows` says the former by name.

    >>> import pandas
    >>> schema = Schema({"age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 65]},
    ...                  "married": {"kind": "boolean"}})
    >>> frame = pandas.DataFrame({"age": [30, 31, 70], "married": [True, True, False]})
    >>> table = Table.from_frame(frame, schema)
    >>> table
    Table(age, married)
    >>> table.codes.tolist(), table.counts.tolist()
    ([[1, 1], [2, 0]], [2, 1])
    """

    schema: Schema
    codes: NDArray[np.unsignedinteger[Any]] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    assumes: tuple[str, ...] = field(default=(), repr=False)
    mapped: NDArray[np.int64] | None = field(default=None, repr=False)
    unit: Unit = field(default=ROWS, repr=False)

    def __post_init__(self) -> None:
        refuse_rows(self.counts)
        for array in (self.codes, self.counts, self.mapped):
            if array is not None:
                array.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "mapped": None}

    # ---- sources ---------------------------------------------------------------------------------
    @classmethod
    def of(cls, data: Any, schema: Schema, *, person: str | None = None, rows_per_person: int | None = None) -> Table:
        """A table as it is, if it was read by this schema; a frame as :meth:`from_frame` reads it."""
        if not isinstance(data, cls):
            return cls.from_frame(data, schema, person=person, rows_per_person=rows_per_person)
        if data.schema != schema:
            raise ParameterError("the table was encoded with another schema")
        if person is not None or rows_per_person is not None:
            raise ParameterError("a table's persons are told apart where it is read: Table.from_…(…, person=…)")
        return data

    @classmethod
    def from_frame(
        cls,
        frame: object,
        schema: Schema,
        *,
        person: str | None = None,
        rows_per_person: int | None = None,
        strict: bool = False,
    ) -> Table:
        """Encode a pandas, polars or pyarrow table; columns that the schema does not name are ignored."""
        from oracledp.data.table.frames import encode_frame

        return cls._build(encode_frame(frame, schema, Unit.of(person, rows_per_person, schema)), strict)

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Sequence[Any]],
        schema: Schema,
        *,
        person: str | None = None,
        rows_per_person: int | None = None,
        strict: bool = False,
    ) -> Table:
        """Encode columns of plain Python values, None where one is missing."""
        from oracledp.data.table.frames import encode_columns

        return cls._build(encode_columns(columns, schema, Unit.of(person, rows_per_person, schema)), strict)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        schema: Schema,
        *,
        delimiter: str | None = None,
        memory: str | None = None,
        person: str | None = None,
        rows_per_person: int | None = None,
        strict: bool = False,
    ) -> Table:
        """Encode a CSV (also ``.gz``), Parquet or Arrow file, or a folder of Parquet files, out of core.

        One GROUP BY in DuckDB reads, encodes and counts; nothing is guessed from the data. A CSV file is spelled as
        ``schema.file`` says, else UTF-8 with a header; ``delimiter`` is for a single file that has another. An empty
        field is missing, a quoted empty field is an empty text; a record that cannot be read is one whose values are
        all missing. ``memory`` (such as ``"4GB"``) is where DuckDB begins to spill to a private folder that is removed
        however the process ends.
        """
        from oracledp.data.table.duck import count_records, private_connection
        from oracledp.data.table.files import open_file

        unit = Unit.of(person, rows_per_person, schema)
        with private_connection(memory) as connection:
            spelled = schema.spelled(delimiter=delimiter)
            source = open_file(connection, Path(path), spelled, strict=strict, unit=unit)
            return cls._build(count_records(source, schema, unit), strict)

    @classmethod
    def from_sql(
        cls,
        source: Any,
        schema: Schema,
        *,
        connection: Any = None,
        person: str | None = None,
        rows_per_person: int | None = None,
        strict: bool = False,
    ) -> Table:
        """Encode a query, or a table by its name, where it is: DuckDB, PostgreSQL or Spark; or a DuckDB relation.

        The engine that holds the rows encodes and counts them; only distinct encoded records with
        their counts leave it. ``connection`` is DuckDB's, psycopg's (version 3; used in a read-only
        transaction) or a Spark session. Without one, a private DuckDB in memory runs the query.
        """
        from oracledp.data.table.duck import count_query, private_connection
        from oracledp.data.table.postgres import count_on_postgres, is_postgres
        from oracledp.data.table.spark import count_query_on_spark, is_spark

        unit = Unit.of(person, rows_per_person, schema)
        if is_postgres(connection):
            return cls._build(count_on_postgres(source, schema, connection, unit), strict)
        if is_spark(connection):
            return cls._build(count_query_on_spark(source, schema, connection, unit), strict)
        if connection is None and isinstance(source, str):
            with private_connection() as own:
                return cls._build(count_query(source, schema, own, unit), strict)
        return cls._build(count_query(source, schema, connection, unit), strict)

    @classmethod
    def from_address(
        cls,
        address: str | PathLike[str],
        schema: Schema,
        *,
        delimiter: str | None = None,
        memory: str | None = None,
        person: str | None = None,
        rows_per_person: int | None = None,
        strict: bool = False,
    ) -> Table:
        """Encode a file or folder, as :meth:`from_file`, or ``postgresql://user@host/database?table=NAME``."""
        from oracledp.data.table.addresses import is_address, open_address

        unit: dict[str, Any] = {"person": person, "rows_per_person": rows_per_person}
        if not isinstance(address, str) or not is_address(address):
            return cls.from_file(address, schema, delimiter=delimiter, memory=memory, strict=strict, **unit)
        Unit.of(person, rows_per_person, schema)
        with open_address(address) as (connection, table):
            return cls.from_sql(table, schema, connection=connection, strict=strict, **unit)

    @classmethod
    def from_spark(
        cls,
        frame: Any,
        schema: Schema,
        *,
        person: str | None = None,
        rows_per_person: int | None = None,
        strict: bool = False,
    ) -> Table:
        """Encode a Spark DataFrame on its cluster; only distinct encoded records with their counts leave it."""
        from oracledp.data.table.spark import count_on_spark

        return cls._build(count_on_spark(frame, schema, Unit.of(person, rows_per_person, schema)), strict)

    @classmethod
    def from_pushdown(
        cls, plan: PushDown, rows: Iterable[Sequence[int]] | NDArray[Any], *, strict: bool = False
    ) -> Table:
        """The table from what an engine answered to ``plan.query``, run with a client of your own."""
        return cls._build(plan.encoded(rows), strict)

    @classmethod
    def from_texts(cls, rows: TextRows, schema: Schema) -> Table:
        """The rows that were read as texts before there was a schema, by one that speaks of columns among theirs."""
        return cls._build(rows.encoded(schema), strict=False)

    @classmethod
    def from_codes(cls, codes: NDArray[Any], schema: Schema, counts: NDArray[np.int64] | None = None) -> Table:
        """A table from records that are already encoded (rows × columns), each ``counts`` times."""
        if codes.ndim != 2 or codes.shape[1] != len(schema.columns) or codes.dtype.kind not in "ui":
            raise ParameterError("codes must be integers, rows × columns of the schema")
        if codes.size and (int(codes.min()) < 0 or np.any(codes.max(axis=0) >= np.array(schema.sizes))):
            raise ParameterError("a code is outside its column's size")
        if counts is not None and (counts.shape != codes.shape[:1] or np.any(counts <= 0)):
            raise ParameterError("counts must be positive, one per record")
        return cls(schema, *distinct(schema, list(codes.T), counts))

    @classmethod
    def _build(cls, encoded: Encoded, strict: bool) -> Table:
        columns = encoded.settled(strict=strict)
        assumes = (VALUES_IN_SCHEMA,) if strict else ()
        records = distinct(encoded.schema, columns, encoded.counts)
        return cls(encoded.schema, *records, assumes, encoded.mapped(), encoded.unit)

    # ---- what it holds ---------------------------------------------------------------------------
    @property
    def rows(self) -> int:
        """The exact number of rows: public under replace-one, **private** under add/remove-one."""
        return int(self.counts.sum())

    @property
    def literals(self) -> Literals:
        """The schema's literals: public."""
        return self.schema.literals

    def packed(self, literals: Sequence[Literal] | None = None) -> PackedRecords:
        """The values of literals (the schema's by default, negated ones too) on each distinct record.

        Distinct records may have equal rows here, where no literal tells them apart.
        """
        return self.schema.packed(self.literals if literals is None else literals, self.codes)

    def matrix(self, literals: Sequence[Literal] | None = None) -> NDArray[np.uint8]:
        """The same as bytes: distinct records × literals, 0 or 1."""
        return self.packed(literals).matrix()

    def histogram(self, columns: Sequence[str]) -> NDArray[np.int64]:
        """The exact counts over the codes of some columns, as a dense array with one axis per column: private."""
        positions = [self.schema.position(column) for column in columns]
        if len(set(positions)) != len(positions):
            raise ParameterError("histogram columns must be distinct")
        shape = tuple(self.schema.sizes[position] for position in positions)
        if prod(shape) > MAX_CELLS:
            raise CapacityError(f"a histogram over {', '.join(columns)} has more than {MAX_CELLS:,} cells")
        cell = np.zeros(len(self.counts), dtype=np.int64)
        for position, size in zip(positions, shape, strict=True):
            cell = cell * size + self.codes[:, position]
        cells = np.zeros(prod(shape), dtype=np.int64)
        np.add.at(cells, cell, self.counts)
        return cells.reshape(shape)

    def __repr__(self) -> str:
        return f"Table({', '.join(self.schema.names)})"

    def _repr_html_(self) -> str:
        rows = [(column.name, column.kind, column.size) for column in self.schema.columns]
        return html_table(
            ("column", "kind", "values"), rows, caption="Table", note="Its rows, and how many there are, are private."
        )
