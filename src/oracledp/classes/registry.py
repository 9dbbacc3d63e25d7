"""Query classes by their kind, for files; and families of classes by name, for users.

A *kind* reads a saved class back. A *family* builds a class from literals and a size, and is what ``--model``,
``--workload`` and ``--class`` name. Both are open (docs/extending.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oracledp.classes.base import Query, QueryClass
from oracledp.classes.decision_lists import DecisionLists
from oracledp.classes.decision_trees import DecisionTrees
from oracledp.classes.formulas import ReadOnceFormulas
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.loss import ZeroOneLoss
from oracledp.classes.signed import Signed
from oracledp.classes.subsets import Conjunctions, Disjunctions, Parities
from oracledp.data.literals import Literals
from oracledp.errors import ModelError, OracleDPError, ParameterError
from oracledp.registries import Registry

_OWN: tuple[type[QueryClass], ...] = (
    Conjunctions, Disjunctions, Parities, Halfspaces, DecisionLists, DecisionTrees, ReadOnceFormulas, Signed,
    ZeroOneLoss,
)  # fmt: skip
KINDS: Registry[type[QueryClass]] = Registry("oracledp.classes", "query class", {made.kind: made for made in _OWN})


@dataclass(frozen=True)
class Family:
    """A kind of rule: its class over some literals at a size, and the size used when none is given.

    ``negations`` says that the literals should come with their negations, which the class cannot express by itself.
    """

    build: Callable[[Literals, int], QueryClass]
    default_size: int
    size_means: str
    negations: bool = False

    def over(self, literals: Literals, size: int | None = None) -> QueryClass:
        """The class over these literals, and their negations where the family wants them."""
        return self.build(literals.with_negations() if self.negations else literals, size or self.default_size)


FAMILIES: Registry[Family] = Registry(
    "oracledp.families",
    "model",
    {
        "conjunction": Family(
            lambda x, k: Conjunctions(x, max_width=k), 3, "literals joined by and", negations=True
        ),
        "disjunction": Family(
            lambda x, k: Disjunctions(x, max_width=k), 3, "literals joined by or", negations=True
        ),
        "parity": Family(lambda x, k: Parities(x, max_width=k).closure(), 2, "literals joined by xor"),
        "decision-list": Family(lambda x, k: DecisionLists(x, length=k), 2, "rules", negations=True),
        "halfspace": Family(
            lambda x, k: Halfspaces(x, weights=(-1, 0, 1), max_nonzero=k, thresholds=(0, 1, 2)), 3, "non-zero weights"
        ),
        "tree": Family(lambda x, k: DecisionTrees(x, depth=k), 4, "tests on a path"),
    },
)  # fmt: skip


def class_from_json(data: dict[str, Any]) -> QueryClass:
    """Read what :meth:`QueryClass.to_json` wrote.

    >>> queries = Parities(Literals.named("a", "b")).closure()
    >>> class_from_json(queries.to_json()) == queries
    True
    """
    try:
        return _read_class(data)
    except OracleDPError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError("this is not a query class written by oracledp") from error


def _read_class(data: dict[str, Any]) -> QueryClass:
    rest = dict(data)
    kind, literals = rest.pop("kind"), Literals.from_json(rest.pop("literals"))
    try:
        found = KINDS[kind]
    except ParameterError:
        raise ModelError(f"unknown query class {kind!r}") from None
    return found.from_parameters(literals, rest, _read_class)


def query_from_json(data: dict[str, Any]) -> Query:
    """Read what :meth:`Query.to_json` wrote."""
    try:
        owner, parts = class_from_json(data["class"]), [int(part) for part in data["parts"]]
    except OracleDPError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError("this is not a query written by oracledp") from error
    return owner.query(*parts)
