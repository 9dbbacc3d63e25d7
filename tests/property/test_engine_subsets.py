"""The search over conjunctions and disjunctions, and the checker of its proofs, against plain enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp._engine import best_conjunctions, prove_conjunction
from oracledp.classes import Conjunctions, Disjunctions, Parities
from oracledp.classes.tables import Parts
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError
from oracledp.oracles.base import Failed, Solution, Trust
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle, _prepare
from oracledp.oracles.certificates import ACCEPTED, check_conjunction, examine
from oracledp.oracles.door import ask
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.transforms import TransformOracle
from oracledp.oracles.work import NO_LIMIT

SubsetKind = type[Conjunctions] | type[Disjunctions]
SETTLED = -3  # what a proof says before the number of literals whose sets are all settled


def subsets(kind: SubsetKind, literals: int, width: int | None = None) -> Conjunctions | Disjunctions:
    return kind(Literals.named(*(f"x{j}" for j in range(literals))), max_width=width)


def random_records(rng: np.random.Generator, rows: int, literals: int) -> np.ndarray:
    """Sparse to dense; now and then columns are constant, equal or each other's negations."""
    records = (rng.random((rows, literals)) < rng.choice([0.1, 0.5, 0.9])).astype(np.uint8)
    change, half = rng.integers(0, 5), literals // 2
    if change == 0:
        records[:, rng.integers(literals)] = rng.integers(2)
    if change == 1:
        records[:, rng.integers(literals)] = records[:, rng.integers(literals)]
    if change == 2:
        records[:, half : 2 * half] = 1 - records[:, :half]
    return records


def random_weights(rng: np.random.Generator, rows: int) -> np.ndarray:
    """From many ties to the limit of the integers."""
    most = int(rng.choice([1, 3, 1000, (1 << 60) // max(1, rows)]))
    return rng.integers(-most, most + 1, rows) * int(rng.choice([1, 3]))


def random_costs(rng: np.random.Generator, problem: WeightedProblem) -> WeightedProblem:
    """None, of either sign, or the one-sided costs of the k-hot embedding, against small and large data."""
    scale = max(1, problem.weight_total // int(rng.choice([10, 1000, 10**6])))
    style = rng.integers(0, 4)
    parts, sizes = problem.part_costs, problem.size_costs
    if style == 1:
        parts = rng.integers(-scale // 16, scale // 16 + 2, parts.shape)
    if style == 2:
        parts, sizes = (
            -rng.integers(0, scale // 16 + 2, parts.shape),
            np.sort(-rng.integers(0, scale // 16 + 2, sizes.shape)),
        )
    if style == 3:
        parts, sizes = rng.integers(-2, 3, parts.shape), rng.integers(-3, 4, sizes.shape)
    return problem.with_noise(parts, sizes)


def random_problems(seed: int, count: int, most_literals: int, most_rows: int) -> Iterator[WeightedProblem]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        literals, rows = int(rng.integers(1, most_literals + 1)), int(rng.integers(0, most_rows + 1))
        width = None if rng.random() < 0.5 else int(rng.integers(0, literals + 1))
        kind: SubsetKind = Conjunctions if rng.random() < 0.5 else Disjunctions
        records, weights = random_records(rng, rows, literals), random_weights(rng, rows)
        problem = WeightedProblem.build(subsets(kind, literals, width), records, weights, int(rng.integers(-9, 10)))
        yield random_costs(rng, problem)


def first_minimiser(problem: WeightedProblem) -> tuple[int, Parts]:
    """Every subset by a transform of its own: one pass per literal, then the first least value."""
    d, owner = problem.query_class.dimension, problem.query_class
    conjunction = isinstance(owner, Conjunctions)
    records, weights = (problem.records, problem.weights) if conjunction else (1 - problem.records, -problem.weights)
    table = np.zeros(1 << d, dtype=np.int64)
    np.add.at(table, records.astype(np.int64) @ (1 << np.arange(d)), weights)
    costs = np.zeros(1, dtype=np.int64)
    for j in range(d):
        halves = table.reshape(-1, 2, 1 << j)
        halves[:, 0] += halves[:, 1]
        costs = np.concatenate([costs, costs + problem.part_costs[j]])
    size = np.bitwise_count(np.arange(1 << d)).astype(np.int64)
    allowed = size <= owner.hot
    values = (table + costs)[allowed]
    if problem.size_costs.size:
        values += problem.size_costs[size[allowed]]
    place = int(values.argmin())
    mask = int(np.flatnonzero(allowed)[place])
    constant = problem.constant + (0 if conjunction else int(problem.weights.sum()))
    return int(values[place]) + constant, tuple(j for j in range(d) if mask >> j & 1)


def searched(problem: WeightedProblem, *, eager: bool) -> tuple[int, Parts]:
    index, constant = _prepare(problem, problem.query_class)
    width = problem.query_class.hot
    found = best_conjunctions(index, problem.part_costs[None], problem.size_costs[None], width, NO_LIMIT, eager)[0]
    assert found is not None
    return found[0] + constant + problem.constant, tuple(found[1])


@pytest.mark.parametrize("seed", [0, 7, 12, 28, 40, 64])
def test_literals_that_are_paid_to_join_rows_with_a_common_weight(seed: int) -> None:
    """A literal is demanded by what it takes away in units of the common weight, not by their number."""
    rng = np.random.default_rng(seed)
    queries = subsets(Conjunctions, int(rng.integers(11, 16)))
    count = int(rng.integers(20, 90))
    rows = (rng.random((count, queries.dimension)) < rng.choice([0.6, 0.8, 0.9])).astype(np.uint8)
    unit = int(rng.choice([10, 50, 1000]))
    problem = WeightedProblem.build(queries, rows, rng.integers(-3, 4, count) * unit)
    problem = problem.with_noise(-rng.integers(0, int(rng.choice([2, 4, 8])) * unit, queries.part_count))
    expected, found = TransformOracle().solve(problem), BranchAndBoundOracle().solve(problem)
    assert isinstance(expected, Solution)
    assert isinstance(found, Solution)
    assert (found.value, found.query.parts) == (expected.value, expected.query.parts)


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize(("count", "most_literals", "most_rows"), [(6_000, 5, 12), (3_000, 9, 100), (300, 12, 2_000)])
def test_agrees_with_enumeration(count: int, most_literals: int, most_rows: int, eager: bool) -> None:
    """Thousands of problems, ties included; ``eager`` merges rows everywhere, which else only long searches do."""
    for problem in random_problems(count + eager, count, most_literals, most_rows):
        assert searched(problem, eager=eager) == first_minimiser(problem)


def test_more_than_one_word_of_literals() -> None:
    """Keys of several words: 70 and 150 literals, width 2, compared with the exhaustive oracle."""
    rng = np.random.default_rng(5)
    for literals in (70, 150):
        for _ in range(6):
            problem = WeightedProblem.build(
                subsets(Conjunctions, literals, 2), random_records(rng, 300, literals), rng.integers(-3, 4, 300)
            )
            problem = problem.with_noise(-rng.integers(0, 6, literals), np.sort(-rng.integers(0, 9, 3)))
            expected = ExhaustiveOracle().solve(problem)
            assert isinstance(expected, Solution)
            for eager in (False, True):
                assert searched(problem, eager=eager) == (expected.value, expected.query.parts)


def test_hard_problems_merge_rows_by_themselves() -> None:
    """Random labels on dense data take long enough for merged tables; the answer is that of enumeration."""
    rng = np.random.default_rng(11)
    records = (rng.random((6_000, 16)) < 0.7).astype(np.uint8)
    problem = WeightedProblem.build(subsets(Conjunctions, 16), records, rng.choice([-1, 1], 6_000))
    noisy = problem.with_noise(rng.integers(-5, 6, 16))
    for one in (problem, noisy):
        assert searched(one, eager=False) == first_minimiser(one)


@pytest.mark.parametrize("weight", [1, 1 << 12, 1 << 40])
def test_more_literals_than_one_table_of_cells_holds(weight: int) -> None:
    """Cells of 16, 32 and 64 bits, and children that come after them; costs of either sign."""
    rng = np.random.default_rng(12)
    records = (rng.random((300, 20)) < 0.8).astype(np.uint8)
    weights = rng.integers(-9, 10, 300) * weight + rng.integers(-1, 2, 300)
    problem = WeightedProblem.build(subsets(Conjunctions, 20), records, weights)
    for one in (problem, problem.with_noise(rng.integers(-2, 3, 20) * weight)):
        assert searched(one, eager=False) == first_minimiser(one)


@pytest.mark.parametrize("negated", [0, 3])
def test_long_searches_settle_all_literals_on_lists_of_cells(negated: int) -> None:
    """More literals at once than a table of cells holds; the transform knows the answer, the checker the proof."""
    rng = np.random.default_rng(14)
    records = (rng.random((20_000, 23)) < 0.85).astype(np.uint8)
    records = np.hstack([records, 1 - records[:, :negated]])
    literals = records.shape[1]
    problem = WeightedProblem.build(subsets(Conjunctions, literals), records, rng.integers(-3, 4, 20_000))
    for one in (problem, problem.with_noise(rng.integers(-9, 10, literals))):
        expected = TransformOracle().solve(one)
        assert isinstance(expected, Solution)
        assert searched(one, eager=False) == (expected.value, expected.query.parts)
        parts, proof = proved(one, eager=False)
        assert any(count > 16 for mark, count in pairwise(proof) if mark == SETTLED)
        assert examine(one, parts, proof) == (ACCEPTED, expected.value)


def test_cells_of_keys_of_several_words() -> None:
    """No enumeration reaches so many literals: merging everywhere is another way to the answer, the checker a third."""
    rng = np.random.default_rng(13)
    for literals in (70, 150):
        records = (rng.random((250, literals)) < 0.4).astype(np.uint8)
        for scale in (0, 2):
            problem = WeightedProblem.build(subsets(Conjunctions, literals), records, rng.integers(-4, 5, 250))
            problem = problem.with_noise(scale * rng.integers(-1, 3, literals))
            found = searched(problem, eager=False)
            assert found == searched(problem, eager=True)
            answer = BranchAndBoundOracle(verify=True).solve(problem)
            assert isinstance(answer, Solution)
            assert (answer.value, answer.query.parts) == found


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.data())
def test_any_small_problem_through_the_door(data: st.DataObject) -> None:
    kind: SubsetKind = data.draw(st.sampled_from([Conjunctions, Disjunctions]))
    queries = subsets(kind, 4, data.draw(st.none() | st.integers(0, 4)))
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * 4), max_size=10))
    weights = data.draw(st.lists(st.integers(-4, 4), min_size=len(rows), max_size=len(rows)))
    records = np.array(rows, dtype=np.uint8).reshape(-1, 4)
    problem = WeightedProblem.build(queries, records, np.array(weights, dtype=np.int64), data.draw(st.integers(-5, 5)))
    costs = data.draw(st.lists(st.integers(-5, 5), min_size=4, max_size=4))
    sizes = data.draw(st.lists(st.integers(-5, 5), min_size=problem.size_costs.size, max_size=problem.size_costs.size))
    for one in (problem, problem.with_noise(np.array(costs), np.array(sizes, dtype=np.int64))):
        expected = ExhaustiveOracle().solve(one)
        assert isinstance(expected, Solution)
        for oracle in (BranchAndBoundOracle(), BranchAndBoundOracle(verify=True)):
            found = ask(oracle, one)
            assert isinstance(found, Solution)
            assert (found.value, found.query) == (expected.value, expected.query)


def test_redraws_in_one_call_are_the_searches_one_by_one() -> None:
    rng = np.random.default_rng(2)
    for kind in (Conjunctions, Disjunctions):
        problem = WeightedProblem.build(
            subsets(kind, 9, 4), random_records(rng, 80, 9), rng.integers(-4, 5, 80), constant=7
        )
        parts, sizes = rng.integers(-9, 10, (20, 9)), rng.integers(-9, 10, (20, 5))
        single = [BranchAndBoundOracle().solve(problem.with_noise(p, s)) for p, s in zip(parts, sizes, strict=True)]
        many = BranchAndBoundOracle().redraw(problem, parts, sizes).listed(problem.constant)
        assert many == [(one.query.parts, one.value) for one in single if isinstance(one, Solution)]


def test_a_work_limit_fails_in_the_same_place_every_time() -> None:
    rng = np.random.default_rng(3)
    problem = WeightedProblem.build(subsets(Conjunctions, 12), random_records(rng, 400, 12), rng.integers(-3, 4, 400))
    answer = BranchAndBoundOracle().solve(problem)
    assert isinstance(answer, Solution)
    work = answer.certificate.work
    assert BranchAndBoundOracle(work_limit=work).solve(problem) == answer
    assert BranchAndBoundOracle(work_limit=work - 1).solve(problem) == Failed("work limit reached")
    costs, sizes = np.zeros((1, 12), dtype=np.int64), np.zeros((1, 13), dtype=np.int64)
    assert BranchAndBoundOracle(work_limit=1).redraw(problem, costs, sizes).listed(0) == [None]


def test_what_it_promises_and_what_it_refuses() -> None:
    oracle = BranchAndBoundOracle()
    assert (oracle.total, oracle.fixed_ties, oracle.trust) == (True, True, Trust.PROVED)
    assert not BranchAndBoundOracle(work_limit=5).total
    assert oracle.supports(subsets(Conjunctions, 500))
    parities = Parities(Literals.named("a", "b"))
    assert not oracle.supports(parities)
    problem = WeightedProblem.build(parities, np.zeros((1, 2), dtype=np.uint8), np.array([1]))
    assert oracle.solve(problem) == Failed("class not supported")
    plain = WeightedProblem.build(subsets(Conjunctions, 2), np.ones((1, 2), dtype=np.uint8), np.array([1 << 61]))
    with pytest.raises(CapacityError, match="2\\^62"):
        oracle.redraw(plain, np.full((1, 2), 1 << 60), np.zeros((1, 3), dtype=np.int64))


# ---- proofs ------------------------------------------------------------------------------------------------
def proved(problem: WeightedProblem, *, eager: bool) -> tuple[Parts, list[int]]:
    index, _ = _prepare(problem, problem.query_class)
    found = prove_conjunction(
        index, problem.part_costs, problem.size_costs, problem.query_class.hot, NO_LIMIT, 1 << 20, eager
    )
    assert found is not None
    return tuple(found[0][1]), found[1].tolist()


@pytest.mark.parametrize("eager", [False, True])
def test_true_proofs_are_accepted_and_false_claims_rejected(eager: bool) -> None:
    rng = np.random.default_rng(6)
    for problem in random_problems(40 + eager, 1_000, 7, 40):
        parts, proof = proved(problem, eager=eager)
        assert check_conjunction(problem, parts, proof)
        for mask in rng.integers(0, 1 << problem.query_class.dimension, 3).tolist():
            other = tuple(j for j in range(problem.query_class.dimension) if mask >> j & 1)
            if problem.query_class.contains(other) and other != parts:
                assert not check_conjunction(problem, other, proof)


def test_no_change_to_a_proof_makes_a_false_claim_true() -> None:
    """Mutants: entries changed, removed, repeated or exchanged, offered with an answer that is not the minimum."""
    rng = np.random.default_rng(7)
    for problem in random_problems(50, 400, 6, 30):
        parts, proof = proved(problem, eager=bool(rng.integers(2)))
        false = (
            next(other for other in problem.query_class.all_parts() if other != parts)
            if problem.query_class.size > 1
            else None
        )
        if false is None:
            continue
        for _ in range(10):
            mutant, place = list(proof), int(rng.integers(len(proof)))
            change = rng.integers(4)
            if change == 0:
                mutant[place] = int(rng.integers(-2, 7))
            elif change == 1:
                del mutant[place : place + int(rng.integers(1, 4))]
            elif change == 2:
                mutant[place:place] = mutant[place : place + 2]
            else:
                mutant[place], mutant[-1 - place] = mutant[-1 - place], mutant[place]
            assert not check_conjunction(problem, false, mutant)


def test_a_proof_that_leaves_something_out_is_rejected() -> None:
    """Two literals together are best; without the child that holds both nothing shows it, or refutes a rival."""
    records = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=np.uint8)
    problem = WeightedProblem.build(subsets(Conjunctions, 2), records, np.array([-5, 3, 3, 1]))
    parts, proof = proved(problem, eager=False)
    assert parts == (0, 1)
    assert check_conjunction(problem, parts, proof)
    nothing_forced, no_candidates, none_left, none_kept, end = 0, 0, 0, 0, -1
    assert not check_conjunction(problem, (), [nothing_forced, no_candidates, none_left, none_kept, end])
    assert not check_conjunction(problem, (0, 1), [nothing_forced, no_candidates, none_left, none_kept, end, end])
    assert not check_conjunction(problem, parts, proof[:-1])
    assert not check_conjunction(problem, parts, [])


def test_a_rejected_proof_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = WeightedProblem.build(subsets(Conjunctions, 2), np.ones((1, 2), dtype=np.uint8), np.array([1]))
    monkeypatch.setattr("oracledp.oracles.branch_and_bound.examine", lambda *_: ("rejected", 0))
    assert BranchAndBoundOracle(verify=True).solve(problem) == Failed("the proof was rejected")
    assert isinstance(BranchAndBoundOracle().solve(problem), Solution)
