"""The picture of docs/learners.md from what accuracy.py wrote.

python -m benchmarks.learners.plot RESULTS docs/learners.svg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from benchmarks.learners.tables import EPSILONS, NAMES

mpl.use("svg")
import matplotlib.pyplot as plt


def main() -> None:
    rows = json.loads(Path(sys.argv[1]).read_text())
    gap = {(row["table"], row["epsilon"]): row["accuracy"] - row["peer"] for row in rows}
    grid = np.array([[gap[name, epsilon] for name in NAMES] for epsilon in EPSILONS])
    figure, axes = plt.subplots(figsize=(9, 2.8))
    axes.imshow(np.clip(grid, -3, 3), cmap="RdBu", vmin=-3, vmax=3, aspect="auto")
    axes.set_xticks(range(len(NAMES)), NAMES, rotation=20)
    axes.set_yticks(range(len(EPSILONS)), [f"ε = {epsilon}" for epsilon in EPSILONS])
    for (row, column), value in np.ndenumerate(grid):
        axes.text(column, row, f"{value:+.1f}", ha="center", va="center", color="white" if abs(value) > 2 else "black")
    axes.set_title("Test accuracy of model='auto' minus the best peer, in points")
    figure.tight_layout()
    mpl.rcParams["svg.hashsalt"] = "learners"
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
