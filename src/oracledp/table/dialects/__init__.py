"""SQL engines that can encode and count where the rows are: one small file each."""

from oracledp.table.dialects.base import Dialect
from oracledp.table.dialects.bigquery import BigQuery
from oracledp.table.dialects.duck import DuckDB
from oracledp.table.dialects.postgres import PostgreSQL
from oracledp.table.dialects.snowflake import Snowflake
from oracledp.table.dialects.spark import Spark

DIALECTS: dict[str, Dialect] = {
    dialect.key: dialect for dialect in (DuckDB(), PostgreSQL(), Spark(), BigQuery(), Snowflake())
}

__all__ = ["DIALECTS", "BigQuery", "Dialect", "DuckDB", "PostgreSQL", "Snowflake", "Spark"]
