"""Query classes: what can be asked, with identification sets, parts, duals and names. No data here."""

from oracledp.classes.base import Branch, Query, QueryClass, Separator
from oracledp.classes.decision_lists import DecisionLists
from oracledp.classes.decision_trees import DecisionTrees
from oracledp.classes.dual import Dual
from oracledp.classes.formulas import ReadOnceFormulas
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.loss import ZeroOneLoss
from oracledp.classes.registry import class_from_json, query_from_json
from oracledp.classes.signed import Signed
from oracledp.classes.subsets import Conjunctions, Disjunctions, Parities
from oracledp.classes.tables import Parts

__all__ = [
    "Branch",
    "Conjunctions",
    "DecisionLists",
    "DecisionTrees",
    "Disjunctions",
    "Dual",
    "Halfspaces",
    "Parities",
    "Parts",
    "Query",
    "QueryClass",
    "ReadOnceFormulas",
    "Separator",
    "Signed",
    "ZeroOneLoss",
    "class_from_json",
    "query_from_json",
]
