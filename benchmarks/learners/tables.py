"""The ten tables, the splits and the figures to beat, shared by the two benchmark programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

DATA = Path(os.environ.get("ORACLEDP_TABLES", Path(__file__).resolve().parents[3] / "shared/data/binary-tables.npz"))
NAMES = ("vote", "bcw", "ttt", "german", "krkp", "compas", "mushroom", "bank", "adult", "adultbal23")
EPSILONS = ("0.1", "0.3", "1", "3")

# Best of DP-EBM and DP-SGD (both at delta = 1e-5), and of diffprivlib's logistic regression, tree, forest, naive Bayes.
BEST_PEER = {
    "0.1": (85.1, 90.2, 68.7, 67.4, 78.9, 68.5, 97.4, 88.4, 84.5, 76.9),
    "0.3": (89.7, 93.9, 71.1, 69.8, 90.5, 68.8, 98.6, 88.9, 84.6, 76.9),
    "1": (93.3, 96.6, 76.2, 73.3, 92.3, 68.8, 98.6, 89.0, 85.0, 77.2),
    "3": (92.4, 97.0, 83.6, 73.8, 92.5, 68.8, 98.6, 89.1, 85.2, 77.4),
}


def peer(name: str, epsilon: str) -> float:
    return BEST_PEER[epsilon][NAMES.index(name)]


def load(name: str) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """The features, the labels and five stratified splits of one table."""
    if not DATA.exists():
        print(f"{DATA.name} is not here: set ORACLEDP_TABLES to the file of binary tables", file=sys.stderr)
        raise SystemExit(0)
    with np.load(DATA) as tables:
        X, y = tables[f"{name}__X"], tables[f"{name}__y"].astype(int)
    return X, y, list(StratifiedShuffleSplit(5, test_size=0.2, random_state=0).split(X, y))
