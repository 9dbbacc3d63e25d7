"""Broken versions of PRSMA: each claims what the right one claims, and the exact law refutes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from broken.mutants import Mutant
from oracledp.audit.exact_law import Finding
from oracledp.audit.prsma_finding import audited_design, finding, rare
from oracledp.audit.prsma_law import Behaviour
from oracledp.audit.worst_oracles import Setting, worst_excess
from oracledp.mechanisms.robust.delta import certified_delta, delta_terms
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.privacy.guarantee import Neighbours


def _few_runs() -> Finding:
    setting = replace(Setting.of(audited_design()), runs=5)
    return finding("a fortieth of the runs", worst_excess(setting, rare(5)))


def _no_noise() -> Finding:
    design = audited_design()
    step = tuple(float(passing > design.threshold) for passing in range(design.parts + 1))
    return finding("no noise in the test", worst_excess(replace(Setting.of(design), table=step), [(0.3, 0.3)]))


def _impure_base() -> Finding:
    """A base that gives one record away with probability 1/100: (0, 0.01)-DP, and no sample without it can do it."""
    return finding("a base that is not pure", worst_excess(Setting.of(audited_design()), [(0.0, 0.01)]))


def _wall_clock() -> Finding:
    """A slow record in one sample uses up the time of all: every run fails in one world and none in the other."""
    setting = Setting.of(audited_design())
    quick, slow = (setting.law(part, part) for part in (Behaviour(failure, 0.5) for failure in (0.0, 1.0)))
    return finding("a time limit shared by all samples", quick.excess(slow, setting.growth))


@dataclass(frozen=True)
class Retried(Behaviour):
    """A sample on which failed runs are tried again: its test passes unless all of them fail."""

    def passes(self, runs: int) -> float:
        """The probability that some run answers."""
        return float(1 - self.failure**runs)


def _retried_runs() -> Finding:
    """Samples without the changed record hide every output inside, and nobody notices."""
    setting, without = Setting.of(audited_design()), Retried(0.3, 0.0)
    here, there = (setting.law(without, held) for held in (Retried(0.0, 0.3), without))
    return finding("failed runs are tried again", here.excess(there, setting.growth))


def _free_bottom() -> Finding:
    """A test that gives up less often, and a claim without what ⊥ then tells."""
    design = replace(
        audited_design(), delta=Fraction(1, 10**9), pass_probabilities=laplace_table(40, Fraction(3, 5), 30)
    )
    claim = certified_delta(design) - delta_terms(design, design.epsilon)["giving up"]
    found = worst_excess(Setting.of(design), [(0.3, 0.3)])
    claimed = replace(design, delta=claim).guarantee(Neighbours.REPLACE_ONE)
    return Finding("⊥ that is taken to tell nothing", claimed, 0.0, float("inf"), found, found, 1)


PRSMA_MUTANTS: tuple[Mutant, ...] = (
    Mutant("prsma-few-runs", "PRSMA with too few runs for its delta", _few_runs),
    Mutant("prsma-no-noise", "PRSMA without noise in its test", _no_noise),
    Mutant("prsma-impure-base", "PRSMA over a base that is not pure (P7)", _impure_base),
    Mutant("prsma-wall-clock", "PRSMA with a time limit that couples its samples (P6)", _wall_clock),
    Mutant("prsma-retried-runs", "PRSMA that tries failed runs again", _retried_runs),
    Mutant("prsma-free-bottom", "PRSMA that pays nothing for giving up", _free_bottom),
)
