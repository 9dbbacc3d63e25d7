"""From a model's name to a query class, and from a table to a privately learned rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities, QueryClass, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.data.table import Table
from oracledp.errors import OracleFailure, ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import MOST_PARTS, Exact, whole_or_none
from oracledp.mechanisms.exponential_mechanism import exponential
from oracledp.mechanisms.noisy_min import report_noisy_min
from oracledp.mechanisms.perturbed_min import rspm
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust import NothingReleased, prsma
from oracledp.oracles.base import Oracle
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class Model:
    """A kind of rule: how its class is built from literals and a size, and the size used when none is given."""

    build: Callable[[Literals, int], QueryClass]
    default_size: int
    size_means: str


MODELS: dict[str, Model] = {
    "conjunction": Model(lambda x, k: Conjunctions(x.with_negations(), max_width=k), 3, "literals joined by and"),
    "disjunction": Model(lambda x, k: Disjunctions(x.with_negations(), max_width=k), 3, "literals joined by or"),
    "parity": Model(lambda x, k: Parities(x, max_width=k).closure(), 2, "literals joined by xor"),
    "decision-list": Model(lambda x, k: DecisionLists(x.with_negations(), length=k), 2, "rules"),
    "halfspace": Model(
        lambda x, k: Halfspaces(x, weights=(-1, 0, 1), max_nonzero=k, thresholds=(0, 1, 2)), 3, "non-zero weights"
    ),
}

MECHANISMS = ("exponential", "permute-and-flip", "rspm", "rspm:separator", "report-noisy-min", "prsma")


def rule_class(model: str, features: Literals, target: Literal, *, size: int | None = None) -> ZeroOneLoss:
    """The 0/1 loss of all rules of a model that predict ``target`` from ``features``.

    >>> rule_class("conjunction", Literals.named("a", "b"), Literal.boolean("sick"), size=2).size
    11
    """
    if model not in MODELS:
        raise ParameterError(f"model must be one of {', '.join(MODELS)}, got {model!r}")
    size = whole_or_none(size, "size", most=MOST_PARTS)
    if len(features) == 0:
        raise ParameterError("there is no column to learn from besides the target")
    chosen = MODELS[model]
    return ZeroOneLoss.of(chosen.build(features, size or chosen.default_size), target)


def learn_rule(
    table: Table,
    target: Literal,
    *,
    epsilon: Exact,
    model: str = "conjunction",
    size: int | None = None,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    mechanism: str = "exponential",
    delta: Exact | None = None,
    oracle: str | Oracle = "auto",
    rows: int | None = None,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Release:
    """Learn one private rule that predicts the target literal from all other columns.

    ``progress(done, total)`` is called as the many runs of ``"prsma"`` advance, the one mechanism that has a use for
    ``rows``, a public number of rows: under add/remove-one it measures it otherwise.
    """
    public = whole_or_none(rows, "rows", most=MOST_ROWS)
    queries = rule_class(model, table.schema.literals.without(target.column), target, size=size)
    if mechanism in ("exponential", "permute-and-flip"):
        return exponential(
            table, queries, epsilon=epsilon, neighbours=neighbours, method=mechanism, ledger=ledger, source=source
        )
    if mechanism == "report-noisy-min":
        return report_noisy_min(table, queries, epsilon=epsilon, neighbours=neighbours, ledger=ledger, source=source)
    if mechanism == "prsma":
        if delta is None:
            raise ParameterError("the robust mechanism needs delta, for instance 1e-6")
        found = prsma(
            table,
            queries,
            epsilon=epsilon,
            delta=delta,
            neighbours=neighbours,
            oracle=oracle,
            rows_bound=public,
            progress=progress,
            ledger=ledger,
            source=source,
        )
        return _unless_nothing(found)
    if mechanism not in MECHANISMS:
        raise ParameterError(f"mechanism must be one of {', '.join(MECHANISMS)}, got {mechanism!r}")
    embedding = "separator" if mechanism == "rspm:separator" else "k-hot"
    return rspm(
        table,
        queries,
        epsilon=epsilon,
        neighbours=neighbours,
        oracle=oracle,
        embedding=embedding,
        ledger=ledger,
        source=source,
    )


def _unless_nothing(found: Release | NothingReleased) -> Release:
    if isinstance(found, NothingReleased):
        raise OracleFailure("too many of the oracle's runs failed: nothing is released and the budget is spent")
    return found


def accuracy(release: Release, table: Table) -> float:
    """The share of rows a released rule predicts rightly. Reads the rows as they are: not private."""
    wrong = release.query(table.matrix(release.query.owner.literals))
    return 1 - float(table.counts[np.flatnonzero(wrong)].sum()) / table.rows


def majority_accuracy(table: Table, target: Literal) -> float:
    """The accuracy of always predicting the more frequent label. Reads the rows as they are: not private."""
    share = float(table.counts[table.matrix(Literals((target,)))[:, 0] == 1].sum()) / table.rows
    return max(share, 1 - share)
