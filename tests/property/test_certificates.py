"""The checker of proofs on tiny problems: of all proofs there are, none makes a false claim true."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from oracledp.classes import Conjunctions, Disjunctions
from oracledp.classes.tables import Parts
from oracledp.data.literals import Literals
from oracledp.oracles.certificates import Checker, Claim, Node, Reader, Rejected
from oracledp.oracles.problem import WeightedProblem

MOST_ENTRIES = 14


class Open(Exception):
    """The checker wants to read beyond what is written."""


class Prefix(list[int]):
    """A proof of which only the beginning is written."""

    def __getitem__(self, place: int) -> int:  # type: ignore[override]
        if place >= len(self):
            raise Open
        return super().__getitem__(place)


def followed(problem: WeightedProblem, parts: Parts, proof: list[int]) -> bool | None:
    """Whether a proof is accepted; None if it is right as far as it goes and must go on."""
    claim, reader = Claim.of(problem, parts), Reader(Prefix(proof))
    every = np.ones(len(claim.records), dtype=bool)
    try:
        Checker(claim, reader).node(Node(claim, frozenset(), every, list(range(claim.records.shape[1]))))
        reader.finish()
    except Open:
        return None
    except Rejected:
        return False
    return True


def accepted(problem: WeightedProblem, parts: Parts) -> list[int] | None:
    """Some proof of the claim that the checker accepts, found by writing every entry in every place."""
    open_ends: list[list[int]] = [[]]
    entries = range(-2, problem.query_class.dimension + 1)
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


@pytest.mark.parametrize(("literals", "count"), [(1, 150), (2, 60)])
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
