"""What a guarantee may stand on: the library's own searches, and nothing that an oracle says of itself."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import oracledp as odp
from broken import hostile_oracles as hostile
from oracledp.classes import Conjunctions
from oracledp.classes.base import Query
from oracledp.errors import OracleFailure, ParameterError
from oracledp.learners import ConjunctionClassifier
from oracledp.mechanisms.gaussian_min import gaussian_rspm
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin, oracle_assumptions, rspm
from oracledp.mechanisms.release import Release
from oracledp.oracles.base import Answer, Certificate, Failed, Oracle, Solution, Trust
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.door import ask
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.guarded import Ending, guarded
from oracledp.oracles.heuristics import HeuristicOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import NAMES, admit, available, owned, resolve
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

SCHEMA = odp.Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
QUERIES = Conjunctions(SCHEMA.literals)
SECRET = "distinct rows"  # what hostile oracles quote


def table(*last: int) -> odp.Table:
    return odp.Table.from_codes(np.array([[0, 0], [0, 1], [1, 0], last or (0, 0)], dtype=np.uint8), SCHEMA)


def problem() -> WeightedProblem:
    rows = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.uint8)
    return WeightedProblem.build(QUERIES, rows, np.array([5, -3, 2]))


def released(oracle: Oracle, data: odp.Table | None = None, seed: int = 0) -> Release:
    return rspm(data or table(), QUERIES, epsilon=1, oracle=oracle, source=SeededRandomness(seed))


# ---- who is believed -------------------------------------------------------------------------------
def test_our_own_searches_are_known_by_their_very_class() -> None:
    lists = odp.DecisionLists(QUERIES.literals, length=2)
    for name in sorted(set(available()) - {"auto"}):
        assert owned(resolve(name, lists if name == "long-lists" else QUERIES)), name
    assert set(available()) <= set(NAMES)
    assert oracle_assumptions(ExhaustiveOracle()) == ()
    assert len(oracle_assumptions(BranchAndBoundOracle(work_limit=5))) == 1


class Heir(ExhaustiveOracle):
    """Inherits every declaration."""


class Borrowed(type):
    """A metaclass whose classes say that they are ours."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(ExhaustiveOracle)


def imitations() -> list[Any]:
    forged = HeuristicOracle()
    object.__setattr__(forged, "trust", Trust.PROVED)
    disguised = ExhaustiveOracle()
    object.__setattr__(disguised, "solve", lambda asked: Failed("hidden"))
    namesake = type("ExhaustiveOracle", (ExhaustiveOracle,), {"__module__": ExhaustiveOracle.__module__})
    twin = Borrowed("ExhaustiveOracle", (hostile.HostileOracle,), {"__module__": ExhaustiveOracle.__module__})
    return [Heir(), namesake(), twin(), forged, disguised, hostile.HostileOracle()]


@pytest.mark.parametrize("oracle", imitations(), ids=lambda oracle: type(oracle).__name__)
def test_nothing_that_an_outsider_declares_or_inherits_makes_a_guarantee_robust(oracle: Any) -> None:
    assert not owned(oracle)
    mechanism = ReportSeparatorPerturbedMin.calibrate(
        QUERIES, epsilon=Fraction(1), neighbours=Neighbours.REPLACE_ONE, oracle=oracle
    )
    promise = mechanism.guarantee
    assert not promise.robust
    assert promise.delta == mechanism.perturbation.tie_delta > 0  # ties are free
    name = admit(oracle).name
    assert f"the claim of optimality by {name} is true" in promise.assumes or name == "heuristic"
    assert f"{name} answers whatever the data" in promise.assumes


def test_an_oracle_that_answers_by_one_record_gets_a_contingent_guarantee() -> None:
    """Before: "robust: it depends on no solver", and neighbours were told apart 200 times of 200."""
    oracle = hostile.AnswersByRecord(record=(1, 1))
    release = rspm(table(), QUERIES, epsilon=1, oracle=oracle)
    assert "contingent: it holds only if the claim of optimality by AnswersByRecord is true" in str(release.guarantee)
    assert release.certificate.trust is Trust.CLAIMED


def test_guesses_are_named_as_such_and_odd_declarations_count_as_guesses() -> None:
    @dataclass(frozen=True)
    class Odd(hostile.HostileOracle):
        level: Any = Trust.GUESSED

        @property
        def trust(self) -> Trust:
            if self.level is None:
                raise RuntimeError("no")
            return self.level  # type: ignore[no-any-return]

    for level in (Trust.GUESSED, "proved", None):
        assert admit(Odd(level=level)).trust is Trust.GUESSED
    assert "the guess of Odd is a true minimiser" in oracle_assumptions(Odd())


def test_gaussian_noise_needs_ties_that_we_know_to_be_fixed() -> None:
    with pytest.raises(ParameterError, match="fixed order"):
        gaussian_rspm(table(), QUERIES, epsilon=1, delta="1e-3", oracle=hostile.HostileOracle())


def test_an_answer_weaker_than_the_promise_is_a_failure() -> None:
    assert ask(hostile.ClaimsLess(), problem()) == Failed("the oracle's answer is weaker than its promise")
    guess = Certificate(Trust.GUESSED, "")

    class Weak(CpSatOracle):
        pass

    assert not guess.trust.weaker(Trust.GUESSED)
    assert guess.trust.weaker(Trust.CLAIMED)
    assert admit(Weak()).trust is Trust.CLAIMED


# ---- what of a stranger's words gets out -----------------------------------------------------------
@dataclass(frozen=True)
class NamesWhatItSaw(hostile.HostileOracle):
    """Its name, its limit and its trust change with the data it has seen."""

    seen: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"saw {self.seen}"

    @property
    def work_limit(self) -> str:
        return f"saw {self.seen}"

    def solve(self, problem: WeightedProblem) -> Answer:
        self.seen.append(hostile.quoted(problem))
        return super().solve(problem)


def test_neither_certificate_nor_name_carry_an_oracles_text_into_a_release() -> None:
    """Before: "4 distinct rows, total weight 262144" was part of the release."""
    talker = NamesWhatItSaw()
    for release in (released(hostile.Quotes()), released(talker), released(talker)):
        told = f"{release} {release!r} {release.to_json()} {pickle.dumps(release)!r}"
        assert SECRET not in told
        assert release.certificate.work == 0


def test_releases_of_our_own_searches_tell_no_work() -> None:
    """How many nodes were visited depends on the data; it used to be in a fitted estimator's pickle."""
    model = ConjunctionClassifier(epsilon=1, mechanism="rspm", classes=[0, 1], random_state=0)
    model.fit(np.array([[0.0, 1.0], [1.0, 0.0]] * 20), [0, 1] * 20)
    assert model.certificate_.work == 0
    assert released(ExhaustiveOracle()).certificate == Certificate(Trust.PROVED, "the minimum was proved by exhaustive")


@pytest.mark.parametrize(
    "kind", [RuntimeError, OracleFailure, SystemExit, KeyboardInterrupt, GeneratorExit, MemoryError]
)
def test_exceptions_of_a_stranger_become_a_failure_without_their_message(kind: type[BaseException]) -> None:
    with pytest.raises(OracleFailure) as caught:
        released(hostile.Raises(kind=kind))
    assert str(caught.value) == "Raises failed: the oracle gave no answer; nothing is released and the budget is spent"
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_errors_of_a_solver_behind_our_own_wrapper_quote_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(self: object, asked: WeightedProblem) -> Answer:
        raise ValueError(hostile.quoted(asked))

    monkeypatch.setattr(CpSatOracle, "solve", breaks)
    assert ask(CpSatOracle(), problem()) == Failed("the oracle ended with an error")


class Chatty(Query):
    """A query that speaks for itself."""

    def __str__(self) -> str:
        return SECRET


class Sly(int):
    """A part that is another number the second time."""

    def __index__(self) -> int:
        return 0

    def __str__(self) -> str:
        return SECRET


@dataclass(frozen=True)
class Answers(hostile.HostileOracle):
    """Gives a ready answer."""

    answer: Any = None

    def solve(self, problem: WeightedProblem) -> Answer:
        return self.answer  # type: ignore[no-any-return]


def given(query: Any, value: Any = -3, certificate: Any = None) -> Answers:
    return Answers(answer=Solution(query, value, certificate or Certificate(Trust.PROVED, SECRET)))


def test_a_query_is_built_anew_from_plain_integers() -> None:
    mutable: Any = [0, 1]
    for query in (Chatty(QUERIES, (0, 1)), Query(QUERIES, mutable), Query(QUERIES, tuple(np.array([0, 1])))):
        found = ask(given(query, np.int64(-3)), problem())
        assert isinstance(found, Solution)
        assert type(found.query) is Query
        assert found.query.parts == (0, 1)
        assert all(type(part) is int for part in found.query.parts)
        assert type(found.value) is int
        assert SECRET not in f"{found.query} {found}"
    sly = ask(given(Query(QUERIES, (Sly(0), 1))), problem())
    assert isinstance(sly, Solution)
    assert type(sly.query.parts[0]) is int


@pytest.mark.parametrize(
    "oracle",
    [
        Answers(answer=None),
        Answers(answer="a and b"),
        given(None),
        given(Query(QUERIES, ([0], [1]))),  # type: ignore[arg-type]
        given(Query(QUERIES, (0, 1)), value=-3.0),
        given(Query(QUERIES, (0, 1)), value="-3"),
        given(Query(QUERIES, (1, 0))),
        given(Query(QUERIES, (-1,))),
        given(Query(QUERIES, (1 << 5000,))),
        given(Query(QUERIES, iter(int, 1))),  # type: ignore[arg-type]
        given(Query("another class", (0, 1))),  # type: ignore[arg-type]
        given(Query(QUERIES, (0, 1)), certificate=SECRET),
    ],
    ids=range(12),
)
def test_what_is_no_answer_is_a_failure_with_a_fixed_phrase(oracle: Oracle) -> None:
    found = ask(oracle, problem())
    assert isinstance(found, Failed)
    assert found.reason.startswith("the oracle ")
    assert SECRET not in found.reason


def test_a_stranger_cannot_change_the_problem_it_is_shown() -> None:
    class Writes(hostile.HostileOracle):
        def solve(self, problem: WeightedProblem) -> Answer:
            problem.evaluated[(0, 1)] = -(10**6)
            problem.weights[0] = 0
            return super().solve(problem)

    asked = problem()
    assert ask(Writes(), asked) == Failed("the oracle ended with an error")
    assert asked.weights.tolist() == problem().weights.tolist()
    assert asked.value((0, 1)) == -3


# ---- what the operator asks for still gets through -------------------------------------------------
INTERRUPTED = """
import os, signal
from oracledp.oracles.guarded import guarded

def interrupts():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10**6):  # the handler runs between two steps of this
        pass

def swallows():
    try:
        interrupts()
    except BaseException:
        return "went on"

for call in (interrupts, swallows):
    try:
        guarded(call)
        print("not stopped")
    except KeyboardInterrupt as stop:
        assert stop.__context__ is None
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print("stopped")
"""


def test_a_real_interrupt_stops_the_program_whatever_the_code_does_with_it() -> None:
    # In a process of its own: a signal belongs to the main thread, which tests may not be in.
    run = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert run.stdout == "stopped\n", run.stderr


def test_an_interrupt_of_the_codes_own_making_is_a_failure() -> None:
    def pretends() -> None:
        raise KeyboardInterrupt(SECRET)

    assert guarded(pretends) is Ending.RAISED
