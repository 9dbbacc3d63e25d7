"""The checker of proofs once more, in numpy and Python integers, as simple as it can be: a judge of the compiled one.

It merges equal rows at every node and bounds every child from what that child can have, so that it accepts whatever
the compiled checker may accept, and more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.points import Link
from oracledp.classes.subsets import joined_by
from oracledp.classes.tables import Parts
from oracledp.oracles.problem import WeightedProblem

END, MERGED, SETTLED = -1, -2, -3


class Rejected(Exception):
    """A step of the proof does not follow."""


def accepts(problem: WeightedProblem, parts: Parts, proof: Sequence[int]) -> bool:
    """Whether the proof shows that no query comes before these parts in value and then in order."""
    claim = Claim.of(problem, parts)
    reader = Reader(proof)
    every = np.ones(len(claim.records), dtype=bool)
    try:
        Checker(claim, reader).node(Node(claim, frozenset(), every, list(range(claim.records.shape[1]))))
        reader.finish()
    except (Rejected, IndexError):
        return False
    return True


@dataclass
class Reader:
    """The numbers of a proof, one after the other."""

    entries: Sequence[int]
    place: int = 0

    def next(self) -> int:
        """One number."""
        self.place += 1
        return int(self.entries[self.place - 1])

    def listed(self) -> list[int]:
        """A list: its length, then its members."""
        found = [self.next() for _ in range(self.next())]
        require(len(set(found)) == len(found) and min(found, default=0) >= 0)
        return found

    def finish(self) -> None:
        """Nothing may be left over."""
        require(self.place == len(self.entries))


def require(holds: Any) -> None:
    """Reject the proof unless this holds."""
    if not holds:
        raise Rejected


@dataclass(frozen=True)
class Claim:
    """The problem as one over conjunctions, and the answer that is claimed to be its first minimiser."""

    records: NDArray[np.bool_]
    weights: NDArray[np.int64]
    costs: list[int]
    sizes: list[int]
    width: int
    value: int
    mask: int

    @classmethod
    def of(cls, problem: WeightedProblem, parts: Parts) -> Claim:
        """A disjunction is one minus the conjunction of the negated literals."""
        records, weights, value = problem.records != 0, problem.weights, problem.value(parts) - problem.constant
        if joined_by(problem.query_class, Link.SUM) is not None:
            records, weights, value = ~records, -weights, value - sum(weights.tolist())
        width = problem.query_class.hot
        sizes = problem.size_costs.tolist() or [0] * (width + 1)
        return cls(records, weights, problem.part_costs.tolist(), sizes, width, value, mask_of(parts))

    def steps(self, size: int) -> list[int]:
        """What one more literal adds to the cost of the size, for sets of at least this size."""
        return [self.sizes[s + 1] - self.sizes[s] for s in range(size, self.width)] or [0]

    def least_cost(self, literals: Iterable[int], size: int) -> int:
        """The least that a choice of these literals, beside ``size`` others, can cost with its size."""
        best, total = self.sizes[size], 0
        for more, cost in enumerate(sorted(self.costs[j] for j in literals)[: self.width - size], start=1):
            total += cost
            best = min(best, total + self.sizes[size + more])
        return best

    def beaten(self, value: int, included: Iterable[int]) -> bool:
        """Whether no set of at least this value that holds these literals comes before the claimed answer."""
        return value > self.value or (value == self.value and mask_of(included) >= self.mask)

    def weight(self, rows: NDArray[np.bool_], sign: int) -> int:
        """The absolute weight of the rows of one sign."""
        return int(np.maximum(sign * self.weights[rows], 0).sum())


def mask_of(literals: Iterable[int]) -> int:
    """A set as the integer of its bits."""
    return sum(1 << j for j in literals)


@dataclass
class Node:
    """The sets that hold ``included`` and otherwise only literals of ``free``."""

    claim: Claim
    included: frozenset[int]
    cover: NDArray[np.bool_]
    free: list[int]
    cost: int = field(init=False)

    def __post_init__(self) -> None:
        self.cost = sum(self.claim.costs[j] for j in self.included)

    @property
    def size(self) -> int:
        """How many literals are included."""
        return len(self.included)

    def child(self, literal: int, free: list[int]) -> Node:
        """The sets that also hold one more literal."""
        return Node(self.claim, self.included | {literal}, self.cover & self.claim.records[:, literal], free)

    @cached_property
    def groups(self) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """The covered rows as the free literals see them, equal ones merged, with their net weights."""
        seen = self.claim.records[self.cover][:, self.free]
        packed = np.packbits(np.concatenate([seen, np.ones((len(seen), 1), dtype=bool)], axis=1), axis=1)
        _, first, inverse = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        net = np.zeros(len(first), dtype=np.int64)
        np.add.at(net, inverse.reshape(-1), self.claim.weights[self.cover])
        return seen[first], net

    def having(self, literals: Iterable[int]) -> NDArray[np.bool_]:
        """Which groups have all of these free literals."""
        patterns, _ = self.groups
        return np.asarray(patterns[:, [self.free.index(j) for j in literals]].all(axis=1), dtype=bool)

    def net(self, rows: NDArray[np.bool_], sign: int) -> int:
        """The absolute net weight of the groups of one sign."""
        return int(np.maximum(sign * self.groups[1][rows], 0).sum())

    def beaten_with(self, literal: int, others: list[int]) -> bool:
        """Whether every set of the node that holds the literal, and else only ``others``, is beaten.

        Negative groups without it are lost; positive groups that have it and all others cannot be lost.
        """
        claim, more = self.claim, [j for j in others if j != literal]
        data = self.net(self.having([literal, *more]), 1) - self.net(self.having([literal]), -1)
        value = data + self.cost + claim.costs[literal] + claim.least_cost(more, self.size + 1)
        return claim.beaten(value, self.included | {literal})

    def never_pays(self, literal: int) -> bool:
        """Whether adding the literal to a set of the node never improves it."""
        gain = self.net(~self.having([literal]), 1)
        return self.claim.costs[literal] + min(self.claim.steps(self.size)) >= gain

    def always_pays(self, literal: int) -> bool:
        """Whether adding the literal to a set of the node always improves it."""
        loss, claim = self.net(~self.having([literal]), -1), self.claim
        unlimited = claim.width == len(claim.costs)
        return unlimited and claim.costs[literal] + max(claim.steps(self.size)) + loss < 0


@dataclass
class Checker:
    """Follows a proof node by node."""

    claim: Claim
    reader: Reader

    def node(self, node: Node) -> None:
        """Every set of the node is the claimed answer or comes after it."""
        node = self._forced(node)
        self._evaluated(node)
        candidates = self.reader.listed()
        require(set(candidates) <= set(node.free) and (node.size < self.claim.width or not candidates))
        if node.size < self.claim.width:
            for literal in set(node.free) - set(candidates):
                require(node.beaten_with(literal, node.free) or self._needless(node, literal))
        kept = self._kept(node, candidates)
        self._children(node, kept)

    def _forced(self, node: Node) -> Node:
        for literal in self.reader.listed():
            require(literal in node.free and node.always_pays(literal))
            node = node.child(literal, [j for j in node.free if j != literal])
        return node

    def _evaluated(self, node: Node) -> None:
        value = int(self.claim.weights[node.cover].sum()) + node.cost + self.claim.sizes[node.size]
        require(self.claim.beaten(value, node.included))

    def _kept(self, node: Node, candidates: list[int]) -> list[int]:
        """The literals that are left: sets that end in the tail are beaten, single literals are evaluated."""
        count = self.reader.next()
        require(0 <= count <= len(candidates))
        for place in range(len(candidates) - 1, count - 1, -1):
            require(node.beaten_with(candidates[place], candidates[:place]))
        for literal in candidates[:count]:
            self._evaluated(node.child(literal, []))
        kept = self.reader.listed()
        require([j for j in candidates[:count] if j in set(kept)] == kept)
        if node.size + 1 < self.claim.width:
            require(all(node.never_pays(j) for j in set(candidates[:count]) - set(kept)))
        return kept

    def _children(self, node: Node, kept: list[int]) -> None:
        """Child p holds kept[p] and may hold what comes before it; each is followed, or shown to be beaten."""
        done = min(1, len(kept))
        view = node
        while (entry := self.reader.next()) != END:
            if entry == MERGED:
                view = Node(self.claim, node.included, node.cover, kept)
                left = self.reader.listed()
                require([j for j in kept if j in set(left)] == left)
                require(all(view.beaten_with(j, kept) or view.never_pays(j) for j in set(kept) - set(left)))
                done = max(min(1, len(left)), sum(j in set(left) for j in kept[:done]))
                kept = left
                continue
            if entry == SETTLED:
                done = max(done, self._settled(node, kept))
                continue
            require(entry in kept[done:])
            place = kept.index(entry)
            self._skipped(view, kept, range(done, place))
            self.node(node.child(entry, kept[:place]))
            done = place + 1
        self._skipped(view, kept, range(done, len(kept)))

    def _settled(self, node: Node, kept: list[int]) -> int:
        """Every set of some of the first literals kept is looked at."""
        count = self.reader.next()
        require(0 < count <= len(kept))
        for size in range(min(count, self.claim.width - node.size) + 1):
            for chosen in combinations(kept[:count], size):
                grown = node
                for literal in chosen:
                    grown = grown.child(literal, [])
                self._evaluated(grown)
        return count

    def _skipped(self, node: Node, kept: list[int], places: range) -> None:
        for place in places:
            literal, others = kept[place], kept[:place]
            require(node.beaten_with(literal, others) or self._demands(node, literal, others))

    def _needless(self, node: Node, literal: int) -> bool:
        """Whether the literal makes an included one not worth its cost, whatever else is chosen."""
        records, step = self.claim.records, min(self.claim.steps(1))
        return any(
            self.claim.weight(records[:, literal] & ~records[:, one], 1) <= self.claim.costs[one] + step
            for one in node.included
        )

    def _demands(self, node: Node, literal: int, others: list[int]) -> bool:
        """Whether a set with the literal always gains by another that it can no longer have."""
        records, step = self.claim.records, max(self.claim.steps(1))
        barred = set(range(len(self.claim.costs))) - node.included - {literal, *others}
        return self.claim.width == len(self.claim.costs) and any(
            self.claim.weight(records[:, literal] & ~records[:, one], -1) + self.claim.costs[one] + step < 0
            for one in barred
        )
