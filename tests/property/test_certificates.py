"""The checker of proofs on tiny problems: of all proofs there are, none makes a false claim true."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from reference_checker import accepts

from oracledp._engine import ConjunctionIndex, ProofChecker, prove_conjunction
from oracledp.classes import Conjunctions, Disjunctions
from oracledp.classes.tables import Parts
from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.oracles.certificates import ACCEPTED, UNFINISHED, check_conjunction, examine
from oracledp.oracles.problem import WeightedProblem

MOST_ENTRIES = 14


def followed(problem: WeightedProblem, parts: Parts, proof: list[int]) -> bool | None:
    """Whether a proof is accepted; None if it is right as far as it goes and must go on."""
    verdict, value = examine(problem, parts, proof)
    assert value == problem.value(parts)
    return None if verdict == UNFINISHED else verdict == ACCEPTED


def accepted(problem: WeightedProblem, parts: Parts) -> list[int] | None:
    """Some proof of the claim that the checker accepts, found by writing every entry in every place."""
    open_ends: list[list[int]] = [[]]
    entries = range(-3, problem.query_class.dimension + 1)
    while open_ends:
        proof = open_ends.pop()
        for entry in entries:
            verdict = followed(problem, parts, [*proof, entry])
            if verdict:
                return [*proof, entry]
            if verdict is None and len(proof) + 1 < MOST_ENTRIES:
                open_ends.append([*proof, entry])
    return None


def tiny_problems(literals: int, count: int) -> Iterator[WeightedProblem]:
    """Small weights and costs, so that ties are everywhere."""
    rng = np.random.default_rng(literals)
    names = Literals.named(*"abc"[:literals])
    records = np.array(list(product((0, 1), repeat=literals)), dtype=np.uint8)
    for number in range(count):
        kind = Conjunctions if number % 3 else Disjunctions
        width = None if number % 2 else int(rng.integers(1, literals + 1))
        problem = WeightedProblem.build(kind(names, max_width=width), records, rng.integers(-2, 3, len(records)))
        sizes = rng.integers(-1, 2, problem.size_costs.shape)
        yield problem.with_noise(rng.integers(-2, 3, problem.part_costs.shape), sizes if number % 5 else None)


def first_minimiser(problem: WeightedProblem) -> Parts:
    return min(problem.query_class.all_parts(), key=lambda parts: (problem.value(parts), sum(1 << j for j in parts)))


@pytest.mark.parametrize(("literals", "count"), [(1, 150), (2, 150)])
def test_no_false_claim_has_a_proof(literals: int, count: int) -> None:
    """Neither a value that is not the least, nor a tie that comes later in the fixed order."""
    for problem in tiny_problems(literals, count):
        true = first_minimiser(problem)
        for parts in problem.query_class.all_parts():
            if parts != true:
                assert accepted(problem, parts) is None


def test_every_true_claim_about_one_literal_has_a_proof() -> None:
    for problem in tiny_problems(1, 150):
        assert accepted(problem, first_minimiser(problem)) is not None


def changed(proof: list[int], literals: int, rng: np.random.Generator) -> list[int]:
    """The proof with one entry changed, left out, repeated or exchanged."""
    place, other = (int(at) for at in rng.integers(len(proof), size=2))
    mutant = list(proof)
    match int(rng.integers(4)):
        case 0:
            mutant[place] = int(rng.integers(-3, literals + 1))
        case 1:
            del mutant[place]
        case 2:
            mutant.insert(place, mutant[place])
        case _:
            mutant[place], mutant[other] = mutant[other], mutant[place]
    return mutant


def logged(problem: WeightedProblem, *, eager: bool) -> tuple[Parts, list[int]]:
    """The search's answer and its log."""
    records, weights, _ = problem.query_class.as_conjunctions_see(problem.packed, problem.weights)
    costs, sizes, width = problem.part_costs, problem.size_costs, problem.query_class.hot
    found = prove_conjunction(ConjunctionIndex(records, weights), costs, sizes, width, 1 << 60, 1 << 20, eager)
    assert found is not None
    return tuple(found[0][1]), found[1].tolist()


@pytest.mark.parametrize("eager", [False, True])
def test_the_judge_accepts_whatever_the_checker_accepts(eager: bool) -> None:
    """Logs of searches on six literals, whole and damaged; damage that does no harm is accepted by both."""
    rng = np.random.default_rng(20 + eager)
    names, harmless = Literals.named(*"abcdef"), 0
    for number in range(150):
        kind = Conjunctions if number % 3 else Disjunctions
        queries = kind(names, max_width=None if number % 2 else int(rng.integers(1, 7)))
        records = rng.integers(0, 2, (30, 6)).astype(np.uint8)
        problem = WeightedProblem.build(queries, records, rng.integers(-4, 5, 30))
        sizes = rng.integers(-2, 3, problem.size_costs.shape) if number % 5 else None
        problem = problem.with_noise(rng.integers(-4, 5, 6), sizes)
        parts, proof = logged(problem, eager=eager)
        assert check_conjunction(problem, parts, proof)
        assert accepts(problem, parts, proof)
        for _ in range(10):
            mutant = changed(proof, 6, rng)
            if check_conjunction(problem, parts, mutant):
                harmless += mutant != proof
                assert accepts(problem, parts, mutant)
    assert harmless > 10


def test_what_is_no_claim_is_an_error() -> None:
    """The search that made it is broken: the door turns this into a failure."""
    checker = ProofChecker(PackedRecords.of(np.array([[1, 0], [1, 1]], dtype=np.uint8)), np.array([2, -3]))
    none, proof = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int32)
    costs = np.zeros(2, dtype=np.int64)
    assert checker.check(costs, none, 1, [1], proof) == ("unfinished", -3)
    for claimed in ([2], [-1], [0, 0], [0, 1]):
        with pytest.raises(ValueError, match="not one of the class"):
            checker.check(costs, none, 1, claimed, proof)
    for parts, sizes, width in ((costs[:1], none, 1), (costs, costs[:1], 1), (costs, none, 3), (costs, none, -1)):
        with pytest.raises(ValueError, match="one entry per literal"):
            checker.check(parts, sizes, width, [], proof)


def test_numbers_that_are_no_literals_are_rejected() -> None:
    problem = next(tiny_problems(2, 1))
    true = first_minimiser(problem)
    for proof in ([1, 2], [1, -1], [2, 0, 0], [3], [2**31 - 1], [0, 0, 1], [0, 0, -1]):
        verdict, _ = examine(problem, true, proof)
        assert verdict == "rejected", proof
