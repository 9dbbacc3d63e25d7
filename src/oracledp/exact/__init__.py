"""Exact and outward-rounded arithmetic, sums that cannot wrap: nothing here is private or random."""
