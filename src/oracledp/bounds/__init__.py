"""Every accuracy theorem as a function, with explicit constants that hold.

Errors are shares of the rows; nothing here touches data. The tests hold each bound against simulation.
"""

from oracledp.bounds.oracle_query import Game, GameBound
from oracledp.bounds.order_statistics import (
    gamma_quantile,
    gamma_tail,
    harmonic,
    top_sum_mean,
    top_sum_quantile,
    top_sum_tail,
)
from oracledp.bounds.prsma import prsma
from oracledp.bounds.regret import FtplRegret, context_ftpl
from oracledp.bounds.sampling import sample_size, sampling_error, subsample_error
from oracledp.bounds.selection import (
    exponential,
    exponential_mean,
    gaussian_rspm,
    gaussian_rspm_mean,
    report_noisy_min,
    rspm_k_hot,
    rspm_k_hot_mean,
    rspm_k_hot_tail,
    rspm_k_hot_union,
    rspm_separator,
    rspm_separator_mean,
)
from oracledp.bounds.shape import Shape

__all__ = [
    "FtplRegret",
    "Game",
    "GameBound",
    "Shape",
    "context_ftpl",
    "exponential",
    "exponential_mean",
    "gamma_quantile",
    "gamma_tail",
    "gaussian_rspm",
    "gaussian_rspm_mean",
    "harmonic",
    "prsma",
    "report_noisy_min",
    "rspm_k_hot",
    "rspm_k_hot_mean",
    "rspm_k_hot_tail",
    "rspm_k_hot_union",
    "rspm_separator",
    "rspm_separator_mean",
    "sample_size",
    "sampling_error",
    "subsample_error",
    "top_sum_mean",
    "top_sum_quantile",
    "top_sum_tail",
]
