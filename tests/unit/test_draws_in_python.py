"""The exact laws of the draws that are put together in Python, by walking through all outcomes of what they ask."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, isqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.mechanisms.sampling.trials import keep
from oracledp.randomness import noise
from oracledp.randomness.choice import _under_weight, exponential_law
from oracledp.randomness.source import DrawSource, Question, SeededRandomness, below

# ---- a walk in which an integer below a bound is known only as far as it was compared -----------------


class TooLight(Exception):
    """The walk has become less likely than what is looked at."""


LEAST = Fraction(1, 10**7)


@dataclass
class Walk(DrawSource):
    """Answers ``below`` with :class:`Unknown` numbers, and their comparisons as the script says, then with True."""

    script: list[bool]
    place: int = 0
    mass: Fraction = Fraction(1)

    def answer(self, question: Question) -> Any:
        if question.primitive == "below":
            return Unknown(self, 0, question.arguments[0])
        return question.carry_out(self)

    def decide(self, probability: Fraction) -> bool:
        if probability in (0, 1):
            return probability == 1
        if self.mass < LEAST:
            raise TooLight
        if self.place == len(self.script):
            self.script.append(True)
        self.place += 1
        taken = self.script[self.place - 1]
        self.mass *= probability if taken else 1 - probability
        return taken


@dataclass
class Unknown:
    """A uniform integer in [low, high): it takes sides when it is compared, and keeps to them."""

    walk: Walk
    low: int
    high: int

    def __lt__(self, bound: int) -> bool:
        cut = min(max(bound, self.low), self.high)
        smaller = self.walk.decide(Fraction(cut - self.low, self.high - self.low))
        self.low, self.high = (self.low, cut) if smaller else (cut, self.high)
        return smaller

    def __ge__(self, bound: int) -> bool:
        return not self < bound

    def __add__(self, other: int | Unknown) -> Unknown | Above:
        return self | other if isinstance(other, Unknown) else Above(self, other)

    def __radd__(self, base: int) -> Unknown:
        return Unknown(self.walk, base + self.low, base + self.high)

    def __lshift__(self, bits: int) -> Unknown:
        return Unknown(self.walk, self.low << bits, self.high << bits)

    def __or__(self, digits: Unknown) -> Unknown:
        """More digits for a number that was shifted: it stays uniform in its range."""
        assert (digits.low, self.low % digits.high, self.high % digits.high) == (0, 0, 0)
        return self


@dataclass
class Above:
    """An unknown integer plus a known one."""

    number: Unknown
    step: int

    def __le__(self, bound: int) -> bool:
        return self.number < bound + 1 - self.step


def law(draw: Callable[[Walk], Hashable]) -> tuple[dict[Hashable, Fraction], Fraction]:
    """The probability of each outcome, and of the walks that were given up."""
    found: dict[Hashable, Fraction] = defaultdict(Fraction)
    script: list[bool] = []
    while True:
        walk = Walk(script)
        try:
            found[draw(walk)] += walk.mass
        except TooLight:
            found["open"] += walk.mass
        while walk.script and not walk.script[-1]:
            walk.script.pop()
        if not walk.script:
            assert sum(found.values()) == 1
            return found, found.pop("open", Fraction(0))
        walk.script[-1] = False
        script = walk.script


def has_probability(draw: Callable[[Walk], bool], low: Fraction, high: Fraction) -> None:
    found, left = law(draw)
    assert left < Fraction(1, 10**4)
    assert found[True] <= high
    assert low <= found[True] + left


def exponential(x: Fraction) -> tuple[Fraction, Fraction]:
    low, high = exp_enclosure(x, 200)
    return Fraction(low, 2**200), Fraction(high, 2**200)


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 3), Fraction(7, 9), Fraction(1)])
def test_bernoulli(p: Fraction) -> None:
    assert law(lambda source: noise.bernoulli(p, source))[0][True] == p


@pytest.mark.parametrize("x", ["0", "1/3", "7/9", "1", "4/3", "3", "7/2", "1/1000000007"])
def test_bernoulli_exp(x: str) -> None:
    has_probability(lambda source: noise.bernoulli_exp(Fraction(x), source), *exponential(Fraction(x)))


@pytest.mark.parametrize("x", ["1/3", "3/2", "9"])
@pytest.mark.parametrize("bits", [1, 3, 8, 62])
def test_a_uniform_real_under_a_weight(x: str, bits: int) -> None:
    """Over all stretches the chance is that of the weight, however coarse the first digits are."""
    low, high = exponential(Fraction(x))
    offsets = range(1 << bits) if bits < 9 else [exp_enclosure(Fraction(x), bits)[0] + step for step in (-1, 0, 1)]
    total = sum((law(lambda s, o=o: _under_weight(o, Fraction(x), bits, s))[0][True] for o in offsets), Fraction(0))
    total += offsets[0]  # what lies below the first stretch is under the weight as a whole
    slack = LEAST
    assert low - slack <= total / (1 << bits) <= high + slack


@pytest.mark.parametrize(("inside", "chosen"), [(1, 1), (2, 3), (5, 5), (1, 2**61)])
@pytest.mark.parametrize("x", ["0", "1/7", "2", "50"])
def test_a_leaf_is_kept_with_its_weight(x: str, inside: int, chosen: int) -> None:
    low, high = (p * Fraction(inside, chosen) for p in exponential(Fraction(x)))
    has_probability(lambda source: keep(Fraction(x), inside, chosen, source), low, high)


# ---- bytes to integers --------------------------------------------------------------------------------


@dataclass
class Bytes:
    """One script of bytes; reading past its end raises."""

    data: bytes
    private: bool = False
    used: int = 0

    def bytes(self, count: int) -> bytes:
        if self.used + count > len(self.data):
            raise EOFError
        self.used += count
        return self.data[self.used - count : self.used]


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 127, 128, 129, 200, 255, 256, 257, 1000, 2**15 + 1, 2**16])
def test_below_is_uniform_and_wastes_less_than_every_second_draw(bound: int) -> None:
    size = ((bound - 1).bit_length() + 7) // 8
    seen: Counter[int] = Counter()
    for script in range(256**size):
        try:
            seen[below(Bytes(script.to_bytes(size, "little")), bound)] += 1
        except EOFError:
            seen[-1] += 1
    wasted = seen.pop(-1, 0)
    assert set(seen) == set(range(bound))
    assert len(set(seen.values())) == 1
    assert 2 * wasted < 256**size


def test_below_knows_no_largest_bound() -> None:
    for bound in (2**64, 2**64 + 1, 3**200):
        size = ((bound - 1).bit_length() + 7) // 8
        assert below(Bytes(bytes(size)), bound) == 0
        top = bound - 1 << 8 * size - (bound - 1).bit_length()
        assert below(Bytes(top.to_bytes(size, "little")), bound) == bound - 1
    for bound in (0, -1):
        with pytest.raises(ParameterError):
            below(Bytes(b""), bound)


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 3), Fraction(1, 2), 1 - Fraction(1, 2**64)])
def test_coins_fall_by_whole_words(p: Fraction) -> None:
    limit = int(p * 2**64)
    around = [word for word in (0, limit - 1, limit, 2**64 - 1) if 0 <= word < 2**64]
    source = Bytes(np.array(around, dtype="<u8").tobytes())
    assert noise.coins(p, len(around), source).tolist() == [word < limit for word in around]


@pytest.mark.parametrize("p", [Fraction(1), Fraction(3, 2), Fraction(-1, 2**70)])
def test_no_coin_is_certain(p: Fraction) -> None:
    with pytest.raises(ParameterError, match=r"\[0, 1\)"):
        noise.coins(p, 1, SeededRandomness(0))


# ---- noise put together from other noise ---------------------------------------------------------------


@dataclass
class Asked(DrawSource):
    """Writes down what is asked for and answers from a list."""

    answers: list[Any]
    questions: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def answer(self, question: Question) -> Any:
        self.questions.append((question.primitive, question.arguments))
        return self.answers[len(self.questions) - 1]


def test_noisy_counts_are_the_counts_and_gaussian_noise_of_the_variance_asked_for() -> None:
    counts = np.array([5, 0, 10**6])
    for variance in (Fraction(25, 4), Fraction(10**9), 3):
        plain = noise.discrete_gaussian(variance, 3, SeededRandomness(3))
        assert (noise.noisy_counts(counts, variance, SeededRandomness(3)) == counts + plain).all()


def test_rounded_counts_have_the_noise_of_a_finer_lattice_rounded_to_integers() -> None:
    counts = np.array([5, 0, 10**6])
    for variance, bits in ((Fraction(25, 4), 3), (Fraction(10**9), 20), (3, 0)):
        fine = noise.discrete_gaussian(Fraction(variance) * 4**bits, 3, SeededRandomness(3)).tolist()
        nearest = [(2 * step + 2**bits) // 2 ** (bits + 1) for step in fine]
        assert (noise.rounded_counts(counts, variance, bits, SeededRandomness(3)) == counts + nearest).all()


@pytest.mark.parametrize("variance", [Fraction(25, 4), Fraction(1, 50), Fraction(10**60 + 1, 10**57)])
def test_the_gaussian_in_big_integers_has_its_law(variance: Fraction) -> None:
    """A proposal y of weight e^(-|y|/t) is kept with probability e^-x: together e^(-y²/2σ²) but for a constant."""
    a, b = variance.numerator, variance.denominator
    offsets = set()
    t = int(float(variance) ** 0.5) + 1
    for y in (0, 1, -1, 2, -7, 40, 10**6):
        source = Asked([np.array([y]), True])
        assert noise._wide_gaussian(a, b, t, 1, source).tolist() == [y]
        (proposed, (scale, count)), (kept, (x,)) = source.questions
        assert (proposed, scale, count, kept) == ("discrete_laplace", t, 1, "bernoulli_exp")
        assert x >= 0
        offsets.add(Fraction(abs(y), scale) + x - y * y / (2 * variance))
    assert len(offsets) == 1


VARIANCES = [
    Fraction(1, 50), Fraction(25, 4), Fraction(10**9), Fraction(2**109 + 1, 3), Fraction(2**40 + 1, 2**40 - 1),
    Fraction(1, 2**62), Fraction(1, 2**63 - 1), Fraction(1, 2**63), Fraction(2**63 + 1, 2**62),
    *(Fraction((2**55 - 1) ** 2 * b + 1, b) for b in (2**7, 2**8 - 1, 2**8)),
]  # fmt: skip


@pytest.mark.parametrize("variance", VARIANCES)
def test_the_compiled_gaussian_is_asked_for_the_same_law(variance: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """It proposes y at scale t and keeps it with probability e^-((|y| step - a)² / denominator), in 63 and 240 bits."""
    asked: list[Any] = []
    monkeypatch.setattr(noise, "_engine", SimpleNamespace(draw_gaussian=lambda *given: asked.append(given)))
    monkeypatch.setattr(noise, "_wide_gaussian", lambda *given: asked.append(given))
    noise.discrete_gaussian(variance, 5, SeededRandomness(1))
    a, b = variance.numerator, variance.denominator
    t = isqrt(a // b) + 1
    if b * t >= 2**63:
        assert asked[0][:4] == (a, b, t, 5)
        return
    scale, step, root, denominator, count, _ = asked[0]
    assert (scale, count) == (t, 5)
    a, denominator = (int.from_bytes(wide, "little") for wide in (root, denominator))
    assert denominator < 2**240
    rejected = [Fraction((y * step - a) ** 2, denominator) for y in range(4)]
    assert len({Fraction(y, t) + x - y * y / (2 * variance) for y, x in enumerate(rejected)}) == 1


def test_the_gaussian_in_big_integers_draws_until_it_has_enough() -> None:
    source = Asked([np.array([1, 2, 3]), False, True, False, np.array([4, 5]), True, True])
    assert noise._wide_gaussian(7, 2, 2, 3, source).tolist() == [2, 4, 5]


@pytest.mark.parametrize("bits", [1, 2, 5, 20])
def test_coarse_laws_of_a_choice_hold_the_fine_one(bits: int) -> None:
    for scores, rate in (([0, 0], "1"), ([0, 3, 1, 700], "1/3"), ([5, 4, 4, 4, 9], "2/7")):
        fine = exponential_law(np.array(scores), Fraction(rate), 300)
        coarse = exponential_law(np.array(scores), Fraction(rate), bits)
        weights = [exp(-float(Fraction(rate)) * (score - min(scores))) for score in scores]
        for (low, high), (least, most), weight in zip(fine, coarse, weights, strict=True):
            assert least <= low <= high <= most
            assert float(low) == pytest.approx(weight / sum(weights), rel=1e-12)
