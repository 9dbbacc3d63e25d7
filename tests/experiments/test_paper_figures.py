"""What the paper's theorems say of the planner's questions: mostly nothing, and never less than what is proved."""

from fractions import Fraction

import pytest
from experiments.paper_figures import game_rates, selection_figures

import oracledp as odp
from oracledp.bounds.shape import Shape
from oracledp.planning.selection import Question
from oracledp.planning.synthesis import SynthesisQuestion

RULES = odp.Conjunctions(odp.Literals.named(*(f"x{i}" for i in range(24))), max_width=3)
DELTA = Fraction(1, 10**6)


def question(delta: Fraction | None) -> Question:
    return Question(RULES, Shape.of(RULES), 48842, Fraction(1), delta, odp.Neighbours.REPLACE_ONE, 0.05)


def test_one_selection() -> None:
    plain = selection_figures(question(None))
    assert list(plain) == ["exponential", "rspm (2ε-DP only, E1)"]
    figures = selection_figures(question(DELTA))
    assert list(figures) == [*plain, "gaussian rspm (not private, E2)", "prsma (⊥ a quarter of the time, E3)"]
    ours = odp.plan("learn", epsilon=1, rows=48842, queries=RULES)
    assert ours.option("exponential").error < figures["exponential"]
    assert 10 * ours.option("rspm").error < figures["rspm (2ε-DP only, E1)"]
    assert figures["prsma (⊥ a quarter of the time, E3)"] > 1  # a share of the rows: it promises nothing


def test_the_three_corollaries_of_the_game() -> None:
    asked = SynthesisQuestion((2,) * 24, 48842, Fraction(1), DELTA, odp.Neighbours.REPLACE_ONE, 0.05, RULES)
    rates = game_rates(asked)
    assert set(rates) == {
        "bound 3, private oracle",
        "bound 1, gaussian (void, E2)",
        "bound 1 with the noise it needs",
        "bound 2, prsma",
    }
    assert rates["bound 1 with the noise it needs"] / rates["bound 1, gaussian (void, E2)"] == pytest.approx(24**0.25)
    assert game_rates(SynthesisQuestion((2,), 10, Fraction(1), DELTA, odp.Neighbours.REPLACE_ONE, 0.05)) == {}
