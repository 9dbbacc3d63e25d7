"""oracledp: oracle-efficient differential privacy.

>>> import oracledp as odp
>>> odp.Neighbours.parse("replace-one").comparison_sensitivity
2

Names are imported when they are first used, so that ``import oracledp`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oracledp import audit, bounds, learners
    from oracledp.classes import (
        Conjunctions,
        DecisionLists,
        Disjunctions,
        Halfspaces,
        Parities,
        Query,
        QueryClass,
        ReadOnceFormulas,
        ZeroOneLoss,
    )
    from oracledp.errors import OracleDPError
    from oracledp.game.oracle_query import OracleQuery
    from oracledp.guarantee import Guarantee, Neighbours
    from oracledp.ledger import Ledger
    from oracledp.literals import Literal, Literals
    from oracledp.mechanisms.exponential import exponential
    from oracledp.mechanisms.gaussian_rspm import gaussian_rspm
    from oracledp.mechanisms.noisy_min import report_noisy_min
    from oracledp.mechanisms.prsma import prsma
    from oracledp.mechanisms.release import Release
    from oracledp.mechanisms.rspm import rspm
    from oracledp.planning import plan
    from oracledp.randomness import SeededRandomness, SystemRandomness
    from oracledp.schema import Schema
    from oracledp.synthesis import Synthesizer
    from oracledp.table import Table

    __version__: str

_HOMES = {
    "classes": (
        "Conjunctions", "DecisionLists", "Disjunctions", "Halfspaces", "Parities", "Query", "QueryClass",
        "ReadOnceFormulas", "ZeroOneLoss",
    ),
    "errors": ("OracleDPError",),
    "game.oracle_query": ("OracleQuery",),
    "guarantee": ("Guarantee", "Neighbours"),
    "ledger": ("Ledger",),
    "literals": ("Literal", "Literals"),
    "mechanisms.exponential": ("exponential",),
    "mechanisms.gaussian_rspm": ("gaussian_rspm",),
    "mechanisms.noisy_min": ("report_noisy_min",),
    "mechanisms.prsma": ("prsma",),
    "mechanisms.release": ("Release",),
    "mechanisms.rspm": ("rspm",),
    "planning": ("plan",),
    "randomness": ("SeededRandomness", "SystemRandomness"),
    "schema": ("Schema",),
    "synthesis": ("Synthesizer",),
    "table": ("Table",),
}  # fmt: skip
_HOME = {name: f"oracledp.{module}" for module, names in _HOMES.items() for name in names}
_MODULES = ("audit", "bounds", "learners")

__all__ = [
    "Conjunctions",
    "DecisionLists",
    "Disjunctions",
    "Guarantee",
    "Halfspaces",
    "Ledger",
    "Literal",
    "Literals",
    "Neighbours",
    "OracleDPError",
    "OracleQuery",
    "Parities",
    "Query",
    "QueryClass",
    "ReadOnceFormulas",
    "Release",
    "Schema",
    "SeededRandomness",
    "Synthesizer",
    "SystemRandomness",
    "Table",
    "ZeroOneLoss",
    "__version__",
    "audit",
    "bounds",
    "exponential",
    "gaussian_rspm",
    "learners",
    "plan",
    "prsma",
    "report_noisy_min",
    "rspm",
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
    return sorted(__all__)
