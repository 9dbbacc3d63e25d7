"""What a checked proof costs: the same search plain, and with every bound proved again by the checker."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.engine import instances
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.measure import Row, Settings, unprepared
from benchmarks.engine.timing import best_of
from oracledp.oracles.base import Answer, Failed
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.problem import WeightedProblem

CASES = (
    ("label", 20, 10.0, False),
    ("label", 30, 10.0, False),
    ("label", 50, 10.0, False),
    ("label", 100, 10.0, False),
    ("random", 30, 10.0, False),
    ("random", 50, 10.0, False),
    ("label", 50, None, True),
    ("random", 20, None, True),
)


def verified(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Conjunctions on all rows: a first call, which prepares search and checker, and a redraw on what is prepared."""
    for kind, columns, epsilon, negated in (("label", 8, 10.0, False),) if settings.quick else CASES:
        chosen = table.columns[:, :columns]
        made = instances.conjunctions(
            instances.with_negations(chosen) if negated else chosen, instances.signs(kind, table.label)
        )
        noisy = made.with_noise(instances.separator_costs(made, epsilon)[0])
        first, again, _ = _seconds(BranchAndBoundOracle(), noisy)
        checked_first, checked_again, proof = _seconds(BranchAndBoundOracle(verify=True), noisy)
        yield {
            "case": f"{kind} literals={made.query_class.dimension} eps={epsilon}",
            "first": first,
            "checked first": checked_first,
            "again": again,
            "checked again": checked_again,
            "checker over first": (checked_first - first) / first,
            "checker over again": (checked_again - again) / again,
            **({"failed": proof.reason} if isinstance(proof, Failed) else {}),
        }


def _seconds(oracle: BranchAndBoundOracle, problem: WeightedProblem) -> tuple[float, float, Answer]:
    """Of a first call, and of one on prepared data."""
    first, _ = best_of(lambda: oracle.solve(unprepared(problem)))
    oracle.solve(problem)
    again, answer = best_of(lambda: oracle.solve(problem))
    return first, again, answer
