"""Audits: the exact law of a mechanism on small data, compared with what it claims."""

from oracledp.audit.exact_law import Finding, exact

__all__ = ["Finding", "exact"]
