"""What a checked proof costs: the same search plain, and with every bound proved again by the checker."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.engine import instances
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.measure import Row, Settings
from benchmarks.engine.timing import best_of, timed
from oracledp.oracles.base import Failed
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle

CASES = (("label", 20), ("label", 30), ("label", 50), ("label", 100), ("random", 30))


def verified(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Conjunctions without negations on all rows, epsilon 10."""
    for kind, literals in (("label", 8),) if settings.quick else CASES:
        made = instances.conjunctions(table.columns[:, :literals], instances.signs(kind, table.label))
        noisy = made.with_noise(instances.separator_costs(made, 10.0)[0])
        BranchAndBoundOracle().solve(noisy)
        plain, _ = best_of(lambda noisy=noisy: BranchAndBoundOracle().solve(noisy))  # type: ignore[misc]
        checked, proof = timed(lambda noisy=noisy: BranchAndBoundOracle(verify=True).solve(noisy))  # type: ignore[misc]
        proved = {"failed": proof.reason} if isinstance(proof, Failed) else {}
        yield {"case": f"{kind} literals={literals}", "again": plain, "checked": checked, **proved}
