"""Oracles by name: what ``oracle="auto"`` or ``--oracle cp-sat`` means. Nothing is imported before it is asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from oracledp.classes.base import QueryClass
from oracledp.classes.points import Link
from oracledp.classes.subsets import joined_by
from oracledp.errors import CapacityError, MissingDependency
from oracledp.oracles.base import Oracle
from oracledp.oracles.outside import OutsideOracle
from oracledp.registries import Registry


@dataclass(frozen=True)
class Entry:
    """Where an oracle of one name lives, and which module of the ``solvers`` extra it needs."""

    module: str
    factory: str
    needs: str = ""

    def present(self) -> bool:
        """Whether its dependency is installed."""
        return not self.needs or find_spec(self.needs) is not None

    def build(self, *inner: Oracle) -> Any:
        """The oracle with its default settings, around another where it takes one."""
        if not self.present():
            raise MissingDependency(f'{self.needs} is not installed: pip install "oracledp[solvers]"')
        return getattr(import_module(self.path), self.factory)(*inner)

    @property
    def path(self) -> str:
        """The module's full name."""
        return f"oracledp.oracles.{self.module}"

    def makes(self, kind: type) -> bool:
        """Whether this is the very class, not one of its name; it is loaded if anything of it exists."""
        return getattr(sys.modules.get(self.path), self.factory, None) is kind


# Under one name, the first that supports the class is taken. The names of total oracles come first, best first.
_TOTAL: dict[str, tuple[Entry, ...]] = {
    "transform": (Entry("transforms", "TransformOracle"),),
    "search": (
        Entry("branch_and_bound", "BranchAndBoundOracle"),
        Entry("sparse_parities", "SparseParityOracle"),
        Entry("halfspace_search", "HalfspaceSearchOracle"),
        Entry("decision_list_search", "DecisionListSearchOracle"),
        Entry("decision_tree_search", "DecisionTreeSearchOracle"),
    ),
    "exhaustive": (Entry("exhaustive", "ExhaustiveOracle"),),
}
# Taken only by name: solvers, and what ends at a time that nobody can tell beforehand.
_SOLVERS: dict[str, Entry] = {
    "long-lists": Entry("long_list_search", "LongListSearchOracle"),
    "cp-sat": Entry("cp_sat", "CpSatOracle", "ortools"),
    "cp-sat-incumbents": Entry("cp_sat", "CpSatIncumbents", "ortools"),
    "maxsat": Entry("maxsat", "MaxSatOracle", "pysat"),
    "milp": Entry("milp", "MilpOracle", "scipy"),
    "heuristic": Entry("heuristics", "HeuristicOracle", "sklearn"),
}
_PROVED = Entry("proved", "ProvedOracle")  # takes another oracle
_BY_CLASS = {
    entry.factory: entry for listed in (*_TOTAL.values(), tuple(_SOLVERS.values()), (_PROVED,)) for entry in listed
}
PROVED = ":proved"  # after the name of an oracle: our own search starts from its answers
NAMES = ("auto", *_TOTAL, *_SOLVERS)
ADDED: Registry[Callable[[], Any]] = Registry("oracledp.oracles", "oracle", {}, reserved=NAMES)
"""Oracles of other packages: each name stands for a function, or a type, that makes one. Nobody takes their word."""

QUICK_LITERALS = 20  # a transform over more literals fills tables that a search does without


def available() -> tuple[str, ...]:
    """The names that can be used here: those whose dependencies are installed.

    >>> {"auto", "exhaustive"} <= set(available())
    True
    """
    missing = {name for name, entry in _SOLVERS.items() if not entry.present()}
    return tuple(name for name in ADDED if name not in missing)


def owned(oracle: object) -> bool:
    """Whether the oracle is one of the library's own: by its very class, which no declaration can imitate.

    Subclasses are not, nor is an object that was given attributes its class does not have.
    """
    entry = _BY_CLASS.get(type(oracle).__name__)  # a hint; the class itself decides
    if entry is None or not entry.makes(type(oracle)):
        return False
    return vars(oracle).keys() <= {setting.name for setting in fields(type(oracle))}  # type: ignore[arg-type]


def admit(oracle: Oracle) -> Oracle:
    """The oracle itself if it is our own, else the same behind a guard that believes nothing it says of itself.

    >>> from oracledp.oracles.exhaustive import ExhaustiveOracle
    >>> class Mine(ExhaustiveOracle):
    ...     "Says all that an exhaustive search says of itself."
    >>> admit(Mine()).trust.value, admit(Mine()).total
    ('claimed', False)
    """
    return oracle if type(oracle) is OutsideOracle or owned(oracle) else OutsideOracle(oracle)


def resolve(oracle: str | Oracle, query_class: QueryClass, record_count: int = 0) -> Oracle:
    """The oracle of a name, or the given one, admitted. ``"auto"`` is the best total one for the class, else CP-SAT.

    >>> from oracledp.classes import ReadOnceFormulas
    >>> from oracledp.data.literals import Literals
    >>> resolve("auto", ReadOnceFormulas(Literals.named("a", "b", "c"))).name
    'exhaustive'
    """
    if not isinstance(oracle, str):
        return admit(oracle)
    if oracle.endswith(PROVED):
        proved: Oracle = _proved(resolve(oracle.removesuffix(PROVED), query_class, record_count), query_class)
        return proved
    if oracle not in NAMES:
        return admit(ADDED[oracle]())
    if oracle in _SOLVERS:
        return _serving(_SOLVERS[oracle].build(), query_class, record_count)
    found = total_oracles(query_class, record_count, *([] if oracle == "auto" else [oracle]))
    if found:
        return found[0]
    if oracle == "auto":
        return resolve("cp-sat", query_class)
    raise CapacityError(f"the oracle {oracle!r} does not serve this query class: use 'auto' or 'cp-sat'")


def _serving(solver: Any, query_class: QueryClass, record_count: int) -> Oracle:
    """A solver taken by its name; one that serves some classes only is refused for others, before anything is paid."""
    supports = getattr(solver, "supports", None)
    if supports is None or all(supports(branch.base, record_count) for branch in query_class.branches()):
        return cast(Oracle, solver)
    raise CapacityError(f"the oracle {solver.name!r} does not serve {query_class.kind}: use 'auto' or 'cp-sat'")


def _proved(inner: Oracle, query_class: QueryClass) -> Any:
    """Answers of this oracle proved by our own search; those of our own total searches are."""
    if inner.total:
        return inner
    found = _PROVED.build(inner)
    if all(found.supports(branch.base) for branch in query_class.branches()):
        return found
    raise CapacityError(f"{found.name} serves conjunctions and disjunctions, not {query_class.kind}: use 'auto'")


def acts_alike(oracle: Oracle) -> bool:
    """Whether nothing in it can count its calls: it is our own, and so is the oracle inside it, if there is one."""
    return owned(oracle) and owned(getattr(oracle, "inner", oracle))


def total_oracles(query_class: QueryClass, record_count: int = 0, *names: str) -> tuple[Oracle, ...]:
    """The oracles (of these names, or of any) that provably always answer for this class, best first."""
    bases = [branch.base for branch in query_class.branches()]
    built = [entry.build() for name in names or _TOTAL for entry in _TOTAL[name]]
    serving = (oracle for oracle in built if all(oracle.supports(base, record_count) for base in bases))
    large = not all(_quick_by_transform(base) for base in bases)
    return tuple(sorted(serving, key=lambda oracle: large and oracle.name == "transform"))


def _quick_by_transform(base: QueryClass) -> bool:
    """Whether a transform over all subsets is cheap, or cheaper than evaluating one parity after the other."""
    dense_parities = joined_by(base, Link.ODD) is not None and base.size << 6 > 1 << base.dimension
    return base.dimension <= QUICK_LITERALS or dense_parities
