"""Smaller tables with a label, for learners that are compared on several: binarised files, and data inside packages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Labelled = tuple[str, Bits, Flags]

BINARISED = ("krkp", "compas", "mushroom")


def labelled_tables(archive: Path) -> Iterator[Labelled]:
    """All that are at hand."""
    if archive.is_file():
        with np.load(archive) as tables:
            for name in BINARISED:
                yield name, tables[f"{name}__X"].astype(np.uint8), tables[f"{name}__y"].astype(bool)
    for name, load in PACKAGED.items():
        try:
            yield name, *load()
        except ImportError:
            continue


def _breast_cancer() -> tuple[Bits, Flags]:
    data: Any = import_module("sklearn.datasets").load_breast_cancer()
    return cut(data.data, 2), data.target == 1


def _fair() -> tuple[Bits, Flags]:
    frame: Any = import_module("statsmodels.datasets.fair").load_pandas().data
    return cut(frame.drop(columns="affairs").to_numpy(float), 6), (frame["affairs"] > 0).to_numpy()


def _randhie() -> tuple[Bits, Flags]:
    frame: Any = import_module("statsmodels.datasets.randhie").load_pandas().data
    return cut(frame.drop(columns="mdvis").to_numpy(float), 4), (frame["mdvis"] >= 2).to_numpy()


PACKAGED: dict[str, Callable[[], tuple[Bits, Flags]]] = {
    "fair": _fair,
    "randhie": _randhie,
    "breast cancer": _breast_cancer,
}


def cut(values: NDArray[np.float64], cuts: int) -> Bits:
    """At quantiles of every column; columns that are constant are left out.

    >>> cut(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]), 1).tolist()
    [[0], [1], [1]]
    """
    shares = np.arange(1, cuts + 1) / (cuts + 1)
    columns = [column >= at for column in values.T for at in np.unique(np.quantile(column, shares))]
    kept = [column for column in columns if column.any() and not column.all()]
    return np.ascontiguousarray(np.array(kept).T.astype(np.uint8))
