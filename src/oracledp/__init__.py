"""oracledp: oracle-efficient differential privacy.

>>> import oracledp as odp
>>> odp.Neighbours.DEFAULT.words, odp.Neighbours.DEFAULT.comparison_sensitivity
('any one record is added or removed', 1)

Names are imported when they are first used, so that ``import oracledp`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oracledp import audit, bounds, learners, mechanisms
    from oracledp.classes import (
        Conjunctions,
        DecisionLists,
        DecisionTrees,
        Disjunctions,
        Halfspaces,
        Parities,
        Query,
        QueryClass,
        ReadOnceFormulas,
        ZeroOneLoss,
    )
    from oracledp.data.literals import Literal, Literals
    from oracledp.data.schema import Schema
    from oracledp.data.table import Table
    from oracledp.data.table.linked import LinkedTable
    from oracledp.errors import OracleDPError
    from oracledp.game.oracle_query import OracleQuery
    from oracledp.mechanisms.exponential_mechanism import exponential
    from oracledp.mechanisms.gaussian_min import gaussian_rspm
    from oracledp.mechanisms.noisy_min import report_noisy_min
    from oracledp.mechanisms.perturbed_min import rspm
    from oracledp.mechanisms.private_schema import infer_schema
    from oracledp.mechanisms.release import Release
    from oracledp.mechanisms.robust import prsma
    from oracledp.mechanisms.votes.mechanism import vote
    from oracledp.oracles.threads import set_threads
    from oracledp.planning import plan
    from oracledp.privacy.guarantee import Guarantee, Neighbours
    from oracledp.privacy.ledger import Ledger
    from oracledp.progress_display import progress
    from oracledp.randomness.source import SeededRandomness, SystemRandomness
    from oracledp.synthesis import LinkedSynthesizer, Synthesizer
    from oracledp.synthesis.raw import synthesize_raw

    __version__: str

_HOMES = {
    "data.schema": ("Schema",),
    "data.table": ("Table",),
    "data.table.linked": ("LinkedTable",),
    "privacy.ledger": ("Ledger",),
    "synthesis": ("LinkedSynthesizer", "Synthesizer"),
    "synthesis.raw": ("synthesize_raw",),
    "game.oracle_query": ("OracleQuery",),
    "planning": ("plan",),
    "mechanisms": ("exponential", "gaussian_rspm", "prsma", "report_noisy_min", "rspm", "vote"),
    "mechanisms.private_schema": ("infer_schema",),
    "mechanisms.release": ("Release",),
    "privacy.guarantee": ("Guarantee", "Neighbours"),
    "data.literals": ("Literal", "Literals"),
    "classes": (
        "Conjunctions", "DecisionLists", "DecisionTrees", "Disjunctions", "Halfspaces", "Parities", "Query",
        "QueryClass", "ReadOnceFormulas", "ZeroOneLoss",
    ),
    "randomness.source": ("SeededRandomness", "SystemRandomness"),
    "oracles.threads": ("set_threads",),
    "progress_display": ("progress",),
    "errors": ("OracleDPError",),
}  # fmt: skip
_HOME = {name: f"oracledp.{module}" for module, names in _HOMES.items() for name in names}
_MODULES = ("audit", "bounds", "learners", "mechanisms")

__all__ = [  # noqa: RUF022 - what most people need comes first
    "Schema",
    "Table",
    "Ledger",
    "Synthesizer",
    "LinkedSynthesizer",
    "LinkedTable",
    "OracleQuery",
    "plan",
    "learners",
    "mechanisms",
    "exponential",
    "gaussian_rspm",
    "prsma",
    "report_noisy_min",
    "rspm",
    "vote",
    "infer_schema",
    "synthesize_raw",
    "Release",
    "Guarantee",
    "Neighbours",
    "Literal",
    "Literals",
    "Conjunctions",
    "DecisionLists",
    "DecisionTrees",
    "Disjunctions",
    "Halfspaces",
    "Parities",
    "Query",
    "QueryClass",
    "ReadOnceFormulas",
    "ZeroOneLoss",
    "SeededRandomness",
    "SystemRandomness",
    "progress",
    "OracleDPError",
    "set_threads",
    "audit",
    "bounds",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for; the next time it is an ordinary name of this module."""
    if name in _MODULES:
        return import_module(f"oracledp.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("oracledp")
    if name not in _HOME:
        raise AttributeError(f"module 'oracledp' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
