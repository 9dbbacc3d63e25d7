"""How a ledger looks in a notebook: what was spent, and what is left. All of it is public to those who may read it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from oracledp.errors import OracleDPError
from oracledp.exact.numbers import show
from oracledp.privacy.ledger.entries import Charge
from oracledp.showing import figure, html_table

Pair = tuple[Fraction, Fraction]


class Shown:
    """What a ledger shows of itself."""

    path: Path | str

    @property
    def charges(self) -> Sequence[Charge]:
        """What was spent, in order."""
        raise NotImplementedError

    @property
    def budget(self) -> Pair:
        """The whole (ε, δ)."""
        raise NotImplementedError

    @property
    def remaining(self) -> Pair:
        """What is left."""
        raise NotImplementedError

    def __repr__(self) -> str:
        place = repr(str(self.path))
        try:
            (epsilon, _), (left, _) = self.budget, self.remaining
        except (OracleDPError, OSError):
            return f"Ledger({place}: cannot be read)"
        return f"Ledger({place}, ε {show(epsilon - left)} of {show(epsilon)} spent)"

    def _repr_html_(self) -> str:
        """Every charge in order, and what is left."""
        rows = [
            (one.time, one.actor or "", one.purpose or "", one.mechanism, show(one.epsilon), show(one.delta))
            for one in self.charges
        ]
        (left, left_delta), (epsilon, delta) = self.remaining, self.budget
        note = f"left: ε {show(left)} of {show(epsilon)}, δ {float(left_delta):.3g} of {show(delta)}"
        return html_table(("when", "who", "for", "mechanism", "ε", "δ"), rows, caption=str(self.path), note=note)

    def plot(self) -> Any:
        """A figure of ε spent, charge by charge, below the line of the budget; needs the ``plots`` extra."""
        made, axes = figure()
        levels = [0.0]
        for charge in self.charges:
            levels.append(levels[-1] + float(charge.epsilon))
        axes.step(range(len(levels)), levels, where="post")
        axes.axhline(float(self.budget[0]), color="grey", linestyle="--")
        axes.set(xlabel="charges", ylabel="ε spent (plain sum)", title=str(self.path), ylim=(0, None))
        return made
