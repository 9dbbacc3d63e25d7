"""oracledp: oracle-efficient differential privacy.

>>> import oracledp as odp
>>> odp.Neighbours.parse("replace-one").comparison_sensitivity
2
"""

from oracledp import audit, bounds
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
    "audit",
    "bounds",
    "exponential",
    "gaussian_rspm",
    "plan",
    "prsma",
    "report_noisy_min",
    "rspm",
]
