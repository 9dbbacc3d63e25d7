"""Pictures of a synthesizer: columns by their released shares, pairs of columns by rows drawn from the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracledp.errors import ParameterError
from oracledp.showing import figure
from oracledp.synthesis.drawing import draw_records
from oracledp.synthesis.model import SyntheticModel

_DRAWN = 20_000  # rows for a picture of a pair
_MOST_LABELS = 30


def plot_model(model: SyntheticModel, names: tuple[str, ...]) -> Any:
    """A figure of one column or of a pair; it costs no budget, since the model is released."""
    if len(names) not in (1, 2):
        raise ParameterError("plot takes the names of one or two columns")
    places = [model.schema.position(name) for name in names]
    if len(set(places)) != len(places):
        raise ParameterError("plot takes two different columns")
    columns = [model.schema.columns[place] for place in places]
    made, axes = figure()
    if len(places) == 1:
        mass = np.asarray(model.marginals[places[0]], dtype=np.float64)
        axes.bar(range(len(mass)), mass / max(float(mass.sum()), 1e-300))
        axes.set(ylabel="share", title=f"{names[0]}, synthetic")
        _label(axes.set_xticks, columns[0].labels)
        return made
    codes = draw_records(model, _DRAWN, None, np.random.default_rng(0)).codes[:, places]
    counts = np.zeros((columns[0].size, columns[1].size))
    np.add.at(counts, (codes[:, 0], codes[:, 1]), 1 / _DRAWN)
    shown = axes.imshow(counts, aspect="auto", origin="lower", cmap="Blues")
    made.colorbar(shown, ax=axes, label="share")
    axes.set(ylabel=names[0], xlabel=names[1], title=f"{names[0]} and {names[1]}, synthetic")
    _label(axes.set_yticks, columns[0].labels)
    _label(axes.set_xticks, columns[1].labels)
    return made


def _label(ticks: Any, labels: tuple[str, ...]) -> None:
    """Every label, or so many that they can be read."""
    step = -(-len(labels) // _MOST_LABELS)
    ticks(range(0, len(labels), step), labels[::step], rotation=45, ha="right", fontsize=7)
