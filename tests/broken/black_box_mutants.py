"""Public functions that promise too much, seen from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from broken.hostile_oracles import FailsOnRecord
from broken.mutants import Mutant
from oracledp.audit import canaries
from oracledp.audit.black_box import Measurement
from oracledp.audit.end_to_end import ADD, EPSILON, REPLACE, Call, measure, with_epsilon
from oracledp.classes import QueryClass
from oracledp.data.table import Table
from oracledp.mechanisms.exponential_mechanism import exponential
from oracledp.mechanisms.noisy_min import report_noisy_min
from oracledp.mechanisms.perturbed_min import rspm
from oracledp.privacy.guarantee import Guarantee, Neighbours

TIER = "black box"


def _claim(relation: Neighbours, **more: Any) -> Guarantee:
    return Guarantee(epsilon=EPSILON, neighbours=relation, proof="none: this is a mutant", **more)


def _half_noise(call: Call, relation: Neighbours, runs: int = 8000) -> Callable[[], Measurement]:
    """The function at twice the epsilon that it claims."""
    return lambda: measure("half the noise", with_epsilon(call, 2 * EPSILON), relation, _claim(relation), runs=runs)


def _hostile_oracle() -> Measurement:
    """The oracle calls itself total and proved, and fails when one record is there."""
    call = with_epsilon(rspm, oracle=FailsOnRecord(record=(1, 1)))
    return measure("an oracle that fails on a record", call, REPLACE, _claim(REPLACE), runs=2000)


def _data_dependent_epsilon() -> Measurement:
    """Less noise where the table is uniform, "to help accuracy"."""

    def call(table: Table, queries: QueryClass, neighbours: Neighbours) -> Any:
        generous = EPSILON * (12 if len(table.counts) == 1 else 1)
        release = exponential(table, queries, epsilon=generous, neighbours=neighbours)
        return replace(release, guarantee=_claim(neighbours))

    return measure("noise chosen by looking at the data", call, REPLACE, _claim(REPLACE), runs=2000)


END_TO_END_MUTANTS: tuple[Mutant, ...] = (
    Mutant("half-noise-rspm", "rspm at twice its epsilon, end to end", _half_noise(rspm, REPLACE), TIER),
    Mutant(
        "half-noise-exponential", "exponential at twice its epsilon", _half_noise(exponential, REPLACE, 20_000), TIER
    ),
    Mutant("half-noise-noisy-min", "report-noisy-min at twice its epsilon", _half_noise(report_noisy_min, ADD), TIER),
    Mutant("oracle-fails-on-record", "rspm believes an oracle that fails on one record", _hostile_oracle, TIER),
    Mutant("noise-by-data", "a noise scale that depends on the data", _data_dependent_epsilon, TIER),
)


def _little_noise() -> Measurement:
    return canaries.one_run("hardly any noise", canaries.synthesizer_scores(60), canaries.claim())


CANARY_MUTANTS: tuple[Mutant, ...] = (
    Mutant("synthesizer-little-noise", "a synthesizer with hardly any noise", _little_noise, TIER),
)
