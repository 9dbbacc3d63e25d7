"""``learn_table``: one private rule for a literal of a table, from its other columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oracledp.classes import ZeroOneLoss
from oracledp.data.literals import Literal
from oracledp.data.table import Table
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import Exact, whole_or_none
from oracledp.learning.blocks import schema_blocks
from oracledp.learning.learner import AUTOMATIC, rule_learner
from oracledp.learning.robust import ROBUST, RobustLearning
from oracledp.learning.sample import Sample
from oracledp.learning.task import Learned, Learner
from oracledp.mechanisms.release import Release
from oracledp.oracles.base import Oracle
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.persons import row_delta, row_epsilon
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class TableLearning:
    """A learner on a table, to predict one literal from the other columns: proofs/row-count.md and what it names."""

    learner: Learner
    target: Literal

    @property
    def name(self) -> str:
        """The learner's."""
        return self.learner.name

    @property
    def guarantee(self) -> Guarantee:
        """The learner's."""
        return self.learner.guarantee

    def check(self, facts: Facts) -> None:
        """A size that the learner bears."""
        self.learner.check(facts.rows_bound, 1)

    def run(self, table: Table, source: Randomness) -> Learned:
        """One private rule."""
        sample = Sample.from_table(table, self.target)
        return self.learner.settled(sample.rows, source).run(sample, source)


def learn_table(
    table: Table,
    target: Literal,
    *,
    epsilon: Exact,
    model: str = AUTOMATIC,
    size: int | None = None,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    mechanism: str | None = None,
    delta: Exact | None = None,
    oracle: str | Oracle = "auto",
    rows: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release:
    """Learn a private rule for one literal of a table from its other columns; the release is its 0/1 loss.

    Proofs, by the model: proofs/override-lists.md, proofs/surrogate.md, proofs/exponential-mechanism.md. Under
    add/remove-one, the default, the number of rows is private: where settings follow it, a fiftieth of ε measures it
    (proofs/row-count.md), unless ``rows`` says publicly about how many there are. ``mechanism`` may be any selection by
    name (``oracledp.mechanisms.registry``), or ``"vote"`` or ``"prsma"``, which need ``delta`` and trust no solver;
    ``progress(done, total)`` hears how these two advance.
    """
    relation = Neighbours.parse(neighbours)
    share = row_epsilon(epsilon, table.unit)
    facts = Facts.of(table, relation)
    if mechanism in ROBUST:
        wanted = RobustLearning(
            mechanism=mechanism,
            model="conjunction" if model == AUTOMATIC else model,
            size=size,
            epsilon=epsilon,
            delta=delta,
            neighbours=relation,
            oracle=oracle,
            rows=rows,
            progress=progress,
            ledger=ledger,
            source=source,
        )
        return wanted.learn(table, target)
    literals = table.schema.literals.without(target.column)
    given = whole_or_none(rows, "rows", most=MOST_ROWS)
    learner = rule_learner(
        model,
        literals,
        rows=given if given is not None or facts.rows is None else max(1, facts.rows),
        epsilon=share,
        neighbours=relation,
        size=size,
        mechanism=mechanism,
        oracle=oracle,
        blocks=schema_blocks(table.schema, literals),
        rows_bound=facts.rows_bound,
        delta=None if delta is None else row_delta(delta, share, table.unit),
    )
    released = release(TableLearning(learner, target), table, facts, ledger=ledger, source=source)
    learned = released.result
    loss = ZeroOneLoss.of(learned.query.owner, target)
    return Release(loss.query(*learned.query.parts), released.guarantee, learned.certificate, learned.mechanism)
