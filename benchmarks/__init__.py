"""Measurements of speed and accuracy, run from the root of the repository: ``python -m benchmarks.NAME``."""
