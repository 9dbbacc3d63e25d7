"""Noisy gradients: exact sums, certified clipping, accounting from above, and cards that predict."""

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest

from oracledp.data.literals import Literals
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.intervals import normal_tail
from oracledp.learners import HalfspaceClassifier, PrivateRuleClassifier, load_model
from oracledp.learning.aimed_cards import AimedCards
from oracledp.learning.automatic import descent
from oracledp.learning.blocks import single_blocks
from oracledp.mechanisms.feature_rows import BitRows, PlainRows
from oracledp.mechanisms.gradients import Descent, NoisyGradients, _Problem
from oracledp.mechanisms.residuals import chances, clipped, lengths_above
from oracledp.privacy.gaussian_accounting import certified, gaussian_delta, gaussian_mu, gaussian_variance
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

ADD = Neighbours.ADD_REMOVE
TABLE = np.random.default_rng(5)


def mechanism(**changed: object) -> NoisyGradients:
    parts = {"features": 3, "longest": 30, "reach": 30, "outputs": 1, "descent": Descent(5, 4.0, Fraction(1, 4), 100)}
    parts |= {"epsilon": Fraction(1), "delta": Fraction(1, 10**5), "neighbours": ADD, **changed}
    return NoisyGradients(**parts)  # type: ignore[arg-type]


@pytest.mark.parametrize("outputs", [1, 3])
def test_no_record_moves_the_sum_by_more_than_the_bound(outputs: int) -> None:
    one = mechanism(outputs=outputs)
    classes = max(2, outputs)
    for _ in range(200):
        record = TABLE.integers(-40, 41, (1, 3))  # longer than announced: the clip does not believe it
        shown = np.zeros((1, classes), dtype=np.int64)
        shown[0, TABLE.integers(classes)] = 1
        weights = TABLE.integers(-(1 << 24), 1 << 24, (3, outputs))
        problem = _Problem.of(record, shown, one, tuple(int(v) for v in TABLE.integers(1, 9, classes)), None)
        gradient = problem.gradient(weights)
        assert int((gradient * gradient).sum()) <= one.bound**2


def test_the_sum_is_exact_for_counts_of_any_size() -> None:
    one = mechanism(outputs=3)
    records, shown = TABLE.integers(-17, 18, (50, 3)), TABLE.integers(0, 1 << 34, (50, 3))
    weights = TABLE.integers(-(1 << 22), 1 << 22, (3, 3))
    single = [
        [
            _Problem.of(records[[i]], np.eye(3, dtype=np.int64)[[k]], one, (1, 1, 1), None).gradient(weights)
            for k in range(3)
        ]
        for i in range(50)
    ]
    by_hand = sum(int(shown[i, k]) * single[i][k].astype(object) for i in range(50) for k in range(3))
    assert (_Problem.of(records, shown, one, (1, 1, 1), None).gradient(weights) == by_hand).all()


def test_aims_at_either_end_are_classes() -> None:
    """A share of nothing or of everything is the first or the second class: the same sums and the same noise."""
    one, full = mechanism(), 1 << mechanism().lattice.residual_bits
    records, shown = TABLE.integers(-17, 18, (50, 3)), TABLE.integers(0, 1 << 30, 50)
    second = TABLE.integers(0, 2, 50)
    by_class = np.stack([shown * (1 - second), shown * second], axis=1)
    for shares in (None, (TABLE.integers(0, 8, 50), 7)):
        aimed = one.run_aimed(records, shown, second * full, SeededRandomness(3), shares=shares)
        assert (aimed == one.run(records, by_class, SeededRandomness(3), shares=shares)).all()
    beyond = one.run_aimed(records, shown, second * 3 * full - 1, SeededRandomness(3))
    assert (beyond == one.run(records, by_class, SeededRandomness(3))).all()  # aims are cut to the range


def test_a_card_for_numbers_spends_what_the_count_leaves() -> None:
    literals = Literals.named("a", "b")
    asked = {"literals": literals, "blocks": single_blocks(literals), "delta": Fraction(1, 1000), "neighbours": ADD}
    counted, told = (AimedCards(epsilon=Fraction(2), rows=rows, **asked) for rows in (None, 100))
    assert told._gradients(told._encoding, 100).epsilon == 2
    assert counted._gradients(counted._encoding, 100).epsilon + counted._count.epsilon == 2
    assert counted._count.epsilon > 0


@pytest.mark.parametrize("literals", [1, 8, 13])
@pytest.mark.parametrize("rows", [0, 1, 70_000])
def test_rows_held_as_bits_are_the_rows_themselves(literals: int, rows: int) -> None:
    bits = TABLE.integers(0, 2, (rows, literals)).astype(np.uint8)
    slopes, constants = TABLE.integers(-30, 31, (literals + 3, literals)), TABLE.integers(-20, 21, literals + 3)
    plain, packed = PlainRows.of(bits @ slopes.T + constants), BitRows.of(bits, slopes, constants)
    assert (plain.lengths() == packed.lengths()).all()
    shown = TABLE.integers(0, 1 << 22, (rows, 2))
    one = mechanism(features=literals + 3)
    weights = TABLE.integers(-(1 << 24), 1 << 24, (literals + 3, 1))
    found = [_Problem.of(held, shown, one, (1, 2), None).gradient(weights) for held in (plain, packed)]
    assert (found[0] == found[1]).all()


def test_lengths_are_rounded_up_and_never_below() -> None:
    near = np.array([[root * root + step] for root in (1, 2, 3, 4095, 2**20, 2**26 - 1) for step in (-1, 0, 1)])
    squares = near.ravel().tolist()
    rows = np.array([[isqrt(square), isqrt(square - isqrt(square) ** 2)] for square in squares])
    exact = [isqrt(total - 1) + 1 if total else 0 for total in (rows * rows).sum(axis=1).tolist()]
    assert lengths_above(rows).tolist() == exact


def test_shares_follow_the_softmax_and_never_exceed_one() -> None:
    scores = TABLE.integers(-(30 << 20), 30 << 20, (500, 4))
    found = chances(scores, 20, 12)
    real = np.exp(scores / (1 << 20) - scores.max(axis=1, keepdims=True) / (1 << 20))
    assert np.abs(found / 4096 - real / real.sum(axis=1, keepdims=True)).max() < 0.02
    assert (found.sum(axis=1) <= 4096).all()
    two = np.hstack([np.zeros((500, 1), dtype=np.int64), scores[:, :1]])
    assert (chances(scores[:, :1], 20, 12) == chances(two, 20, 12)[:, 1:]).all()
    assert found.min() >= 0


def test_clipping_shortens_and_keeps_short_ones() -> None:
    rows = TABLE.integers(-5000, 5000, (300, 3))
    caps = TABLE.integers(1, 6000, 300)
    short = clipped(rows, caps)
    assert ((short * short).sum(axis=1) <= caps * caps).all()
    kept = lengths_above(rows) <= caps
    assert (short[kept] == rows[kept]).all()


def test_the_variance_is_certified_and_below_what_zcdp_asks() -> None:
    epsilon, delta = Fraction(1), Fraction(1, 10**5)
    variance = gaussian_variance(epsilon=epsilon, delta=delta, squared_shift=1 << 40, draws=1000)
    mu = Fraction(1 << 20, 1) ** 2 / variance
    assert 13.5 < variance / (1 << 40) < 14.5
    assert certified(Fraction(int(float(mu) ** 0.5 * (1 << 30)), 1 << 30), epsilon, variance, 1000) <= delta
    assert gaussian_delta(Fraction(str(round(1.01 * gaussian_mu(epsilon, delta), 9))), epsilon) > delta
    coarse = gaussian_variance(epsilon=epsilon, delta=delta, squared_shift=1, draws=1000)
    assert coarse >= 16  # a coarse lattice falls back on zCDP


@pytest.mark.parametrize("x", ["-3", "0", "0.1", "1.5", "4", "8", "11.9", "12.1"])
def test_the_normal_tail_is_enclosed(x: str) -> None:
    from scipy.stats import norm

    found, true = normal_tail(Fraction(x)), float(norm.sf(float(x)))
    assert float(found.lower) <= true * (1 + 1e-12)
    assert float(found.upper) >= true * (1 - 1e-12)


def test_more_budget_never_means_a_jump() -> None:
    before = None
    for step in range(1, 400):
        found = descent(1000, Fraction(step, 100), Fraction(1, 10**5), 20)
        if before is not None:
            assert 0 <= found.steps - before.steps <= 3
            assert 0 <= found.rate - before.rate <= 1
        before = found


def test_what_does_not_fit_is_refused_by_public_numbers() -> None:
    with pytest.raises(CapacityError):
        mechanism(reach=1 << 24)
    with pytest.raises(CapacityError):
        mechanism(longest=1 << 14).check(1 << 40)
    with pytest.raises(ParameterError, match="delta"):
        HalfspaceClassifier(epsilon=1, mechanism="gradients", classes=[0, 1]).fit([[0], [1]], [0, 1])
    with pytest.raises(ParameterError, match="subsample"):
        HalfspaceClassifier(epsilon=1, delta="1e-5", subsample="0.5", classes=[0, 1]).fit([[0], [1]], [0, 1])


def test_a_card_of_several_classes_is_learned_at_once(tmp_path: object) -> None:
    X = TABLE.integers(0, 2, (4000, 6))
    y = X[:, 0] + X[:, 1]
    model = PrivateRuleClassifier(epsilon=3, delta="1e-5", classes=[0, 1, 2]).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.9
    assert (model.guarantee_.epsilon, model.guarantee_.delta) == (3, Fraction(1, 10**5))
    assert model.guarantee_ == model.guarantee
    path = f"{tmp_path}/model.json"
    model.save(path)
    assert (load_model(path).predict(X) == model.predict(X)).all()


def test_an_empty_table_is_any_other() -> None:
    model = PrivateRuleClassifier(epsilon=1, delta="1e-5", classes=[0, 1]).fit(np.zeros((0, 3)), [])
    assert model.predict(np.zeros((2, 3))).shape == (2,)


def test_class_weights_move_the_threshold() -> None:
    X = TABLE.integers(0, 2, (6000, 2))
    y = (TABLE.random(6000) < np.where(X[:, 0] == 1, 0.4, 0.1)).astype(int)
    options = {"epsilon": 5, "delta": "1e-5", "classes": [0, 1]}
    plain, weighted = (HalfspaceClassifier(**options, class_weight=w).fit(X, y) for w in (None, {0: 1, 1: 4}))
    assert plain.predict(X).mean() < 0.1
    assert weighted.predict(X).mean() > 0.4


def test_two_columns_are_clipped_by_their_length_not_by_entries() -> None:
    found = clipped(np.array([[8, 8], [3, -4]]), np.array([4, 5]))
    assert lengths_above(found).tolist() == [3, 5]  # entries are rounded towards zero
    assert found[1].tolist() == [3, -4]


def test_far_tails_are_known_to_be_small() -> None:
    assert 0 <= normal_tail(Fraction(13)).lower <= normal_tail(Fraction(13)).upper < Fraction(1, 10**36)
    assert 1 - Fraction(1, 10**36) < normal_tail(Fraction(-13)).lower
