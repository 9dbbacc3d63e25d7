"""Runs of parts on many processors: joblib on one machine, Dask on a cluster. Batches travel, not single calls."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from oracledp.errors import ParameterError
from oracledp.extras import optional
from oracledp.mechanisms.prsma.runs import Base, Batch, BatchResult, ThisProcess, Workers, run_batch

ATTEMPTS = 3  # how often a batch that was lost with its worker is repeated, to the bit


@dataclass(frozen=True)
class JoblibWorkers:
    """Processes on this machine."""

    jobs: int

    def carry_out(self, base: Base[Any], batches: Iterator[Batch]) -> Iterator[BatchResult]:
        """Results as they come; about two batches per process are under way at a time."""
        joblib = optional("joblib", extra="parallel")
        pool = joblib.Parallel(n_jobs=self.jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs")
        results: Iterator[BatchResult] = pool(joblib.delayed(run_batch)(base, batch) for batch in batches)
        return results


@dataclass(frozen=True)
class DaskWorkers:
    """A Dask cluster. A batch whose worker dies is repeated with the same noise, then counts as failed."""

    client: Any

    def carry_out(self, base: Base[Any], batches: Iterator[Batch]) -> Iterator[BatchResult]:
        """Results as they come; a few batches per thread of the cluster are under way at a time."""
        distributed = optional("distributed", extra="parallel")
        room = 2 * max(1, sum(self.client.nthreads().values()))
        there = self.client.scatter(base, broadcast=True)
        waiting = distributed.as_completed()
        known: dict[Any, Batch] = {}

        def submit(batch: Batch) -> None:
            future = self.client.submit(run_batch, there, batch, pure=False, retries=ATTEMPTS)
            known[future.key] = batch
            waiting.add(future)

        try:
            for batch in islice(batches, room):
                submit(batch)
            for future in waiting:
                batch = known.pop(future.key)
                yield _result(future, batch)
                for following in islice(batches, 1):
                    submit(following)
        finally:
            waiting.clear()


def _result(future: Any, batch: Batch) -> BatchResult:
    if future.status == "finished":
        result: BatchResult = future.result()
        return result
    return BatchResult(batch.part, batch.first, passed=False)


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
            return DaskWorkers(distributed.Client())
    if hasattr(parallel, "submit") and hasattr(parallel, "scatter"):
        return DaskWorkers(parallel)
    raise ParameterError("parallel must be 'none', 'joblib', 'dask' or a Dask client")
