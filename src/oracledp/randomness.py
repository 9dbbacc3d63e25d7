"""Where random bits come from: the operating system, or a seed that marks everything it touches."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError


@runtime_checkable
class Randomness(Protocol):
    """A source of uniform random bytes. ``private`` is False for every source but the operating system."""

    @property
    def private(self) -> bool:
        """Whether releases made with this source may promise privacy."""
        ...

    def bytes(self, count: int) -> bytes:
        """``count`` independent uniform bytes."""
        ...


@dataclass(frozen=True)
class SystemRandomness:
    """The operating system's generator, asked afresh each time: safe across forks and threads, no state here."""

    @property
    def private(self) -> bool:
        """Always true: nobody can repeat these bits."""
        return True

    def bytes(self, count: int) -> bytes:
        """``count`` bytes from the operating system."""
        return os.urandom(count)


@dataclass(frozen=True)
class SeededRandomness:
    """A repeatable source for tests and demonstrations. Every release made with it is NOT PRIVATE.

    >>> SeededRandomness(7).private
    False
    """

    seed: int
    _generator: np.random.Generator = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            raise ParameterError("seed must be a non-negative integer")
        object.__setattr__(self, "_generator", np.random.default_rng(self.seed))

    @property
    def private(self) -> bool:
        """Always false."""
        return False

    def bytes(self, count: int) -> bytes:
        """The next ``count`` bytes of the seeded stream."""
        return self._generator.bytes(count)


def words(source: Randomness, count: int) -> NDArray[np.uint64]:
    """``count`` uniform 64-bit words."""
    return np.frombuffer(source.bytes(8 * count), dtype=np.uint64)


def below(source: Randomness, bound: int) -> int:
    """A uniform integer in ``[0, bound)``, by rejection, for a bound of any size."""
    if bound <= 0:
        raise ParameterError("bound must be a positive integer")
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        draw = int.from_bytes(source.bytes(size), "little") >> (8 * size - bits) if size else 0
        if draw < bound:
            return draw


def reader(source: Randomness) -> Callable[[int], bytes] | None:
    """How the compiled core reads a source: None lets it ask the operating system without the interpreter."""
    return None if type(source) is SystemRandomness else source.bytes
