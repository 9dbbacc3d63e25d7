"""What the synthesizer measures, in order: counts, one-ways, coarse pairs, dependent pairs finely, parities.

Each stage looks only at what earlier stages released, so the whole is adaptive composition of the meter's
measurements (proofs/measured-synthesis.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from oracledp.privacy.accounting import split
from oracledp.synthesis.basis import Features, column_sets, signed_features
from oracledp.synthesis.behaviour import behaving
from oracledp.synthesis.bins import ColumnBins, Floats, Integers, cells_of, levels_within, nested_bins
from oracledp.synthesis.denoise import FINE_FLOOR, FLOOR, fine_probabilities, probabilities
from oracledp.synthesis.halves import held_to_halves
from oracledp.synthesis.levels import LONG, level_marginals, measure_levels
from oracledp.synthesis.measurements import Meter, NoisyParities, NoisyQueries, NoisyTable
from oracledp.synthesis.recipe import Settings, settings
from oracledp.synthesis.stages import (
    effective_sizes,
    leaf_masses,
    measure_stages,
    spread_masses,
    staged,
    staged_thresholds,
)

_DOUBT = 2.0  # standard deviations that *missing* and *other* must exceed to be made up
_HALVES = 0.2  # of the budget of a column counted in stages, for counting its halves once more
_LINES = 0.15  # of the budget of pairs, at most, for the products of halves of ordered columns
_KNOWN = 0.006  # of the records: the noise of such a product below which more budget would be wasted
_FIRST_TIER = 1 / 3  # of the three-way budget, for parities of first features


@dataclass(frozen=True)
class Measured:
    """Everything that was released, and the bins and features it is expressed in."""

    total: float
    settings: Settings
    bins: tuple[ColumnBins, ...]
    marginals: tuple[Floats, ...]  # denoised one-way distributions over the values
    tables: tuple[NoisyTable, ...]
    features: Features
    parities: tuple[NoisyParities, ...]
    queries: tuple[NoisyQueries, ...] = ()

    @property
    def released(self) -> int:
        """How many counts were released."""
        by_tables = sum(table.values.size for table in self.tables)
        by_parities = sum(group.values.size for group in self.parities)
        return by_tables + by_parities + sum(group.values.size for group in self.queries)

    def fine_marginal(self, column: int) -> Floats:
        """A column's distribution over its finest bins."""
        binning = self.bins[column]
        return binned(self.marginals[column], binning)


def binned(masses: Floats, binning: ColumnBins) -> Floats:
    """Masses of values summed over the finest bins."""
    return np.bincount(binning.fine, weights=masses, minlength=binning.size).astype(np.float64)


def measure(meter: Meter, order: int, budget: Fraction | None = None, ranges: float = 0.0) -> Measured:
    """Spend a budget, by default the meter's whole one, on marginals.

    ``order`` 3 adds the three-way parities; ``ranges`` is the share that goes to long ordered columns at several
    levels.
    """
    whole = meter.rho if budget is None else budget
    count, count_variance = meter.total(whole / 100)
    fixed, for_ranges = split(whole - meter.spent, [1 - ranges, ranges])
    sizes = effective_sizes(meter.records.sizes, meter.records.fine_order)
    rule = settings(float(fixed), float(max(count, 1)), sizes, order)
    first, second, third = split(fixed, rule.shares)
    first, for_halves = _apart(meter, first)
    columns = _one_ways(meter, first)
    one_ways = [table for column in columns for table in column.tables]
    total = _combined_total(count, count_variance, one_ways)
    marginals, bins = map(list, zip(*(column.binned(meter, rule, total) for column in columns), strict=True))
    if for_ranges > 0:
        one_ways += measure_levels(meter, bins, for_ranges)
        marginals = level_marginals(meter.records.in_order, one_ways, bins, total, marginals)
    bins, second = behaving(meter, second, bins, marginals, total, rule.thresholds)
    masses = [binned(mass, binning) for mass, binning in zip(marginals, bins, strict=True)]
    features = signed_features(bins, masses, max(rule.groups, 2))
    halves = _halves(meter, bins, features, for_halves)
    for group in halves:
        marginals = held_to_halves(marginals, bins, one_ways, features, group, total)
        masses = [binned(mass, binning) for mass, binning in zip(marginals, bins, strict=True)]
    tables, parities = _pairs(meter, second, rule, bins, masses, features, total)
    parities = halves + parities
    if third > 0:
        parities += _triples(meter, bins, features, third)
    return Measured(total, rule, tuple(bins), tuple(marginals), (*one_ways, *tables), features, tuple(parities))


def _apart(meter: Meter, rho: Fraction) -> list[Fraction]:
    """The budget of one-ways without, and for, halves of columns counted in stages."""
    records = meter.records
    weights = [size ** (2 / 3) for size in effective_sizes(records.sizes, records.fine_order)]
    long = sum(weight for weight, order in zip(weights, records.fine_order, strict=True) if staged(order))
    return split(rho, [1 - _HALVES * long / sum(weights), _HALVES * long / sum(weights)])


def _halves(meter: Meter, bins: Sequence[ColumnBins], features: Features, rho: Fraction) -> list[NoisyParities]:
    """The parities of single features of columns counted in stages."""
    return _parities(meter, bins, features, [(c,) for c, binning in enumerate(bins) if binning.stages], rho)


@dataclass(frozen=True)
class _OneWay:
    """What was counted of one column: its values or, of a long one, cells in stages."""

    column: int
    tables: list[NoisyTable]
    cells: tuple[Integers, ...] = ()

    def binned(self, meter: Meter, rule: Settings, total: float) -> tuple[Floats, ColumnBins]:
        """The distribution over the values, and the bins; *missing* or *other* that noise may explain is left out."""
        records, steps = meter.records, meter.records.steps_of(self.column)
        mass = self._cell_masses(meter, total)
        noise = self.tables[-1].deviation / len(self.tables) ** 0.5
        cells = cells_of(self.cells[-1], records.sizes[self.column]) if self.cells else np.arange(len(mass))
        hidden = [code for code in records.doubtful(self.column) if mass[cells[code]] * total <= _DOUBT * noise]
        mass[cells[hidden]] = 0.0
        mass = mass + (FINE_FLOOR if self.cells else FLOOR)
        mass = mass / mass.sum()
        missing = records.missing[self.column] and records.sizes[self.column] - 1 not in hidden
        thresholds = staged_thresholds(rule.thresholds) if self.cells else rule.thresholds
        coarse = nested_bins(mass, records.ordered[self.column], thresholds, missing)
        if not self.cells:
            return mass, coarse
        return spread_masses(self.cells[-1], mass, steps), ColumnBins(coarse.fine[cells], coarse.starts, self.cells)

    def _cell_masses(self, meter: Meter, total: float) -> Floats:
        """The distribution over the values or, of a long column, over its last cells."""
        records, in_order = meter.records, meter.records.in_order[self.column]
        if self.cells:
            return leaf_masses(self.cells, self.tables, records.steps_of(self.column), total)
        (table,) = self.tables
        counts, smooth = table.values.astype(np.float64), in_order if in_order >= LONG else 0
        if smooth and records.fine_order[self.column]:
            return fine_probabilities(counts, table.deviation, smooth)
        return probabilities(counts, total, table.deviation, smooth)


def _one_ways(meter: Meter, rho: Fraction) -> list[_OneWay]:
    """The values of every column, or cells in stages where they are many."""
    records, found = meter.records, []
    parts = split(rho, [size ** (2 / 3) for size in effective_sizes(records.sizes, records.fine_order)])
    for column, (size, in_order, part) in enumerate(zip(records.sizes, records.fine_order, parts, strict=True)):
        if staged(in_order):
            cells, tables = measure_stages(meter, column, part)
            found.append(_OneWay(column, tables, cells))
        else:
            found.append(_OneWay(column, [meter.table((column,), (-1,), [np.arange(size)], part)]))
    return found


def _combined_total(count: int, variance: Fraction, one_ways: Sequence[NoisyTable]) -> float:
    """The inverse-variance mean of the direct count and the tables' sums; a public count stands alone."""
    if variance == 0:
        return float(count)
    precision = [1 / float(variance)] + [1 / (t.values.size * float(t.variance)) for t in one_ways]
    values = [float(count)] + [float(t.values.sum()) for t in one_ways]
    return max(float(np.average(values, weights=precision)), 1.0)


def _pairs(
    meter: Meter,
    rho: Fraction,
    rule: Settings,
    bins: Sequence[ColumnBins],
    masses: Sequence[Floats],
    features: Features,
    total: float,
) -> tuple[list[NoisyTable], list[NoisyParities]]:
    """Pairs of short columns as parities; other pairs coarsely, then the dependent ones finely."""
    pairs = list(combinations(range(len(bins)), 2))
    whole = [all(features.resolved[c] for c in pair) for pair in pairs]
    short, long = ([pair for pair, held in zip(pairs, whole, strict=True) if held == side] for side in (True, False))
    weights = [_cells(bins, pair, rule.fine_cells) ** 0.5 for pair in (*short, *long)]
    for_short, for_long = split(rho, [sum(weights[: len(short)]), sum(weights[len(short) :])]) if pairs else (rho, rho)
    parities = _parities(meter, bins, features, short, for_short)
    if not long:
        return [], parities
    lines = _straight(meter, features, long)
    if len(lines):
        share = min(_LINES, len(lines) / (2 * float(for_long) * (_KNOWN * total) ** 2))
        for_lines, for_long = split(for_long, [share, 1 - share])
        parities.append(_counted(meter, bins, features, lines, for_lines))
    first, second = split(for_long, [rule.coarse_share, 1 - rule.coarse_share])
    coarse = _tables(meter, bins, long, rule.coarse_cells, [1.0] * len(long), first)
    found = [_dependence(table, masses, bins, total) for table in coarse]
    signal = [energy**0.2 if errors > rule.evidence else 0.0 for energy, errors in found]
    chosen = [(pair, s) for pair, s in zip(long, signal, strict=True) if s > 0] or [(pair, 1.0) for pair in long]
    fine = _tables(meter, bins, [pair for pair, _ in chosen], rule.fine_cells, [s for _, s in chosen], second)
    return coarse + fine, parities


def _straight(meter: Meter, features: Features, pairs: Sequence[tuple[int, ...]]) -> Integers:
    """The products of the features that halve two ordered columns: which way one goes with the other."""
    straight = [ordered or size == 2 for ordered, size in zip(meter.records.ordered, meter.records.sizes, strict=True)]
    found = [[features.of(c)[0] for c in pair] for pair in pairs if all(straight[c] and features.of(c) for c in pair)]
    return np.array(found, dtype=np.int64).reshape(len(found), 2)


def _cells(bins: Sequence[ColumnBins], pair: tuple[int, ...], cap: int) -> int:
    levels = levels_within([bins[c].sizes() for c in pair], cap)
    return int(np.prod([bins[c].sizes()[level] for c, level in zip(pair, levels, strict=True)]))


def _tables(
    meter: Meter,
    bins: Sequence[ColumnBins],
    pairs: Sequence[tuple[int, ...]],
    cap: int,
    weights: Sequence[float],
    rho: Fraction,
) -> list[NoisyTable]:
    """Measure each pair at its finest levels under a cap of cells, with budgets as the root of the cells."""
    levels = [levels_within([bins[c].sizes() for c in pair], cap) for pair in pairs]
    parts = split(rho, [w * _cells(bins, pair, cap) ** 0.5 for w, pair in zip(weights, pairs, strict=True)])
    return [
        meter.table(pair, level, [bins[c].grouping(at) for c, at in zip(pair, level, strict=True)], part)
        for pair, level, part in zip(pairs, levels, parts, strict=True)
    ]


def _dependence(
    table: NoisyTable, masses: Sequence[Floats], bins: Sequence[ColumnBins], total: float
) -> tuple[float, float]:
    """How much two columns depend on each other beyond noise: energy, and energy in standard errors."""
    a, b = (
        np.add.reduceat(masses[c], bins[c].starts[level]) for c, level in zip(table.columns, table.levels, strict=True)
    )
    rest = table.values / total - np.outer(a, b)
    rest = rest - rest.mean(0) - rest.mean(1)[:, None] + rest.mean()
    freedom = max((rest.shape[0] - 1) * (rest.shape[1] - 1), 1)
    noise = float(table.variance) / total**2
    energy = max(float((rest**2).sum()) - freedom * noise, 0.0)
    return energy, energy / (noise * (2 * freedom) ** 0.5)


def _triples(meter: Meter, bins: Sequence[ColumnBins], features: Features, rho: Fraction) -> list[NoisyParities]:
    """All three-way parities, those of the columns' first features, which halve them, with less noise than the rest."""
    subsets = features.subsets(column_sets(len(bins), 3))
    first = np.array([features.of(column)[0] for column in range(len(bins)) if features.of(column)])
    coarse = np.isin(subsets, first).all(axis=1)
    tiers = [tier for tier in (subsets[coarse], subsets[~coarse]) if len(tier)]
    weights = [_FIRST_TIER, 1 - _FIRST_TIER] if len(tiers) == 2 else [1.0]
    return [_counted(meter, bins, features, tier, part) for tier, part in zip(tiers, split(rho, weights), strict=True)]


def _parities(
    meter: Meter,
    bins: Sequence[ColumnBins],
    features: Features,
    sets: Sequence[tuple[int, ...]],
    rho: Fraction,
) -> list[NoisyParities]:
    subsets = features.subsets(sets)
    return [_counted(meter, bins, features, subsets, rho)] if len(subsets) else []


def _counted(
    meter: Meter, bins: Sequence[ColumnBins], features: Features, subsets: Integers, rho: Fraction
) -> NoisyParities:
    signs = [sign[bins[c].fine] for sign, c in zip(features.signs, features.columns, strict=True)]
    return meter.parities(signs, features.columns, subsets, rho)
