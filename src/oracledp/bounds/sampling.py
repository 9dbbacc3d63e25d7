"""How many draws stand for a distribution, and how far a part of the table is from the whole."""

from __future__ import annotations

from math import ceil, log, sqrt


def sample_size(log_size: float, *, error: float, beta: float) -> int:
    """By Hoeffding N = ln(2|Q|/β)/(2α²), a quarter of the paper's (T8).

    >>> sample_size(5.0, error=0.1, beta=0.05)
    435
    """
    return ceil((log(2 / beta) + log_size) / (2 * error**2))


def sampling_error(log_size: float, *, draws: float, beta: float) -> float:
    """How far any query's mean over ``draws`` draws is from its expectation, with probability 1 - β."""
    return sqrt((log(2 / beta) + log_size) / (2 * draws))


def subsample_error(log_size: float, *, part_size: float, beta: float) -> float:
    """Only the best query must not look worse on the part, and no query much better than it is.

    One-sided Hoeffding bounds for sampling without replacement, β/2 each.
    """
    return (sqrt(log_size + log(2 / beta)) + sqrt(log(2 / beta))) / sqrt(2 * part_size)
