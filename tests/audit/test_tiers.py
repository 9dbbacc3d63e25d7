"""The tiers besides the exact one find nothing wrong with what is right.

The samplers' tier rejects correct samplers with probability below 1e-6.
"""

import logging
from inspect import getclosurevars
from typing import Any

import pytest

import oracledp as odp
from oracledp.audit import observables, sampler_conformance
from oracledp.audit import worst_ties as hostile_law
from oracledp.audit.observed_calls import CALLS, coupled_entries
from oracledp.audit.tiers import TIERS
from oracledp.audit.verdict import Fact
from oracledp.privacy.door import Facts
from oracledp.privacy.guarantee import Neighbours


def test_free_ties_cost_what_is_charged_and_not_nothing() -> None:
    findings = hostile_law.findings()
    for finding in findings:
        assert finding.holds, finding
    ties = [finding for finding in findings if "ties" in finding.name]
    assert max(f.delta_low / float(f.claimed.delta) for f in ties) > 0.99  # the charge is needed in full
    assert max(f.epsilon_low for f in ties) > 1.03  # and no pure claim would hold


@pytest.mark.statistical
def test_samplers_conform() -> None:
    for finding in sampler_conformance.findings():
        assert finding.holds, finding


@pytest.fixture(scope="module")
def observed() -> list[Fact]:
    return observables.findings()


def test_only_the_release_shows(observed: list[Fact]) -> None:
    for finding in observed:
        assert finding.holds, finding


def test_every_public_function_command_and_product_is_observed() -> None:
    called = {getclosurevars(call).nonlocals.get("call", call) for call in CALLS.values()}
    assert {getattr(odp, name) for name in odp._HOMES["mechanisms"]} <= called
    others = {door.name for door in coupled_entries()} | set(CALLS)
    commands = {"learn --mechanism", "synth", "synth --method oracle-query"}
    assert commands | {"learn_table", "mapped-counts", "infer_schema", "oracle-query", "synthesizer"} <= others
    assert any("selector" in name for name in others)
    assert {"fit conjunction", "fit tree", "fit logistic card", "fit logistic card of one line"} <= others
    assert {"fit list with probabilities", "schema infer", "prsma"} <= others
    assert {"synthesizer / stages", "synthesizer / dates"} <= others


@pytest.mark.parametrize("where", ["learn --mechanism", "synthesizer"])
def test_a_word_in_the_log_is_noticed(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever logs how many records a table has is told from its neighbour."""
    kept = Facts.of.__func__  # type: ignore[attr-defined]

    def telling(cls: type[Facts], table: Any, *rest: Any, **more: Any) -> Facts:
        logging.getLogger("oracledp").debug("%s rows", len(getattr(table, "counts", table)))
        return kept(cls, table, *rest, **more)

    monkeypatch.setattr(Facts, "of", classmethod(telling))
    door = next(door for door in coupled_entries() if door.name == where)
    assert observables.nothing_else_shows_when_coupled(door, Neighbours.ADD_REMOVE).broken


def test_every_tier_has_rows_for_the_table(observed: list[Fact]) -> None:
    rows = [finding.to_json() for finding in (*TIERS["hostile"].findings(), *observed)]
    assert all({"name", "holds"} <= set(row) for row in rows)
