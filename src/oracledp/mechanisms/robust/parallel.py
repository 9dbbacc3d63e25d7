"""Runs of parts on many processors: joblib on one machine, Dask on a cluster. Batches travel, not single calls.

When a worker dies or runs out of memory, another batch may have been the cause. So every batch that was with a dead
worker, and every one that ran out of memory, is a suspect: it is repeated with the same noise in a process of its own,
when all others are done. Whether a batch fails then depends on that batch only, never on its neighbours (trap P6).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from oracledp.errors import ParameterError
from oracledp.extras import optional
from oracledp.mechanisms.robust.runs import Base, Batch, BatchResult, ThisProcess, Workers, judged_alone, run_batch


def run_alone(base: Base[Any], batch: Batch) -> BatchResult:
    """Carry out one batch in a fresh process; if that process dies, the batch has failed."""
    loky = optional("joblib.externals.loky", extra="parallel")
    with loky.ProcessPoolExecutor(max_workers=1) as process:
        try:
            result: BatchResult = process.submit(judged_alone, base, batch).result()
        except loky.BrokenProcessPool:
            return BatchResult.failed(batch)
    return result


def each_alone(base: Base[Any], suspects: Iterable[Batch]) -> Iterator[BatchResult]:
    """One suspect after the other, when nothing else is under way and no idle worker holds memory."""
    held = list(suspects)
    if held:
        optional("joblib.externals.loky", extra="parallel").get_reusable_executor().shutdown(wait=True)
    return (run_alone(base, batch) for batch in held)


@dataclass(frozen=True)
class JoblibWorkers:
    """Processes on this machine."""

    jobs: int

    def carry_out(self, base: Base[Any], batches: Iterator[Batch]) -> Iterator[BatchResult]:
        """Results as they come; about two batches per process are under way at a time."""
        joblib = optional("joblib", extra="parallel")
        broken = optional("joblib.externals.loky", extra="parallel").BrokenProcessPool
        suspects: list[Batch] = []
        left = True
        while left:
            handed: dict[int, Batch] = {}
            pool = joblib.Parallel(
                self.jobs,
                return_as="generator_unordered",
                pre_dispatch="2*n_jobs",
                batch_size=1,
                max_nbytes=None,  # private records go through pipes, never through files
            )
            try:
                for result in pool(joblib.delayed(run_batch)(base, batch) for batch in _noted(batches, handed)):
                    batch = handed.pop(result.number)
                    if result.lost:
                        suspects.append(batch)
                    else:
                        yield result
                left = False
            except broken:
                suspects += handed.values()
        yield from each_alone(base, suspects)


def _noted(batches: Iterator[Batch], handed: dict[int, Batch]) -> Iterator[Batch]:
    """The batches, each noted as it is handed out."""
    for batch in batches:
        handed[batch.number] = batch
        yield batch


@dataclass(frozen=True)
class DaskWorkers:
    """The workers of a Dask cluster."""

    client: Any

    def carry_out(self, base: Base[Any], batches: Iterator[Batch]) -> Iterator[BatchResult]:
        """Results as they come; a few batches per thread of the cluster are under way at a time.

        The base travels with each batch: data scattered once would be lost with the worker that holds it.
        """
        distributed = optional("distributed", extra="parallel")
        room = 2 * max(1, sum(self.client.nthreads().values()))
        waiting = distributed.as_completed()
        under_way: dict[Any, Batch] = {}  # by future
        suspects: list[Batch] = []

        def submit(wanted: int) -> None:
            for batch in islice(batches, wanted):
                future = self.client.submit(run_batch, base, batch, pure=False)
                under_way[future] = batch
                waiting.add(future)

        try:
            submit(room)
            for future in waiting:
                batch, result = under_way.pop(future), _result(future)
                if result is None or result.lost:
                    suspects.append(batch)
                else:
                    yield result
                submit(1)
            yield from each_alone(base, suspects)
        finally:
            self.client.cancel(list(under_way))


def _result(future: Any) -> BatchResult | None:
    """What came back; None for a batch that was lost with its worker."""
    try:
        result: BatchResult = future.result()
    except Exception:  # a batch raises nothing itself: this is the cluster speaking
        return None
    return result


def workers_of(parallel: object) -> Workers:
    """Who carries out the runs: "none", "joblib", "dask" (the current client, or a local cluster), or a Dask client.

    >>> workers_of("none")
    ThisProcess()
    """
    if parallel is None or parallel == "none":
        return ThisProcess()
    if parallel == "joblib":
        return JoblibWorkers(os.cpu_count() or 1)
    if parallel == "dask":
        distributed = optional("distributed", extra="parallel")
        try:
            return DaskWorkers(distributed.get_client())
        except ValueError:
            return DaskWorkers(distributed.Client(memory_limit=0, dashboard_address=None))  # spills nothing to disk
    if hasattr(parallel, "submit") and hasattr(parallel, "nthreads"):
        return DaskWorkers(parallel)
    raise ParameterError("parallel must be 'none', 'joblib', 'dask' or a Dask client")
