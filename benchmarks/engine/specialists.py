"""Learners of other projects, each for one class: which are installed, which run here, and one fit of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.engine.corels_command import corels_command, run_corels
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.labelled import Bits, Flags
from benchmarks.engine.measure import Row, Settings
from benchmarks.engine.timing import timed, within

PACKAGES = {
    "STreeD": "pystreed",
    "ConTree": "pycontree",
    "FasterRisk": "fasterrisk",
    "GOSDT": "gosdt",
}
Fit = Callable[[str, Bits, Flags, int], tuple[float, int, int]]


def specialists(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """One row for each: its version, or why it is not compared."""
    for name, package in PACKAGES.items():
        yield {"case": name, **state_of(package)}
    found = corels_command()
    yield {"case": "CORELS", **({"failed": "not installed"} if found is None else {"version": found, "again": 0.0})}


def state_of(package: str) -> Row:
    """Whether a package is installed and can be imported.

    >>> state_of("no_such_package")
    {'failed': 'not installed'}
    """
    if find_spec(package) is None:
        return {"failed": "not installed"}
    try:
        import_module(package)
        return {"version": version(package), "again": 0.0}
    except PackageNotFoundError:
        return {"version": "unknown", "again": 0.0}
    except Exception as error:
        return {"failed": f"{type(error).__name__} on import"}


def fit(name: str, features: Bits, label: Flags, size: int, settings: Settings) -> Row:
    """CPU seconds, errors and rules of one fit; what does not install or run says so."""
    state = state_of(PACKAGES[name])
    if "failed" in state:
        return state
    try:
        spent = within(settings.limit, FITS[name], name, features, label, size, module=PACKAGES[name])
    except Exception as error:  # a peer that is broken here must not end the run
        return {"failed": type(error).__name__}
    if spent is None:
        return {"seconds": settings.limit, "finished": False}
    return {"seconds": spent[0], "finished": True, "errors": spent[1], "rules": spent[2]}


def fit_tree(name: str, features: Bits, label: Flags, depth: int) -> tuple[float, int, int]:
    """The tree of least errors."""
    options: dict[str, dict[str, Any]] = {
        "STreeD": {"max_depth": depth, "max_num_nodes": 2**depth - 1},
        "ConTree": {"max_depth": depth},
        # it must penalise leaves: all of them together by less than one error
        "GOSDT": {"depth_budget": depth + 1, "regularization": 1 / (2 << depth) / len(label), "allow_small_reg": True},
    }
    kind = {"STreeD": "STreeDClassifier", "ConTree": "ConTree", "GOSDT": "GOSDTClassifier"}[name]
    model = getattr(import_module(PACKAGES[name]), kind)(**options[name])
    values = features.astype(float) if name == "ConTree" else features
    seconds, _ = timed(lambda: model.fit(values, label.astype(int)))
    return seconds, int(np.count_nonzero(np.asarray(model.predict(values)) != label)), 0


def fit_list(features: Bits, label: Flags, per_thousand: int, settings: Settings) -> Row:
    """CORELS's list of least errors with a penalty, in thousandths of the rows, on each rule of one literal."""
    if corels_command() is None:
        return {"failed": "not installed"}
    found = run_corels(features, label, per_thousand, settings.limit)
    if found is None:
        return {"seconds": settings.limit, "finished": False}
    return {"seconds": found[0], "finished": True, "objective": found[1], "rules": found[2]}


FITS: dict[str, Fit] = {"STreeD": fit_tree, "ConTree": fit_tree, "GOSDT": fit_tree}
