"""The measured number of rows: what it costs, who asks for it, and that no count is refused after the charge."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracledp as odp
from oracledp.audit.observables import Watched
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.learners import DecisionListClassifier, HalfspaceClassifier, PrivateRuleClassifier
from oracledp.learning import learn_table, recipe, rule_learner
from oracledp.learning.by_size import LearnerBySize
from oracledp.learning.table_learning import TableLearning
from oracledp.learning.task import RuleLearner
from oracledp.mechanisms.row_count import SHARE, RowCount, noisy_size, rounded_size, sizes
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import DrawSource, Question, SeededRandomness, SystemRandomness

LETTERS = odp.Literals.named(*(f"x{n}" for n in range(40)))
SCHEMA = odp.Schema({name: {"kind": "boolean"} for name in ("a", "b", "sick")})
BITS = np.array([[n >> place & 1 for place in range(3)] for n in range(400)], dtype=np.uint8)
TABLE = odp.Table.from_codes(BITS, SCHEMA)
SICK = SCHEMA.literal("sick")
MODELS = ("auto", "decision-list", "halfspace")


@given(st.integers(-(10**6), 2 * MOST_ROWS))
def test_a_count_comes_to_a_size_near_it(count: int) -> None:
    size = rounded_size(count)
    assert size in sizes()
    held = min(max(count, 1), MOST_ROWS)
    assert abs(size - held) <= held / 8


def test_sizes_are_few_and_in_order() -> None:
    assert list(sizes()) == sorted(set(sizes()))
    assert len(sizes()) < 200
    assert [rounded_size(size) for size in sizes()] == list(sizes())


@pytest.mark.parametrize("epsilon", ["1/50", "1/3", "7"])
def test_the_noise_covers_a_record(epsilon: str) -> None:
    count = RowCount(Fraction(epsilon))
    assert Fraction(1, count.scale) <= count.epsilon
    assert count.guarantee.epsilon == count.epsilon
    assert count.guarantee.neighbours is Neighbours.ADD_REMOVE


def test_an_epsilon_that_no_noise_bears_is_refused() -> None:
    with pytest.raises(ParameterError, match="rows="):
        RowCount(Fraction(1, 1 << 56))


@pytest.mark.statistical
def test_a_count_is_noisy_and_near() -> None:
    """Of 600 rows at scale 50: within 20 scales but for probability 2e-9, and not 200 times of 200 the same."""
    found = [noisy_size(600, 50, SystemRandomness()) for _ in range(200)]
    assert all(1 <= size <= 1792 for size in found)
    assert len(set(found)) > 1  # 640 has probability 0.63


@dataclass
class Asked(DrawSource):
    """Draws as shipped, from a seed, and notes what was asked for."""

    names: list[str] = field(default_factory=list)

    def answer(self, question: Question) -> Any:
        self.names.append(question.primitive)
        return question.carry_out(SeededRandomness(len(self.names)))


def asked(estimator: Any, labels: int = 2, **options: Any) -> list[str]:
    source = Asked()
    classes = list(range(labels))
    model = estimator(**{"epsilon": 1, "classes": classes, "random_state": source, **options})
    model.fit(BITS[:, :2], BITS[:, 2] + BITS[:, 1] if labels > 2 else BITS[:, 2])
    return source.names


BY_CLASS = {"delta": "1e-6"}  # without it, several classes are learned from sums by class


@pytest.mark.parametrize("estimator", [PrivateRuleClassifier, DecisionListClassifier, HalfspaceClassifier])
def test_the_rows_are_counted_once_and_first(estimator: Any) -> None:
    for options in ({}, {"labels": 3, **({} if estimator is DecisionListClassifier else BY_CLASS)}):
        names = asked(estimator, **options)
        assert names[0] == "noisy_size"
        assert names.count("noisy_size") == 1


@pytest.mark.parametrize("estimator", [PrivateRuleClassifier, HalfspaceClassifier])
def test_sums_by_class_follow_no_count(estimator: Any) -> None:
    assert asked(estimator, 3) == ["noisy_blocks"]


@pytest.mark.parametrize(
    "options",
    [
        {"rows": 400},
        {"neighbours": "replace-one"},
        {"model": "decision-list", "size": 2},
        {"model": "conjunction"},
        {"model": "parity", "mechanism": "permute-and-flip"},
        {"model": "halfspace", "mechanism": "exponential"},
    ],
    ids=str,
)
def test_nothing_is_counted_where_no_recipe_asks_or_the_number_is_public(options: dict[str, Any]) -> None:
    assert "noisy_size" not in asked(PrivateRuleClassifier, **options)


def counted(model: str, epsilon: Fraction = Fraction(1), problems: int = 1) -> LearnerBySize:
    options: dict[str, Any] = {"problems": problems}
    if problems > 2 and model in ("auto", "halfspace"):  # by default several classes are learned from their sums
        model, options["mechanism"] = "halfspace", "surrogate"
    learner = rule_learner(model, LETTERS, rows=None, epsilon=epsilon, neighbours=Neighbours.ADD_REMOVE, **options)
    assert isinstance(learner, LearnerBySize)
    return learner


@pytest.mark.parametrize("problems", [1, 5])
@pytest.mark.parametrize("model", MODELS)
def test_count_and_problems_cost_epsilon_together(model: str, problems: int) -> None:
    epsilon = Fraction(1, 3)
    learner = counted(model, epsilon, problems)
    for one, _ in learner.learners:
        assert learner.count.epsilon + problems * one.guarantee.epsilon == epsilon
        assert one.guarantee.robust
    assert (learner.guarantee.epsilon, learner.guarantee.delta, learner.guarantee.robust) == (epsilon, 0, True)
    assert learner.count.epsilon == epsilon * SHARE


@pytest.mark.parametrize("model", MODELS)
def test_every_size_has_its_learner_and_the_recipe_is_that_of_the_size(model: str) -> None:
    learner = counted(model)
    covered = [size for _, fitting in learner.learners for size in fitting]
    assert sorted(covered) == list(sizes())
    rest = 1 - SHARE
    assert {recipe(size, rest, 40) for size in sizes()} >= {recipe(rows, rest, 40) for rows in (1, 96, 2**13, 2**20)}


def test_all_learners_are_checked_before_the_charge_whichever_the_count_would_choose(tmp_path: Path) -> None:
    def refuses(rows_bound: int, unit: int) -> None:
        raise ParameterError("one of them could not")

    ledger = Ledger.create(tmp_path / "budget.json", epsilon=10)
    learner = rule_learner("halfspace", SCHEMA.literals.without("sick"), rows=None, epsilon=Fraction(1),
                           neighbours=Neighbours.DEFAULT)  # fmt: skip
    assert isinstance(learner, LearnerBySize)
    for place in range(len(learner.learners)):
        sized = list(learner.learners)
        sized[place] = (replace(sized[place][0], check=refuses), sized[place][1])
        mechanism = TableLearning(replace(learner, learners=tuple(sized)), SICK)
        source = Asked()
        with pytest.raises(ParameterError, match="could not"):
            release(mechanism, TABLE, Facts.of(TABLE, Neighbours.DEFAULT), ledger=ledger, source=source)
        assert (ledger.charges, source.names) == ((), [])


def test_what_some_size_could_not_carry_out_is_refused_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here no card may be smoothed as little as those of many rows are."""
    checked = ConvexSurrogate.__post_init__

    def stricter(mechanism: ConvexSurrogate) -> None:
        checked(mechanism)
        if mechanism.curvature_share > Fraction(1, 10):
            raise ParameterError("a lattice too coarse for this")

    monkeypatch.setattr(ConvexSurrogate, "__post_init__", stricter)
    many = odp.Literals.named(*(f"x{n}" for n in range(6)))
    common: dict[str, Any] = {"epsilon": Fraction(1), "neighbours": Neighbours.DEFAULT}
    assert rule_learner("auto", many, rows=1, **common).name == "surrogate"
    for rows in (1000, None):
        with pytest.raises(ParameterError, match="lattice"):
            rule_learner("auto", many, rows=rows, **common)


def test_the_count_is_drawn_after_the_charge(tmp_path: Path) -> None:
    source = Watched(Ledger.create(tmp_path / "budget.json", epsilon=1))
    learn_table(TABLE, SICK, epsilon=1, ledger=source.ledger, source=source)
    assert set(source.spent) == {1}


def test_the_release_and_the_ledger_name_the_mechanism(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget.json", epsilon=5)
    wide = odp.Schema({f"c{n}": {"kind": "boolean"} for n in range(41)})
    table = odp.Table.from_codes(np.eye(41, dtype=np.uint8), wide)
    found = learn_table(table, wide.literals[0], epsilon="1/10", ledger=ledger, source=SeededRandomness(1))
    assert found.mechanism == ledger.charges[0].mechanism == "surrogate"
    assert found.guarantee.proof == "row-count"


def test_every_small_count_comes_to_one_of_the_sizes() -> None:
    assert {rounded_size(count) for count in range(-3, 3000)} <= set(sizes())


def test_a_learner_by_size_is_that_of_the_size_and_promises_the_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    def learner(name: str, delta: Fraction) -> RuleLearner:
        promise = replace(RowCount(Fraction(1)).guarantee, delta=delta)
        return RuleLearner(name, promise, lambda sample, source: None, lambda rows, unit: None)  # type: ignore[arg-type, return-value]

    small, large = learner("small", Fraction(1, 9)), learner("large", Fraction(1, 8))
    by_size = LearnerBySize(Fraction(1), RowCount(SHARE), ((small, frozenset({1, 2})), (large, frozenset({4}))))
    assert by_size.guarantee.delta == Fraction(1, 8)
    for size, expected in ((1, small), (2, small), (4, large)):
        monkeypatch.setattr(RowCount, "run", lambda self, rows, source, size=size: size)
        assert by_size.settled(100, SystemRandomness()) is expected
