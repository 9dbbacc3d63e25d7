"""An audit that cannot fail is no audit: every broken mechanism is rejected."""

import pytest

from oracledp.audit.mutants import EXACT_MUTANTS, Mutant


@pytest.mark.parametrize("mutant", EXACT_MUTANTS, ids=lambda m: m.name)
def test_the_exact_audit_rejects(mutant: Mutant) -> None:
    finding = mutant.audit()
    assert finding.broken, finding
    assert not finding.holds
