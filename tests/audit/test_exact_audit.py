"""Every mechanism, on every small data set and neighbour, is exactly as private as it claims."""

from fractions import Fraction

import numpy as np
import pytest

from oracledp.audit.catalogue import Entry, catalogue, small_classes
from oracledp.audit.exact_law import exact, khot_labels, khot_minimiser, objective_for, separator_minimiser, values_of
from oracledp.audit.lattice_law import LatticeMinimiser, NoiseKind
from oracledp.classes import Conjunctions, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.privacy.guarantee import Neighbours

ENTRIES = catalogue()


@pytest.mark.parametrize("entry", ENTRIES, ids=[f"{e.name}-{i}" for i, e in enumerate(ENTRIES)])
def test_claims_hold_exactly(entry: Entry) -> None:
    for finding in entry.findings():
        assert finding.holds, finding


def test_k_hot_noise_is_not_larger_than_needed() -> None:
    """The claim is tight: some pair of neighbours reaches it where the scale is not rounded."""
    rules = ZeroOneLoss.of(Conjunctions(Literals.named("a")), Literal.boolean("y"))
    finding = exact(ReportNoisyMin(rules, Fraction(1), Neighbours.REPLACE_ONE, resolution=0), rows=2)
    assert finding.epsilon_low > 0.9


@pytest.mark.parametrize("name", sorted(small_classes()))
@pytest.mark.parametrize("embedding", ["k-hot", "separator"])
def test_the_audited_law_is_that_of_the_code(name: str, embedding: str) -> None:
    """The minimiser that the audit sums is the one that the mechanism runs, noise by noise."""
    queries = small_classes()[name]
    mechanism = ReportSeparatorPerturbedMin.calibrate(
        queries,
        epsilon=Fraction(1),
        neighbours=Neighbours.REPLACE_ONE,
        oracle=ExhaustiveOracle(),
        embedding=embedding,
        resolution=0,
    )
    scale = mechanism.perturbation.scale
    minimiser = (
        khot_minimiser(queries, scale)
        if embedding == "k-hot"
        else separator_minimiser(queries, NoiseKind("laplace", Fraction(scale)))
    )
    coefficients = khot_labels(queries)[1] if embedding == "k-hot" else minimiser.coefficients
    rng = np.random.default_rng(0)
    for _ in range(60):
        data = tuple(rng.integers(0, 3, 2**queries.dimension).tolist())
        objective = objective_for(queries, data, 1, 0)
        noise = rng.integers(-4, 1 if embedding == "k-hot" else 5, mechanism.perturbation.coordinates)
        scores = values_of(minimiser, objective) + coefficients @ noise
        found = mechanism.run_with(objective, noise.astype(np.int64))
        assert found.parts == minimiser.outputs[int(np.argmin(scores))]


def test_lattice_law_agrees_with_direct_summation() -> None:
    """The closed form for the last coordinate against a plain sum over the whole box."""
    coefficients = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]], dtype=np.int64)
    for kinds in (("geometric",) * 3, ("laplace",) * 3, ("gaussian",) * 3):
        noise = tuple(NoiseKind(kind, Fraction(1, 2)) for kind in kinds)
        minimiser = LatticeMinimiser(("a", "b", "c", "d"), coefficients, noise)
        values = np.array([1, 0, 2, 0], dtype=np.int64)
        closed = minimiser.law(values)
        summed = minimiser.law_by_box(values, lambda scores, _: np.argmin(scores, axis=0))
        assert np.allclose(closed.low.astype(float), summed.low.astype(float), atol=1e-12)
        assert closed.low.sum() <= 1 <= closed.high.sum() + 1e-15
