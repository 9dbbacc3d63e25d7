"""More broken mechanisms for the exact tier: the paper's other constants, private offsets, wrong supports."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, erf, exp, floor, log, sqrt

import numpy as np
from experiments.paper_constants import paper_design

from broken.mutants import ADD, ONE, REPLACE, Mutant, claim, on_small_data, on_values
from oracledp.audit.exact_law import Finding, compare, khot_minimiser
from oracledp.audit.lattice_law import LatticeMinimiser, NoiseKind
from oracledp.audit.law import Law
from oracledp.audit.verdict import Fact
from oracledp.classes import Conjunctions, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.choice import exponential_law


def _two(kind: NoiseKind) -> LatticeMinimiser:
    """Two labels with independent noise."""
    return LatticeMinimiser(("first", "second"), np.eye(2, dtype=np.int64), (kind, kind))


def _paper_gaussian() -> Finding:
    """E2: the counterexample's exact law, (1+P)/2 against (1-P)/2 on the parity of the output, at m = 400."""
    delta, m = Fraction(1, 10**5), 400
    sigma = 3.5 * sqrt(m * log(1 / delta))
    p = 1 - (1 - erf(1 / (sigma * sqrt(2)))) ** m
    true = (1 + p) / 2 - exp(1) * (1 - p) / 2
    claimed = Guarantee(epsilon=ONE, delta=delta, neighbours=REPLACE, proof="none: this is a mutant")
    return Finding("paper's Gaussian scale", claimed, 0.0, float("inf"), true - 1e-9, true + 1e-9, 1)


def _paper_threshold() -> Fact:
    """E3: the paper's threshold gives up a quarter of the time with an oracle that never fails."""
    design = paper_design(epsilon=1, delta="1e-6", rows=10**6)
    return Fact(
        "the paper's PRSMA answers with probability 1 - δ",
        design.beta <= design.delta,
        f"it returns ⊥ with probability {float(design.beta):.3f} when the oracle never fails",
    )


def _two_draws() -> Finding:
    """E6: report-noisy-max of two candidates, each with Lap(1/ε): 2ε under replace-one."""
    minimiser = _two(NoiseKind("laplace", 1 / ONE))
    return on_values("two draws of Lap(1/ε)", minimiser, [31, 0], [29, 0], ONE)


def _private_offset() -> Finding:
    """P8: a public sample weighted n/N under add/remove-one; one more record moves n too, so the comparison by 2."""
    laws = [_two(NoiseKind("geometric", ONE)).law(np.array(v, dtype=np.int64)) for v in ([0, 4], [1, 3])]
    return compare("a public sample weighted by the private n", claim(ONE, ADD), [(laws[0], laws[1])])


def _negated_as_minus() -> Finding:
    """P8: the negation of q written -q: adding a record moves q up and its negation down."""
    laws = [_two(NoiseKind("geometric", ONE)).law(np.array(v, dtype=np.int64)) for v in ([4, -4], [5, -5])]
    return compare("¬q written as -q", claim(ONE, ADD), [(laws[0], laws[1])])


class _Truncated(NoiseKind):
    """Noise cut off at two scales."""

    @property
    def reach(self) -> int:
        """Two scales."""
        return int(2 * self.scale)

    @property
    def tail(self) -> float:
        """Nothing is left out."""
        return 0.0


def _truncated() -> Finding:
    minimiser = _two(_Truncated("geometric", Fraction(2)))
    laws = [
        minimiser.law_by_box(np.array(values, dtype=np.int64), lambda scores, _: np.argmin(scores, axis=0))
        for values in ([3, 0], [5, 0])
    ]
    return compare("noise cut off at two scales", claim(ONE, REPLACE), [(laws[0], laws[1])])


def _rounded_down() -> Finding:
    """The scale Δk/ε rounded to the nearest integer below instead of above."""
    queries = ZeroOneLoss.of(Conjunctions(Literals.named("a")), Literal.boolean("y"))
    epsilon = Fraction(7, 10)
    scale = floor(2 * queries.hot / epsilon)
    assert scale < ceil(2 * queries.hot / epsilon)
    return on_small_data("a scale rounded down", queries, khot_minimiser(queries, scale), epsilon, REPLACE)


def _flip_without_permuting() -> Finding:
    """Permute-and-flip in the order of the class: a certain winner hides all who come after it."""

    def law(scores: list[int]) -> Law:
        left, masses = 1.0, []
        for score in scores:
            weight = exp(-(score - min(scores)) / 2)
            masses.append(left * weight)
            left *= 1 - weight
        found = np.array(masses, dtype=np.longdouble)
        return Law(("first", "second"), found * (1 - 1e-15), found * (1 + 1e-15))

    return compare("flip without permuting", claim(ONE, REPLACE), [(law([0, 1]), law([1, 0]))])


def _categories_from_data() -> Finding:
    """The choices are the values that occur: a new value shows by being chosen at all."""

    def law(counts: list[int]) -> Law:
        seen = [i for i, count in enumerate(counts) if count]
        bounds = [(Fraction(0), Fraction(0))] * len(counts)
        for i, bound in zip(seen, exponential_law(-np.array([counts[i] for i in seen]), ONE / 2), strict=True):
            bounds[i] = bound
        return Law.from_fractions(("red", "green", "blue"), bounds)

    return compare("categories read from the data", claim(ONE, REPLACE), [(law([3, 1, 0]), law([3, 0, 1]))])


def _gaussian_claimed_pure() -> Finding:
    """Gaussian noise has no pure guarantee at any scale."""
    kind = NoiseKind("gaussian", Fraction(4))
    return on_values("Gaussian noise claimed pure", _two(kind), [8, 0], [10, 0], ONE)


LAW_MUTANTS: tuple[Mutant, ...] = (
    Mutant("paper-gaussian-scale", "the paper's Gaussian noise (E2)", _paper_gaussian),
    Mutant("paper-threshold", "the paper's threshold, which fails a quarter of the time (E3)", _paper_threshold),
    Mutant("paper-two-draws", "report-noisy-max of two with Lap(1/ε) each (E6)", _two_draws),
    Mutant("private-offset", "a public sample weighted by the private number of rows (P8)", _private_offset),
    Mutant("negated-as-minus", "a negated query written as -q (P8)", _negated_as_minus),
    Mutant("truncated-noise", "noise cut off far out", _truncated),
    Mutant("scale-rounded-down", "a noise scale rounded down", _rounded_down),
    Mutant("flip-without-permuting", "permute-and-flip without the permutation", _flip_without_permuting),
    Mutant("data-read-categories", "categories read from the data", _categories_from_data),
    Mutant("gaussian-claimed-pure", "Gaussian noise with a pure claim", _gaussian_claimed_pure),
)
