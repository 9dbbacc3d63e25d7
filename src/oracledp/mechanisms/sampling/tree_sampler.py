"""Exact draws without enumeration (Theorem 4), for every class that has a tree with counts and bounds.

proofs/exponential-mechanism.md has the arguments. Compiled code keeps the frontiers; every random decision is made in
Python, on integers, from the given source.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import CapacityError
from oracledp.mechanisms.sampling.parity_sampler import ParityTrials
from oracledp.mechanisms.sampling.subset_sampler import SubsetTrials
from oracledp.mechanisms.sampling.support_sampler import SupportTrials
from oracledp.mechanisms.sampling.trials import Trials, TrialsOver, check_problems
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import Randomness, drawn

_KINDS: tuple[TrialsOver, ...] = (SubsetTrials, SupportTrials, ParityTrials)


def samples(query_class: QueryClass) -> bool:
    """Whether the class has a tree to sample from.

    >>> from oracledp.classes import Conjunctions, ReadOnceFormulas
    >>> from oracledp.data.literals import Literals
    >>> letters = Literals.named("a", "b", "c")
    >>> samples(Conjunctions(letters)), samples(ReadOnceFormulas(letters))
    (True, False)
    """
    return any(kind.serves(query_class) for kind in _KINDS)


@drawn
def sample_exponential(problems: Sequence[WeightedProblem], rate: Fraction, source: Randomness) -> tuple[int, Parts]:
    """A query with probability exactly proportional to exp(-rate·value), over all problems together.

    Returns which problem it belongs to, and its parts. The problems carry no costs on parts.
    """
    trials = trials_over(problems, rate)
    while (draw := trials.trial(source)) is None:
        pass
    return draw.problem, draw.parts


def trials_over(problems: Sequence[WeightedProblem], rate: Fraction) -> Trials:
    """The frontier that these problems are drawn from."""
    for kind in _KINDS:
        if all(kind.serves(problem.query_class) for problem in problems):
            check_problems(problems)
            return kind(problems, rate)
    raise CapacityError(f"there is no sampler for this problem over {problems[0].query_class.kind}")
