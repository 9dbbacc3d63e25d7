"""Pages of fixed releases, whose looks are kept: ``python tests/browser/looks.py`` keeps new ones, if they are meant.

What is kept is the page itself, not its picture, since fonts differ from machine to machine: both are shown by the same
browser, and the two pictures must be the same.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from oracledp.classes import Conjunctions, DecisionLists, DecisionTrees, Halfspaces
from oracledp.classes.base import QueryClass
from oracledp.classes.loss import ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.mechanisms.release import Release
from oracledp.oracles.base import Certificate, Trust
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.report.about import About
from oracledp.report.rule_page import rule_page

KEPT = Path(__file__).parent / "looks"
LITERALS = Literals((Literal("age", ">=", 60), Literal.boolean("smoker"), Literal("ward", "=", "north")))
CLASSES: dict[str, QueryClass] = {
    "rule": Conjunctions(LITERALS, max_width=2),
    "list": DecisionLists(LITERALS, length=2, width=2),
    "card": Halfspaces(LITERALS, weights=range(-2, 3)),
    "tree": DecisionTrees(LITERALS, depth=2),
}


def look(kind: str) -> str:
    """The page of the last query of a class that uses all it may."""
    queries = list(ZeroOneLoss.of(CLASSES[kind], Literal.boolean("ill")))
    query = max(queries, key=lambda one: (len(str(one)), str(one)))
    promised = Guarantee(epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE, proof="exponential-mechanism")
    release = Release(query, promised, Certificate(Trust.PROVED, "exponential"), "exponential")
    page = rule_page(release, rows=3000, about=About("visits.csv", day="2026-01-31"))
    return re.sub(r"oracledp \d+\.\d+[\w.]*", "oracledp 0.0", page)


if __name__ == "__main__":
    for kind in CLASSES:
        (KEPT / f"{kind}.html").write_text(look(kind), encoding="utf-8")
