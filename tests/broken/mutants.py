"""Deliberately broken mechanisms: each must be rejected by the audit, or the audit is worth nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.exact_law import (
    Finding,
    compare,
    exact,
    khot_labels,
    khot_minimiser,
    neighbour_pairs,
    objective_for,
    separator_minimiser,
    values_of,
)
from oracledp.audit.lattice_law import LatticeMinimiser, NoiseKind
from oracledp.audit.law import Law
from oracledp.audit.verdict import Verdict
from oracledp.classes import Conjunctions, DecisionLists, Parities, QueryClass, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.privacy.guarantee import Guarantee, Neighbours

REPLACE, ADD = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE
ONE = Fraction(1)


@dataclass(frozen=True)
class Mutant:
    """A broken mechanism: what is wrong with it, and the audit that must refute its claim."""

    name: str
    wrong: str
    audit: Callable[[], Verdict]
    tier: str = "exact law"

    @property
    def file(self) -> str:
        """Where it is written down."""
        return f"tests/{self.audit.__module__.replace('.', '/')}.py"

    @property
    def caught(self) -> bool:
        """Whether the audit refutes the claim beyond rounding."""
        return bool(self.audit().broken)  # numbers of numpy compare to its own kind of bool, which JSON refuses


def claim(epsilon: Fraction, neighbours: Neighbours) -> Guarantee:
    """What the mutant pretends."""
    return Guarantee(epsilon=epsilon, neighbours=neighbours, proof="none: this is a mutant")


def on_small_data(
    name: str,
    queries: QueryClass,
    minimiser: LatticeMinimiser,
    epsilon: Fraction,
    neighbours: Neighbours,
    rows: int = 2,
) -> Finding:
    """Audit a wrong minimiser over all small data sets."""
    laws: dict[Any, Law] = {}

    def law(data: tuple[int, ...]) -> Law:
        if data not in laws:
            laws[data] = minimiser.law(values_of(minimiser, objective_for(queries, data, 1, 0)))
        return laws[data]

    pairs = neighbour_pairs(2**queries.dimension, rows, neighbours)
    return compare(name, claim(epsilon, neighbours), ((law(a), law(b)) for a, b in pairs))


def on_values(
    name: str, minimiser: LatticeMinimiser, before: list[int], after: list[int], epsilon: Fraction
) -> Finding:
    """Audit a wrong minimiser on two score vectors a replaced record apart."""
    first, second = (minimiser.law(np.array(values, dtype=np.int64)) for values in (before, after))
    return compare(name, claim(epsilon, REPLACE), [(first, second)])


def _loss() -> ZeroOneLoss:
    return ZeroOneLoss.of(Conjunctions(Literals.named("a")), Literal.boolean("y"))


def _paper_scale() -> Finding:
    """E1: the paper's Lap(m/ε) under replace-one; the exact epsilon is 2ε."""
    queries = _loss()
    kind = NoiseKind("laplace", len(queries.separator()) / ONE)
    return on_small_data("paper's Laplace scale", queries, separator_minimiser(queries, kind), ONE, REPLACE)


def _margin_off_lattice() -> Finding:
    """P1: the code [3,2,2] with a witness that is not a lattice point; one record added to one query's count."""
    epsilon = Fraction(2)
    queries = Parities(Literals.named("a", "b"), code=((1, 0), (0, 1), (1, 1)))
    minimiser = separator_minimiser(queries, NoiseKind("laplace", Fraction(3, 2) / epsilon))
    return on_values("margin off the lattice", minimiser, [0, 0, 1, 4], [0, 0, 1, 5], epsilon)


def _no_dummies() -> Finding:
    """P2: subsets of different sizes, one-sided noise, no padding."""
    coefficients = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.int64)
    minimiser = LatticeMinimiser(
        ("{}", "{1}", "{2}", "{1,2}"), coefficients, (NoiseKind("geometric", Fraction(4)),) * 2
    )
    return on_values("no dummies", minimiser, [0, 1, 1, 1], [2, 1, 1, 1], ONE)


def _ties_by_noise() -> Finding:
    """P3: a rule that looks at the noise, as a solver's pivoting might: ties go first only if the noises are near."""
    minimiser = LatticeMinimiser(("first", "second"), np.eye(2, dtype=np.int64), (NoiseKind("geometric", 2 / ONE),) * 2)

    def choose(scores: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        tied = scores[0] == scores[1]
        return np.asarray(np.where(tied, noise[0] - noise[1] < -4, np.argmin(scores, axis=0)), dtype=np.int64)

    laws = [minimiser.law_by_box(np.array(v, dtype=np.int64), choose) for v in ([3, 0], [5, 0])]
    return compare("ties by noise", claim(ONE, REPLACE), [(laws[0], laws[1])])


def _default_without_part() -> Finding:
    """P4: the default label of a decision list carries no noise, so it cancels."""
    queries = ZeroOneLoss.of(DecisionLists(Literals.named("a"), length=1), Literal.boolean("y"))
    outputs, coefficients = khot_labels(queries)
    kinds = (NoiseKind("geometric", Fraction(4)),) * (coefficients.shape[1] - 2)
    minimiser = LatticeMinimiser(outputs, coefficients[:, :-2], kinds)
    return on_small_data("default label without a part", queries, minimiser, ONE, REPLACE, rows=1)


def _sign_as_one_coordinate() -> Finding:
    """P5: the sign as one binary coordinate with one-sided noise."""
    kind = NoiseKind("geometric", Fraction(2))
    minimiser = LatticeMinimiser(("q", "not q"), np.array([[0], [1]], dtype=np.int64), (kind,))
    return on_values("sign as one coordinate", minimiser, [-1, 0], [1, 0], ONE)


def _half_scale() -> Finding:
    """k-hot noise at half the scale."""
    queries = _loss()
    return on_small_data("half the noise", queries, khot_minimiser(queries, 1), ONE, REPLACE)


def _add_remove_scale_for_replace() -> Finding:
    """Noise for add/remove-one, claimed for replace-one (sensitivity off by two), in the exponential mechanism."""
    right = ExponentialMechanism(_loss(), ONE, ADD)
    finding = exact(ExponentialMechanism(right.queries, 2 * ONE, REPLACE))
    return Finding(
        "add/remove rate claimed for replace-one",
        claim(ONE, REPLACE),
        finding.epsilon_low,
        finding.epsilon_high,
        finding.delta_low,
        finding.delta_high,
        finding.pairs,
    )


def _unclipped() -> Finding:
    """A record counted three times: the data were not clipped to one unit each."""
    queries = _loss()
    minimiser = khot_minimiser(queries, 2)
    laws = [
        minimiser.law(3 * values_of(minimiser, objective_for(queries, data, 1, 0)))
        for data in ((1, 0, 0, 0), (0, 1, 0, 0))
    ]
    return compare("records of weight three", claim(ONE, REPLACE), [(laws[0], laws[1])])


def _no_noise() -> Finding:
    """The oracle's answer, released as it is."""
    queries = _loss()
    right = khot_minimiser(queries, 1)
    minimiser = LatticeMinimiser(right.outputs, np.zeros((len(right.outputs), 0), dtype=np.int64), ())
    return on_small_data("no noise at all", queries, minimiser, ONE, REPLACE)


def _shared_noise() -> Finding:
    """One draw of noise used for every part: it cancels among queries of equal width."""
    queries = Conjunctions(Literals.named("a", "b"), max_width=1)
    outputs, coefficients = khot_labels(queries)
    kind = NoiseKind("geometric", Fraction(2))
    minimiser = LatticeMinimiser(outputs, coefficients.sum(axis=1, keepdims=True), (kind,))
    return on_small_data("one draw for all parts", queries, minimiser, ONE, REPLACE)


EXACT_MUTANTS: tuple[Mutant, ...] = (
    Mutant("paper-laplace-scale", "the paper's noise under replace-one (E1)", _paper_scale),
    Mutant("margin-off-lattice", "a margin whose witness is not a lattice point (P1)", _margin_off_lattice),
    Mutant("no-dummies", "one-sided noise on subsets of different sizes (P2)", _no_dummies),
    Mutant("ties-by-noise", "tie-breaking that looks at the noise (P3)", _ties_by_noise),
    Mutant("default-without-part", "a decision list whose default is not a part (P4)", _default_without_part),
    Mutant("sign-as-one-coordinate", "the sign as one coordinate with one-sided noise (P5)", _sign_as_one_coordinate),
    Mutant("half-scale", "half the noise", _half_scale),
    Mutant("wrong-neighbours", "add/remove noise claimed for replace-one", _add_remove_scale_for_replace),
    Mutant("unclipped", "records that count more than once", _unclipped),
    Mutant("no-noise", "no noise", _no_noise),
    Mutant("shared-noise", "one noise draw shared by all parts", _shared_noise),
)
