"""A private table as an integer histogram of encoded records, from frames, files, SQL engines and Spark."""

from oracledp.table.pushdown import PushDown
from oracledp.table.table import Table

__all__ = ["PushDown", "Table"]
