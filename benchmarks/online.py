"""The barrier as an experiment: rounds to a quarter-optimal strategy; and regret of private leaders.

python -m benchmarks.online            # writes docs/barrier-rounds.png and docs/online-regret.png
python -m benchmarks.online --quick    # smaller games, no pictures
python -m benchmarks.online --regret   # the second picture only
"""

from __future__ import annotations

import sys
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from experiments.online import (
    Anticipating,
    FollowTheLeader,
    FollowThePrivateLeader,
    GumbelNoise,
    HardGame,
    KHotNoise,
    NoisyMin,
    SeparatorNoise,
    converge,
    play,
    theorems,
)
from experiments.online.learners import Learner
from matplotlib.figure import Figure
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DOCS = Path(__file__).resolve().parent.parent / "docs"
NAMES = {
    "fictitious-play": "fictitious play (best responses)",
    "perturbed-leader": "perturbed leader (best responses)",
    "hedge": "multiplicative weights (time N per round)",
}


def rounds_needed(dimensions: list[int], seeds: int) -> dict[str, list[list[int]]]:
    """Rounds of each player on random hard games, one list of seeds per dimension."""
    found: dict[str, list[list[int]]] = {name: [] for name in NAMES}
    for dimension in dimensions:
        games = [HardGame.random(dimension, seed=seed) for seed in range(seeds)]
        for player, rows in found.items():
            chosen = games if player != "hedge" else games[: 1 if dimension > 14 else 3]
            if player != "hedge" or dimension <= 20:
                rows.append([converge(player, game, seed=100 + i).rounds for i, game in enumerate(chosen)])
        print(dimension, {player: float(np.median(rows[-1])) for player, rows in found.items()}, flush=True)
    return found


def conjunction_losses(dimension: int, width: int) -> tuple[Floats, Floats, Floats]:
    """0/1 losses of narrow conjunctions on all labelled records, and both embeddings of the class."""
    records = (np.arange(1 << dimension)[:, None] >> np.arange(dimension)) & 1
    subsets = [chosen for k in range(width + 1) for chosen in combinations(range(dimension), k)]
    holds = np.array([records[:, list(chosen)].all(axis=1) for chosen in subsets], dtype=np.float64)
    used = np.array([[float(j in chosen) for j in range(dimension)] for chosen in subsets])
    dummies = np.array([[float(i < width - len(chosen)) for i in range(width)] for chosen in subsets])
    return np.concatenate([holds, 1 - holds], axis=1), 1 - used, np.concatenate([used, dummies], axis=1)


def learners_for(separator: Floats, parts: Floats, rounds: int) -> dict[str, Learner]:
    """Each pERM at the epsilon that balances its bound, ε = sqrt(εB/T); εB is the same for every ε."""
    size = len(parts)
    made = {
        "report-noisy-min": lambda e: NoisyMin(size, e),
        "exponential mechanism": lambda e: GumbelNoise(size, e),
        "RSPM, k-hot": lambda e: KHotNoise(parts, e),
        "RSPM, separator (Context-FTPL)": lambda e: SeparatorNoise(separator, e),
    }
    return {name: FollowThePrivateLeader(build((build(1.0).spread / rounds) ** 0.5)) for name, build in made.items()}


def regret_curves(horizons: list[int]) -> dict[str, list[tuple[float, float]]]:
    """Measured and guaranteed average regret of each pERM against an adversary who knows it."""
    losses, separator, parts = conjunction_losses(6, 2)
    found: dict[str, list[tuple[float, float]]] = {}
    for rounds in horizons:
        everyone = {**learners_for(separator, parts, rounds), "follow the leader, no noise": FollowTheLeader()}
        for name, learner in everyone.items():
            runs = [play(losses, learner, Anticipating(16), rounds=rounds, seed=seed) for seed in range(5)]
            measured = float(np.mean([run.regret for run in runs]))
            found.setdefault(name, []).append((measured, learner.guaranteed_regret(rounds)))
    return found


def draw_rounds(dimensions: list[int], found: dict[str, list[list[int]]]) -> None:
    figure, axes = _axes()
    sizes = [2.0**d for d in dimensions]
    for marker, (player, rows) in zip("osv", found.items(), strict=True):
        medians = [float(np.median(values)) for values in rows]
        (line,) = axes.plot(sizes[: len(rows)], medians, marker=marker, label=NAMES[player])
        low, high = [min(values) for values in rows], [max(values) for values in rows]
        axes.fill_between(sizes[: len(rows)], low, high, color=line.get_color(), alpha=0.15)
    axes.plot(sizes, [n**0.5 for n in sizes], "k--", linewidth=0.8, label="√N")
    axes.plot(sizes, [theorems.multiplicative_weights_rounds(log(n), error=0.25) for n in sizes], "k:", label="8 ln N")
    axes.set(xscale="log", yscale="log", xlabel="size of the class, N", ylabel="rounds until a quarter from optimal")
    axes.set_title("A best-response oracle does not find the way")
    _save(figure, axes, "barrier-rounds.png")


def draw_regret(horizons: list[int], found: dict[str, list[tuple[float, float]]]) -> None:
    figure, axes = _axes()
    for marker, (name, pairs) in zip("osv^x", found.items(), strict=True):
        measured, guaranteed = zip(*pairs, strict=True)
        (line,) = axes.plot(horizons, np.maximum(measured, 1e-3), marker=marker, label=name)
        if "no noise" not in name:
            axes.plot(horizons, guaranteed, "--", color=line.get_color(), linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="rounds", ylabel="average regret (dashed: guaranteed)")
    axes.set_title("Follow the private leader, adaptive adversary")
    _save(figure, axes, "online-regret.png")


def _axes() -> tuple[Figure, Any]:
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    return figure, figure.subplots()


def _save(figure: Figure, axes: Any, name: str) -> None:
    axes.legend(fontsize=8)
    figure.savefig(DOCS / name, dpi=100)
    print("wrote", name)


def main() -> None:
    quick = "--quick" in sys.argv
    dimensions = [6, 8, 10, 12] if quick else [6, 8, 10, 12, 14, 16, 18, 20, 22]
    found = {} if "--regret" in sys.argv else rounds_needed(dimensions, seeds=5 if quick else 15)
    horizons = [100, 400] if quick else [100, 200, 400, 800, 1600, 3200, 6400]
    curves = regret_curves(horizons)
    for name, pairs in curves.items():
        print(f"{name}: measured {pairs[-1][0]:.4f}, guaranteed {pairs[-1][1]:.4f} after {horizons[-1]} rounds")
    if not quick:
        if found:
            draw_rounds(dimensions, found)
        draw_regret(horizons, curves)


if __name__ == "__main__":
    main()
