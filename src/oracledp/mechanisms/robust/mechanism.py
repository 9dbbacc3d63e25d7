"""``prsma``: a private choice that is robust against every failure of its oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oracledp.classes.base import QueryClass
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import Exact, whole_or_none
from oracledp.mechanisms.objective import Minimum
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust.delta import confirmed
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.designer import design_prsma
from oracledp.mechanisms.robust.parallel import workers_of
from oracledp.mechanisms.robust.rspm_base import RspmBase
from oracledp.mechanisms.robust.runs import Array, Base, Output, Rows, ThisProcess, Workers
from oracledp.mechanisms.robust.subsampling import answer_after_tests, subsamples
from oracledp.mechanisms.robust.theorem_two_sample import refuse_other_designs
from oracledp.mechanisms.row_count import SHARE, RowCount
from oracledp.mechanisms.table_selection import refuse_unknown_goal, refuse_unknown_literals
from oracledp.mechanisms.travelling import refuse_stuck
from oracledp.oracles.base import Oracle, Trust
from oracledp.oracles.registry import acts_alike, admit, resolve
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import row_delta, row_epsilon
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger

FEW_QUERIES = 20_000  # listed once per part, they make each of its many runs cheaper than a search
TIE_SHARE = Fraction(1, 1000)  # of delta, kept for ties when the oracle breaks them as it likes
REFERENCE = 1 << 20  # the rows that a design is made for where their number is measured; it is then scaled to them
SLIMMER = (1.0, 0.9995, 0.99, 0.95, 0.9, 0.8, 0.6, 0.4)  # of ε', until the scaled design is confirmed


@dataclass(frozen=True)
class NothingReleased:
    """⊥: the mechanism's own answer that it gives none. It is as private as a release, and the budget is spent."""

    guarantee: Guarantee
    mechanism: str = "prsma"

    exit_code = 4

    def __str__(self) -> str:
        by_prsma = self.mechanism == "prsma"
        why = "too often the oracle gave no answer" if by_prsma else "too few parts agreed on an answer"
        return f"nothing is released: {why}\n{self.guarantee}"

    def to_json(self) -> dict[str, Any]:
        """That nothing was released; no count, no reason, no timing."""
        return {"mechanism": self.mechanism, "rule": None, "guarantee": self.guarantee.to_json()}


@dataclass(frozen=True)
class RobustMechanism:
    """The calibrated mechanism: a confirmed design, a base, a neighbour relation (proofs/prsma.md)."""

    design: Design
    base: ReportSeparatorPerturbedMin
    neighbours: Neighbours
    name: str = "prsma"

    @classmethod
    def calibrate(
        cls,
        queries: QueryClass,
        design: Design,
        *,
        neighbours: Neighbours,
        oracle: Oracle,
        embedding: str = "k-hot",
        unit: int = 1,
    ) -> RobustMechanism:
        """Fit the base to the design and confirm the design's claim, ties included, before any data is touched."""
        refuse_other_designs(design)
        known = admit(oracle)
        if known.trust is Trust.GUESSED:
            raise ParameterError(f"{known.name} only guesses; PRSMA needs an oracle that knows when it has failed")
        base = ReportSeparatorPerturbedMin.calibrate(
            queries,
            epsilon=design.base_epsilon,
            neighbours=design.theorem.base_neighbours,
            oracle=known,
            embedding=embedding,
            rows_bound=design.rows,
            unit=unit,
        )
        ties = Fraction(0) if known.fixed_ties else base.perturbation.tie_delta
        complete = replace(design, tie_delta=ties)
        if not confirmed(complete):
            raise ParameterError("the design's (ε, δ) is not confirmed by its theorem; nothing is run")
        return cls(complete, base, neighbours)

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse what public facts rule out. No part has more rows than the design, whatever the table has."""
        self.base.check(min(rows_bound, self.design.rows), unit)

    def settled(self, rows: int, source: Randomness) -> RobustMechanism:
        """Itself, whatever the rows: nothing is drawn."""
        return self

    @property
    def guarantee(self) -> Guarantee:
        """Robust for our own searches, limited or not; else contingent on the oracle's claims of optimality."""
        oracle = self.base.oracle
        return self.design.guarantee(self.neighbours, optimality_claims(oracle) + alike_claims(oracle))


def optimality_claims(oracle: Oracle) -> tuple[str, ...]:
    """What PRSMA takes on trust: nothing of our own searches, of others that they know when they have failed."""
    known = admit(oracle)
    return () if known.trust is Trust.PROVED else (f"the claim of optimality by {known.name} is true",)


def alike_claims(oracle: Oracle) -> tuple[str, ...]:
    """That runs are alike, as Theorem 7 asks: an oracle that is not ours may count its calls."""
    known = admit(oracle)
    return () if acts_alike(known) else (f"{known.name} does not count its calls",)


@dataclass(frozen=True)
class MeasuredRobustMechanism:
    """A noisy count of the rows, then the mechanism for about so many: ε is the sum (proofs/prsma.md, section 3).

    Every design is private for every table, so the one that was confirmed before the charge stands in where no scaled
    one is confirmed: no count can make a run fail.
    """

    count: RowCount
    reference: RobustMechanism
    embedding: str

    @property
    def name(self) -> str:
        """That of the reference."""
        return self.reference.name

    @property
    def guarantee(self) -> Guarantee:
        """Count and mechanism together."""
        promise = self.reference.guarantee
        return replace(promise, epsilon=promise.epsilon + self.count.epsilon)

    @property
    def base(self) -> ReportSeparatorPerturbedMin:
        """That of the reference."""
        return self.reference.base

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """What the reference refuses."""
        self.reference.check(rows_bound, unit)

    def settled(self, rows: int, source: Randomness) -> RobustMechanism:
        """The mechanism for about so many rows."""
        size = self.count.run(rows, source)
        found = (self._scaled(size, factor) for factor in SLIMMER)
        return next((mechanism for mechanism in found if mechanism is not None), self.reference)

    def _scaled(self, size: int, factor: float) -> RobustMechanism | None:
        base, neighbours = self.base, self.reference.neighbours
        try:
            design = self.reference.design.at_rows(size, factor)
            mechanism = RobustMechanism.calibrate(
                base.queries, design, neighbours=neighbours, oracle=base.oracle, embedding=self.embedding
            )
        except ParameterError:  # fewer rows than parts, or a claim that is not confirmed
            return None
        return mechanism if mechanism.base.perturbation.fits(size) else None


def prsma(
    table: Table,
    queries: QueryClass,
    *,
    epsilon: Exact,
    delta: Exact,
    oracle: str | Oracle = "auto",
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    rows_bound: int | None = None,
    beta: Exact = "1/100",
    max_calls: int = 1_000_000,
    design: Design | None = None,
    embedding: str = "k-hot",
    goal: str = "min",
    parallel: object = "none",
    progress: Callable[[int, int], None] | None = None,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release | NothingReleased:
    """Choose privately a query that holds on few records, with an oracle that may fail for any reason.

    (ε, δ)-differential privacy by Theorem 7 of proofs/prsma.md, robust: it needs no oracle to succeed, only to know
    when it has failed. ⊥ comes back as :class:`NothingReleased`, with probability at most ``beta`` if the
    oracle never fails. Under add/remove-one, the default, the number of rows is private: a fiftieth of ε measures it,
    unless ``rows_bound`` says a public number of rows to make the design for (a larger table is cut to it by lot).
    ``parallel`` is "none", "joblib", "dask" or a Dask client. Where a total oracle exists, :func:`rspm` with it is
    robust too and far more accurate; this is for oracles that may give up.
    """
    if design is not None:
        refuse_other_designs(design)
    relation = Neighbours.parse(neighbours)
    chosen = resolve("exhaustive" if oracle == "auto" and queries.size <= FEW_QUERIES else oracle, queries)
    facts = Facts.of(table, relation)
    workers = workers_of(parallel)
    _refuse_strange(queries, goal, facts)  # before the search for a design, which takes seconds
    rows = _public_rows(facts, rows_bound, design)
    whole_epsilon = row_epsilon(epsilon, table.unit)
    whole_delta = row_delta(delta, whole_epsilon, table.unit)
    count = None if rows is not None else RowCount(whole_epsilon * SHARE)
    left = whole_epsilon - (Fraction(0) if count is None else count.epsilon)
    if design is None:
        usable = whole_delta * (1 if chosen.fixed_ties else 1 - TIE_SHARE)
        public = REFERENCE if rows is None else rows
        design = design_prsma(epsilon=left, delta=usable, rows=public, max_calls=max_calls, beta=beta)
    known = RobustMechanism.calibrate(
        queries,
        replace(design, epsilon=left, delta=whole_delta),
        neighbours=relation,
        oracle=chosen,
        embedding=embedding,
    )
    mechanism = known if count is None else MeasuredRobustMechanism(count, known, embedding)
    robust = RobustSelection(mechanism, goal, workers, progress)
    released = release(robust, table, facts, ledger=ledger, source=source)
    found = released.result
    if found is None:
        return NothingReleased(released.guarantee)
    return Release(queries.query(*found.parts), released.guarantee, found.certificate, robust.name)


def _refuse_strange(queries: QueryClass, goal: str, facts: Facts) -> None:
    refuse_unknown_goal(goal)
    if facts.schema is not None:
        refuse_unknown_literals(queries, facts.schema)


@dataclass(frozen=True)
class RobustSelection:
    """The mechanism of proofs/prsma.md on a whole table, with whoever carries out its runs; None is ⊥."""

    mechanism: RobustMechanism | MeasuredRobustMechanism
    goal: str
    workers: Workers
    progress: Callable[[int, int], None] | None = None

    @property
    def name(self) -> str:
        """The mechanism's."""
        return self.mechanism.name

    @property
    def guarantee(self) -> Guarantee:
        """The mechanism's."""
        return self.mechanism.guarantee

    def check(self, facts: Facts) -> None:
        """What any selection checks, a rehearsal without data included."""
        _refuse_strange(self.mechanism.base.queries, self.goal, facts)
        self.mechanism.check(facts.rows_bound)
        if not isinstance(self.workers, ThisProcess):
            refuse_stuck(self.mechanism.base.oracle, "the oracle")

    def run(self, table: Table, source: Randomness) -> Minimum | None:
        """One run of the mechanism on a table."""
        mechanism = self.mechanism.settled(table.rows, source)
        base = RspmBase(mechanism.base, 1 if self.goal == "min" else -1)
        records = table.packed(base.mechanism.queries.literals)
        return robust_answer(mechanism, base, records, table.counts, source, self.workers, self.progress)


def robust_answer(
    mechanism: RobustMechanism,
    base: Base[Output],
    records: Rows,
    counts: Array,
    source: Randomness,
    workers: Workers,
    progress: Callable[[int, int], None] | None = None,
) -> Output | None:
    """One run of the mechanism over a histogram of records; None is ⊥."""
    design = mechanism.design
    samples = subsamples(counts, design, mechanism.neighbours, source)
    payload = ((records[kept], held) for kept, held in samples)
    return answer_after_tests(design, base, payload, source, workers, progress)


def _public_rows(facts: Facts, rows_bound: int | None, design: Design | None) -> int | None:
    """The rows that a design is for; None where their number is private and nobody said a public one."""
    if facts.rows is None:
        bound = design.rows if rows_bound is None and design is not None else rows_bound
        return whole_or_none(bound, "rows_bound", most=MOST_ROWS)
    if rows_bound is not None:
        raise ParameterError("rows_bound is for add/remove-one; under replace-one the number of rows is public")
    if design is not None and design.rows != facts.rows:
        raise ParameterError("the design was made for another number of rows")
    return facts.rows
