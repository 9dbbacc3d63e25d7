"""A private table as an integer histogram of encoded records, from frames, files, SQL engines and Spark."""

from oracledp.data.table.pushdown import PushDown
from oracledp.data.table.table import Table

__all__ = ["PushDown", "Table"]
