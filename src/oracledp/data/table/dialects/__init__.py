"""SQL engines that can encode and count where the rows are: one small file each."""

from oracledp.data.table.dialects.base import Dialect
from oracledp.data.table.dialects.bigquery import BigQuery
from oracledp.data.table.dialects.duck import DuckDB
from oracledp.data.table.dialects.postgres import PostgreSQL
from oracledp.data.table.dialects.snowflake import Snowflake
from oracledp.data.table.dialects.spark import Spark
from oracledp.registries import Registry

DIALECTS: Registry[type[Dialect]] = Registry(
    "oracledp.dialects", "dialect", {kind.key: kind for kind in (DuckDB, PostgreSQL, Spark, BigQuery, Snowflake)}
)

__all__ = ["DIALECTS", "BigQuery", "Dialect", "DuckDB", "PostgreSQL", "Snowflake", "Spark"]
