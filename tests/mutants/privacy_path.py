"""Which sources stand between private rows and a release: all of them are mutated."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "oracledp"

PATTERNS = (
    "exact/*.py", "randomness/*.py", "privacy/*.py", "whole_files.py",
    "mechanisms/*.py", "mechanisms/robust/*.py", "mechanisms/sampling/*.py", "learning/*.py",
    "learners/base.py", "learners/encoding.py", "learners/fitting.py", "learners/lineage.py", "learners/selector.py",
    "synthesis/measurements.py", "synthesis/measuring.py", "synthesis/program.py", "synthesis/rounds.py",
    "synthesis/splitting.py", "synthesis/synthesizer.py", "synthesis/levels.py", "data/output/frames.py",
    "mechanisms/scoreboard.py", "game/match.py", "game/*player*.py", "game/oracle_query.py",
    "oracles/base.py", "oracles/problem.py", "oracles/certificates.py", "oracles/registry.py",
    "data/table/table.py", "data/table/histogram.py", "data/table/frames.py", "data/table/values.py",
)  # fmt: skip


# These only propose, from public numbers: what they propose is certified, or is private whatever it is.
PROPOSING = (
    "mechanisms/robust/designer.py", "mechanisms/robust/search_*.py",
    "learning/automatic.py", "mechanisms/surrogate_start.py",
)  # fmt: skip


# Functions that only guess or share out, in files that do more: whatever they return, the guarantee is the same.
GUESSING = {
    "mechanisms/gaussian_bound.py": ("_best_tilt", "paper_variance"),  # every tilt gives a valid bound; for comparison
    "mechanisms/surrogate_solver.py": ("_along",),  # where a Newton step ends: the exact gradient judges the point
    "privacy/accounting.py": ("_float_homogeneous", "_bisect"),  # a guess in floats, certified in fractions
    "learning/override_lists.py": ("default_rounds",),  # every number of rounds is private
    "synthesis/program.py": ("budget_shares", "rounds"),  # shares of a budget that the meter refuses to exceed
    "synthesis/measuring.py": ("_combined_total", "_dependence", "_cells"),  # of released numbers; shares likewise
}


def skipped(path: Path) -> frozenset[str]:
    """The functions of a file that are not mutated; they must be there."""
    names = GUESSING.get(str(path.relative_to(SOURCE)), ())
    missing = [name for name in names if f"def {name}(" not in path.read_text()]
    if missing:
        raise SystemExit(f"{path} has no {', '.join(missing)}: see GUESSING")
    return frozenset(names)


def privacy_path() -> list[Path]:
    """The files, sorted; a pattern may come to nothing when a file moves, but not many may."""
    proposing = {path for pattern in PROPOSING for path in SOURCE.glob(pattern)}
    found = {path for pattern in PATTERNS for path in SOURCE.glob(pattern) if path.name != "__init__.py"}
    return sorted(found - proposing)


def component(path: Path) -> str:
    """The part of the tree a file belongs to, for the table of results."""
    parts = path.relative_to(SOURCE).parts
    return re.sub(r"\.py$", "", parts[0]) if len(parts) == 1 else "/".join(parts[:-1])
