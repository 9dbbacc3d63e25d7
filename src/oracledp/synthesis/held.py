"""Records of a model held to a schema's rules: drawn from the cases that these leave, then repaired column by column.

Work is bounded by public numbers, whatever the rules are. The law is public and a model is noisy: what the rules allow
and the model all but rules out keeps a trace of mass, so that rules are never lost to noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from oracledp.data.output.lawful import Law, Rows
from oracledp.data.output.lawful_cases import Cases, lawful_cases
from oracledp.errors import ModelError
from oracledp.synthesis.bins import Floats, Integers
from oracledp.synthesis.model import SyntheticModel

_TRACE = 1e-9  # of a column's mass, for what rules and conditions allow and the model does not have
_AT_ONCE = 5_000  # rows, so that components × cases and components × values stay small
_ROUNDS, _REPAIRS = 3, 60  # of drawing anew, and of drawing a column anew
_WORTH = 0.2  # of the rows asked for: where fewer keep the law, more of them are not looked for
_PAIRS = 256  # distributions that are held at once

_NOTHING = "the constraints and deny rules leave next to no record that the model allows"

Allowed = Sequence[NDArray[np.bool_]]


@dataclass(frozen=True)
class Held:
    """A model, the law it is held to, and the codes that conditions allow."""

    model: SyntheticModel
    law: Law
    allowed: Allowed
    cases: Cases | None

    @classmethod
    def of(cls, model: SyntheticModel, law: Law, allowed: Allowed | None) -> Held:
        """List the cases that the rules leave, if they are few."""
        every = [np.ones(size, dtype=np.bool_) for size in model.schema.sizes] if allowed is None else allowed
        rules = law.masked_rules()
        return cls(model, law, every, lawful_cases(rules) if rules else None)

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """``count`` rows that keep the law and meet the conditions.

        Rows for which none is found within the bounds repeat others; without any there is nothing to give out.
        """
        parts: list[Rows] = []
        for done in range(0, count, _AT_ONCE):
            asked = min(_AT_ONCE, count - done)
            parts.append(self._part(asked, generator))
            if len(parts[-1].codes) < _WORTH * asked:
                break
        rows = Rows(*(np.concatenate([getattr(part, kind) for part in parts]) for kind in ("codes", "places")))
        if not len(rows.codes):
            raise ModelError(_NOTHING)
        again = generator.integers(len(rows.codes), size=count - len(rows.codes))
        return rows.taken(generator.permutation(np.concatenate([np.arange(len(rows.codes)), again])))

    def unmet(self, rows: Rows) -> NDArray[np.bool_]:
        """Rows that break the law or, in a value that follows from others, the conditions."""
        inside = [mask[rows.codes[:, column]] for column, mask in enumerate(self.allowed)]
        return np.asarray((self.law.trouble(rows) > 0) | ~np.all(inside, axis=0))

    def _part(self, count: int, generator: np.random.Generator) -> Rows:
        """Those of ``count`` rows that could be made to keep everything."""
        rows, component = self._fresh(count, generator)
        for _ in range(_ROUNDS):
            self._repair(rows, component, generator)
            bad = np.flatnonzero(self.unmet(rows))
            if not len(bad):
                return rows
            others, component[bad] = self._fresh(len(bad), generator)
            rows.put(bad, others)
        self._repair(rows, component, generator)
        return rows.taken(np.flatnonzero(~self.unmet(rows)))

    def _fresh(self, count: int, generator: np.random.Generator) -> tuple[Rows, Integers]:
        """Rows of the model given that they are one of the cases, and their components."""
        weights, asked = self.model.mixture.weights[:, None], np.full((1, len(self.allowed)), -1, dtype=np.int64)
        if self.cases is not None:
            asked = self.cases.listed
            if not len(asked):
                raise ModelError(_NOTHING)
            weights = self._case_weights()
        ends = np.cumsum(weights.ravel())
        picked = np.searchsorted(ends / ends[-1], generator.random(count), side="right")
        component, case = np.divmod(np.minimum(picked, len(ends) - 1), weights.shape[1])
        codes = np.empty((count, len(self.allowed)), dtype=np.int64)
        for column in range(len(self.allowed)):
            kinds, masks = np.zeros(count, dtype=np.int64), self.allowed[column][None]
            if self.cases is not None and column in self.cases.columns:
                place = self.cases.columns.index(column)
                either = self.cases.allows(place)
                kinds = asked[case, place] + 1
                masks = np.concatenate([np.ones_like(either[:1]), either]) & self.allowed[column]
            codes[:, column] = self._codes(column, component, kinds, masks, generator)
        return Rows(codes, generator.random(codes.shape)), component.astype(np.int64)

    def _case_weights(self) -> Floats:
        """How likely each component and case are together."""
        assert self.cases is not None
        found = np.log(np.maximum(self.model.mixture.weights, 1e-300))[:, None] + np.zeros(len(self.cases.listed))
        for place, column in enumerate(self.cases.columns):
            kinds = self.cases.listed[:, place]
            masks = self.cases.allows(place) & self.allowed[column]
            given = self._given(column, np.arange(len(found)))
            masses = np.stack([np.ones(len(found)), *(given @ mask for mask in masks.astype(np.float64))], axis=1)
            found += np.log(np.maximum(masses, 1e-300))[:, kinds + 1]
        return np.asarray(np.exp(found - found.max()))

    def _given(self, column: int, components: Integers) -> Floats:
        """The distribution of a column's codes given each component, with a trace of everything."""
        mixture, mass = self.model.mixture, self.model.marginals[column]
        block, binning = mixture.layout.blocks()[column], mixture.layout.bins[column]
        inside = (
            mass / np.maximum(np.bincount(binning.fine, weights=mass, minlength=binning.size), 1e-300)[binning.fine]
        )
        return np.asarray(mixture.parts[components][:, block][:, binning.fine] * inside + _TRACE / len(mass))

    def _codes(
        self, column: int, component: Integers, kind: Integers, masks: NDArray[np.bool_], generator: np.random.Generator
    ) -> Integers:
        """A code for each row, by its component's distribution, among those that the mask of its kind allows."""
        pairs, which = np.unique(np.stack([component, kind]), axis=1, return_inverse=True)
        which, drawn = which.reshape(-1), generator.random(len(component))
        codes = np.zeros(len(component), dtype=np.int64)
        order = np.argsort(which, kind="stable")
        edges = np.searchsorted(which[order], np.arange(0, pairs.shape[1] + _PAIRS, _PAIRS))
        for number, (begin, end) in enumerate(pairwise(edges.tolist())):
            rows = order[begin:end]
            some = pairs[:, number * _PAIRS : (number + 1) * _PAIRS]
            if not len(rows):
                continue
            ends = np.cumsum(self._given(column, some[0]) * masks[some[1]], axis=1)
            if not ends[:, -1].all():
                raise ModelError(_NOTHING)
            place = which[rows] - number * _PAIRS
            flat = (ends / ends[:, -1:] + np.arange(len(ends))[:, None]).ravel()
            found = np.searchsorted(flat, drawn[rows] + place, side="right")
            codes[rows] = np.minimum(found - place * ends.shape[1], ends.shape[1] - 1)
        return codes

    def _repair(self, rows: Rows, component: Integers, generator: np.random.Generator) -> None:
        """Draw one column anew, of those that a broken rule reads, and keep it where no more rules are broken."""
        for _ in range(_REPAIRS):
            bad = np.flatnonzero(self.unmet(rows))
            if not len(bad):
                return
            tried = rows.taken(bad)
            before = self.law.trouble(tried)
            moved = self.law.movable(tried, generator)
            for column in np.unique(moved[moved >= 0]).tolist():
                here = np.flatnonzero(moved == column)
                none = np.zeros(len(here), dtype=np.int64)
                masks = self.allowed[column][None]
                tried.codes[here, column] = self._codes(column, component[bad[here]], none, masks, generator)
                tried.places[here, column] = generator.random(len(here))
            better = self.law.trouble(tried) <= before
            rows.put(bad[better], tried.taken(np.flatnonzero(better)))
