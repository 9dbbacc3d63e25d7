"""The library's own classes, oracles, mechanisms and dialects pass the suites that it hands to others."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import pytest

from oracledp.audit.conformance import NotConforming, check_class, check_dialect, check_mechanism, check_oracle
from oracledp.audit.conformance.of_dialects import ROWS
from oracledp.classes import (
    Conjunctions,
    DecisionLists,
    Disjunctions,
    Halfspaces,
    Parities,
    QueryClass,
    ReadOnceFormulas,
    ZeroOneLoss,
)
from oracledp.classes.decision_trees import DecisionTrees
from oracledp.data.literals import Literal, Literals
from oracledp.mechanisms.registry import SELECTIONS
from oracledp.oracles.base import Oracle
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.decision_list_search import DecisionListSearchOracle
from oracledp.oracles.decision_tree_search import DecisionTreeSearchOracle
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.halfspace_search import HalfspaceSearchOracle
from oracledp.oracles.heuristics import HeuristicOracle
from oracledp.oracles.long_list_search import LongListSearchOracle
from oracledp.oracles.maxsat import MaxSatOracle
from oracledp.oracles.sparse_parities import SparseParityOracle
from oracledp.oracles.transforms import TransformOracle

THREE = Literals.named("a", "b", "c")
BASES: list[QueryClass] = [
    Conjunctions(THREE, max_width=2),
    Disjunctions(THREE),
    Parities(THREE),
    Parities(THREE, code=((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))),
    Halfspaces(THREE, weights=(-1, 0, 2)),
    Halfspaces(THREE, weights=("-1/2", 0, 1), max_nonzero=2, thresholds=(0, "1/3", 1)),
    DecisionLists(THREE, length=2),
    DecisionLists(Literals.named("a", "b"), length=1, width=2),
    ReadOnceFormulas(THREE),
    DecisionTrees(THREE, depth=1),
    DecisionTrees(Literals.named("a", "b"), depth=2),
]
TARGET = Literal.boolean("y")
LIFTED: list[QueryClass] = [
    *(base.closure() for base in BASES[:5]),
    *(ZeroOneLoss.of(base, TARGET) for base in BASES),
    ZeroOneLoss.of(BASES[0].closure(), TARGET),
]


@pytest.mark.parametrize("queries", [*BASES, *LIFTED], ids=lambda queries: f"{queries.kind}-{queries.size}")
def test_classes_conform(queries: QueryClass) -> None:
    check_class(queries)


@pytest.mark.parametrize(
    ("oracle", "classes"),
    [
        (ExhaustiveOracle(), BASES),
        (BranchAndBoundOracle(), BASES[:2]),
        (TransformOracle(), BASES[:4]),
        (SparseParityOracle(), BASES[2:4]),
        (HalfspaceSearchOracle(), BASES[4:6]),
        (DecisionListSearchOracle(), BASES[6:8]),
        (LongListSearchOracle(), BASES[6:8]),
        (DecisionTreeSearchOracle(), BASES[9:11]),
        (CpSatOracle(), BASES),
        (MaxSatOracle(), BASES),
        (HeuristicOracle(), BASES),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_oracles_conform(oracle: Oracle, classes: list[QueryClass]) -> None:
    assert check_oracle(oracle, classes) == 25 * len(classes)


@pytest.mark.parametrize("name", [name for name in SELECTIONS if SELECTIONS.is_own(name) and name != "rspm:gaussian"])
def test_mechanisms_conform(name: str) -> None:
    check_mechanism(name)


def test_a_duck_conforms() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (age INTEGER, pay DOUBLE, job VARCHAR, fit BOOLEAN)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", ROWS)
        types = {"age": "INTEGER", "pay": "DOUBLE", "job": "VARCHAR", "fit": "BOOLEAN"}
        check_dialect("duckdb", types, lambda query: connection.execute(query).fetchall())


# ---- the suites see what is wrong ---------------------------------------------------------------------
class Overlapping(Conjunctions):
    """Says that it separates by one element."""

    def separator(self):  # type: ignore[no-untyped-def]
        found = super().separator()
        return type(found)(found.elements[:1])


class TwiceListed(Conjunctions):
    def all_parts(self):  # type: ignore[no-untyped-def]
        return iter([*super().all_parts(), ()])


class WrongPoints(Disjunctions):
    def points(self, parts):  # type: ignore[no-untyped-def]
        return super().points(parts[:1])


class NoDummies(Conjunctions):
    @property
    def dummies(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("broken", "line"),
    [(Overlapping, "separator"), (TwiceListed, "size says"), (WrongPoints, "points"), (NoDummies, "hot says")],
)
def test_broken_classes_are_named(broken: type[QueryClass], line: str) -> None:
    with pytest.raises(NotConforming, match=line):
        check_class(broken(THREE))


class Hurried(ExhaustiveOracle):
    """Promises the minimum and returns the first query."""

    def solve(self, problem):  # type: ignore[no-untyped-def]
        answer = super().solve(problem)
        parts = next(problem.query_class.all_parts())
        return type(answer)(type(answer.query)(problem.query_class, parts), problem.value(parts), answer.certificate)


def test_a_broken_oracle_is_named() -> None:
    with pytest.raises(NotConforming, match="promises the minimum"):
        check_oracle(Hurried(), [BASES[0]])


def test_a_broken_mechanism_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism

    monkeypatch.setattr(ExponentialMechanism, "rate", property(lambda self: 3 * self.epsilon))
    with pytest.raises(NotConforming, match="exact epsilon"):
        check_mechanism("exponential", delta=Fraction(0) or None)
