"""The public description of a table: kinds of columns, their bounds and categories, never read from private data."""

from oracledp.data.schema.columns import Boolean, Categorical, Column
from oracledp.data.schema.durations import Duration
from oracledp.data.schema.file_format import FileFormat
from oracledp.data.schema.moments import Date, Moment, Timestamp
from oracledp.data.schema.ordered import Amount, Integer, Numeric, Ordered
from oracledp.data.schema.schema import Schema

__all__ = [
    "Amount",
    "Boolean",
    "Categorical",
    "Column",
    "Date",
    "Duration",
    "FileFormat",
    "Integer",
    "Moment",
    "Numeric",
    "Ordered",
    "Schema",
    "Timestamp",
]
