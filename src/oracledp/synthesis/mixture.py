"""The model: a mixture of product distributions over binned columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracledp.synthesis.bins import Floats
from oracledp.synthesis.layout import Layout


@dataclass(frozen=True)
class Mixture:
    """Component weights and, stacked over columns, each component's distribution of every column's bins."""

    layout: Layout
    weights: Floats
    parts: Floats  # components × stacked bins

    def two_ways(self) -> Floats:
        """All two-way tables, stacked."""
        return np.asarray(self.parts.T @ (self.parts * self.weights[:, None]))
