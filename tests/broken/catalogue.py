"""All broken mechanisms, in the order in which ``oracledp audit --mutants`` shows them."""

from __future__ import annotations

from broken.black_box_mutants import CANARY_MUTANTS, END_TO_END_MUTANTS
from broken.game_mutants import GAME_MUTANTS
from broken.law_mutants import LAW_MUTANTS
from broken.mutants import EXACT_MUTANTS, Mutant
from broken.observable_mutants import OBSERVABLE_MUTANTS
from broken.oracle_mutants import HOSTILE_MUTANTS
from broken.prsma_mutants import PRSMA_MUTANTS
from broken.sampler_mutants import SAMPLER_MUTANTS
from broken.synthesis_mutants import SYNTHESIS_MUTANTS

MUTANTS: tuple[Mutant, ...] = (
    *EXACT_MUTANTS,
    *LAW_MUTANTS,
    *SYNTHESIS_MUTANTS,
    *GAME_MUTANTS,
    *PRSMA_MUTANTS,
    *HOSTILE_MUTANTS,
    *SAMPLER_MUTANTS,
    *END_TO_END_MUTANTS,
    *CANARY_MUTANTS,
    *OBSERVABLE_MUTANTS,
)
