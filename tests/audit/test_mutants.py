"""An audit that cannot fail is no audit: every broken mechanism is rejected, by the tier that it names."""

import json
from collections import Counter

import pytest

from broken.black_box_mutants import CANARY_MUTANTS, END_TO_END_MUTANTS
from broken.catalogue import MUTANTS
from broken.mutants import Mutant
from broken.prsma_mutants import PRSMA_MUTANTS

# Slow, or in tests of their own.
ELSEWHERE = {mutant.name for mutant in (*END_TO_END_MUTANTS, *CANARY_MUTANTS, *PRSMA_MUTANTS)}


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m.name not in ELSEWHERE], ids=lambda m: m.name)
def test_the_audit_rejects(mutant: Mutant) -> None:
    verdict = mutant.audit()
    assert verdict.broken, verdict
    assert not verdict.holds


def test_the_command_writes_json_for_every_kind_of_verdict() -> None:
    kinds = {mutant.tier: mutant for mutant in MUTANTS if mutant.name not in ELSEWHERE} | {"prsma": PRSMA_MUTANTS[3]}
    for mutant in (*kinds.values(), MUTANTS[-1]):
        assert json.loads(json.dumps(mutant.caught)) is True


def test_there_are_enough_of_them_and_each_has_a_name_of_its_own() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 25
    assert min(Counter(mutant.tier for mutant in MUTANTS).values()) >= 3
