"""One step of a fit at a time: what learners refuse, ask, share out and say, on cases worked out by hand."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.tree import DecisionTreeClassifier

from oracledp.classes import Conjunctions, DecisionTrees, Disjunctions
from oracledp.data.literals import Literals
from oracledp.data.output.frames import _plain
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.data.table.frames import encode_columns
from oracledp.data.table.unit import Unit
from oracledp.errors import DataError, OracleDPError, ParameterError
from oracledp.learners.bands import bands_of
from oracledp.learners.fitting import problems
from oracledp.learners.lineage import Lineage, RepeatedFitWarning
from oracledp.learners.persons import UNNAMED, Persons, bounded, told_apart
from oracledp.learning import robust, rule_learner, whole_class
from oracledp.learning.blocks import Block
from oracledp.learning.by_size import LearnerBySize
from oracledp.learning.class_cards import class_learner
from oracledp.learning.gradient_cards import gradient_learner
from oracledp.learning.learner import descent_of
from oracledp.learning.sample import ClassSample, Sample
from oracledp.learning.single_rules import SingleRules
from oracledp.learning.sparse_cards import OFTEN, SPREAD, Frequencies, sparse_card
from oracledp.learning.task import Task
from oracledp.mechanisms.votes.fitted import SameTree
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import SystemRandomness
from oracledp.synthesis import program, rounds

EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)
ADD_REMOVE = Neighbours.ADD_REMOVE
LITERALS = Literals.named("a", "b", "c")


def refused(call: Callable[[], Any], kind: type[OracleDPError] = ParameterError) -> bool:
    try:
        call()
    except kind:
        return True
    return False


def task(**more: Any) -> Task:
    blocks = tuple(Block.single(number) for number in range(3))
    given = {"epsilon": EPSILON, "neighbours": ADD_REMOVE, "size": None, "oracle": "auto", **more}
    return Task(literals=LITERALS, blocks=blocks, **given)


def small_rows(count: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(6)
    records = rng.integers(0, 2, (count, 3)).astype(np.uint8)
    return records, records[:, 0] == 1


# ---- what a task and its learners refuse -----------------------------------------------------------------------------
def test_a_task_by_itself() -> None:
    assert task().unit == 1
    assert task(size=2).size == 2
    for size in (0, -1, 1.5, "two", 10**9):
        assert refused(lambda size=size: task(size=size))
    assert Block.single(0).size == 1


def test_a_tree_is_learned_from_the_weights_that_it_was_made_for() -> None:
    learner = rule_learner("tree", LITERALS, rows=40, epsilon=EPSILON, neighbours=ADD_REMOVE)
    learned = learner.settled(40, SystemRandomness()).run(Sample.of(LITERALS, *small_rows()), SystemRandomness())
    assert learned.mechanism == learner.name
    heavy = Sample.of(LITERALS, *small_rows(), weights=(1, 2))
    assert refused(lambda: learner.settled(40, SystemRandomness()).run(heavy, SystemRandomness()))


def test_a_whole_class_is_asked_with_the_numbers_that_it_was_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    promised = Guarantee(epsilon=EPSILON / 3, neighbours=ADD_REMOVE, proof="noise")
    runner = SimpleNamespace(check=lambda rows, unit: asked.append((rows, unit)), name="stub", guarantee=promised)
    monkeypatch.setattr(whole_class, "selector", lambda name, wanted: runner)
    learner = whole_class.whole_class_learner("conjunction", "rspm", task(size=2, rows_bound=100, unit=3))
    learner.check(100, 3)
    learner.check(1, 1)
    assert asked == [(100, 3), (1, 1)]
    for wrong in ((101, 3), (100, 4)):
        assert refused(lambda wrong=wrong: learner.check(*wrong))
    assert len(asked) == 2


def test_learners_by_size_settle_all_classes_at_once_if_each_of_them_does() -> None:
    one, many = SimpleNamespace(at_once=True), SimpleNamespace(at_once=False)
    for learners, expected in (((one, one), True), ((one, many), False), ((many, one), False)):
        sized = tuple((learner, frozenset((size,))) for size, learner in enumerate(learners))
        assert LearnerBySize(EPSILON, None, sized).at_once is expected  # type: ignore[arg-type]


def test_problems_that_share_epsilon() -> None:
    assert [problems(classes) for classes in (1, 2, 3, 4)] == [1, 1, 3, 4]


# ---- cards -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("classes", [2, 3])
def test_cards_of_all_classes_from_one_run(classes: int) -> None:
    records, label = small_rows()
    labels = np.arange(40) % classes if classes == 3 else label.astype(np.intp)
    sample = ClassSample.of(records, labels, weights=(1,) * classes)
    asked = task(classes=classes, delta=DELTA)
    descent = descent_of(asked, 40, 3)
    for learner, clip in ((gradient_learner(asked, descent), float(descent.clip)), (class_learner(asked), 1.0)):
        assert learner.run_classes is not None
        cards = learner.run_classes(sample, SystemRandomness())
        assert len(cards.queries) == (1 if classes == 2 else 3)
        assert cards.clip == (clip if classes == 2 else 1.0)
        weighed = ClassSample.of(
            records, labels, weights=(1,) * classes, row_weights=np.arange(40, dtype=np.int64) % 3, heaviest=2
        )
        assert len(learner.run_classes(weighed, SystemRandomness()).queries) == len(cards.queries)


def test_uneven_weights_leave_the_odds_of_gradients_as_they_are() -> None:
    records, label = small_rows()
    asked = task(delta=DELTA)
    descent = descent_of(asked, 40, 3)
    assert descent.clip != 1
    learner = gradient_learner(asked, descent)
    assert learner.run_classes is not None
    uneven = ClassSample.of(records, label.astype(np.intp), weights=(1, 2))
    assert learner.run_classes(uneven, SystemRandomness()).clip == 1.0


def test_how_often_literals_hold_and_how_far_that_is_believed() -> None:
    """Sums of ±1 over four rows with noise of variance 1/2: a share errs by half as much as a sum, over the rows."""
    sums = SimpleNamespace(reach=8, variance=(0.5,), run=lambda features, shown, source: features.T @ shown)
    records = np.array([[1, 0], [1, 1]], dtype=np.uint8)
    often = Frequencies(sums).run(records, np.array([3, 1]), SystemRandomness())  # type: ignore[arg-type]
    assert often.shares.tolist() == [1.0, 0.25]
    assert often.believed == pytest.approx(SPREAD / (SPREAD + 0.5 / 64))
    assert often.unseen == pytest.approx((0.5 / 64) ** 0.5 / 2)


def test_a_sparse_card_shares_out_its_budget() -> None:
    """A card of everything, how often literals hold, and a card of a few: together ε, and no more."""
    asked: list[Task] = []

    def build(wanted: Task) -> Any:
        asked.append(wanted)
        promised = Guarantee(epsilon=wanted.epsilon, neighbours=ADD_REMOVE, proof="noise")
        return SimpleNamespace(at_once=True, name="stub", guarantee=promised, check=lambda rows, unit: None)

    whole = task(size=2)
    learner = sparse_card(whole, build, whole.blocks)
    learner.check(100, 1)
    first, second = asked
    assert first.epsilon + second.epsilon + OFTEN * EPSILON == EPSILON
    assert (learner.guarantee.epsilon, learner.guarantee.delta) == (EPSILON, 0)


def test_a_sparse_card_is_made_of_cards_without_delta() -> None:
    whole, spent = (
        task(size=2),
        Guarantee(epsilon=EPSILON, delta=Fraction(1, 100), neighbours=ADD_REMOVE, proof="noise"),
    )
    with pytest.raises(ValueError, match="under pure epsilon"):
        sparse_card(whole, lambda wanted: SimpleNamespace(guarantee=spent), whole.blocks)  # type: ignore[arg-type,return-value]


# ---- rules in words --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("disjunctions", [False, True])
def test_a_condition_in_words(disjunctions: bool) -> None:
    rules = SingleRules(LITERALS, 2, EPSILON, ADD_REMOVE, disjunctions)
    query = rules.query(((0, True), (1, False)))
    assert isinstance(query.owner, Disjunctions if disjunctions else Conjunctions)
    records = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]], dtype=np.uint8)
    holds = query(np.hstack([records, 1 - records]))
    assert holds.tolist() == ([True, True, False, True] if disjunctions else [False, False, True, False])


def test_bands_of_a_rule_are_its_two_predictions() -> None:
    query = Conjunctions(LITERALS).query(0)
    margins = lambda records: records[:, 0] - 0.5  # noqa: E731
    bands = bands_of((0, 1), (query,), LITERALS, margins)
    assert bands.predicted == (0, 1)
    assert bands.of(np.array([[0, 0, 0], [1, 0, 0]], dtype=np.uint8)).tolist() == [0, 1]


def test_the_same_tree() -> None:
    trees = DecisionTrees(LITERALS, depth=2)
    records = np.array([[a, b, 0] for a in (0, 1) for b in (0, 1)], dtype=np.uint8)
    label = records[:, 0] & records[:, 1]
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(records, label)
    found = trees.query(*SameTree(trees)(model))
    assert found(records).astype(int).tolist() == label.tolist()


# ---- whose rows, and how often ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("ids", "name"),
    [([1, 1, 2], UNNAMED), (pandas.Series([1, 1, 2]), UNNAMED), (pandas.Series([1, 1, 2], name=7), UNNAMED),
     (pandas.Series([1, 1, 2], name=""), UNNAMED), (pandas.Series([1, 1, 2], name="patient"), "patient")],
)  # fmt: skip
def test_how_a_guarantee_calls_persons(ids: Any, name: str) -> None:
    _, listed, unit = told_apart(np.zeros((3, 1)), Persons(ids, 2), None)
    assert listed == [1, 1, 2]
    assert unit == Unit(name, 2)


def test_a_table_without_the_column_of_persons() -> None:
    schema = Schema({"a": {"kind": "boolean"}})
    encode_columns({"a": [True]}, schema)
    with pytest.raises(DataError, match="column 'id' is missing"):
        encode_columns({"a": [True]}, schema, Unit("id", 1))


def test_copies_warn_once_and_add_up() -> None:
    promised = Guarantee(epsilon=EPSILON, delta=DELTA, neighbours=ADD_REMOVE, proof="noise")
    copies = Lineage()
    with pytest.warns(RepeatedFitWarning):
        assert copies.after(promised, None).epsilon == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = copies.after(promised, None)
    assert (both.epsilon, both.delta) == (2, 2 * DELTA)
    ledger = SimpleNamespace(spent=(Fraction(7), Fraction(1, 9)))
    of_ledger = copies.after(promised, ledger)  # type: ignore[arg-type]
    assert (of_ledger.epsilon, of_ledger.delta) == (7, Fraction(1, 9))
    assert not of_ledger.assumes


@pytest.mark.parametrize("relation", Neighbours)
def test_rows_that_are_named_are_a_bound_where_their_number_is_private(
    relation: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def prsma(table: Any, queries: Any, *, rows_bound: int | None, **more: Any) -> None:
        asked.append(rows_bound)
        raise ParameterError("enough")

    monkeypatch.setattr(robust, "prsma", prsma)
    schema = Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
    table = Table.from_codes(np.zeros((50, 2), dtype=np.uint8), schema)
    wanted = robust.RobustLearning(
        mechanism="prsma", model="conjunction", size=1, epsilon=EPSILON, delta=DELTA, neighbours=relation,
        oracle="auto", rows=90, progress=None, ledger=None, source=None,
    )  # fmt: skip
    assert refused(lambda: wanted.learn(table, schema.literals[1]))
    assert asked == [90 if relation is ADD_REMOVE else None]


# ---- a workload ------------------------------------------------------------------------------------------------------
def test_queries_of_equal_weight_are_counted_together() -> None:
    asked: list[tuple[list[str], Fraction]] = []
    meter = SimpleNamespace(queries=lambda group, part: asked.append((list(group), part)))
    weighed = (("p", Fraction(1)), ("q", Fraction(2)), ("r", Fraction(1)))
    program._own_queries(meter, SimpleNamespace(queries=weighed), Fraction(1))  # type: ignore[arg-type]
    assert [group for group, _ in asked] == [["p", "r"], ["q"]]
    assert sum(part for _, part in asked) <= 1


@dataclass(frozen=True)
class Released:
    total: float = 9.6
    marginals: None = None
    queries: tuple[str, ...] = ()


def test_rounds_of_a_synthesis_select_and_count_within_their_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes take turns; of each round's equal part four fifths choose and one fifth counts."""
    told: list[Any] = []
    fit = SimpleNamespace(mixture="mixture", extend=lambda measured: told.append(measured.queries))
    monkeypatch.setattr(rounds, "RunningFit", lambda *given: fit)
    monkeypatch.setattr(rounds, "draw_rows", lambda mixture, marginals, count, generator: (mixture, count))
    monkeypatch.setattr(rounds, "CountedQuery", SimpleNamespace(of=lambda query, schema: query))
    spent: list[tuple[Fraction, Fraction]] = []

    class Meter:
        records = SimpleNamespace(in_order=())

        def select(self, queries: str, schema: Any, proposal: Any, total: int, rho: Fraction) -> str:
            assert (proposal, total) == (("mixture", 10), 10)
            spent.append((rho, Fraction(0)))
            return f"worst of {queries}"

        def queries(self, queries: list[str], rho: Fraction) -> str:
            spent[-1] = (spent[-1][0], rho)
            return f"count of the {queries[0]}"

    searched = [SimpleNamespace(queries="many", rounds=2), SimpleNamespace(queries="few", rounds=1)]
    given: Any = (Meter(), None, Released(), searched, Fraction(3), np.random.default_rng(0))
    found = rounds.play_rounds(*given)
    assert [f"{one}" for one in found.queries] == [f"count of the worst of {name}" for name in ("many", "few", "many")]
    assert [len(queries) for queries in told] == [1, 2, 3]
    assert sum(choosing + counting for choosing, counting in spent) <= 3
    for choosing, counting in spent:
        assert (float(choosing), float(counting)) == pytest.approx((0.8, 0.2), abs=1e-5)


def test_one_weight_for_all_rows_is_left_as_it_is() -> None:
    """What a fit then says to it is the fit's affair: nothing is taken from it."""
    records = np.zeros((3, 1), dtype=np.uint8)
    encoded = (None, records, SimpleNamespace(labels=np.array([0, 1, 1])))
    estimator = SimpleNamespace(schema=None, _encode_training=lambda X, y: encoded)
    for weight, kept in ((2.0, 2.0), (None, None), (np.array([1, 1, 1]), [1, 1])):
        found = bounded(estimator, records, np.array([0, 1, 1]), weight, Persons([7, 7, 8], 1)).sample_weight
        assert (found.tolist() if isinstance(found, np.ndarray) else found) == kept


def test_truth_values_that_are_spelled_as_digits_come_back_as_integers() -> None:
    column = Schema({"a": {"kind": "boolean", "spelling": ["0", "1"]}}).columns[0]
    found = _plain(column, np.array([True, False, None], dtype=object))
    assert [(type(value), value) for value in found] == [(int, 1), (int, 0), (type(None), None)]
