"""Copies of one estimator: a search that fits many and keeps one has spent what all of them spent."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from fractions import Fraction

from oracledp.privacy.guarantee import Guarantee
from oracledp.privacy.ledger import Ledger

ELSEWHERE = "no other copy of this estimator was fitted on the same rows in another process, and no row is repeated"


class RepeatedFitWarning(UserWarning):
    """Copies of an estimator are fitted without a ledger: each fit costs ε, and so does choosing by their scores."""


@dataclass
class Lineage:
    """What an estimator and all its copies in this process have promised so far; public numbers only."""

    spent: list[tuple[Fraction, Fraction]] = field(default_factory=list)
    warned: bool = False

    def after(self, promised: Guarantee, ledger: Ledger | None) -> Guarantee:
        """What a copy that was just fitted promises together with all the others.

        With a ledger that is everything charged to it; without one, the sum over this process (proofs/composition.md),
        and the guarantee says that it does not know of others. The curve of one fit is not that of all.
        """
        self.spent.append((promised.epsilon, promised.delta))
        if ledger is not None:
            epsilon, delta = ledger.spent
            return replace(promised, epsilon=epsilon, delta=delta, rho=None)
        self._warn()
        epsilon = sum((one for one, _ in self.spent), Fraction(0))
        delta = sum((one for _, one in self.spent), Fraction(0))
        return replace(promised, epsilon=epsilon, delta=delta, rho=None).assuming(ELSEWHERE)

    def _warn(self) -> None:
        if not self.warned:
            self.warned = True
            warnings.warn(
                "copies of one estimator are fitted without a ledger: every fit costs its own epsilon, comparing their "
                "scores on private rows is not private, and resampled rows are not covered; pass ledger=, or choose "
                "with oracledp.learners.PrivateSelector",
                RepeatedFitWarning,
                stacklevel=5,
            )
