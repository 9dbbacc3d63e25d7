"""Two tables linked by a person: one row each in the first, at most so many in the second (proofs/linked-tables.md).

All rows of a person come down to a few records by rules that know no other person's rows, and that never fail: of
several rows with one id in the first table one is kept, of too many in the second as many as are allowed, both by the
fixed choice of :mod:`~oracledp.data.table.persons`; a row of the second whose id the first lacks is left out, and so is
every row without an id.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.table.addresses import is_address, open_address
from oracledp.data.table.duck import kept_records, private_connection, query_source
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.files import open_file
from oracledp.data.table.frames import encode_columns, encode_frame
from oracledp.data.table.histogram import distinct
from oracledp.data.table.postgres import is_postgres, kept_on_postgres
from oracledp.data.table.spark import is_spark, kept_on_spark, kept_query_on_spark
from oracledp.data.table.table import VALUES_IN_SCHEMA, Table
from oracledp.data.table.unit import Unit
from oracledp.exact.numbers import whole

MOST_CHILDREN = 100
WHOLE = 840  # what the children of a person weigh together: a multiple of every number up to eight
_NUMBER = "number of rows"
Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class LinkedSchema:
    """What is public of two linked tables: their schemas, the column of ids, how many children of a person are kept.

    >>> people, visits = Schema({"age": "integer 0..99"}), Schema({"ill": "boolean", "age": "integer 0..9"})
    >>> linked = LinkedSchema.of(people, visits, "id", 3)
    >>> linked.counted.names, linked.joined.names
    (('age', 'number of rows'), ("age'", 'number of rows', 'ill', 'age'))
    """

    parents: Schema
    children: Schema
    unit: Unit

    @classmethod
    def of(cls, parents: Schema, children: Schema, person: str, rows_per_person: int) -> LinkedSchema:
        """What a user asked for; the ids are a column of neither schema."""
        most = whole(rows_per_person, "rows_per_person", most=MOST_CHILDREN)
        for schema in (parents, children):
            Unit.of(person, most, schema)
        return cls(parents, children, Unit(person, most))

    @property
    def most(self) -> int:
        """How many children of a person are kept."""
        return self.unit.rows

    @property
    def counted(self) -> Schema:
        """A parent and the number of its children; what the parents' schema forbids is forbidden here."""
        plain = {key: value for key, value in self.parents.to_json().items() if key != "file"}
        return Schema({**plain, "columns": {**plain["columns"], self._number(self.parents.names): self._counts}})

    @property
    def joined(self) -> Schema:
        """A child after its parent and the number of that one's children. Parents' names give way to children's."""
        own, columns = self.children.to_json()["columns"], self.parents.to_json()["columns"]
        names: list[str] = []
        for name in self.parents.names:
            names.append(_unlike(name, {*names, *own}))
        number = self._number([*names, *own])
        before = dict(zip(names, columns.values(), strict=True))
        return Schema({"columns": {**before, number: self._counts, **own}})

    @property
    def _counts(self) -> dict[str, Any]:
        return {"kind": "integer", "lo": 0, "hi": self.most}

    def _number(self, taken: Collection[str]) -> str:
        return _unlike(_NUMBER, taken)


def _unlike(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "'"
    return name


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """Two linked tables as a mechanism sees them. **All of it is private but the schema**; printing shows no more.

    ``parents`` has one record per person: the columns and the number of children. ``children`` has one per child, after
    those of its parent, and weighs it: the children of one person weigh at most :data:`WHOLE` together.
    """

    schema: LinkedSchema
    parents: Table = field(repr=False)
    children: Table = field(repr=False)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What reading the rows took for granted."""
        return self.parents.assumes

    # ---- sources ---------------------------------------------------------------------------------
    @classmethod
    def from_frames(
        cls, parents: object, children: object, schema: LinkedSchema, *, strict: bool = False
    ) -> LinkedTable:
        """Encode and join two pandas, polars or pyarrow tables."""
        return cls._read(encode_frame, parents, children, schema, strict)

    @classmethod
    def from_columns(
        cls, parents: Columns, children: Columns, schema: LinkedSchema, *, strict: bool = False
    ) -> LinkedTable:
        """Encode and join columns of plain Python values, None where one is missing."""
        return cls._read(encode_columns, parents, children, schema, strict)

    @classmethod
    def from_files(
        cls,
        parents: str | PathLike[str],
        children: str | PathLike[str],
        schema: LinkedSchema,
        *,
        memory: str | None = None,
        strict: bool = False,
    ) -> LinkedTable:
        """Encode and join two files, or folders of Parquet files, as :meth:`Table.from_file` reads each."""
        return cls._read(partial(_kept_of_file, memory=memory, strict=strict), parents, children, schema, strict)

    @classmethod
    def from_addresses(
        cls,
        parents: str | PathLike[str],
        children: str | PathLike[str],
        schema: LinkedSchema,
        *,
        memory: str | None = None,
        strict: bool = False,
    ) -> LinkedTable:
        """The same, where either may be ``postgresql://user@host/database?table=NAME`` instead of a file."""

        def read(address: str | PathLike[str], own: Schema, unit: Unit) -> Encoded:
            if not isinstance(address, str) or not is_address(address):
                return _kept_of_file(address, own, unit, memory=memory, strict=strict)
            with open_address(address) as (connection, table):
                return kept_on_postgres(table, own, connection, unit)

        return cls._read(read, parents, children, schema, strict)

    @classmethod
    def from_sql(
        cls, parents: Any, children: Any, schema: LinkedSchema, *, connection: Any = None, strict: bool = False
    ) -> LinkedTable:
        """Encode and join two queries, or tables by their names: DuckDB, PostgreSQL or Spark; or DuckDB relations.

        The engine encodes the rows and chooses which are kept. These leave it one by one, with their ids, and are
        joined here: what a child is counted beside may stand in another database.
        """
        return cls._read(partial(_kept_of_query, connection=connection), parents, children, schema, strict)

    @classmethod
    def from_spark(cls, parents: Any, children: Any, schema: LinkedSchema, *, strict: bool = False) -> LinkedTable:
        """The same for two Spark DataFrames."""
        return cls._read(kept_on_spark, parents, children, schema, strict)

    @classmethod
    def _read(
        cls,
        read: Callable[[Any, Schema, Unit], Encoded],
        parents: Any,
        children: Any,
        schema: LinkedSchema,
        strict: bool,
    ) -> LinkedTable:
        one = read(parents, schema.parents, Unit(schema.unit.person, 1))
        return cls._joined(schema, one, read(children, schema.children, schema.unit), strict)

    @classmethod
    def _joined(cls, schema: LinkedSchema, parents: Encoded, children: Encoded, strict: bool) -> LinkedTable:
        places = {person: place for place, person in enumerate(parents.persons)}
        owners = np.array([places.get(person, -1) for person in children.persons], dtype=np.int64)
        kept = owners >= 0
        owners, rows = owners[kept], [column[kept] for column in children.settled(strict=strict)]
        numbers = np.bincount(owners, minlength=len(places)).astype(np.int64)
        before = [*parents.settled(strict=strict), numbers]
        weights = WHOLE // numbers[owners]
        assumes = (VALUES_IN_SCHEMA,) if strict else ()
        return cls(
            schema,
            _table(schema.counted, before, None, assumes),
            _table(schema.joined, [*(column[owners] for column in before), *rows], weights, assumes),
        )

    # ---- what it holds ---------------------------------------------------------------------------
    def rows(self) -> NDArray[np.int64]:
        """The children one by one, each after its parent's codes: as private as the tables."""
        codes = self.children.codes.astype(np.int64)
        each = self.children.counts // (WHOLE // codes[:, len(self.schema.parents.columns)])
        return np.repeat(codes, each, axis=0)


def _table(
    schema: Schema, columns: list[NDArray[Any]], weights: NDArray[np.int64] | None, assumes: tuple[str, ...]
) -> Table:
    return Table(schema, *distinct(schema, columns, weights), assumes)


# ---- rows and whose they are -------------------------------------------------------------------------
def _kept_of_file(path: str | PathLike[str], own: Schema, unit: Unit, *, memory: str | None, strict: bool) -> Encoded:
    with private_connection(memory) as connection:
        found = kept_records(open_file(connection, Path(path), own, strict=strict, unit=unit), own, unit)
        found.settled(strict=strict)  # here, while the file is open: a refusal names its line
        return found


def _kept_of_query(source: Any, own: Schema, unit: Unit, *, connection: Any) -> Encoded:
    if is_postgres(connection):
        return kept_on_postgres(source, own, connection, unit)
    if is_spark(connection):
        return kept_query_on_spark(source, own, connection, unit)
    alone = connection is None and isinstance(source, str)
    with private_connection() if alone else nullcontext(connection) as opened:
        return kept_records(query_source(source, opened), own, unit)
