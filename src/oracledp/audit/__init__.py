"""Audits: the exact law of a mechanism on small data, compared with what it claims."""
