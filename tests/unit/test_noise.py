"""The samplers' code on scripted bits: the exact law with tiny digits, and a mirror in big integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, islice
from math import isqrt
from random import Random

import numpy as np
import pytest

from oracledp import _engine
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.randomness import noise
from oracledp.randomness.source import SeededRandomness, SystemRandomness

SYSTEM = SystemRandomness()
Trace = Callable[..., tuple[int, int]]
TRACES = [_engine.trace_1_bit, _engine.trace_2_bit]


@dataclass(frozen=True)
class Script:
    """A source of the given bytes, in their order."""

    values: Iterator[int]
    private: bool = False

    def bytes(self, count: int) -> bytes:
        return bytes(islice(self.values, count))


# ---- the law of the compiled code, by enumerating all strings of bits -------------------------------


class OutOfBits(Exception):
    """The script ended."""


def enumerated_law(trace: Trace, law: str, scale: int, other: int, depth: int) -> tuple[dict[int, Fraction], Fraction]:
    """The probability of each value that at most ``depth`` bits decide, and what they leave open."""
    filler = int.from_bytes(b"\x5a\x93\xc6\x2d\x71" * 12, "little")
    mass: dict[int, int] = defaultdict(int)
    path = undecided = 0
    while path < 1 << depth:
        script = int(f"{path:0{depth}b}"[::-1], 2) | filler << depth
        chunks = [(script % (1 << 512)).to_bytes(64, "little")]

        def reader(count: int, chunks: list[bytes] = chunks) -> bytes:
            if not chunks:
                raise OutOfBits
            return chunks.pop()

        try:
            value, used = trace(law, scale, other, reader)
        except OutOfBits:
            used = depth + 1
        if used > depth:
            undecided += 1
            path += 1
        else:
            mass[value] += 1 << (depth - used)
            path = ((path >> (depth - used)) + 1) << (depth - used)
    whole = 1 << depth
    return {value: Fraction(part, whole) for value, part in mass.items()}, Fraction(undecided, whole)


def exp(x: Fraction) -> Fraction:
    return Fraction(sum(exp_enclosure(x, 100)), 2**101)


def agree(mass: dict[int, Fraction], undecided: Fraction, law: dict[int, Fraction]) -> None:
    slack = Fraction(1, 2**90)
    assert set(mass) <= set(law)
    for value, probability in law.items():
        decided = mass.get(value, Fraction(0))
        assert decided - slack <= probability <= decided + undecided + slack


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 11])
def test_uniform_law(trace: Trace, bound: int) -> None:
    mass, undecided = enumerated_law(trace, "uniform", bound, 0, 18)
    assert undecided < Fraction(1, 4)
    agree(mass, undecided, {value: Fraction(1, bound) for value in range(bound)})


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize(("top", "bottom"), [(0, 1), (1, 3), (3, 7), (99, 100), (1, 1), (4, 3)])
def test_exp_minus_law(trace: Trace, top: int, bottom: int) -> None:
    mass, undecided = enumerated_law(trace, "exp_minus", bottom, top, 18)
    assert undecided < Fraction(1, 10)
    accepted = exp(Fraction(top, bottom))
    agree(mass, undecided, {1: accepted, 0: 1 - accepted})


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("scale", [1, 2, 3, 5])
def test_trial_law(trace: Trace, scale: int) -> None:
    """One trial gives x with probability e^(-x/t) - e^(-(x+1)/t), and 'add one' with probability 1/e."""
    mass, undecided = enumerated_law(trace, "fraction_times", scale, 0, 18)
    assert undecided < Fraction(1, 10)
    tail = [exp(Fraction(x, scale)) for x in range(scale + 1)]
    law = {x: tail[x] - tail[x + 1] for x in range(scale)} | {scale: tail[scale]}
    agree(mass, undecided, law)


def test_geometric_law() -> None:
    scale = 2
    mass, undecided = enumerated_law(_engine.trace_1_bit, "geometric", scale, 0, 18)
    law = {x: exp(Fraction(x, scale)) - exp(Fraction(x + 1, scale)) for x in range(60)}
    agree(mass, undecided, law)


# ---- the code with full digits, on bits full of ties, against big integers ---------------------------


class Mirror:
    """The geometric sampler restated on lists of digits and unbounded integers."""

    def __init__(self, data: bytes) -> None:
        self.words = iter(np.frombuffer(data, dtype="<u8").tolist())
        self.held: list[int] = []

    def digit(self) -> int:
        if not self.held:
            self.held = list(next(self.words).to_bytes(8, "little"))
        return self.held.pop(0)

    def floor_of(self, bound: int) -> int:
        value = width = 0
        while True:
            word = next(self.words)
            value, width = value << 64 | word, width + 64
            if bound * word % 2**64 + bound <= 2**64:
                return bound * value >> width

    def less(self, left: list[int], right: list[int]) -> bool:
        place = 0
        while True:
            for number in (left, right):
                if len(number) == place:
                    number.append(self.digit())
            if left[place] != right[place]:
                return left[place] < right[place]
            place += 1

    def geometric(self, scale: int) -> int:
        whole = 0
        while True:
            first = last = [self.digit()]
            length = 0
            while self.less(following := [self.digit()], last):
                last, length = following, length + 1
            if length % 2 == 0:
                rest = self.floor_of(scale)
                prefix = int.from_bytes(bytes(first), "big")
                return whole * scale + ((scale * prefix + rest) >> 8 * len(first))
            whole += 1


@pytest.mark.parametrize("scale", [1, 2, 1000, 2**31 + 1, 2**40 + 7, 2**55 - 1, 2**55])
def test_geometric_mirrors_big_integers(scale: int) -> None:
    data = np.random.default_rng(scale).choice(np.array([0, 1, 128, 255], dtype=np.uint8), 2**19).tobytes()
    mirror = Mirror(data)
    expected = [mirror.geometric(scale) for _ in range(3000)]
    source = Script(iter(data))
    assert noise.geometric(scale, 3000, source).tolist() == expected


@pytest.mark.parametrize("bound", [1, 2, 3, 10**9 + 7, 2**55 + 1, 2**63 - 1, 2**63])
def test_uniform_mirrors_big_integers(bound: int) -> None:
    data = np.random.default_rng(5).choice(np.array([0, 255], dtype=np.uint8), 2**17).tobytes()
    mirror = Mirror(data)
    expected = [mirror.floor_of(bound) for _ in range(3000)]
    source = Script(iter(data))
    assert noise.uniform(bound, 3000, source).tolist() == expected


def test_fractions_of_256_bits_are_compared_in_every_limb() -> None:
    """A uniform real that agrees with root^2 / denominator for many digits, then leaves it by one."""
    random = Random(1)
    for _ in range(2000):
        denominator = random.getrandbits(random.randint(2, 240)) | 2
        root = random.randrange(isqrt(denominator - 1) + 1) % 2**128
        digits = root * root * 256**40 // denominator
        step = random.choice([-1, 0, 1]) if 0 < digits < 256**40 - 1 else 0
        script = (digits + step).to_bytes(40, "big") + b"\x80" * 24
        below = Fraction(int.from_bytes(script, "big"), 256**64) < Fraction(root * root, denominator)
        wide = [number.to_bytes(32, "little") for number in (root, denominator)]
        assert _engine.trace_wide(*wide, Script(iter(script)).bytes) is below


# ---- edges -----------------------------------------------------------------------------------------


def test_a_draw_beyond_255_scales_is_refused() -> None:
    always_add_one = Script(cycle([2, 1, 3]))  # the run 2 > 1 has odd length, so every trial adds one
    for draw in (noise.geometric, noise.discrete_laplace):
        with pytest.raises(CapacityError, match="255 scales"):
            draw(2**55, 1, always_add_one)


@pytest.mark.parametrize("scale", [0, -1, True, 1.5, "3"])
def test_bad_scales(scale: object) -> None:
    for draw in (noise.geometric, noise.discrete_laplace, noise.uniform):
        with pytest.raises(ParameterError, match="positive integer"):
            draw(scale, 1, SYSTEM)  # type: ignore[arg-type]


def test_sizes_beyond_capacity() -> None:
    with pytest.raises(CapacityError):
        noise.geometric(2**55 + 1, 1, SYSTEM)
    with pytest.raises(CapacityError):
        noise.discrete_laplace(2**70, 1, SYSTEM)
    with pytest.raises(CapacityError):
        noise.uniform(2**63 + 1, 1, SYSTEM)
    with pytest.raises(CapacityError):
        noise.discrete_gaussian(2**111, 1, SYSTEM)


@pytest.mark.parametrize("variance", [0, -3, Fraction(0), 1.5, True, "1"])
def test_bad_variances(variance: object) -> None:
    with pytest.raises(ParameterError, match="variance"):
        noise.discrete_gaussian(variance, 1, SYSTEM)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [-1, 2.0, False])
def test_bad_counts(count: object) -> None:
    with pytest.raises(ParameterError, match="count"):
        noise.geometric(3, count, SYSTEM)  # type: ignore[arg-type]


def test_bad_probabilities() -> None:
    with pytest.raises(ParameterError):
        noise.bernoulli(Fraction(3, 2), SYSTEM)
    with pytest.raises(ParameterError):
        noise.bernoulli_exp(Fraction(-1, 2), SYSTEM)


def test_certain_coins() -> None:
    assert all(noise.bernoulli(1, SYSTEM) and not noise.bernoulli(0, SYSTEM) for _ in range(100))
    assert all(noise.bernoulli_exp(0, SYSTEM) and not noise.bernoulli_exp(10**30, SYSTEM) for _ in range(100))


def test_empty_and_integer_kinds() -> None:
    assert noise.geometric(5, 0, SYSTEM).shape == (0,)
    assert noise.discrete_gaussian(Fraction(5), 0, SYSTEM).shape == (0,)
    assert noise.geometric(np.int64(5), 3, SYSTEM).dtype == np.int64  # type: ignore[arg-type]


def test_a_seed_repeats_and_the_system_does_not() -> None:
    def draw(source: SeededRandomness | SystemRandomness) -> list[list[int]]:
        gaussian = noise.discrete_gaussian(Fraction(10**9, 3), 50, source)
        return [noise.geometric(10**6, 50, source).tolist(), gaussian.tolist()]

    assert draw(SeededRandomness(3)) == draw(SeededRandomness(3))
    assert draw(SeededRandomness(3)) != draw(SeededRandomness(4))
    assert draw(SYSTEM) != draw(SYSTEM)


def test_threads_draw_independently() -> None:
    with ThreadPoolExecutor(4) as pool:
        draws = list(pool.map(lambda _: noise.geometric(2**50, 10_000, SYSTEM), range(4)))
    assert len(np.unique(np.concatenate(draws))) > 39_990


def test_a_failing_source_is_reported() -> None:
    class Broken(SystemRandomness):
        def bytes(self, count: int) -> bytes:
            raise OSError("no entropy")

    class Short(SystemRandomness):
        def bytes(self, count: int) -> bytes:
            return b"\0"

    with pytest.raises(OSError, match="no entropy"):
        noise.geometric(3, 10, Broken())
    with pytest.raises(ValueError, match="bytes"):
        noise.geometric(3, 10, Short())


def test_both_gaussian_paths_keep_their_range() -> None:
    """A variance with huge terms takes the path in Python integers; both refuse nothing that is legal."""
    for variance in (Fraction(1, 10**6), Fraction(7, 3), Fraction(2**109), Fraction(10**60 + 1, 10**58)):
        draws = noise.discrete_gaussian(variance, 200, SYSTEM).tolist()
        assert len(draws) == 200
        assert max(draw * draw for draw in draws) <= 400 * variance + 400
