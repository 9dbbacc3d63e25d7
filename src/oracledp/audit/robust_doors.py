"""``prsma`` through the front door: a design small enough for every split, every run and every failure to be walked.

Two tests of two runs, two queries that one record tells apart: the noise of a run is one number, and all of it that
exceeds what the rows weigh decides the same. The claim is large: two runs cannot see more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

from oracledp.audit.doors import COARSE, Door, Entry, Seen, patched
from oracledp.audit.exact_law import DataSet, Finding
from oracledp.audit.function_doors import selection
from oracledp.audit.two_sample_law import certificate_finding, two_sample_finding
from oracledp.classes.tables import Parts
from oracledp.mechanisms.perturbed_min import rspm
from oracledp.mechanisms.robust.delta import certified_delta
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.mechanism import prsma
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.oracles.base import NO_ANSWER, Answer, Failed
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.redraws import Redrawn
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource

HIDDEN = (0,)  # the parts of "y when a"
FEW = Fraction(1, 20)  # with one passing test it goes on once in twenty times
SMALLEST = (Fraction(0), FEW, 1 - (1 - FEW) / 54)  # 54 < e^4: giving up costs nothing


@cache
def two_samples(tests: int = 2, runs: int = 2, cells: int = 2, inner: Fraction = Fraction(2)) -> Design:
    """Tests on subsamples, halves of the rows unless told otherwise, and one run on a fresh one."""
    design = Design(
        epsilon=Fraction(4),
        delta=Fraction(1, 10**9),
        rows=2 if tests == 2 else 500,
        parts=tests,
        runs_per_part=runs,
        epsilon_inner=inner,
        pass_probabilities=SMALLEST if tests == 2 else laplace_table(tests, Fraction(1, 3), tests - 2),
        theorem=TwoSamples(Fraction(1, cells)),
    )
    return replace(design, delta=certified_delta(design))


def failing(entry: Entry, fails: Callable[[Parts], bool]) -> Entry:
    """The same with a search that fails for some answers unless more rows with a have another label than y."""
    search, searches = ExhaustiveOracle.solve, ExhaustiveOracle.redraw

    def silent(problem: WeightedProblem, parts: Parts) -> bool:
        return bool(problem.weights[problem.records[:, 0] == 1].sum() <= 0) and fails(parts)

    def solve(self: ExhaustiveOracle, problem: WeightedProblem) -> Answer:
        answer = search(self, problem)
        return answer if isinstance(answer, Failed) or not silent(problem, answer.query.parts) else Failed(NO_ANSWER)

    def redraw(self: ExhaustiveOracle, problem: WeightedProblem, *costs: Any) -> Redrawn:
        answers = searches(self, problem, *costs).listed(0)
        return Redrawn.of(None if answer is None or silent(problem, answer[0]) else answer for answer in answers)

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        with patched(ExhaustiveOracle, "solve", solve), patched(ExhaustiveOracle, "redraw", redraw):
            return entry(data, relation, source)

    return enter


def giving_up(entry: Entry) -> Entry:
    """The same with a search that answers only where such rows are: failures tell."""
    return failing(entry, lambda parts: True)


def hiding(entry: Entry) -> Entry:
    """The same with a search that hides one of two answers where no such rows are: which runs fail tells."""
    return failing(entry, lambda parts: parts == HIDDEN)


Way = tuple[Callable[[Door, Neighbours], Finding], Door]


def two_sample_ways() -> list[Way]:
    """The default design of ``prsma``, as small as it can be: three subsamples, five runs, on one row and on two.

    Which of two queries that all rows treat alike comes out is the sign of the noise alone; one row moves it by one.
    """
    design = two_samples()
    whole: dict[str, Any] = {"epsilon": design.epsilon, "delta": design.delta, "design": design}
    entry = selection(prsma, embedding="separator", **whole)
    single = selection(rspm, epsilon=design.base_epsilon, embedding="separator", oracle="exhaustive")
    always = partial(two_sample_finding, design=design, single=single)
    hidden = partial(two_sample_finding, design=design, single=hiding(single))
    certified = partial(certificate_finding, design=two_samples(12, 200, 8, Fraction(1, 10)))
    add, replaced = (Neighbours.ADD_REMOVE,), (Neighbours.REPLACE_ONE,)
    common: dict[str, Any] = {"rows": 1, "lattice": COARSE, "least": 0}
    name = "prsma:two-sample"
    return [
        (always, Door(name, entry, kinds=(0,), span=(-1, 1), relations=add, **common)),
        (hidden, Door(f"{name} / hides", hiding(entry), kinds=(2,), span=(0, 1), relations=add, **common)),
        (hidden, Door(f"{name} / hides, two rows", hiding(entry), base=(0, 0, 0, 1), kinds=(2, 3), span=(0, 1),
                       relations=replaced, **common)),
        (certified, Door(f"{name} / certificate", entry, relations=add)),
    ]  # fmt: skip
