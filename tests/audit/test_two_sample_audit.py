"""Theorem 7: its certificate recomputed by other means, and the exact law against oracles that fail where it hurts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import exp, log
from types import SimpleNamespace

import numpy as np
import pytest

from oracledp.audit.enumeration import UNIT, law_of_runs
from oracledp.audit.prsma_law import Behaviour, Content, Outcome, logistic_base
from oracledp.audit.two_sample_law import binomial, scanned_delta
from oracledp.errors import ParameterError
from oracledp.mechanisms.robust import theorem_two_sample
from oracledp.mechanisms.robust.delta import certified_delta, delta_terms
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.runs import Array, Run, ThisProcess
from oracledp.mechanisms.robust.subsampling import answer_after_tests, subsamples
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.noise import uniform
from oracledp.randomness.source import Randomness, SeededRandomness

RATIO = Fraction(6, 5)  # one record moves the odds of the toy base by this factor
ETA = Fraction(182322, 10**6)  # a little above ln(6/5)


def a_design(
    tests: int, runs: int, cells: int, *, rows: int = 9, epsilon: Fraction = Fraction(1), **changes: object
) -> Design:
    threshold, ratio = max(1, tests - 2), Fraction(1, 3)
    design = Design(
        epsilon=epsilon,
        delta=Fraction(1, 10**9),  # no claim that cells could stop at
        rows=rows,
        parts=tests,
        runs_per_part=runs,
        epsilon_inner=2 * ETA,
        pass_probabilities=laplace_table(tests, ratio, threshold),
        theorem=TwoSamples(Fraction(1, cells)),
    )
    return replace(design, **changes)  # type: ignore[arg-type]


DESIGNS = [(4, 10, 3), (8, 40, 5), (12, 200, 8), (20, 1000, 12)]


# ---- the certificate ------------------------------------------------------------------------------------
@pytest.mark.parametrize("numbers", DESIGNS)
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)])
def test_the_certificate_covers_an_independent_scan_and_is_tight(
    numbers: tuple[int, int, int], epsilon: Fraction
) -> None:
    design = a_design(*numbers, epsilon=epsilon, rows=500, epsilon_inner=Fraction(1, 10))
    found, certified = scanned_delta(design), float(certified_delta(design))
    assert found <= certified <= 1.05 * found
    assert sum(delta_terms(design, epsilon).values()) == certified_delta(design)


def test_a_hole_in_the_cells_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    design = a_design(12, 200, 8, epsilon=Fraction(2), rows=500, epsilon_inner=Fraction(1, 10))
    whole = certified_delta(design)
    holes = []
    for first in range(0, theorem_two_sample.FIRST_CELLS, 8):  # some eight cells hold the worst ψ

        def with_hole(edges: list[int], first: int = first) -> Iterator[tuple[int, int]]:
            return iter([pair for place, pair in enumerate(pairwise(edges)) if not first <= place < first + 8])

        monkeypatch.setattr(theorem_two_sample, "pairwise", with_hole)
        bound = theorem_two_sample._Bound(design, Fraction(1, 8), design.epsilon)
        holes.append(sum(theorem_two_sample._worst_cell(bound)))
    assert min(holes) < Fraction(scanned_delta(design)) <= whole


@pytest.mark.parametrize("place", [0, 1, 12345, (1 << 47) + 1, (1 << 48) - 3, 1 << 48])
def test_halving_cells_loses_none_of_them(place: int) -> None:
    """A bound that is one in the cells around a single ψ, and nothing elsewhere: that ψ is never lost."""

    class Peak:
        design = SimpleNamespace(delta=Fraction(1, 2))

        def on(self, low: int, high: int) -> tuple[Fraction, ...]:
            return (Fraction(int(low <= place <= high)), Fraction(0), Fraction(0))

    assert sum(theorem_two_sample._worst_cell(Peak())) == 1  # type: ignore[arg-type]


def test_giving_up_is_paid_for() -> None:
    """With a test that hardly ever fails to pass, ⊥ is what tells: a certificate without it would be too small."""
    table = (*(Fraction(t, 10) for t in range(8)), Fraction(1))
    design = a_design(8, 40, 5, pass_probabilities=table, epsilon=Fraction(1, 10))
    assert scanned_delta(design, giving_up=False) < 0.9 * scanned_delta(design) <= 0.9 * float(certified_delta(design))


# ---- the exact law on small tables ------------------------------------------------------------------------
Rule = Callable[[Content], Behaviour]


@dataclass(frozen=True)
class World:
    """So many ones besides the changed record, which is of a kind of its own: +1 or -1, or absent, 0.

    A content is the number of ones in a subsample and the kind of the changed record, 0 if it is not there.
    """

    ones: int
    own: int

    def law(self, design: Design, rule: Rule) -> Outcome:
        """The law of the output, from the law of one subsample's content."""
        q = float(design.theorem.share(design.parts))
        contents = dict[Content, float]()
        for a in range(self.ones + 1):
            chance = binomial(self.ones, a, q)
            contents[a, 0] = contents.get((a, 0), 0) + (1 - q) * chance
            contents[a, self.own] = contents.get((a, self.own), 0) + q * chance
        passing = sum(chance * rule(content).passes(design.runs_per_part) for content, chance in contents.items())
        table = [float(p) for p in design.pass_probabilities]
        goes_on = sum(p * binomial(design.parts, t, passing) for t, p in enumerate(table))
        answers = sum(chance * (1 - rule(content).failure) for content, chance in contents.items())
        inside = sum(
            chance * (1 - rule(content).failure) * rule(content).inside for content, chance in contents.items()
        )
        return Outcome(goes_on * inside, goes_on * (answers - inside), 1 - goes_on * answers)


@cache
def perfect(centre: int, content: Content) -> float:
    return float(logistic_base(RATIO, centre, (content[0] + (content[1] > 0), content[1] < 0)))


def worst_excess(design: Design, centre: int, chance: np.random.Generator, tries: int = 60) -> float:
    """A search over oracles that fail as they like on each content, by single changes from telling starts.

    They start by failing, a little or always, or by hiding an output, wherever the changed record is not.
    """
    ones = design.rows - 1
    contents = [(a, own) for a in range(ones + 1) for own in (-1, 0, 1)]
    little = 1 / (design.parts * design.runs_per_part)
    levels = (0.0, little, 1 / design.runs_per_part, min(1.0, 3 / design.runs_per_part), 1.0)
    best = 0.0
    for pair in ((1, -1), (1, 0), (0, 1)):
        for start in [(x, y) for x in levels for y in (0.0, x)]:
            value, hidden = 0.0, {c: start if c[1] == 0 else (0.0, 0.0) for c in contents}
            for number in range(tries):
                changed = dict(hidden)
                if number:
                    changed[contents[chance.integers(len(contents))]] = tuple(chance.choice(levels, 2).tolist())
                new = excess(design, centre, changed, pair)
                hidden, value = (changed, new) if new >= value else (hidden, value)
            best = max(best, value)
    return best


def excess(design: Design, centre: int, hidden: dict[Content, tuple[float, float]], pair: tuple[int, int]) -> float:
    def rule(content: Content) -> Behaviour:
        inside, outside = hidden[content]
        return Behaviour.of(perfect(centre, content), hide_inside=inside, hide_outside=outside)

    one, other = (World(design.rows - 1, own).law(design, rule) for own in pair)
    return float(one.excess(other, exp(float(design.epsilon))))


@pytest.mark.parametrize("numbers", [(2, 2, 2), (4, 5, 3), (6, 20, 4)])
def test_no_oracle_that_was_found_exceeds_the_certificate(numbers: tuple[int, int, int]) -> None:
    design = a_design(*numbers, rows=5)
    found, certified = worst_excess(design, 3, np.random.default_rng(1), 20), float(certified_delta(design))
    assert found <= certified
    assert found > certified / 20  # the search is not blind


def test_a_test_without_noise_and_too_few_runs_are_refuted() -> None:
    """The same search hurts a step for a ladder more; a hundredth of the runs cannot see what the others could."""
    step = a_design(6, 20, 4, pass_probabilities=(*[Fraction(0)] * 6, Fraction(1)), epsilon=Fraction(1, 10))
    soft = a_design(6, 20, 4, epsilon=Fraction(1, 10))
    chance = np.random.default_rng(5)
    assert worst_excess(step, 1, chance) > worst_excess(soft, 1, chance)
    ladder = laplace_table(67, Fraction(5, 9), 61)
    large = a_design(67, 15_000, 78, rows=10**6, epsilon_inner=Fraction(34, 1000), pass_probabilities=ladder)
    assert certified_delta(replace(large, runs_per_part=150)) > 10 * certified_delta(large)


# ---- the shipped runs --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class CoinBase:
    """A coin decides what comes out. Where no one is in the sample, heads is a failure."""

    def draw(self, runs: int, source: Randomness) -> Array:
        return uniform(2, runs, source)

    def prepare(self, records: Array, counts: Array) -> Run[str]:
        heads = "in" if (records[:, 0] == 1).any() else None
        return lambda noise: "out" if noise else heads


@pytest.mark.parametrize("table", [[0, 1], [0, 2]])
def test_the_shipped_runs_have_the_law_of_the_proof(table: list[int]) -> None:
    """Every subsample, every coin and every place of the released run walked through, against the formula."""
    design = a_design(2, 2, 2, rows=2, pass_probabilities=(Fraction(0), Fraction(1, 4), Fraction(3, 4)))
    counts, records = np.array(table), np.array([[0], [1]], dtype=np.uint8)

    def run(source: Randomness) -> str | None:
        samples = ((records[kept], held) for kept, held in subsamples(counts, design, Neighbours.ADD_REMOVE, source))
        return answer_after_tests(design, CoinBase(), samples, source, ThisProcess())

    found = law_of_runs(run, least=0)
    none = Fraction(1, 2 ** table[1])
    passing = none / 4 + (1 - none)
    goes_on = 2 * passing * (1 - passing) / 4 + passing**2 * Fraction(3, 4)
    inside, outside = (1 - none) / 2, Fraction(1, 2)
    expected = {"in": goes_on * inside, "out": goes_on * outside, None: 1 - goes_on * (inside + outside)}
    for output, share in expected.items():
        assert abs(Fraction(found.masses.get(output, (0, 0))[0], UNIT) - share) < Fraction(1, 10**30)


def test_larger_tables_are_cut_and_the_place_of_the_answer_is_drawn() -> None:
    design = a_design(4, 2, 2, rows=10)
    source = SeededRandomness(1)
    samples = list(subsamples(np.array([5, 3000]), design, Neighbours.ADD_REMOVE, source))
    assert len(samples) == 5
    assert max(int(held.sum()) for _, held in samples) <= 10
    places = set()
    for seed in range(40):
        order: list[int] = []

        @dataclass(frozen=True)
        class Listens(CoinBase):
            def draw(self, runs: int, source: Randomness) -> Array:
                order.append(runs)  # noqa: B023
                return np.zeros(runs, dtype=np.int64)

        held = iter([(np.ones((1, 1), dtype=np.uint8), np.array([1]))] * 5)
        answer_after_tests(design, Listens(), held, SeededRandomness(seed), ThisProcess())
        places.add(order.index(1))
    assert places == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("rows", [9, 11])
def test_a_table_of_another_size_is_refused_where_the_size_is_public(rows: int) -> None:
    design, source = a_design(4, 2, 2, rows=10), SeededRandomness(1)
    assert len(list(subsamples(np.array([10]), design, Neighbours.REPLACE_ONE, source))) == 5
    with pytest.raises(ParameterError, match="another number of rows"):
        list(subsamples(np.array([rows]), design, Neighbours.REPLACE_ONE, source))


def test_the_sampling_probability_is_one_over_an_integer() -> None:
    assert log(RATIO) < ETA
    for wrong in (Fraction(2, 3), Fraction(2, 5), Fraction(0)):
        with pytest.raises(Exception, match="one over an integer"):
            TwoSamples(wrong)
