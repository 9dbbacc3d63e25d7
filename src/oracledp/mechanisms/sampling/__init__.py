"""Draws of the exponential mechanism from counted, bounded sets of queries: no class is enumerated."""
