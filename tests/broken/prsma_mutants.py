"""Broken versions of PRSMA: each claims what the right one claims, and the exact law refutes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp

from broken.mutants import Mutant
from oracledp.audit.exact_law import Finding
from oracledp.audit.prsma_finding import audited_design, finding, rare
from oracledp.audit.prsma_law import Behaviour, fixed_split
from oracledp.audit.worst_oracles import Setting, alike_parts_search, worst_own


def _few_runs() -> Finding:
    setting = replace(Setting.of(audited_design()), runs=5)
    return finding("a fortieth of the runs", alike_parts_search(setting, perfect=rare(5), moves=0))


def _no_noise() -> Finding:
    design = audited_design()
    step = tuple(float(passing > design.threshold) for passing in range(design.parts + 1))
    setting = replace(Setting.of(design), table=step)
    return finding("no noise in the test", alike_parts_search(setting, perfect=[0.3], moves=0))


def _impure_base() -> Finding:
    """A base that gives its part away with probability 1/100: (0, 0.01)-DP, and no part but one can do it."""
    setting = Setting.of(audited_design())
    others = fixed_split([Behaviour(0.0, 0.0)] * (audited_design().parts - 1), setting.runs)
    return finding("a base that is not pure", worst_own(setting, [(others, 0.01, 0.0)]))


def _wall_clock() -> Finding:
    """A slow record in one part uses up the time of all: every part fails in one world and none in the other."""
    setting, design = Setting.of(audited_design()), audited_design()
    laws = []
    for failure in (0.0, 1.0):
        part = Behaviour(failure, 0.5)
        others = fixed_split([part] * (design.parts - 1), setting.runs)
        laws.append(others.facing(setting.table).law(part, setting.runs))
    return finding("a time limit shared by all parts", laws[0].excess(laws[1], exp(1)))


@dataclass(frozen=True)
class Retried(Behaviour):
    """A part whose failed runs are tried again: it passes unless all of them fail."""

    def passes(self, runs: int) -> float:
        """The probability that some run answers."""
        return float(1 - self.failure**runs)


def _retried_runs() -> Finding:
    """The others hide every output inside, and nobody notices."""
    setting, design = Setting.of(audited_design()), audited_design()
    others = fixed_split([Retried(0.3, 0.0)] * (design.parts - 1), setting.runs)
    return finding("failed runs are tried again", worst_own(setting, [(others, 0.3, 0.3)]))


def _fixed_run() -> Finding:
    """An oracle that fails on its first call only, and the first run is the one that is released."""
    setting = replace(Setting.of(audited_design()), by_lot=False)
    return finding("a fixed run is released", alike_parts_search(setting, perfect=[0.1, 0.2], moves=0))


PRSMA_MUTANTS: tuple[Mutant, ...] = (
    Mutant("prsma-few-runs", "PRSMA with too few runs for its delta", _few_runs),
    Mutant("prsma-no-noise", "PRSMA without noise in its test", _no_noise),
    Mutant("prsma-impure-base", "PRSMA over a base that is not pure (P7)", _impure_base),
    Mutant("prsma-wall-clock", "PRSMA with a time limit that couples its parts (P6)", _wall_clock),
    Mutant("prsma-fixed-run", "PRSMA that releases the first run of a part", _fixed_run),
    Mutant("prsma-retried-runs", "PRSMA that tries failed runs again", _retried_runs),
)
