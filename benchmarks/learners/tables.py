"""The development tables of the learners: ten of bits, five with schemas, and some that installed packages carry.

Constants of the learners are chosen on these and on no others. Bounds and cuts are round numbers from what a column
means, never read from the rows.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

DATA = Path(os.environ.get("ORACLEDP_TABLES", Path(__file__).resolve().parents[3] / "shared/data"))
BITS = ("vote", "bcw", "ttt", "german", "krkp", "compas", "mushroom", "bank", "adult", "adultbal23")
MIXED = ("cleve", "banknote", "spam", "telco", "heloc")
PACKAGED = ("cancer", "fair", "randhie", "anes")
SEVERAL = ("wine", "digits", "modes", "iris", "party", "health", "marriage")  # more than two classes
NAMES = (*BITS, *MIXED, *PACKAGED)
EPSILONS = ("0.1", "0.3", "1", "3")
SPLITS = 3
Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Development:
    """One table: raw rows, the schema's document (None for a table of bits), labels as numbers."""

    rows: Any
    document: dict[str, Any] | None
    labels: np.ndarray

    @property
    def classes(self) -> list[int]:
        """The labels that may occur."""
        return list(range(int(self.labels.max()) + 1))

    @property
    def splits(self) -> list[Split]:
        """Stratified 80/20 splits, the same for everybody."""
        found = StratifiedShuffleSplit(SPLITS, test_size=0.2, random_state=11).split(self.labels, self.labels)
        return list(found)

    def part(self, chosen: np.ndarray) -> Any:
        """Some of the rows."""
        return self.rows.iloc[chosen] if hasattr(self.rows, "iloc") else self.rows[chosen]


@cache
def load(name: str) -> Development:
    """A table by name; says what is missing where the data is not here."""
    if name in MAKERS:
        return MAKERS[name]()
    if not DATA.exists():
        print("the tables are not here: set ORACLEDP_TABLES to their folder", file=sys.stderr)
        raise SystemExit(0)
    return _bits(name) if name in BITS else _mixed(name)


def _bits(name: str) -> Development:
    with np.load(DATA / "binary-tables.npz") as tables:
        return Development(tables[f"{name}__X"], None, tables[f"{name}__y"].astype(int))


def _mixed(name: str) -> Development:
    frame = pd.read_csv(DATA / "learn" / f"{name}.csv.gz")
    document = json.loads((DATA / "learn" / f"{name}.schema.json").read_text())
    document["columns"].pop("target")
    labels = frame.pop("target").to_numpy().astype(int)
    for column, kind in document["columns"].items():
        if kind["kind"] == "categorical" and pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].astype("Int64")
    return Development(frame, document, labels)


def _numbers(frame: pd.DataFrame, labels: Any, ranges: dict[str, tuple[float, float, int]]) -> Development:
    """Numeric columns with round bounds and a number of even bins each."""
    columns = {
        name: {"kind": "numeric", "lo": low, "hi": high, "clip": True, "bins": bins}
        for name, (low, high, bins) in ranges.items()
    }
    return Development(frame[list(ranges)], {"columns": columns}, np.asarray(labels).astype(int))


def _cancer() -> Development:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    most = (30, 40, 200, 2500, 0.2, 0.4, 0.5, 0.2, 0.3, 0.1, 2, 4, 20, 200, 0.02, 0.1, 0.2, 0.04, 0.06, 0.02)
    worst = (40, 50, 250, 4000, 0.25, 1, 1.2, 0.3, 0.6, 0.2)
    ranges = {name: (0.0, high, 8) for name, high in zip(data.data.columns, (*most, *worst), strict=True)}
    return _numbers(data.data, data.target, ranges)


def _fair() -> Development:
    import statsmodels.datasets.fair as source

    data = source.load_pandas().data
    ranges = {"rate_marriage": (1, 5, 4), "age": (15, 45, 6), "yrs_married": (0, 25, 5), "children": (0, 6, 6)}
    ranges |= {"religious": (1, 4, 3), "educ": (9, 20, 5), "occupation": (1, 6, 5), "occupation_husb": (1, 6, 5)}
    return _numbers(data, data["affairs"] > 0, ranges)


def _randhie() -> Development:
    import statsmodels.datasets.randhie as source

    data = source.load_pandas().data
    ranges: dict[str, Any] = {"lncoins": (0, 5, 5), "lpi": (0, 8, 8), "fmde": (0, 8, 8), "disea": (0, 60, 10)}
    flags = ("idp", "physlm", "hlthg", "hlthf", "hlthp")
    return _numbers(data, data["mdvis"] >= 2, ranges | dict.fromkeys(flags, (0, 1, 2)))


def _anes() -> Development:
    import statsmodels.datasets.anes96 as source

    data = source.load_pandas().data
    ranges: dict[str, Any] = {"TVnews": (0, 7, 7), "selfLR": (1, 7, 6), "ClinLR": (1, 7, 6), "DoleLR": (1, 7, 6)}
    ranges |= {"PID": (0, 6, 6), "age": (18, 90, 6), "educ": (1, 7, 6), "income": (1, 24, 6), "logpopul": (-3, 9, 6)}
    return _numbers(data, data["vote"], ranges)


def _wine() -> Development:
    from sklearn.datasets import load_wine

    data = load_wine(as_frame=True)
    most = (16, 6, 4, 30, 160, 4, 5, 1, 4, 14, 2, 4, 1800)
    least = (10, 0, 1, 10, 60, 0, 0, 0, 0, 0, 0, 1, 200)
    named = zip(data.data.columns, least, most, strict=True)
    return _numbers(data.data, data.target, {name: (low, high, 6) for name, low, high in named})


def _digits() -> Development:
    from sklearn.datasets import load_digits

    data = load_digits(as_frame=True)
    return _numbers(data.data, data.target, dict.fromkeys(data.data.columns, (0, 16, 4)))


def _modes() -> Development:
    """Which of four means of transport a traveller took, from the traveller's four waiting times, costs and income."""
    import statsmodels.datasets.modechoice as source

    data = source.load_pandas().data
    wide = data.pivot_table(index="individual", columns="mode", values=["ttme", "invc", "invt"])
    wide.columns = [f"{name}{int(mode)}" for name, mode in wide.columns]
    people = data[data["choice"] == 1].set_index("individual")
    most = {"ttme": 100, "invc": 200, "invt": 1500}
    ranges: dict[str, Any] = {name: (0, most[name[:-1]], 5) for name in wide.columns if wide[name].max() > 0}
    return _numbers(
        wide.assign(hinc=people["hinc"], psize=people["psize"]),
        people["mode"] - 1,
        ranges | {"hinc": (0, 75, 5), "psize": (1, 6, 5)},
    )


def _iris() -> Development:
    from sklearn.datasets import load_iris

    data = load_iris(as_frame=True)
    named = zip(data.data.columns, (4, 2, 1, 0), (8, 5, 7, 3), strict=True)
    return _numbers(data.data, data.target, {name: (low, high, 6) for name, low, high in named})


def _party() -> Development:
    """Democrats, those between and republicans, from voters' views of the candidates."""
    import statsmodels.datasets.anes96 as source

    data = source.load_pandas().data
    ranges: dict[str, Any] = {"TVnews": (0, 7, 7), "selfLR": (1, 7, 6), "ClinLR": (1, 7, 6), "DoleLR": (1, 7, 6)}
    ranges |= {"age": (18, 90, 6), "educ": (1, 7, 6), "income": (1, 24, 6), "logpopul": (-3, 9, 6)}
    return _numbers(data, np.digitize(data["PID"], [1.5, 4.5]), ranges)


def _health() -> Development:
    """Excellent, good, fair or poor health, as people see their own."""
    import statsmodels.datasets.randhie as source

    data = source.load_pandas().data
    ranges: dict[str, Any] = {"lncoins": (0, 5, 5), "lpi": (0, 8, 8), "fmde": (0, 8, 8), "disea": (0, 60, 10)}
    ranges |= {"mdvis": (0, 20, 10), "idp": (0, 1, 2), "physlm": (0, 1, 2)}
    return _numbers(data, data["hlthg"] + 2 * data["hlthf"] + 3 * data["hlthp"], ranges)


def _marriage() -> Development:
    """How women rate their marriage, from one to five."""
    import statsmodels.datasets.fair as source

    data = source.load_pandas().data
    ranges: dict[str, Any] = {
        "age": (15, 45, 6),
        "yrs_married": (0, 25, 5),
        "children": (0, 6, 6),
        "affairs": (0, 5, 5),
    }
    ranges |= {"religious": (1, 4, 3), "educ": (9, 20, 5), "occupation": (1, 6, 5), "occupation_husb": (1, 6, 5)}
    return _numbers(data, data["rate_marriage"] - 1, ranges)


MAKERS: dict[str, Callable[[], Development]] = {
    "cancer": _cancer, "fair": _fair, "randhie": _randhie, "anes": _anes,
    "wine": _wine, "digits": _digits, "modes": _modes, "iris": _iris, "party": _party, "health": _health,
    "marriage": _marriage,
}  # fmt: skip
