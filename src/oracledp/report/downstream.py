"""A classifier and a regressor, trained on real and on synthetic rows, tested on real ones: INTERNAL – NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Column, Moment, Ordered

_FEWEST = 50  # rows of a test, and of each class in it
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Downstream:
    """How well a model predicts a column of real rows that it never saw: area under the curve, or explained variance.

    The synthetic rows were made from all real ones, those of the test among them.
    """

    target: str
    measure: str
    real: float
    synthetic: float

    def __str__(self) -> str:
        trained = f"trained on real rows {self.real:.3f}, on synthetic rows {self.synthetic:.3f}"
        return f"predicting {self.target}: {self.measure} {trained}"


def downstream(
    columns: Sequence[Column], both: Sequence[Codes], target: str | None, seed: int
) -> tuple[Downstream, ...]:
    """One model for the target, or one of each kind for the last columns that they can predict.

    Without scikit-learn, or with few rows, there is none.
    """
    if find_spec("sklearn") is None or len(columns) < 2 or min(len(rows) for rows in both) < 4 * _FEWEST:
        return ()
    names = [column.name for column in columns]
    places = [names.index(target)] if target is not None else _targets(columns)
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    with threadpool_limits(1):  # threads that wait for each other on a busy machine took most of the time
        results = [(_regress if _long(columns[at]) else _classify)(columns, both, at, seed) for at in places]
    return tuple(result for result in results if result is not None)


def _long(column: Column) -> bool:
    return isinstance(column, Ordered) and not isinstance(column, Moment) and column.value_size > 2


def _targets(columns: Sequence[Column]) -> list[int]:
    classes = [at for at, column in enumerate(columns) if not isinstance(column, Moment) and not _long(column)]
    numbers = [at for at, column in enumerate(columns) if _long(column)]
    return classes[-1:] + numbers[-1:]


def _parts(both: Sequence[Codes], seed: int) -> tuple[Codes, Codes, Codes]:
    """Four fifths of the real rows, the other fifth, and as many synthetic ones as the former."""
    order = np.random.default_rng(seed).permutation(len(both[0]))
    cut = len(order) // 5
    return both[0][order[cut:]], both[0][order[:cut]], both[1][: len(order) - cut]


def _classify(columns: Sequence[Column], both: Sequence[Codes], at: int, seed: int) -> Downstream | None:
    """The most common class against all others."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    train, test, made = _parts(both, seed)
    common = int(np.bincount(train[:, at]).argmax())
    scores = []
    for rows in (train, made):
        labels, held = rows[:, at] == common, test[:, at] == common
        if min(labels.sum(), (~labels).sum(), held.sum(), (~held).sum()) < 5:
            return None
        model = HistGradientBoostingClassifier(random_state=seed, max_iter=50)
        model.fit(np.delete(rows, at, axis=1), labels)
        scores.append(float(roc_auc_score(held, model.predict_proba(np.delete(test, at, axis=1))[:, 1])))
    word = columns[at].labels[common]
    return Downstream(f"{columns[at].name} = {word}", "area under the curve", *scores)


def _regress(columns: Sequence[Column], both: Sequence[Codes], at: int, seed: int) -> Downstream | None:
    """By ranks, since codes are in order: what is far out does not decide."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.metrics import r2_score

    train, test, made = (part[part[:, at] < columns[at].value_size] for part in _parts(both, seed))
    if min(len(train), len(test), len(made)) < _FEWEST:
        return None
    ranks = np.searchsorted(np.sort(train[:, at]), np.arange(columns[at].value_size), side="right") / len(train)
    scores = []
    for rows in (train, made):
        model = HistGradientBoostingRegressor(random_state=seed, max_iter=50)
        model.fit(np.delete(rows, at, axis=1), ranks[rows[:, at]])
        scores.append(float(r2_score(ranks[test[:, at]], model.predict(np.delete(test, at, axis=1)))))
    return Downstream(f"the rank of {columns[at].name}", "explained variance", *scores)
