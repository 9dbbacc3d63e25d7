"""What ships keeps what it prints: a quick part of the tier that ``oracledp audit --tier front-door`` runs whole."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from oracledp.audit.coupling import Different, Recording, Replaying
from oracledp.audit.doors import audit_door, law_through
from oracledp.audit.draw_laws import UNIT
from oracledp.audit.enumeration import law_of_runs
from oracledp.audit.front_door import Look, looks
from oracledp.audit.function_doors import function_doors
from oracledp.errors import ParameterError
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.choice import exponential_choice
from oracledp.randomness.noise import coins, discrete_gaussian, discrete_laplace, geometric, uniform
from oracledp.randomness.partition import hypergeometric_parts
from oracledp.randomness.source import DrawSource, Question, SeededRandomness, below

SLOW = (
    "rspm:k-hot", "rspm:separator", "rspm / free ties", "report-noisy-min", "oracle-query:rspm", "fit rspm",
    "synthesizer / rounds", "synth", "fit auto", "learn_table / auto", "learn decision-list", "surrogate",
    "fit card", "logistic card",
)  # fmt: skip
ROBUST = ("prsma / gives up", "prsma:two-sample / hides", "prsma:two-sample / certificate")
MINUTE = ("learn_table / rspm / replace-one",)  # the same under add/remove-one takes a quarter of its time
QUICK = [
    look for look in looks()
    if look.door.name in ("fit cards of ±1", *ROBUST)
    or not (look.door.name.startswith((*SLOW, "prsma")) or look.name in MINUTE)
]  # fmt: skip


@pytest.mark.parametrize("look", QUICK, ids=lambda look: look.name)
def test_what_ships_keeps_its_claim(look: Look) -> None:
    finding = look.finding()
    assert finding.holds, finding


@pytest.mark.parametrize("name", ["rspm:k-hot", "report-noisy-min", "rspm:separator"])
def test_noise_and_oracle_on_the_worst_small_tables(name: str) -> None:
    door = next(door for door in function_doors() if door.name == name)
    finding = Look(replace(door, rows=1, base=(1, 0, 0, 0), kinds=(0, 1)), Neighbours.REPLACE_ONE, audit_door).finding()
    assert finding.holds, finding
    assert finding.epsilon_low > 0.99  # so it would see a hundredth too little noise


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("fit card / add-remove", (2, 3)),
        ("fit card, class weights / add-remove", (1, 3)),
        ("fit card of one line / replace-one", (3, 4)),
        ("fit card of one line, class weights / replace-one", (1, 3)),
    ],
)
def test_cards_cost_what_they_claim_on_the_lattice_that_ships(name: str, kinds: tuple[int, ...]) -> None:
    look = next(look for look in looks() if look.name == name)
    finding = replace(look, door=replace(look.door, kinds=kinds)).finding()
    assert finding.holds, finding
    assert finding.epsilon_high > 0.9 * float(finding.claimed.epsilon)


def test_the_walk_finds_the_laws_of_the_primitives() -> None:
    """Each law against its formula, written out here once more in floating point."""
    cases = {
        "geometric": (lambda s: int(geometric(2, 1, s)[0]), lambda x: (1 - np.exp(-0.5)) * np.exp(-x / 2)),
        "laplace": (lambda s: int(discrete_laplace(2, 1, s)[0]), lambda x: np.tanh(0.25) * np.exp(-abs(x) / 2)),
        "gaussian": (
            lambda s: int(discrete_gaussian(Fraction(2), 1, s)[0]),
            lambda x: np.exp(-x * x / 4) / np.exp(-(np.arange(-60, 61) ** 2) / 4).sum(),
        ),
        "uniform": (lambda s: int(uniform(6, 1, s)[0]), lambda x: 1 / 6),
        "below": (lambda s: below(s, 6), lambda x: 1 / 6),
        "coins": (lambda s: bool(coins(Fraction(1, 3), 1, s)[0]), lambda x: 1 / 3 if x else 2 / 3),
        "choice": (
            lambda s: exponential_choice(np.array([0, 1, 1]), Fraction(1), s),
            lambda x: (1 if x == 0 else np.exp(-1)) / (1 + 2 * np.exp(-1)),
        ),
    }
    for name, (run, formula) in cases.items():
        law = law_of_runs(run, least=1e-12)
        assert law.lost_share < 1e-9, name
        for output, (low, high) in law.masses.items():
            assert low <= high
            assert low / UNIT == pytest.approx(formula(output), abs=1e-9), (name, output)


def test_the_walk_splits_rows_as_the_hypergeometric_law_says() -> None:
    law = law_of_runs(lambda s: tuple(hypergeometric_parts(np.array([2, 1]), [1, 1], s)[1][0].tolist()))
    assert {output: round(low / UNIT, 9) for output, (low, _) in law.masses.items()} == {
        (0,): round(2 / 3, 9), (1,): round(1 / 3, 9)
    }  # fmt: skip


def test_code_that_is_no_function_of_its_draws_is_refused() -> None:
    flips = iter([True, False, True])

    def run(source: DrawSource) -> int:
        return below(source, 2) if next(flips) else int(geometric(1, 1, source)[0])

    with pytest.raises(ParameterError):
        law_of_runs(run)


def test_a_source_of_draws_refuses_to_give_bytes() -> None:
    with pytest.raises(ParameterError):
        Recording(0).bytes(8)


def test_replaying_notes_public_arguments_that_differ() -> None:
    recording = Recording(0)
    geometric(3, 2, recording)
    with pytest.raises(Different):
        geometric(4, 2, Replaying(recording.notes))


def test_every_primitive_can_be_asked_whole() -> None:
    asked: list[str] = []

    class Curious(DrawSource):
        def answer(self, question: Question) -> object:
            asked.append(question.primitive)
            return question.carry_out(SeededRandomness(0))

    assert np.array_equal(geometric(count=2, scale=3, source=Curious()), geometric(3, 2, SeededRandomness(0)))
    assert asked == ["geometric"]


def test_errors_are_outputs_of_a_law() -> None:
    def refuses(*_: object) -> None:
        raise ParameterError("no")

    law, claim = law_through(replace(function_doors()[0], enter=refuses), (1, 0, 0, 0), Neighbours.REPLACE_ONE)
    assert claim is None
    assert set(law.masses) == {"ParameterError: no"}
