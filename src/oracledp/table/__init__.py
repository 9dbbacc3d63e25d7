"""A private table as an integer histogram of encoded records, from frames, files and SQL."""

from oracledp.table.table import Table

__all__ = ["Table"]
