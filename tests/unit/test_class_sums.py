"""Sums by class: what one record can move, whatever it holds, and what is made of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracledp.errors import CapacityError, ParameterError
from oracledp.learners import HalfspaceClassifier, PrivateRuleClassifier
from oracledp.learning.blocks import Block
from oracledp.learning.class_cards import discriminants
from oracledp.learning.feature_maps import position_map
from oracledp.mechanisms.class_sums import ClassSums
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource, Question, SeededRandomness

COLUMN = Block((0, 1, 2), ((0, 0, 1), (1, 0, 0), (1, 1, 0)))  # two thresholds, and whether it is missing
TOWN = Block((3, 4), ((1, 0), (0, 1), (0, 0)))
BLOCKS = (COLUMN, TOWN, Block.single(5))


class Exact(DrawSource):
    """Answers with what is released, without noise, and keeps the scale."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def answer(self, question: Question) -> Any:
        assert question.primitive == "noisy_blocks"
        self.asked.append(question.arguments)
        return question.arguments[0]


def norm(vector: np.ndarray, sizes: tuple[int, ...]) -> int:
    return max(int(np.abs(part).sum()) for part in np.split(vector, np.cumsum(sizes)[:-1]))


@given(
    st.lists(st.integers(0, 1), min_size=6, max_size=6), st.integers(0, 2), st.integers(0, 7), st.sampled_from([1, 7])
)
def test_no_record_moves_a_block_by_more_than_its_reach(record: Any, label: int, weight: int, heaviest: int) -> None:
    encoding, sizes = position_map(BLOCKS, 6)
    mechanism = ClassSums(sizes, 3, Fraction(1), Neighbours.ADD_REMOVE)
    features = encoding.features(np.array([record], dtype=np.uint8))
    shown, shares = np.eye(3, dtype=np.int64)[[label]], (np.array([min(weight, heaviest)]), heaviest)
    moved = mechanism.run(features, shown, Exact(), shares=shares)
    assert norm(moved.ravel(), mechanism.blocks) <= mechanism.reach
    assert not np.delete(moved, label, axis=1).any()


@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize("epsilon", ["0.1", "3", "7/3"])
def test_the_scale_covers_what_moves(relation: Neighbours, epsilon: str) -> None:
    mechanism = ClassSums((1, 3), 5, Fraction(epsilon), relation)
    assert Fraction(relation.comparison_sensitivity * mechanism.reach, mechanism.scale) <= Fraction(epsilon)
    assert mechanism.blocks == (5, 15)


def test_a_block_that_is_too_long_shows_nothing() -> None:
    mechanism = ClassSums((2, 1), 2, Fraction(1), Neighbours.ADD_REMOVE)
    one = mechanism.reach
    features = np.array([[one, 1, -one], [one // 2, -one // 2, 0]])
    found = mechanism.run(features, np.array([[1, 0], [0, 2]]), Exact())
    assert found.tolist() == [[0, one], [0, -one], [-one, 0]]


def test_positions_lie_within_one_and_cards_come_back_out() -> None:
    encoding, sizes = position_map(BLOCKS, 6)
    assert sizes == (1, 1, 2, 1, 1)
    shown = encoding.features(np.array([[1, 1, 0, 0, 1, 1], [0, 0, 1, 0, 0, 0]], dtype=np.uint8)) / 2**16
    assert shown.tolist() == [[1, 0, 0, 1, 1, 1], [-1, 1, 0, 0, -1, 1]]


def test_the_noise_is_as_wide_as_it_says() -> None:
    mechanism = ClassSums((1, 2), 3, Fraction(1), Neighbours.ADD_REMOVE)
    nothing = np.zeros((1, 3), dtype=np.int64), np.zeros((1, 3), dtype=np.int64)
    drawn = [mechanism.run(*nothing, SeededRandomness(seed)) / mechanism.reach for seed in range(3000)]
    seen = np.mean(np.square(drawn), axis=(0, 2))
    assert np.allclose(seen, np.repeat(mechanism.variance, mechanism.sizes), rtol=0.1)


def test_means_without_noise_are_the_discriminant_of_the_classes() -> None:
    sums = np.array([[80.0, -40, 0], [0, 60, -60], [100, 100, 100]])
    slopes, constants = discriminants(sums, np.full(3, 1e-9), np.ones(3))
    scores = np.array([[0.8, 0], [-0.4, 0.6], [0, -0.6]]) @ slopes + constants
    assert scores.argmax(axis=1).tolist() == [0, 1, 2]
    heavier = discriminants(sums, np.full(3, 1e-9), np.array([1.0, 1, 5]))[1]
    assert np.argmax(heavier - constants) == 2


def test_what_noise_hides_is_not_believed() -> None:
    sums = np.array([[3.0, -3], [100, 100]])
    clear, hidden = (np.abs(discriminants(sums, np.full(2, noise), np.ones(2))[0]).max() for noise in (1e-9, 1e4))
    assert hidden < clear / 10


def test_refusals_come_from_public_numbers() -> None:
    with pytest.raises(ParameterError, match="too small"):
        ClassSums((1,) * 500, 10, Fraction(1, 10**9), Neighbours.ADD_REMOVE)
    with pytest.raises(ParameterError, match="at least one"):
        ClassSums((), 3, Fraction(1), Neighbours.ADD_REMOVE)
    mechanism = ClassSums((1,), 3, Fraction(1), Neighbours.ADD_REMOVE)
    mechanism.check(2**40)
    with pytest.raises(CapacityError):
        mechanism.check(2**50)
    with pytest.raises(ParameterError, match="columns"):
        mechanism.run(np.zeros((1, 2), dtype=np.int64), np.zeros((1, 3), dtype=np.int64), Exact())


def test_several_classes_of_a_pure_fit_are_learned_at_once_with_probabilities() -> None:
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 4, 4000)
    rows = (generator.random((4000, 8)) < np.where(np.arange(8) // 2 == labels[:, None], 0.9, 0.2)).astype(int)
    model = PrivateRuleClassifier(epsilon=1, classes=[0, 1, 2, 3], bounds=(0, 1), random_state=3)
    assert model.guarantee.proof == "class-sums"
    model.fit(rows, labels)
    assert (model.guarantee_.proof, model.guarantee_.delta) == ("class-sums", 0)
    assert np.mean(model.predict(rows) == labels) > 0.8
    assert np.allclose(model.predict_proba(rows[:9]).sum(axis=1), 1)
    assert np.array_equal(model.classes_[model.predict_proba(rows).argmax(axis=1)], model.predict(rows))


def test_rows_with_weights_sum_to_what_repeated_rows_do() -> None:
    mechanism = ClassSums((1, 1), 2, Fraction(1), Neighbours.ADD_REMOVE)
    features = mechanism.reach * np.array([[1, -1], [-1, 1], [1, 1]])
    labels, weights = np.eye(2, dtype=np.int64)[[0, 1, 1]], np.array([4, 1, 2])
    weighed = mechanism.run(features, labels, Exact(), shares=(weights, 4))
    repeated = mechanism.run(np.repeat(features, weights, axis=0), np.repeat(labels, weights, axis=0), Exact())
    assert (4 * weighed == repeated).all()


def test_probabilities_cost_nothing_where_the_cards_bring_them() -> None:
    options: dict[str, Any] = {"epsilon": 1, "classes": [0, 1, 2], "bounds": (0, 1)}
    assert HalfspaceClassifier(probabilities=True, **options).guarantee.proof == "class-sums"
    two = HalfspaceClassifier(epsilon=1, classes=[0, 1], bounds=(0, 1), probabilities=True)
    assert two.guarantee.proof == "band-counts"
