"""The exact law of PRSMA over parts against the worst oracles that a search can find."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, log

import numpy as np
import pytest
from experiments.paper_constants import paper_design
from experiments.parts.law import Placed, Population, fixed_split
from experiments.parts.theorem_equal import AgainstAverage, OneSided
from experiments.parts.theorem_independent import IndependentLabels
from experiments.parts.worst_oracles import Setting, alike_parts_search, random_split_search, worst_own

from oracledp.audit.prsma_law import Behaviour, Content, Outcome, logistic_base
from oracledp.mechanisms.robust.delta import certified_delta, delta_terms
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.laplace_test import laplace_table

ONE = Fraction(1)
RATIO = Fraction(6, 5)  # one record moves the odds of the toy base by this factor
ETA = Fraction(182322, 10**6)  # a little above ln(6/5)
WORLDS = [((1, 0), (0, 1)), ((1, 0), (0, 0)), ((0, 0), (1, 0)), ((0, 1), (1, 0))]


@cache
def toy_base(centre: int, content: Content) -> float:
    return float(logistic_base(RATIO, centre, content))


@cache
def small_design(parts: int = 5, runs: int = 20, ratio: Fraction = Fraction(1, 5), epsilon: int = 2) -> Design:
    """The design over eleven records whose certificate is best among a few choices of its free parameters."""
    designs = [
        Design(
            epsilon=Fraction(epsilon),
            delta=Fraction(1, 2),
            rows=11,
            parts=parts,
            runs_per_part=runs,
            epsilon_inner=2 * ETA,
            pass_probabilities=laplace_table(parts, ratio, parts - 2),
            theorem=IndependentLabels(first, order, Fraction(4), Fraction(4)),
        )
        for first in range(1, parts)
        for order in (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
    ]
    return min(designs, key=certified_delta)


@cache
def audited_design() -> Design:
    """A small certified design with a Laplace test and parts that are all but alike: what is left is failures."""
    design = Design(
        epsilon=Fraction(1),
        delta=Fraction(1, 2),
        rows=3000,
        parts=30,
        runs_per_part=200,
        epsilon_inner=Fraction(1, 10**6),
        pass_probabilities=laplace_table(30, Fraction(3, 5), 20),
        theorem=IndependentLabels(8, Fraction(10), Fraction(40), Fraction(40)),
    )
    return replace(design, delta=certified_delta(design))


# ---- the law itself --------------------------------------------------------------------------------
def by_enumeration(population: Population, design: Design, behaviour: object, own: object) -> Outcome:
    """The law of the output by listing all labels of all records and all subsets of passing parts."""
    records = [(1, 0)] * population.ones + [(0, 1)] * population.zeros
    inside = answered = Fraction(0)
    table, runs, K = design.pass_probabilities, design.runs_per_part, population.parts
    for labels in product(range(K), repeat=len(records)):
        contents = [[0, 0] for _ in range(K)]
        for record, label in zip(records, labels, strict=True):
            contents[label][0] += record[0]
            contents[label][1] += record[1]
        parts = [(own if i == 0 else behaviour)((a, b)) for i, (a, b) in enumerate(contents)]  # type: ignore[operator]
        for passing in product((0, 1), repeat=K):
            chance = Fraction(1, K ** len(records))
            for part, passed in zip(parts, passing, strict=True):
                chance *= part.passes(runs) if passed else 1 - part.passes(runs)
            count = sum(passing)
            answered += chance * table[count]
            held = sum((part.inside for part, passed in zip(parts, passing, strict=True) if passed), Fraction(0))
            inside += chance * table[count] * held / max(count, 1)
    return Outcome(inside, answered - inside, 1 - answered)


def exact_behaviour(content: Content) -> Behaviour:
    perfect = logistic_base(RATIO, 1, content)
    return Behaviour.of(perfect, hide_inside=Fraction(content[0], 9), hide_outside=Fraction(content[1], 11))


def exact_own(content: Content) -> Behaviour:
    return Behaviour.of(logistic_base(RATIO, 0, content), hide_outside=Fraction(1, 7))


def test_the_law_over_random_splits_is_that_of_all_labels() -> None:
    population = Population(ones=2, zeros=2, parts=3)
    design = small_design(parts=3)
    found = [
        others.facing(design.pass_probabilities).law(exact_own(content), design.runs_per_part)
        for content, others in population.random_split(exact_behaviour, design.runs_per_part, object).items()
    ]
    direct = by_enumeration(population, design, exact_behaviour, exact_own)
    assert sum(law.inside for law in found) == direct.inside
    assert sum(law.outside for law in found) == direct.outside
    assert sum(law.bottom for law in found) == direct.bottom


@pytest.mark.parametrize("size", [None, 2])
def test_the_masses_of_a_random_split_add_up_to_one(size: int | None) -> None:
    population = Population(ones=3, zeros=4, parts=3, part_size=size)
    split = population.random_split(exact_behaviour, 5, object)
    assert sum(others.mass.sum() for others in split.values()) == 1
    assert all(sum(content) == 1 for content in split) or size is None


def test_a_perfect_oracle_meets_bottom_with_probability_beta() -> None:
    design = audited_design()
    others = fixed_split([Behaviour(Fraction(0), Fraction(1, 3))] * (design.parts - 1), design.runs_per_part)
    law = others.facing(design.pass_probabilities).law(Behaviour(Fraction(0), Fraction(1, 3)), design.runs_per_part)
    assert law.bottom == design.beta < Fraction(1, 100)


def test_the_papers_threshold_gives_bottom_a_quarter_of_the_time() -> None:
    """E3, as the law of the mechanism: its stated failure probability was delta."""
    design = paper_design(epsilon=1, delta="1e-4", rows=10**5)
    others = fixed_split([Behaviour(0.0, 0.5)] * (design.parts - 1), 2)
    law = others.facing([float(p) for p in design.pass_probabilities]).law(Behaviour(0.0, 0.5), 2)
    assert law.bottom == pytest.approx(0.25, abs=0.005)


# ---- nobody exceeds the certified delta ------------------------------------------------------------
@pytest.mark.parametrize("worlds", WORLDS)
@pytest.mark.parametrize(("parts", "epsilon", "ratio"), [(5, 2, Fraction(1, 5)), (4, 1, Fraction(1, 2))])
def test_no_oracle_over_random_splits_exceeds_delta(
    worlds: tuple[Content, Content], parts: int, epsilon: int, ratio: Fraction
) -> None:
    """Failures may depend on what a part holds, on the output, on the changed record, on the world."""
    design = small_design(parts=parts, epsilon=epsilon, ratio=ratio)
    population = Population(ones=4, zeros=4, parts=parts)
    for centre in (1, 15):
        found = random_split_search(
            Setting.of(design), population, lambda c, m=centre: toy_base(m, c), worlds, restarts=1, moves=12
        )
        assert found <= float(certified_delta(design))


def equal_designs() -> Iterator[Design]:
    for theorem in (OneSided, AgainstAverage):
        yield Design(
            epsilon=Fraction(2),
            delta=Fraction(1, 2),
            rows=9,
            parts=4,
            runs_per_part=20,
            epsilon_inner=ETA * 2,
            pass_probabilities=laplace_table(4, Fraction(1, 2), 2),
            theorem=theorem(2, Fraction(1, 2), Fraction(1, 2)),
        )


@pytest.mark.parametrize("design", list(equal_designs()), ids=lambda d: d.theorem.name)
def test_no_oracle_over_equal_parts_exceeds_delta(design: Design) -> None:
    population = Population(ones=4, zeros=4, parts=4, part_size=2)
    found = random_split_search(
        Setting.of(design), population, lambda c: toy_base(1, c), ((1, 0), (0, 1)), restarts=2, moves=40
    )
    assert 0 < found <= float(certified_delta(design)) < 1


def test_the_first_term_is_reached_exactly() -> None:
    """All others fail for good; the changed part passes in one world only: the excess is g(1)."""
    design = small_design(parts=6, epsilon=1, ratio=Fraction(1, 2))
    shut = fixed_split([Behaviour(1.0, 0.0)] * 5, design.runs_per_part)
    found = worst_own(Setting.of(design), [(shut, 1.0, 0.0)])
    assert found == pytest.approx(float(design.pass_probabilities[1]), rel=1e-12)
    assert found <= float(delta_terms(design, design.epsilon)["too few parts passed"])


def test_unseen_failures_come_close_to_their_term() -> None:
    """All parts alike, so that only failures can tell; the worst oracle found gets most of the third term."""
    perfect = [share / 200 for share in (0.1, 0.3, 0.6, 1.0)]
    found = alike_parts_search(Setting.of(audited_design()), perfect=perfect)
    term = float(delta_terms(audited_design(), Fraction(1))["unseen failures"])
    assert 0.6 * term < found <= term


def test_an_exact_adversary_confirms_the_float_search() -> None:
    """The best structured oracle again, in fractions: nothing hinges on rounding."""
    design = audited_design()
    rare = Fraction(3, 10 * design.runs_per_part)
    hides = Behaviour.of(rare, hide_inside=Fraction(1))
    others = fixed_split([hides] * (design.parts - 1), design.runs_per_part).facing(design.pass_probabilities)
    here = others.law(Behaviour.of(rare), design.runs_per_part)
    there = others.law(Behaviour(Fraction(1), Fraction(0)), design.runs_per_part)
    growth = Fraction(exp(1)).limit_denominator(10**15)
    assert here.inside + here.outside + here.bottom == 1
    exact = float(here.excess(there, growth))
    assert 0 < exact <= float(certified_delta(design))
    searched = alike_parts_search(Setting.of(design), perfect=[float(rare)], moves=0)
    assert exact <= searched * (1 + 1e-9)


# ---- failures by place in the order of calls ---------------------------------------------------------
def test_the_law_of_failures_by_place_is_that_of_all_runs() -> None:
    """Three runs, each inside, outside or failing by its place; the lot is one of three."""
    perfect, hides = (
        Fraction(1, 3),
        Behaviour.of(Fraction(1, 3), hide_inside=Fraction(1, 2), hide_outside=Fraction(1, 5)),
    )
    inside = passing = Fraction(0)
    by_place = [hides, hides, Behaviour.of(perfect)]
    for outcomes in product("io", repeat=3):
        chance = Fraction(1)
        for run, outcome in zip(by_place, outcomes, strict=True):
            chance *= (1 - run.failure) * (run.inside if outcome == "i" else 1 - run.inside)
        passing += chance
        inside += chance * Fraction(outcomes.count("i"), 3)
    found = Placed.mixed(hides, Behaviour.of(perfect), places=2, runs=3)
    assert found.passes(3) == passing
    assert found.inside == inside / passing


@pytest.mark.parametrize("places", [1, 2, 10])
@pytest.mark.parametrize("share", [Fraction(1, 1000), Fraction(1, 20), Fraction(1, 5), Fraction(1, 2)])
def test_an_oracle_that_fails_only_in_some_places_stays_within_delta(places: int, share: Fraction) -> None:
    """On its first call, its last, its k-th: by lot it is all one. Exact, in fractions."""
    design = audited_design()
    runs, growth = design.runs_per_part, Fraction(exp(1)).limit_denominator(10**15)

    def placed(**hiding: int) -> Behaviour:
        return Placed.mixed(Behaviour.of(share, **hiding), Behaviour.of(share), places=places, runs=runs)

    own = [Behaviour.of(share), placed(hide_outside=1), placed(hide_inside=1), Behaviour(Fraction(1), Fraction(0))]
    for other in (placed(hide_inside=1), placed(hide_outside=1), Behaviour.of(share)):
        others = fixed_split([other] * (design.parts - 1), runs).facing(design.pass_probabilities)
        laws = [others.law(behaviour, runs) for behaviour in own]
        assert max(a.excess(b, growth) for a in laws for b in laws) <= certified_delta(design)


def test_lemma_10_bounds_what_failures_by_place_can_gain() -> None:
    """a^k (c_k - b)_+ <= C_λ (a/b)^λ + E_{λ,R} over a grid that holds the worst points."""
    a, ratio = np.exp(-np.linspace(0, 30, 601))[:, None], np.exp(np.linspace(-3, 12, 301))[None, :]
    for order, runs in ((Fraction(1, 2), 5), (Fraction(2), 20), (Fraction(5), 60), (Fraction(40), 60)):
        extra = float(IndependentLabels(1, order, ONE, ONE).misplaced(runs))
        lam = float(order)
        constant = lam**lam / (1 + lam) ** (1 + lam)
        gain = max(
            float((a**k * (a + k / runs * (1 - a) - ratio * a) - constant * ratio**-lam).max()) for k in range(runs + 1)
        )
        assert gain <= extra + 1e-15
        assert extra <= 1 / runs


def test_a_fixed_run_in_place_of_the_lot_is_refuted() -> None:
    """An oracle that fails on its first call only, and the first run is the one that is released."""
    setting = replace(Setting.of(audited_design()), by_lot=False)
    assert alike_parts_search(setting, perfect=[0.1, 0.2], moves=0) > float(audited_design().delta)


# ---- what plain minimisation does with such oracles --------------------------------------------------
def test_one_run_on_all_data_leaks_everything_through_a_failing_oracle() -> None:
    """RSPM alone: an oracle that fails on one record tells of it with certainty; PRSMA keeps its delta."""
    plain_here, plain_there = Outcome(0.5, 0.5, 0.0), Outcome(0.0, 0.0, 1.0)
    assert plain_here.excess(plain_there, exp(10)) == 1
    design = audited_design()
    setting = Setting.of(design)
    others = fixed_split([Behaviour(0.0, 0.5)] * (design.parts - 1), setting.runs).facing(setting.table)
    here, there = (others.law(Behaviour(failure, 0.5), setting.runs) for failure in (0.0, 1.0))
    for one, other in ((here, there), (there, here)):
        assert one.excess(other, setting.growth) <= float(certified_delta(design))
    assert abs(log(here.inside / there.inside)) < 0.1


def test_a_claim_for_more_runs_than_were_made_would_be_caught() -> None:
    claimed, run = audited_design(), replace(Setting.of(audited_design()), runs=20)
    found = alike_parts_search(run, perfect=[0.3 / 20], moves=0)
    assert found > float(claimed.delta)
