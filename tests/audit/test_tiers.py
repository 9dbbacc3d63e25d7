"""The tiers besides the exact one find nothing wrong with what is right.

The samplers' tier rejects correct samplers with probability below 1e-6.
"""

import pytest

from oracledp.audit import observables, sampler_conformance
from oracledp.audit import worst_ties as hostile_law
from oracledp.audit.tiers import TIERS


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


def test_only_the_release_shows() -> None:
    for finding in observables.findings():
        assert finding.holds, finding


def test_every_tier_has_rows_for_the_table() -> None:
    for name in ("hostile", "observables"):
        rows = [finding.to_json() for finding in TIERS[name].findings()]
        assert all({"name", "holds"} <= set(row) for row in rows)
