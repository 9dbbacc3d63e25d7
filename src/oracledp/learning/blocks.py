"""How literals hang together: the patterns that a column's literals can show, and a score's view of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literals
from oracledp.data.schema import Schema


@dataclass(frozen=True)
class Block:
    """Some literals (by number) and the distinct patterns of values that they can show together; public."""

    literals: tuple[int, ...]
    patterns: tuple[tuple[int, ...], ...]

    @classmethod
    def single(cls, literal: int) -> Block:
        """One literal by itself: false or true."""
        return cls((literal,), ((0,), (1,)))

    @property
    def size(self) -> int:
        """How many weights a score has for it: one for two patterns, else one per pattern."""
        return 1 if len(self.patterns) == 2 else len(self.patterns)

    @property
    def chain(self) -> tuple[int, ...]:
        """The literals, by place, of which any two imply one another in one direction: a column's thresholds."""
        table = np.array(self.patterns, dtype=bool)
        chain = [0]
        for place in range(1, table.shape[1]):
            if all(_nested(table[:, place], table[:, member]) for member in chain):
                chain.append(place)
        return tuple(chain) if len(chain) > 1 else ()

    def features(self, records: NDArray[np.uint8]) -> NDArray[np.int8]:
        """±1 for two patterns, else the indicators of the patterns; a record that shows none has no entry."""
        shown = records[:, list(self.literals)]
        hits = [np.all(shown == np.array(pattern, dtype=np.uint8), axis=1) for pattern in self.patterns]
        if self.size == 1:
            return np.asarray((hits[1].astype(np.int8) - hits[0])[:, None], dtype=np.int8)
        return np.stack(hits, axis=1).astype(np.int8)

    def points(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """The same score as one number per literal and a constant."""
        values = np.array([-weights[0], weights[0]]) if self.size == 1 else weights
        system = np.hstack([np.array(self.patterns, dtype=float), np.ones((len(self.patterns), 1))])
        solution = np.linalg.lstsq(system, values, rcond=None)[0]
        return solution[:-1], float(solution[-1])


def _nested(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> bool:
    return bool(np.all(one <= other) or np.all(other <= one))


def single_blocks(literals: Literals) -> tuple[Block, ...]:
    """Every literal by itself: where nothing is known of how they hang together."""
    return tuple(Block.single(number) for number in range(len(literals)))


def thin_blocks(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Single literals: of a column's thresholds the middle one, of everything else all."""
    kept: list[Block] = []
    for block in blocks:
        chain = set(block.chain)
        middle = block.chain[(len(chain) - 1) // 2] if chain else None
        kept += [
            Block.single(name) for place, name in enumerate(block.literals) if place not in chain or place == middle
        ]
    return tuple(kept)


def schema_blocks(schema: Schema, literals: Literals) -> tuple[Block, ...]:
    """One block per column of a schema, for those of its literals that are in use."""
    place = {literal: number for number, literal in enumerate(literals)}
    blocks: list[Block] = []
    for column in schema.columns:
        kept = [literal for literal in column.literals if literal in place]
        if kept:
            table = np.stack([column.holds(literal) for literal in kept], axis=1)
            blocks += pattern_blocks(tuple(place[literal] for literal in kept), table)
    return tuple(blocks)


def pattern_blocks(numbers: tuple[int, ...], table: NDArray[np.uint8]) -> list[Block]:
    """One block for literals with these patterns (codes × literals), if a score over them is one over the literals."""
    patterns = tuple(dict.fromkeys(tuple(row) for row in table.tolist()))
    system = np.hstack([np.array(patterns, dtype=float), np.ones((len(patterns), 1))])
    if len(patterns) >= 2 and np.linalg.matrix_rank(system) == len(patterns):
        return [Block(numbers, patterns)]
    return [Block.single(number) for number in numbers]
