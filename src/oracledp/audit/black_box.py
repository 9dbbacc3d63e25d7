"""The black-box auditor: a lower bound on epsilon from nothing but runs, wrong with a stated probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log
from typing import Any, TypeVar

from oracledp.errors import ParameterError
from oracledp.extras import optional
from oracledp.privacy.guarantee import Guarantee

ALPHA = 1e-8  # of one audit: a hundred of them refute a true claim with probability below 1e-6
PILOT_ALPHA = 0.05  # ranks pairs and events; it certifies nothing
Data = TypeVar("Data", bound=Hashable)
Run = Callable[[Data], Hashable]
Tally = Counter[Hashable]


@dataclass(frozen=True)
class Measurement:
    """What the runs prove: with probability at least 1 - alpha the true epsilon is at least ``epsilon_low``."""

    name: str
    claimed: Guarantee
    epsilon_low: float
    runs: int
    alpha: float

    @property
    def broken(self) -> bool:
        """Whether the runs refute the claim."""
        return self.epsilon_low > float(self.claimed.epsilon)

    @property
    def holds(self) -> bool:
        """Whether the claim survived."""
        return not self.broken

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table."""
        return {
            "name": self.name,
            "claimed_epsilon": float(self.claimed.epsilon),
            "claimed_delta": float(self.claimed.delta),
            "measured_epsilon": self.epsilon_low if self.epsilon_low < inf else None,
            "neighbours": self.claimed.neighbours.value,
            "runs": self.runs,
            "alpha": self.alpha,
            "holds": self.holds,
        }


def black_box(
    name: str,
    run: Run[Data],
    pairs: Sequence[tuple[Data, Data]],
    claimed: Guarantee,
    *,
    pilot: int = 400,
    runs: int = 8000,
    alpha: float = ALPHA,
) -> Measurement:
    """Look for a pair of neighbours and an event that tell most, then measure them on fresh runs.

    The pair is chosen on pilot runs, the events (one for each direction) on the first half of ``runs``; the bound
    comes from the second half alone, so that no choice can flatter it. All four binomial bounds behind it
    (two probabilities, two directions) are Clopper-Pearson bounds at alpha/4.
    """
    if not pairs or pilot < 1 or runs < 2:
        raise ParameterError("a black-box audit needs a pair of neighbours and at least two runs")
    first, second = _most_telling(run, pairs, claimed.delta, pilot)
    half = runs // 2
    chosen = [_tally(run, data, half) for data in (first, second)]
    fresh = [_tally(run, data, runs - half) for data in (first, second)]
    best = 0.0
    for here, there in ((0, 1), (1, 0)):
        event, _ = _best_event(chosen[here], chosen[there], claimed.delta)
        best = max(best, _epsilon_low(fresh[here], fresh[there], event, claimed.delta, alpha / 4))
    return Measurement(name, claimed, best, runs, alpha)


def _tally(run: Run[Data], data: Data, runs: int) -> Tally:
    return Counter(run(data) for _ in range(runs))


def _most_telling(run: Run[Data], pairs: Sequence[tuple[Data, Data]], delta: Fraction, pilot: int) -> tuple[Data, Data]:
    tallies: dict[Data, Tally] = {}
    for data in dict.fromkeys(data for pair in pairs for data in pair):
        tallies[data] = _tally(run, data, pilot)

    def promise(pair: tuple[Data, Data]) -> float:
        a, b = (tallies[data] for data in pair)
        return max(_best_event(a, b, delta)[1], _best_event(b, a, delta)[1])

    return max(pairs, key=promise)


def _best_event(here: Tally, there: Tally, delta: Fraction) -> tuple[frozenset[Hashable], float]:
    """The set of outputs, most one-sided first, with the greatest bound at the pilot's level."""
    outputs = sorted(here | there, key=lambda o: ((here[o] + 1) / (there[o] + 1), repr(o)), reverse=True)
    events = [frozenset(outputs[: size + 1]) for size in range(len(outputs))]
    ranked = [(_epsilon_low(here, there, event, delta, PILOT_ALPHA), event) for event in events]
    bound, event = max(ranked, key=lambda pair: pair[0])
    return event, bound


def _epsilon_low(here: Tally, there: Tally, event: frozenset[Hashable], delta: Fraction, alpha: float) -> float:
    inside, outside = (sum(tally[output] for output in event) for tally in (here, there))
    low = lower_bound(inside, here.total(), alpha) - float(delta)
    return log(low / upper_bound(outside, there.total(), alpha)) if low > 0 else -inf


def lower_bound(successes: int, trials: int, alpha: float) -> float:
    """Clopper and Pearson's lower bound: above the true probability with probability at most alpha.

    >>> round(lower_bound(0, 10, 0.05), 3), round(lower_bound(10, 10, 0.05), 3)
    (0.0, 0.741)
    """
    if successes == 0:
        return 0.0
    return float(optional("scipy.stats", extra="solvers").beta.ppf(alpha, successes, trials - successes + 1))


def upper_bound(successes: int, trials: int, alpha: float) -> float:
    """Clopper and Pearson's upper bound: below the true probability with probability at most alpha."""
    if successes == trials:
        return 1.0
    return float(optional("scipy.stats", extra="solvers").beta.isf(alpha, successes + 1, trials - successes))
