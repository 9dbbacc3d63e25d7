"""What ``learn`` runs, tried on rows that are not private: cards and lists have no error that holds for every table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isfinite, nan
from time import perf_counter

import numpy as np

from oracledp.data.literals import Literal
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import CapacityError
from oracledp.learning import learn_table
from oracledp.learning.learner import AUTOMATIC
from oracledp.learning.models import accuracy
from oracledp.mechanisms.release import Release
from oracledp.planning.options import Option
from oracledp.planning.selection import PURE
from oracledp.planning.stand_in import PLANTED_ROWS, SEED, WRONG
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

COMPARED = ("tree", "decision-list", "disjunction")  # beside the default
TRIALS = 3
MOST_TRIED = 10_000  # rows of a trial; n rows at ε behave as N of them at ε·n/N
NOISELESS = Fraction(300)  # the largest ε of every learner: trials that stand for more rows never go beyond it
FEWEST, MOST_DOUBLED = 64, 24  # where the search for a number of rows begins, and how often it doubles


@dataclass(frozen=True)
class ModelQuestion:
    """The public numbers of one ``learn`` without a model, and rows to try it on."""

    schema: Schema
    target: Literal
    rows: int
    epsilon: Fraction
    delta: Fraction | None
    neighbours: Neighbours
    size: int | None = None
    public: Table | None = None

    @cached_property
    def stand_in(self) -> Table:
        """The public table, or random rows whose label follows a card but for a fifth."""
        return _planted(self.schema, self.target)[0] if self.public is None else self.public

    @cached_property
    def least_error(self) -> float:
        """That of the planted card; on public rows the least of what the models reach with hardly any noise."""
        if self.public is None:
            return _planted(self.schema, self.target)[1]
        quiet = replace(self, epsilon=NOISELESS)
        found = [quiet.learned(model, self.stand_in) for model in (AUTOMATIC, *COMPARED)]
        return min((1 - accuracy(release, self.stand_in) for release in found if release is not None), default=0.0)

    def learned(self, model: str, table: Table, seed: int = SEED) -> Release | None:
        """What ``learn --model`` makes of some rows; None where they are too many columns for it."""
        default = model == AUTOMATIC
        try:
            return learn_table(
                table,
                self.target,
                epsilon=self.epsilon,
                model=model,
                size=self.size if default else None,
                delta=self.delta if default else None,
                neighbours=self.neighbours,
                source=SeededRandomness(seed),  # nothing here is private, and plans repeat
            )
        except CapacityError:
            return None

    def tried(self, model: str, trials: int = TRIALS) -> tuple[float, float, Release] | None:
        """The mean error above the least, seconds of one fit, and the last release."""
        kept = min(self.rows, MOST_TRIED)
        scaled = replace(self, epsilon=min(self.epsilon * self.rows / kept, max(self.epsilon, NOISELESS)))
        errors, started = [], perf_counter()
        release = None
        for seed in range(trials):
            release = scaled.learned(model, _drawn(self.stand_in, kept, seed), seed)
            if release is None:
                return None
            errors.append(1 - accuracy(release, self.stand_in))
        assert release is not None
        return max(0.0, float(np.mean(errors)) - self.least_error), (perf_counter() - started) / trials, release


def model_options(question: ModelQuestion, target_error: float | None) -> tuple[Option, ...]:
    """The default of ``learn`` first, then other models for comparison."""
    found = (_option(question, model, target_error) for model in (AUTOMATIC, *COMPARED))
    return tuple(option for option in found if option is not None)


def recommend_model(options: tuple[Option, ...]) -> tuple[str, str]:
    """The default, with its error and cost; and what does clearly better on these rows."""
    default, *others = options
    reason = f"recommended: {default.mechanism}, what learn runs by default: {_words(default)}"
    best = min(others, key=_error, default=default)
    if _error(best) < _error(default) - 0.01:
        reason += f"; here {best.mechanism} does better ({best.note}: {_words(best)})"
    return default.mechanism, reason


def _option(question: ModelQuestion, model: str, target_error: float | None) -> Option | None:
    tried = question.tried(model)
    if tried is None:
        return None
    error, seconds, release = tried
    option = Option(
        mechanism=release.mechanism,
        error=nan,
        privacy="(ε,δ), robust" if release.guarantee.delta else PURE,
        seconds=seconds,
        note="oracledp learn" if model == AUTOMATIC else f"oracledp learn --model {model}",
    )
    option = replace(option, planted_error=error) if question.public is None else replace(option, public_error=error)
    if target_error is None:
        return option
    rows = _rows_for(question, model, target_error)
    needed = None if rows is None else float(question.epsilon) * rows / question.rows
    return replace(option, rows_needed=rows, epsilon_needed=needed)


def _rows_for(question: ModelQuestion, model: str, target_error: float) -> int | None:
    """The first of ever more rows at which a fit is as good as that; None where even a thousand million are not."""
    for doubled in range(MOST_DOUBLED):
        tried = replace(question, rows=FEWEST << doubled).tried(model, 1)
        if tried is not None and tried[0] <= target_error:
            return FEWEST << doubled
    return None


def _words(option: Option) -> str:
    return f"wrong on {100 * _error(option):.2g} % more rows than the best, {option.seconds or 0:.1g} s a fit"


def _error(option: Option) -> float:
    known = option.planted_error if option.public_error is None else option.public_error
    return known if known is not None and isfinite(known) else 1.0


def _planted(schema: Schema, target: Literal) -> tuple[Table, float]:
    """Codes drawn evenly, each other column speaking for or against through one of its literals; the card's error."""
    rng = np.random.default_rng(SEED)
    codes = np.stack([rng.integers(0, size, PLANTED_ROWS, dtype=schema.code_dtype) for size in schema.sizes], axis=1)
    score = np.zeros(PLANTED_ROWS)
    for column in schema.columns:
        if column.name != target.column and len(column.literals):
            chosen = column.literals[int(rng.integers(len(column.literals)))]
            score += rng.choice((-3, -2, -1, 1, 2, 3)) * (schema.holds(chosen, codes) - 0.5)
    wrong = rng.random(PLANTED_ROWS) < WRONG
    label = (score > np.median(score)) ^ wrong
    holds = schema[target.column].holds(target) != 0
    codes[:, schema.position(target.column)] = np.where(label, np.argmax(holds), np.argmin(holds))
    return Table.from_codes(codes, schema), float(wrong.mean())


def _drawn(table: Table, rows: int, seed: int) -> Table:
    """So many rows of a table, drawn with replacement."""
    held = np.random.default_rng(seed).multinomial(rows, table.counts / table.counts.sum())
    kept = np.flatnonzero(held)
    return Table.from_codes(table.codes[kept], table.schema, held[kept].astype(np.int64))
