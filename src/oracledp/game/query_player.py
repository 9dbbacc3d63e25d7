"""The query player: one private selection over Q and its negations per round, composed exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Protocol

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.roots import sqrt_below
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.gaussian_min import GaussianReportSeparatorPerturbedMin
from oracledp.mechanisms.objective import nothing_found
from oracledp.mechanisms.payoff import Payoff
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.sampling.tree_sampler import samples
from oracledp.oracles.base import Failed
from oracledp.oracles.registry import resolve
from oracledp.oracles.values import MOST_QUERIES
from oracledp.privacy.accounting import homogeneous_epsilon, zcdp_rho
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.choice import exponential_choice
from oracledp.randomness.lattice import lattice
from oracledp.randomness.source import Randomness

NEIGHBOURS = Neighbours.REPLACE_ONE  # the payoff q(S) - q(sample) needs a public number of rows (trap P8)
BOTH_SIDES = 4  # a payoff weighs the rows and as much on the proposals; rounding those adds far less than as much again


class QueryPlayer(Protocol):
    """A calibrated private best response: what all rounds together promise, and one round."""

    lists_queries: ClassVar[bool]  # whether it can use a scoreboard of all queries

    @property
    def rounds(self) -> int:
        """How many answers the promise covers."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """The promise of all rounds together."""
        ...

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse, by public facts and before anything is paid, what no round could carry out."""
        ...

    def respond(self, payoff: Payoff, source: Randomness) -> Parts:
        """A query that nearly maximises the payoff."""
        ...


@dataclass(frozen=True)
class ExponentialPlayer:
    """The private learning oracle of the paper's best bound: the exponential mechanism, exactly (Theorem 4).

    Each round is ε0²/8-zCDP (bounded range), so T rounds are Tε0²/8-zCDP (proofs/oracle-query.md).
    """

    mechanism: ExponentialMechanism
    guarantee: Guarantee
    rounds: int
    lists_queries: ClassVar[bool] = True

    @classmethod
    def calibrate(cls, queries: QueryClass, rounds: int, epsilon: Fraction, delta: Fraction) -> ExponentialPlayer:
        """ε0 = sqrt(8ρ/T), rounded down. A class that can be neither listed nor sampled is refused."""
        if queries.size > MOST_QUERIES and not all(samples(branch.base) for branch in queries.branches()):
            raise ParameterError(
                f"the exponential query player can neither list nor sample {queries.size} {queries.kind} queries: "
                "use a smaller class, or query_player='rspm'"
            )
        per_round = sqrt_below(8 * zcdp_rho(epsilon, delta) / rounds)
        guarantee = Guarantee(epsilon=epsilon, delta=delta, neighbours=NEIGHBOURS, proof="oracle-query")
        return cls(ExponentialMechanism(queries, per_round, NEIGHBOURS), guarantee, rounds)

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """The rows and as much weight on the proposals."""
        self.mechanism.check(rows_bound, BOTH_SIDES * unit, resolution=lattice().fixed_ties)

    def respond(self, payoff: Payoff, source: Randomness) -> Parts:
        """One exact draw."""
        if payoff.board is None:
            return self.mechanism.run(payoff.selection(), source)
        rate = self.mechanism.rate / (1 << payoff.resolution)
        return payoff.board.parts_at(exponential_choice(payoff.board.values(payoff.resolution), rate, source))


def each_round(epsilon: Fraction, delta: Fraction, rounds: int) -> tuple[Fraction, Fraction]:
    """ε0 and δ0 of one round of so many: half of δ pays for the composition of the ε0, half for the δ0.

    >>> each_round(Fraction(1), Fraction(1, 1000), 1)[1]
    Fraction(1, 2000)
    """
    return homogeneous_epsilon(epsilon, delta / 2, rounds), delta / (2 * rounds)


def whole_promise(epsilon: Fraction, delta: Fraction, of_a_round: Guarantee) -> Guarantee:
    """What all rounds promise together; it stands on what each of them stands on."""
    return replace(of_a_round, epsilon=epsilon, delta=delta, proof="oracle-query")


def perturbed_answer(
    mechanism: ReportSeparatorPerturbedMin | GaussianReportSeparatorPerturbedMin, payoff: Payoff, source: Randomness
) -> Parts:
    """One run of perturbed minimisation on the payoff; a failure ends the game with nothing released."""
    found = mechanism.run(payoff.objective(mechanism.perturbation.resolution), source)
    if isinstance(found, Failed):
        raise nothing_found(mechanism.oracle, found)
    return found.parts


@dataclass(frozen=True)
class PerturbedPlayer:
    """RSPM as query player: pure ε0 per round, exact homogeneous composition; contingent unless its oracle is total."""

    mechanism: ReportSeparatorPerturbedMin
    guarantee: Guarantee
    rounds: int
    lists_queries: ClassVar[bool] = False

    @classmethod
    def calibrate(
        cls,
        queries: QueryClass,
        rounds: int,
        epsilon: Fraction,
        delta: Fraction,
        *,
        embedding: str,
        oracle: str,
        rows: int = MOST_ROWS,
    ) -> PerturbedPlayer:
        """The largest ε0 whose T-fold composition is (ε, δ); ties of a solver are charged to δ first."""
        chosen = resolve(oracle, queries)
        ties = Fraction(0) if chosen.fixed_ties else delta / 2
        mechanism = ReportSeparatorPerturbedMin.calibrate(
            queries,
            epsilon=homogeneous_epsilon(epsilon, delta - ties, rounds),
            neighbours=NEIGHBOURS,
            oracle=chosen,
            embedding=embedding,
            rows_bound=rows,
            unit=BOTH_SIDES,
        )
        if rounds * mechanism.guarantee.delta > ties:
            raise ParameterError("the ties of this oracle cost more than half of delta: use fewer rounds")
        return cls(mechanism, whole_promise(epsilon, delta, mechanism.guarantee), rounds)

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """The rows and as much weight on the proposals."""
        self.mechanism.check(rows_bound, BOTH_SIDES * unit)

    def respond(self, payoff: Payoff, source: Randomness) -> Parts:
        """One run; a failure ends the game with nothing released."""
        return perturbed_answer(self.mechanism, payoff, source)
