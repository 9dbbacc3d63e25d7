"""Self-contained HTML pages: what may be released, and what may not, never on one page."""
