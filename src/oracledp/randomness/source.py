"""Where random bits come from: the operating system, or a seed that marks everything it touches."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.exact.numbers import MOST_SEED, whole

P = ParamSpec("P")
R = TypeVar("R")


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
        object.__setattr__(self, "seed", whole(self.seed, "seed", least=0, most=MOST_SEED))
        object.__setattr__(self, "_generator", np.random.default_rng(self.seed))

    @property
    def private(self) -> bool:
        """Always false."""
        return False

    def bytes(self, count: int) -> bytes:
        """The next ``count`` bytes of the seeded stream."""
        return self._generator.bytes(count)


@dataclass(frozen=True, eq=False)
class Question:
    """A draw that a primitive asks a :class:`DrawSource` for: its name, its arguments but for the source, its own way.

    ``carry_out(source)`` makes the draw as shipped, with another source.
    """

    primitive: str
    arguments: tuple[Any, ...]
    carry_out: Callable[[Randomness], Any]


class DrawSource(ABC):
    """A source that answers for whole draws instead of bytes: how an audit walks through every outcome of shipped code.

    Every primitive below and in ``noise``, ``selection``, ``partition``, ``block_noise`` and the samplers is marked
    :func:`drawn` and asks such a source first. Nothing that it touches is private.
    """

    @property
    def private(self) -> bool:
        """Always false."""
        return False

    def bytes(self, count: int) -> bytes:
        """Refused: a draw that is not :func:`drawn` would escape the audit."""
        raise ParameterError("this source answers for whole draws; mark the primitive that reads its bytes")

    @abstractmethod
    def answer(self, question: Question) -> Any:
        """The outcome of a draw."""


def drawn(primitive: Callable[P, R]) -> Callable[P, R]:
    """Marks a primitive whose law is proved and tested by itself: a :class:`DrawSource` answers for the whole of it."""
    form = signature(primitive)
    place = list(form.parameters).index("source")

    @wraps(primitive)
    def asking(*args: P.args, **kwargs: P.kwargs) -> R:
        source: Any = kwargs["source"] if "source" in kwargs else args[place]
        if not isinstance(source, DrawSource):
            return primitive(*args, **kwargs)
        given = form.bind(*args, **kwargs).arguments
        own: Callable[..., R] = primitive
        rest = tuple(value for name, value in given.items() if name != "source")
        question = Question(primitive.__name__, rest, lambda other: own(**{**given, "source": other}))
        answer: R = source.answer(question)
        return answer

    return asking


@drawn
def public_generator(source: Randomness) -> np.random.Generator:
    """A plain generator for what touches released values only; its seed may be known to everybody."""
    return np.random.default_rng(words(source, 4).tolist())


@drawn
def words(source: Randomness, count: int) -> NDArray[np.uint64]:
    """``count`` uniform 64-bit words."""
    return np.frombuffer(source.bytes(8 * count), dtype=np.uint64)


@drawn
def below(source: Randomness, bound: int) -> int:
    """A uniform integer in ``[0, bound)``, by rejection, for a bound of any size."""
    if bound <= 0:
        raise ParameterError("bound must be a positive integer")
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        draw = int.from_bytes(source.bytes(size), "little") >> (8 * size - bits)
        if draw < bound:
            return draw


def reader(source: Randomness) -> Callable[[int], bytes] | None:
    """How the compiled core reads a source: None lets it ask the operating system without the interpreter."""
    return None if type(source) is SystemRandomness else source.bytes
