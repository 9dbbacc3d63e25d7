"""The only door to an oracle: who is admitted, what is asked, and what of the answer may be said."""

from __future__ import annotations

from dataclasses import replace

from oracledp.errors import OracleDPError
from oracledp.oracles.base import (
    NO_QUERY,
    OUT_OF_MEMORY,
    RAISED,
    WEAKER,
    WRONG_VALUE,
    Answer,
    Certificate,
    Failed,
    Oracle,
    Solution,
    Trust,
)
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import admit

GROUNDS = {
    Trust.PROVED: "the minimum was proved by {}",
    Trust.CLAIMED: "{} claims the minimum",
    Trust.GUESSED: "{} guessed",
}


def ask(oracle: Oracle, problem: WeightedProblem) -> Answer:
    """The oracle's answer, checked for membership and re-evaluated in integers; or a failure with a fixed phrase.

    Our own errors speak of public numbers and go on; any other may quote the data and becomes a failure.
    """
    asked = admit(oracle)
    try:
        answer = type(asked).solve(asked, problem)
    except OracleDPError:
        raise
    except MemoryError:
        return Failed(OUT_OF_MEMORY)
    except Exception:
        return Failed(RAISED)
    return answer if isinstance(answer, Failed) else _checked(asked, problem, answer)


def _checked(oracle: Oracle, problem: WeightedProblem, answer: Solution) -> Answer:
    parts = answer.query.parts
    if answer.query.owner != problem.query_class or not problem.query_class.contains(parts):
        return Failed(NO_QUERY)
    if answer.certificate.trust.weaker(oracle.trust):
        return Failed(WEAKER)
    value = problem.value(parts)
    if value != answer.value and oracle.trust is not Trust.GUESSED:
        return Failed(WRONG_VALUE)
    return replace(answer, value=value)


def public_certificate(oracle: Oracle) -> Certificate:
    """What a release says of its oracle: the trust that the library knows of, and a public name. No work, no text.

    >>> from oracledp.oracles.exhaustive import ExhaustiveOracle
    >>> public_certificate(ExhaustiveOracle()).method
    'the minimum was proved by exhaustive'
    """
    asked = admit(oracle)
    return Certificate(asked.trust, GROUNDS[asked.trust].format(asked.name))
