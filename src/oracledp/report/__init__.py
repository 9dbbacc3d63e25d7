"""Self-contained HTML pages: what may be released, and what may not, never on one page."""

from oracledp.report.internal import internal_comparison

__all__ = ["internal_comparison"]
