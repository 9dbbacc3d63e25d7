"""Conformance suites for parts that others write: a query class, an oracle, a mechanism, an SQL dialect.

The library's own parts run them too. Each suite raises :class:`NotConforming` with one line that says what is wrong,
and returns quietly otherwise; docs/extending.md shows them at work.
"""

from oracledp.audit.conformance.of_classes import check_class
from oracledp.audit.conformance.of_dialects import check_dialect
from oracledp.audit.conformance.of_mechanisms import check_mechanism
from oracledp.audit.conformance.of_oracles import check_oracle
from oracledp.audit.conformance.verdict import NotConforming

__all__ = ["NotConforming", "check_class", "check_dialect", "check_mechanism", "check_oracle"]
