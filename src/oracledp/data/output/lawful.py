"""Synthetic rows made to keep a schema's constraints: post-processing, so any random numbers will do.

What follows from other columns is computed. What may not occur together is undone by exchanging one value between two
rows, so that every column keeps the values that it had.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.output.lawful_cases import MaskedRule
from oracledp.data.schema import Schema
from oracledp.data.schema.conditions import DenyRule
from oracledp.data.schema.constraints import AtMost, Determines, Implies, Places, Sum, Tables, amounts, grid_of

Integers = NDArray[np.int64]
_PATIENCE, _WORK = 1000, 20_000  # rounds of offers that nobody takes, and rules looked at, before rows are given up
_AT_ONCE = 1000  # rows, for each of which a rule is looked at as one piece of work
_MOST_BROKEN = 0.75  # of the rows: where a rule is broken more often, few values are left to exchange


@dataclass
class Rows:
    """Records of codes, and where inside their cells numbers lie; both change in place."""

    codes: Integers
    places: Places

    def taken(self, where: Integers) -> Rows:
        """Copies of some rows."""
        return Rows(self.codes[where], self.places[where])

    def put(self, where: Integers, rows: Rows) -> None:
        """Replace rows."""
        self.codes[where], self.places[where] = rows.codes, rows.places


@dataclass(frozen=True)
class Law:
    """A schema's constraints, with the tables of its dependencies."""

    schema: Schema
    tables: Tables

    @property
    def idle(self) -> bool:
        """Whether there is nothing to keep."""
        return not self.schema.deny and not self.schema.constraints

    def keep(self, rows: Rows, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Make rows keep the law as far as exchanges can, and say which of them still do not."""
        self._derive(rows)
        rules = self._rules()
        work = _WORK
        for count in range(1, len(rules) + 1):
            work -= self._exchange(rows, rules[:count], work // (len(rules) + 1 - count), generator)
        return self._broken(rows, rules)

    def trouble(self, rows: Rows) -> NDArray[np.float64]:
        """How many rules each row breaks, and by how far orders; what follows from other columns is settled first."""
        self._derive(rows)
        found = np.zeros(len(rows.codes))
        for rule in self._rules():
            found += self._breaks(rows, rule)
            if isinstance(rule, AtMost):
                lower, upper = (self._amounts(rows, name) for name in rule.columns)
                excess = np.maximum(np.nan_to_num(lower - upper), 0.0)
                found += excess / (1.0 + excess)
        return found

    def masked_rules(self) -> list[MaskedRule]:
        """The rules about codes alone, as masks on the columns from which all they read follows.

        Rules about numbers' places, orders and sums are left out.
        """
        found = [self._masked(rule) for rule in self._rules() if not isinstance(rule, AtMost)]
        return [rule for rule in found if rule is not None and all(mask.any() for mask in rule.values())]

    def _masked(self, rule: DenyRule) -> MaskedRule | None:
        masks: MaskedRule = {}
        for literal in rule:
            name, mask = literal.column, self._holds[literal]
            for constraint in reversed(self.schema.constraints):
                if isinstance(constraint, Sum) and constraint.total == name:
                    return None
                if isinstance(constraint, Determines) and constraint.target == name:
                    name, mask = constraint.source, mask[self.tables[name]]
            at = self.schema.position(name)
            masks[at] = masks[at] & mask if at in masks else mask
        return masks

    def movable(self, rows: Rows, generator: np.random.Generator) -> Integers:
        """For each row a column, at random, that a rule which it breaks reads; -1 for a row that keeps all."""
        found = np.full(len(rows.codes), -1, dtype=np.int64)
        rules = self._rules()
        for number in generator.permutation(len(rules)).tolist():
            columns = self._movable(rules[number])
            if columns:
                broken = np.flatnonzero(self._breaks(rows, rules[number]))
                found[broken] = generator.choice(np.array(columns), size=len(broken))
        return found

    @cached_property
    def _holds(self) -> dict[Literal, NDArray[np.bool_]]:
        """The codes at which each literal of a rule holds."""
        read = {literal for rule in self._rules() if not isinstance(rule, AtMost) for literal in rule}
        return {literal: self.schema[literal.column].holds(literal).astype(np.bool_) for literal in read}

    def _broken(self, rows: Rows, rules: Sequence[DenyRule | AtMost]) -> NDArray[np.bool_]:
        found = np.zeros(len(rows.codes), dtype=np.bool_)
        for rule in rules:
            found |= self._breaks(rows, rule)
        return found

    def _rules(self) -> list[DenyRule | AtMost]:
        implied = [found.rule for found in self.schema.constraints if isinstance(found, Implies)]
        return [*self.schema.deny, *implied, *(f for f in self.schema.constraints if isinstance(f, AtMost))]

    def _breaks(self, rows: Rows, rule: DenyRule | AtMost) -> NDArray[np.bool_]:
        if isinstance(rule, AtMost):
            lower, upper = (self._amounts(rows, name) for name in rule.columns)
            return np.asarray(lower > upper)  # nothing is more than NaN
        held = (self._holds[literal][rows.codes[:, self.schema.position(literal.column)]] for literal in rule)
        return reduce(np.logical_and, held)

    def _amounts(self, rows: Rows, name: str) -> NDArray[np.float64]:
        at = self.schema.position(name)
        return amounts(self.schema[name], rows.codes[:, at], rows.places[:, at])

    # ---- what follows from other columns ---------------------------------------------------------
    def _derive(self, rows: Rows) -> None:
        for found in self.schema.constraints:
            if isinstance(found, Determines):
                source, target = self.schema.position(found.source), self.schema.position(found.target)
                rows.codes[:, target] = self.tables[found.target][rows.codes[:, source]]
            elif isinstance(found, Sum):
                self._add_up(rows, found)

    def _add_up(self, rows: Rows, found: Sum) -> None:
        """In whole steps of the total's grid, which those of the parts are multiples of."""
        total = self.schema[found.total]
        grid, missing = grid_of(total), np.zeros(len(rows.codes), dtype=np.bool_)
        steps = np.zeros(len(rows.codes), dtype=np.int64)
        offset = -grid.lo
        for name in found.parts:
            at, own = self.schema.position(name), grid_of(self.schema[name])
            codes = rows.codes[:, at]
            absent = codes >= own.size
            missing |= absent
            steps += int(own.resolution / grid.resolution) * own.inside(np.where(absent, 0, codes), rows.places[:, at])
            offset += own.lo
        steps += int(offset / grid.resolution)
        at, codes = self.schema.position(found.total), grid.codes(steps)
        rows.places[:, at] = (steps - grid.starts[codes] + 0.5) / grid.widths[codes]
        rows.codes[:, at] = np.where(missing, total.size - 1, codes)

    # ---- what may not occur together -------------------------------------------------------------
    def _exchange(
        self, rows: Rows, rules: Sequence[DenyRule | AtMost], most: int, generator: np.random.Generator
    ) -> int:
        """Exchange a value that the last rule reads with another row's, where both then keep all rules so far.

        At most so many rules are looked at; how many were is returned.
        """
        rule = rules[-1]
        columns = self._movable(rule)
        bad = np.flatnonzero(self._breaks(rows, rule))
        idle, looked, most = 0, 0, most if columns and len(bad) <= _MOST_BROKEN * len(rows.codes) else 0
        while len(bad) and idle < _PATIENCE and looked < most:
            column = columns[int(generator.integers(len(columns)))]
            partners = self._partners(len(rows.codes), bad, generator)
            tried = bad[: len(partners)]
            looked += (2 * len(rules) + 1) * (1 + len(tried) // _AT_ONCE)
            first, second = rows.taken(tried), rows.taken(partners)
            for values, others in ((first.codes, second.codes), (first.places, second.places)):
                values[:, column], others[:, column] = others[:, column].copy(), values[:, column].copy()
            self._derive(first)
            self._derive(second)
            good = ~self._broken(first, rules) & ~self._broken(second, rules)
            idle = 0 if good.any() else idle + 1
            rows.put(tried[good], first.taken(np.flatnonzero(good)))
            rows.put(partners[good], second.taken(np.flatnonzero(good)))
            bad = np.concatenate([tried[~good], bad[len(partners) :]])
            bad = bad[self._breaks(rows.taken(bad), rule)]
            generator.shuffle(bad)
        return looked

    def _partners(self, count: int, bad: Integers, generator: np.random.Generator) -> Integers:
        """As many other rows as there are, each once, at most one for each broken row."""
        asked = generator.permutation(count) if 4 * len(bad) > count else generator.integers(count, size=2 * len(bad))
        fresh = np.setdiff1d(asked, bad)
        return np.asarray(generator.permutation(fresh)[: len(bad)], dtype=np.int64)

    def _movable(self, rule: DenyRule | AtMost) -> Sequence[int]:
        """The columns that a rule reads, or from which follows what it reads."""
        names = set(rule.columns if isinstance(rule, AtMost) else (literal.column for literal in rule))
        for found in reversed(self.schema.constraints):
            if isinstance(found, Sum | Determines) and found.derived in names:
                names = (names - {found.derived}) | set(found.sources)
        return sorted(self.schema.position(name) for name in names)
