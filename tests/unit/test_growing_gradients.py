"""Cards that choose their lines while they are fitted: exact pulls, bounds of a record, steps and lines."""

from fractions import Fraction

import numpy as np
import pytest

from oracledp.errors import ParameterError
from oracledp.mechanisms import growing_gradients
from oracledp.mechanisms.gradients import Descent
from oracledp.mechanisms.growing_gradients import Few, GrowingGradients
from oracledp.mechanisms.residuals import shortened
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

DRAWS = np.random.default_rng(5)
RECORDS = DRAWS.integers(0, 2, (40, 11), dtype=np.uint8)


def growing(outputs: int = 1, lines: int = 3, relation: Neighbours = Neighbours.ADD_REMOVE) -> GrowingGradients:
    descent = Descent(steps=30, rate=4.0, clip=Fraction(1, 4), rows=4000)
    return GrowingGradients(11, lines, outputs, descent, Fraction(5), Fraction(1, 10**5), relation)


@pytest.mark.parametrize("outputs", [1, 3])
def test_pulls_are_sums_of_signs(outputs: int) -> None:
    one = growing(outputs)
    loads = DRAWS.integers(-4000, 4000, (40, outputs))
    by_hand = np.abs((2 * RECORDS.astype(np.int64) - 1).T @ loads).sum(axis=1)
    assert one._pulls(one._signs(RECORDS), loads).tolist() == by_hand.tolist()


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("chosen", [[], [4], [7, 0, 2]])
def test_no_record_pulls_by_more_than_m(outputs: int, chosen: list[int]) -> None:
    one, classes = growing(outputs), max(2, outputs)
    noisy = one.gradients.__class__(**{**vars(one.gradients), "features": len(chosen) + 1})
    weights = DRAWS.integers(-(1 << 13), 1 << 13, (len(chosen) + 1, outputs))
    for label in range(classes):
        shown = np.zeros((40, classes), dtype=np.int64)
        shown[:, label] = 1
        problem = noisy.problem(one._features(RECORDS, chosen), shown, (3, 2, 1)[:classes], None)
        loads = problem.loads(weights, one.most)
        assert 0 < np.abs(loads).sum(axis=1).max() <= one.most


def test_residuals_are_shortened_by_their_sum() -> None:
    rows = DRAWS.integers(-4096, 4097, (1000, 5))
    held = shortened(rows, 4096)
    assert np.abs(held).sum(axis=1).max() <= 4096
    short = np.abs(rows).sum(axis=1) <= 4096
    assert (held[short] == rows[short]).all()
    assert (held * rows >= 0).all()


def test_features_are_a_constant_and_the_chosen_signs() -> None:
    one = growing(lines=2)
    wanted = one.unit * np.hstack([np.ones((40, 1), dtype=np.int64), 2 * RECORDS[:, [9, 3]].astype(np.int64) - 1])
    weights = np.array([[5], [-7], [11]])
    features = one._features(RECORDS, [9, 3])
    assert (features.scores(slice(0, 40), weights) == wanted @ weights).all()


def test_the_price_of_choices_and_of_steps_is_all_of_epsilon() -> None:
    for relation, moved in ((Neighbours.ADD_REMOVE, 2), (Neighbours.REPLACE_ONE, 4)):
        one = growing(relation=relation)
        assert one.lines * one.rate * moved * one.most + one.gradients.epsilon == one.epsilon == one.guarantee.epsilon
        assert one.gradients.delta == one.delta == one.guarantee.delta


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 30, 100])
@pytest.mark.parametrize("lines", [1, 4, 11])
def test_lines_never_go_and_are_all_there_at_the_end(steps: int, lines: int) -> None:
    descent = Descent(steps=steps, rate=1.0, clip=Fraction(1, 4), rows=9)
    one = GrowingGradients(11, lines, 1, descent, Fraction(1), Fraction(1, 10**5), Neighbours.ADD_REMOVE)
    counts = [one.wanted(step) for step in range(steps)]
    assert counts == sorted(counts)
    assert counts[-1] == lines


@pytest.mark.parametrize("outputs", [1, 3])
def test_it_finds_what_matters_and_says_it_in_order(outputs: int) -> None:
    records = DRAWS.integers(0, 2, (4000, 11), dtype=np.uint8)
    truth = records[:, 8] + records[:, 2] if outputs > 1 else records[:, 8]
    shown = np.eye(max(2, outputs), dtype=np.int64)[truth.astype(int)]
    found = growing(outputs, lines=outputs // 2 + 1).run(records, shown, SeededRandomness(3))
    assert found.literals == ((2, 8) if outputs > 1 else (8,))
    scores = records[:, list(found.literals)] @ found.slopes + found.constants
    predicted = scores.argmax(axis=1) if outputs > 1 else scores[:, 0] >= 0
    assert (predicted == truth).mean() > 0.95


def test_choices_come_one_by_one_and_each_literal_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def last(scores: np.ndarray, rate: Fraction, source: object) -> int:
        asked.append(len(scores))
        return len(scores) - 1

    monkeypatch.setattr(growing_gradients, "permute_and_flip_choice", last)
    shown = np.ones((40, 2), dtype=np.int64)
    found: Few = growing(lines=4).run(RECORDS, shown, SeededRandomness(1))
    assert asked == [11, 10, 9, 8]
    assert found.literals == (7, 8, 9, 10)


@pytest.mark.parametrize("lines", [0, 12])
def test_lines_are_some_of_the_literals(lines: int) -> None:
    with pytest.raises(ParameterError, match="at least one line"):
        growing(lines=lines)
