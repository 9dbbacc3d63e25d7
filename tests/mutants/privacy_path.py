"""Which sources stand between private rows and a release: all of them are mutated."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "oracledp"

PATTERNS = (
    "exact/*.py", "randomness/*.py", "privacy/*.py", "privacy/ledger/*.py", "whole_files.py",
    "mechanisms/*.py", "mechanisms/robust/*.py", "mechanisms/sampling/*.py", "mechanisms/votes/*.py",
    "learning/*.py",
    "learners/base.py", "learners/encoding.py", "learners/fitting.py", "learners/lineage.py", "learners/selector.py",
    "learners/bands.py", "learners/chances.py", "learners/cuts.py", "learners/estimator.py", "learners/given.py",
    "learners/persons.py", "learners/regressors.py", "learners/trees.py",
    "synthesis/measurements.py", "synthesis/measuring.py", "synthesis/program.py", "synthesis/rounds.py",
    "synthesis/synthesizer.py", "synthesis/levels.py", "synthesis/raw.py", "data/output/frames.py",
    "synthesis/stages.py", "synthesis/locating.py", "synthesis/behaviour.py", "synthesis/linked.py",
    "data/table/linked.py",
    "mechanisms/scoreboard.py", "game/match.py", "game/*player*.py", "game/oracle_query.py",
    "oracles/base.py", "oracles/door.py", "oracles/guarded.py", "oracles/problem.py",
    "oracles/many.py", "oracles/redraws.py", "oracles/certificates.py", "oracles/registry.py",
    "data/packed_records.py",
    "data/table/table.py", "data/table/histogram.py", "data/table/frames.py", "data/table/values.py",
    "data/table/text*.py", "data/table/value_*.py", "data/table/midnights.py", "data/table/frame_values.py",
    "data/table/typed_files.py", "data/table/parquet_files.py", "data/table/arrow_reach.py",
    "data/schema/moment_formats.py", "data/table/persons.py", "data/table/unit.py",
    "data/schema/text_kinds.py", "data/schema/number_marks.py",
)  # fmt: skip


# These only propose, from public numbers: what they propose is certified, or is private whatever it is.
PROPOSING = (
    "mechanisms/robust/designer.py", "mechanisms/robust/search_*.py",
    "learning/automatic.py", "mechanisms/surrogate_start.py",
    # A part's list may be any function of the part, however long and however graded: the tally, which is mutated,
    # takes what is allowed of it, and the split, which is mutated too, hands over nothing else (proofs/vote.md).
    "mechanisms/votes/ballots.py",
    # How many parts and how long their lists are, by public numbers: calibration holds for every such pair.
    "mechanisms/votes/size.py",
    "learning/wording.py", "learning/models.py",  # names and words of what was released, or of public classes
)  # fmt: skip

# Rooms of which every file is listed above or here, with the reason why no guarantee leans on it.
ROOMS = ("exact", "game", "learners", "learning", "mechanisms", "privacy", "randomness", "synthesis")
APART = {
    "game/play.py": "what was released, and the table it stands for",
    "game/played.py": "a released model: saving, loading, rows",
    "game/record.py": "internal diagnostics, NOT PRIVATE",
    "game/settings.py": "rounds and noise by public numbers; the account of a game is in oracle_query.py",
    "learners/estimators.py": "names and parameters of estimators",
    "learners/loading.py": "reads released models",
    "learners/risk_tables.py": "released points as probabilities",
    "learners/rule_sets.py": "released rules: predictions and words",
    "learners/saving.py": "writes released models",
    "learners/showing.py": "pictures of released rules",
    "learners/tree_rules.py": "released trees: predictions and words",
    "learners/values.py": "released cards and trees of a regressor: predictions and words",
    "synthesis/answers.py": "answers of a released model",
    "synthesis/basis.py": "parities as vectors: public",
    "synthesis/bins.py": "bins from released counts",
    "synthesis/chosen_fit.py": "how to fit, by thinned released counts",
    "synthesis/copula.py": "factors of released counts",
    "synthesis/scores.py": "scores of bins of released counts",
    "synthesis/counted.py": "queries as tables over columns: public",
    "synthesis/denoise.py": "released counts made consistent",
    "synthesis/drawing.py": "rows of a released model",
    "synthesis/estimates.py": "of released counts",
    "synthesis/fitting.py": "fitted to released counts",
    "synthesis/grouped.py": "answers of a released model",
    "synthesis/held.py": "rows of a released model",
    "synthesis/hierarchy.py": "sums of released counts",
    "synthesis/layout.py": "where bins lie in a vector: public",
    "synthesis/linked_model.py": "a released model: saving, loading, rows",
    "synthesis/literal_choice.py": "literals by released one-ways",
    "synthesis/mixture.py": "a released model",
    "synthesis/model.py": "a released model",
    "synthesis/model_checks.py": "of a released model",
    "synthesis/pair_terms.py": "fitted to released counts",
    "synthesis/parity_answers.py": "answers of a released model",
    "synthesis/query_terms.py": "fitted to released counts",
    "synthesis/recipe.py": "lengths of a fit by released numbers",
    "synthesis/halves.py": "of released counts",
    "synthesis/rounding.py": "of released counts",
    "synthesis/searched.py": "which classes a selection may search: public and released numbers",
    "synthesis/showing.py": "pictures of a released model",
    "synthesis/tails.py": "of released counts",
    "synthesis/terms.py": "fitted to released counts",
    "synthesis/thinning.py": "released counts with more noise",
    "synthesis/workload.py": "what is asked for: public",
}

# Functions that only guess or share out, in files that do more: whatever they return, the guarantee is the same.
GUESSING = {
    "mechanisms/gaussian_bound.py": ("_best_tilt", "paper_variance"),  # every tilt gives a valid bound; for comparison
    "mechanisms/surrogate_solver.py": ("_along",),  # where a Newton step ends: the exact gradient judges the point
    "privacy/accounting.py": ("_float_homogeneous", "_bisect"),  # a guess in floats, certified in fractions
    "mechanisms/gradients.py": ("weights", "follow", "average"),  # where released gradients lead
    "mechanisms/growing_gradients.py": ("wanted", "_worded"),  # public steps, and where released gradients lead
    "mechanisms/column_kinds.py": ("kind_from", "values_from", "with_midnights"),  # of released counts
    "mechanisms/column_inference.py": (  # of released counts; the cells of private values are mutated
        "bounds_from",
        "bounds_and_grain",
        "_scaled",
        "stands_out",
        "narrowed",
        "as_fine_as_it_can_be",
        "cuts_from",
        "_rounded",
        "ordered_definition",
        "moment_definition",
        "categorical_definition",
    ),
    "learning/sparse_cards.py": (  # of a released card
        "heaviest",
        "take",
        "gains",
        "_variance",
        "_points",
        "of_patterns",
    ),
    "learning/class_cards.py": ("discriminants", "_rates"),  # of released sums
    "learning/blocks.py": ("chain", "_nested", "thin_blocks"),  # which public literals a card looks at
    "learning/feature_maps.py": ("by_literal",),  # released weights in words
    "learning/cards.py": ("cards_of",),  # released weights as points
    "learners/chances.py": ("shares", "_pooled"),  # of released counts
    "learning/override_lists.py": ("default_rounds",),  # every number of rounds is private
    "synthesis/linked.py": ("half", "_keyed", "_shapes"),  # what is shown of releases
    "synthesis/program.py": ("budget_shares", "rounds"),  # shares of a budget that the meter refuses to exceed
    "synthesis/stages.py": (  # which cells are counted next, and what is made of released counts
        "_cut",
        "leaf_counts",
        "leaf_masses",
        "_shared",
        "_runs",
        "_first_masses",
        "_smoothed",
        "_summed",
        "_edges",
        "between",
        "_end",
        "spread_masses",
        "effective_sizes",
        "staged_thresholds",
        "cuts_to_values",
    ),
    "synthesis/locating.py": ("of", "_around", "_first_look", "cut_cells"),  # which cells are counted: released counts
    "synthesis/behaviour.py": ("_kinds", "_level", "binned_mass", "long_columns"),  # of released counts
    # of released numbers; shares likewise
    "synthesis/measuring.py": ("_combined_total", "_dependence", "_cells", "_straight"),
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


def unlisted() -> set[str]:
    """Files of the rooms that are neither mutated nor set apart with a reason."""
    known = {str(path.relative_to(SOURCE)) for path in privacy_path()} | set(APART)
    known |= {str(path.relative_to(SOURCE)) for pattern in PROPOSING for path in SOURCE.glob(pattern)}
    there = {str(path.relative_to(SOURCE)) for room in ROOMS for path in (SOURCE / room).rglob("*.py")}
    return {name for name in there - known if not name.endswith("__init__.py")}


def component(path: Path) -> str:
    """The part of the tree a file belongs to, for the table of results."""
    parts = path.relative_to(SOURCE).parts
    return re.sub(r"\.py$", "", parts[0]) if len(parts) == 1 else "/".join(parts[:-1])
