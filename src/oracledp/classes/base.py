"""What every query class offers. A class never sees data, only the names of its inputs.

A query *is* the set of its parts: integers that a class numbers (a literal, a weight on a coordinate, a
rule at a position). The parts carry the noise of Theorem 1 (proofs/perturbed-minimisation.md), the order
in which ties are broken, the JSON form and the printed name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.formulation import Formulation
from oracledp.classes.pictures import Picture, Sentence
from oracledp.classes.points import Points
from oracledp.classes.tables import Bits, Parts, PartsTable, parts_of, parts_table
from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import CapacityError, ModelError

if TYPE_CHECKING:
    from oracledp.classes.decision_lists import DecisionLists
    from oracledp.classes.decision_trees import DecisionTrees
    from oracledp.classes.dual import Dual
    from oracledp.classes.halfspaces import Halfspaces
    from oracledp.classes.signed import Signed
    from oracledp.classes.subsets import SubsetClass

MOST_LISTED = 200_000
"""Queries of a class that everything written for listed classes bears: values, solver models, tables for games."""

Reader = Callable[[dict[str, Any]], "QueryClass"]
Records = NDArray[Any]  # n × d; 0/1 for data, exact rationals (dtype object) for separator elements


@dataclass(frozen=True)
class Query:
    """One function of a query class, named by its parts in increasing order."""

    owner: QueryClass
    parts: Parts

    def __call__(self, records: Records) -> NDArray[np.bool_]:
        """The query's value on each record (one row of literal values each)."""
        return self.owner.evaluate(self.parts, records)

    def __str__(self) -> str:
        return self.owner.describe(self.parts)

    def to_json(self) -> dict[str, Any]:
        """The class and the parts, with the rule in words."""
        return {"class": self.owner.to_json(), "parts": list(self.parts), "rule": str(self)}


@dataclass(frozen=True)
class Separator:
    """A universal identification set: elements on which any two queries of the class differ.

    ``margin`` is the least number of elements on which two queries differ. Elements are exact and need not
    be records (theory: only the queries must be defined on them), so they may be rational or inconsistent.
    """

    elements: tuple[tuple[int | Fraction, ...], ...]
    margin: int = 1

    def __len__(self) -> int:
        return len(self.elements)

    @property
    def records(self) -> Records:
        """The elements as rows that :meth:`QueryClass.evaluate` accepts."""
        integral = all(isinstance(value, int) for element in self.elements for value in element)
        return np.array(self.elements, dtype=np.int64 if integral else object)


@dataclass(frozen=True)
class LinearCosts:
    """Separator noise rewritten as costs on the parts: sum_i noise_i q(e_i) = constant + sum_{p in q} parts[p]."""

    constant: int
    parts: NDArray[np.int64]


@dataclass(frozen=True)
class Branch:
    """A piece of a class that oracles know: the queries of ``base``, or their negations, with fixed extra parts."""

    base: QueryClass
    negated: bool = False
    extra: Parts = ()


@dataclass(frozen=True)
class QueryClass(ABC):
    """A finite class of boolean functions over named literals.

    ``hot`` is k of the k-hot embedding: every query, padded with dummies, is a set of exactly ``hot`` parts
    out of ``part_count + dummies``; a query with s sizable parts uses ``dummies - s`` dummies (trap P2).
    """

    literals: Literals
    kind: ClassVar[str]

    # ---- the functions -------------------------------------------------------------------------
    @property
    @abstractmethod
    def size(self) -> int:
        """The exact number of queries (labels; two labels may be the same function)."""

    @abstractmethod
    def all_parts(self) -> Iterator[Parts]:
        """Every query in the fixed order that breaks ties."""

    @abstractmethod
    def contains(self, parts: Parts) -> bool:
        """Whether these parts (increasing) form a query of the class."""

    @abstractmethod
    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """The value of one query on each record."""

    @abstractmethod
    def describe(self, parts: Parts) -> str:
        """The query in the user's own column names."""

    def order_key(self, parts: Parts) -> tuple[int, ...]:
        """The fixed tie-breaking order: neither data nor noise (trap P3). By default the highest part decides."""
        return parts[::-1]

    @property
    def dimension(self) -> int:
        """How many literal values a record has."""
        return len(self.literals)

    def query(self, *parts: int) -> Query:
        """The query with these parts."""
        ordered = tuple(sorted(int(part) for part in parts))
        if not self.contains(ordered):
            raise ModelError(f"parts {list(ordered)} are not a query of {self!r}")
        return Query(self, ordered)

    def __iter__(self) -> Iterator[Query]:
        return (Query(self, parts) for parts in self.all_parts())

    # ---- the embeddings of Theorem 1 -------------------------------------------------------------
    @property
    @abstractmethod
    def part_count(self) -> int:
        """How many parts there are, dummies not counted."""

    @property
    @abstractmethod
    def hot(self) -> int:
        """How many parts every query has once it is padded with dummies."""

    @property
    def dummies(self) -> int:
        """How many dummy parts there are: the greatest number that a query may need."""
        return 0

    def sizable(self, parts: Parts) -> int:
        """How many of these parts take the place of a dummy."""
        return len(parts)

    @abstractmethod
    def separator(self) -> Separator:
        """The class's universal identification set."""

    @property
    def element_width(self) -> int:
        """How many columns a separator element has: those of a record, and formal ones where needed."""
        return self.dimension

    def linear_costs(self, noise: NDArray[np.int64]) -> LinearCosts | None:
        """Separator noise as costs on parts, or None when the elements must be passed as weighted records."""
        return None

    @property
    def nested(self) -> bool:
        """Whether queries that differ on one separator element are nested (tightening T5 halves the noise)."""
        return False

    # ---- what oracles see ----------------------------------------------------------------------
    def branches(self) -> tuple[Branch, ...]:
        """The pieces an oracle minimises over one by one, in tie-breaking order."""
        return (Branch(self),)

    def reduce(
        self, records: PackedRecords, weights: NDArray[np.int64]
    ) -> tuple[PackedRecords, NDArray[np.int64], int]:
        """The weighted records as the branches' base class sees them, and a constant."""
        return records, weights, 0

    # ---- what a class can do beyond that: every default works for any class that is small enough to be listed ----
    def holds_on(self, parts: Parts, records: PackedRecords) -> NDArray[np.bool_]:
        """:meth:`evaluate` on packed records: by their matrix, unless a class reads few of its columns."""
        return self.evaluate(parts, records.matrix())

    def coverage(self, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
        """q(x) for each row q of a table of parts and each record x."""
        rows = [self.evaluate(parts_of(row), records) for row in table]
        return np.array(rows, dtype=bool).reshape(len(table), len(records))

    @property
    def sizable_parts(self) -> int:
        """The parts numbered below this take the place of a dummy each."""
        return self.part_count

    def changed(self, parts: Parts) -> Iterator[Parts]:
        """The queries one change away, for searches that walk; all of them where a query has no smaller parts."""
        return self.all_parts()

    def points(self, parts: Parts) -> Points | None:
        """The query as points on literals, or None where it has no such form."""
        return None

    @property
    def greatest_points(self) -> int | None:
        """A bound on the points of any query, or None where queries have no such form."""
        return None

    def picture(self, parts: Parts) -> Picture:
        """What there is to draw of a query."""
        return Sentence(self.describe(parts))

    def formulate(self, records: NDArray[np.uint8], weights: NDArray[np.int64], model: Formulation) -> None:
        """Tell a general solver which sets of parts are queries, and what they cover; by listing them, if need be."""
        if self.size > MOST_LISTED:
            raise CapacityError(f"{self.kind}: {self.size} queries are too many to be listed for a solver")
        table = parts_table(self.all_parts())
        values = [int(self.coverage(row[None], records)[0] @ weights) for row in table]
        model.listed([(parts_of(row), value) for row, value in zip(table, values, strict=True)])

    def as_subsets(self) -> SubsetClass | None:
        """The class with the same queries and parts that searches over sets of literals know, if there is one."""
        return None

    def as_halfspaces(self) -> Halfspaces | None:
        """The same for searches over points."""
        return None

    def as_decision_lists(self) -> DecisionLists | None:
        """The same for searches over lists."""
        return None

    def as_decision_trees(self) -> DecisionTrees | None:
        """The same for searches over trees."""
        return None

    def without_sign(self, parts: Parts) -> tuple[QueryClass, Parts, bool]:
        """A query of the class under any closure, and whether this one is its negation."""
        return self, parts, False

    def unsigned(self) -> QueryClass:
        """The class under any closure."""
        return self

    def without_target(self) -> tuple[QueryClass, Literal | None]:
        """The hypotheses under a loss, and what they predict; a class that is no loss predicts nothing."""
        return self, None

    @property
    def labels(self) -> int:
        """How many labels a query tells apart: false and true, unless a class says more."""
        return 2

    def label(self, parts: Parts, records: Records) -> NDArray[np.intp]:
        """The label of each record, from 0 on; a query holds where it is not 0."""
        return self.evaluate(parts, records).astype(np.intp)

    # ---- relatives -----------------------------------------------------------------------------
    def dual(self) -> Dual:
        """The class of records as functions of queries: h_x(q) = q(x)."""
        made: Dual = _RELATIVES["dual"](self.literals, self)
        return made

    @abstractmethod
    def dual_separator(self) -> tuple[Parts, ...]:
        """Queries that tell any two records apart."""

    def constant_query(self) -> Parts | None:
        """A query with the same value on every record, if there is one."""
        return None

    def closure(self) -> Signed:
        """Q together with its negations: the sign is one more part, chosen from two (trap P5)."""
        made: Signed = _RELATIVES["closure"](self.literals, self)
        return made

    # ---- saving --------------------------------------------------------------------------------
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """What the constructor needs besides the literals, as plain JSON values."""

    def to_json(self) -> dict[str, Any]:
        """The class as plain JSON: its kind, its literals, its parameters."""
        return {"kind": self.kind, "literals": self.literals.to_json(), **self.parameters()}

    @classmethod
    def from_parameters(cls, literals: Literals, data: dict[str, Any], read: Reader) -> QueryClass:
        """The class with what :meth:`parameters` wrote; ``read`` reads a class inside it."""
        return cls(literals, **data)


_RELATIVES: dict[str, Any] = {}  # made from a class, and themselves written in terms of classes


def relative(name: str) -> Any:
    """Says that a type is what ``QueryClass.closure`` or ``QueryClass.dual`` makes: it cannot be imported here."""

    def register(made: Any) -> Any:
        _RELATIVES[name] = made
        return made

    return register


def colex_subsets(count: int, width: int) -> Iterator[Parts]:
    """Subsets of ``range(count)`` of at most ``width`` elements; the greatest element decides the order.

    >>> list(colex_subsets(3, 2))
    [(), (0,), (1,), (0, 1), (2,), (0, 2), (1, 2)]
    """
    yield ()
    if width > 0:
        for top in range(count):
            for rest in colex_subsets(top, width - 1):
                yield (*rest, top)
