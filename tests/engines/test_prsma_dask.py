"""PRSMA's runs on other processes and a real Dask cluster, also when a worker dies in the middle."""

import os
import pickle
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

from oracledp.data.packed_records import PackedRecords
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.learning.models import rule_class
from oracledp.mechanisms.robust import design_prsma, prsma
from oracledp.mechanisms.robust.parallel import DaskWorkers, JoblibWorkers, run_alone, workers_of
from oracledp.mechanisms.robust.runs import Array, Batch, BatchResult, Run, run_batch
from oracledp.randomness.source import Randomness, SeededRandomness

distributed = pytest.importorskip("distributed")


@dataclass(frozen=True)
class Adds:
    """A run is its noise plus the part's only count; one marked run kills its worker, the first time or always."""

    folder: str
    always: bool = False
    memory: bool = False  # it runs out of memory in place of dying

    def draw(self, runs: int, source: Randomness) -> Array:
        return np.arange(runs).reshape(-1, 1)

    def prepare(self, records: Array, counts: Array) -> Run[int]:
        def run(noise: Array) -> int:
            if noise[0] == 666:
                self._die()
            return int(noise[0] + counts[0])

        return run

    def _die(self) -> None:
        mark = Path(self.folder) / "died"
        if self.always or not mark.exists():
            mark.touch()
            if self.memory:
                raise MemoryError("secret")
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    settings = {"distributed.scheduler.allowed-failures": 2, "distributed.logging.distributed": "critical"}
    from dask import config

    with (
        config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def batches(count: int, deadly: int = -1) -> list[Batch]:
    def noise(part: int) -> Array:
        return np.array([[part], [666 if part == deadly else 1]])

    return [Batch(part, part, np.array([part]), np.array([10]), noise(part), kept=0) for part in range(count)]


def test_every_batch_comes_back_as_from_this_process(client: Any, tmp_path: Path) -> None:
    base, asked = Adds(str(tmp_path)), batches(30)
    found = sorted(DaskWorkers(client).carry_out(base, iter(asked)), key=lambda result: result.part)
    assert found == [run_batch(base, batch) for batch in asked]


def test_a_batch_lost_with_its_worker_is_repeated(client: Any, tmp_path: Path) -> None:
    base = Adds(str(tmp_path))
    found = list(workers_of(client).carry_out(base, iter(batches(8, deadly=3))))
    assert (tmp_path / "died").exists()
    assert {result.part: (result.passed, result.output) for result in found} == {i: (True, 10 + i) for i in range(8)}


def test_a_batch_that_kills_every_worker_counts_as_failed(client: Any, tmp_path: Path) -> None:
    found = list(DaskWorkers(client).carry_out(Adds(str(tmp_path), always=True), iter(batches(6, deadly=2))))
    assert {result.part for result in found} == set(range(6))
    assert {result.part for result in found if not result.passed} == {2}


def test_joblib_repeats_what_a_dead_process_held_and_goes_on(tmp_path: Path) -> None:
    base, asked = Adds(str(tmp_path), always=True), batches(9, deadly=4)
    found = sorted(JoblibWorkers(2).carry_out(base, iter(asked)), key=lambda result: result.number)
    alive = [run_batch(base, batch) for batch in asked if batch.number != 4]
    assert found == sorted([*alive, BatchResult.failed(asked[4])], key=lambda result: result.number)


@pytest.mark.parametrize("always", [False, True])
def test_a_batch_out_of_memory_is_repeated_alone_and_the_others_do_not_notice(
    client: Any, tmp_path: Path, always: bool
) -> None:
    for number, workers in enumerate((JoblibWorkers(2), DaskWorkers(client))):
        (folder := tmp_path / str(number)).mkdir()
        base = Adds(str(folder), always=always, memory=True)
        found = {result.part: result for result in workers.carry_out(base, iter(batches(6, deadly=2)))}
        assert (folder / "died").exists()
        assert {part for part, result in found.items() if not result.passed} == ({2} if always else set())
        assert all(found[part].output == 10 + part for part in found if found[part].passed)
        assert not any(result.lost for result in found.values())


def test_alone_a_batch_is_judged_by_itself(tmp_path: Path) -> None:
    base, asked = Adds(str(tmp_path), always=True), batches(2, deadly=1)
    assert run_alone(base, asked[0]) == run_batch(base, asked[0])
    assert run_alone(base, asked[1]) == BatchResult.failed(asked[1])


def planted(rows: int) -> Table:
    """Eight fair features, and a label that is the conjunction of two of them."""
    cells = np.arange(2**9)
    bits = ((cells[:, None] >> np.arange(9)) & 1).astype(np.uint8)
    bits[:, 8] = bits[:, 0] & bits[:, 1]
    schema = Schema({f"x{i}": {"kind": "boolean"} for i in range(8)} | {"y": {"kind": "boolean"}})
    return Table.from_codes(bits, schema, np.full(len(bits), rows // len(bits)))


def test_a_table_gives_the_same_release_on_a_cluster_as_here(client: Any) -> None:
    table = planted(512 * 400)
    schema = table.schema
    rules = rule_class("conjunction", schema.literals.without("y"), schema.literal("y"), size=2)
    design = design_prsma(epsilon=3, delta="1e-3", rows=table.rows, max_calls=3000)
    here, there = (
        prsma(table, rules, epsilon=3, delta="1e-3", design=design, parallel=parallel, source=SeededRandomness(7))
        for parallel in ("none", client)
    )
    assert str(here) == str(there)
    assert "predict y when x0 and x1" in str(here)


def test_records_travel_as_bits() -> None:
    records = np.random.default_rng(0).integers(0, 2, (1000, 119), dtype=np.uint8)
    batch = Batch(3, 1, PackedRecords.of(records), np.arange(1000), np.zeros((2, 4)))
    sent = pickle.dumps(batch)
    again = pickle.loads(sent)
    assert len(sent) < records.nbytes // 4
    assert np.array_equal(again.records, records)
    assert np.array_equal(again.counts, batch.counts)
    assert (again.number, again.part) == (3, 1)


def tasks_known(client: Any) -> int:
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def test_leaving_early_cancels_what_is_under_way(client: Any, tmp_path: Path) -> None:
    before = tasks_known(client)
    results = DaskWorkers(client).carry_out(Adds(str(tmp_path)), iter(batches(200)))
    assert next(results).passed
    results.close()  # type: ignore[attr-defined]
    for _ in range(100):  # the scheduler hears of it a little later
        if tasks_known(client) <= before:
            break
        sleep(0.1)
    assert tasks_known(client) <= before
