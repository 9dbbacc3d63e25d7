"""One door to every private rule learner: a model's name and exact parameters in, a calibrated learner out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from oracledp.classes import ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import Exact, positive, whole
from oracledp.learning.automatic import Recipe, recipe
from oracledp.learning.blocks import Block, schema_blocks, single_blocks
from oracledp.learning.cards import scoring_card
from oracledp.learning.models import MODELS
from oracledp.learning.override_lists import OverrideLists, default_rounds, widest
from oracledp.learning.sample import Sample
from oracledp.learning.single_rules import SingleRules
from oracledp.learning.task import Learned, RuleLearner, Task
from oracledp.learning.whole_class import SELECTIONS, whole_class_learner
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.oracles.base import Certificate, Oracle, Trust
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness

AUTOMATIC = "auto"
ROWS_UNKNOWN = 1000  # the size a recipe assumes where the number of rows is private and none is declared
DEFAULT_MECHANISM = {"decision-list": "override-list", "halfspace": "surrogate"}


def rule_learner(
    model: str,
    literals: Literals,
    *,
    rows: int,
    epsilon: Fraction,
    neighbours: Neighbours,
    size: int | None = None,
    mechanism: str | None = None,
    oracle: str | Oracle = "auto",
    blocks: tuple[Block, ...] | None = None,
    rows_bound: int = MOST_ROWS,
    unit: int = 1,
) -> RuleLearner:
    """The learner for one binary problem. ``rows`` must be public: it sets the recipe, never the privacy.

    ``blocks`` say which literals belong to one column; with rows enough a score then hears less noise. There are
    never more rows than ``rows_bound``, which must be public too, and none weighs more than ``unit``.
    """
    if len(literals) == 0:
        raise ParameterError("there is no column to learn from")
    if model not in (AUTOMATIC, *MODELS):
        raise ParameterError(f"model must be one of {', '.join((AUTOMATIC, *MODELS))}, got {model!r}")
    plan = recipe(rows, epsilon, len(literals), None if blocks is None else sum(block.size for block in blocks))
    chosen = blocks if blocks is not None and plan.by_column else single_blocks(literals)
    task = Task(literals, chosen, rows, epsilon, neighbours, size, oracle, rows_bound, unit)
    if model != AUTOMATIC:
        return _learner(model, _checked_mechanism(model, mechanism), task, plan)
    if mechanism is not None:
        raise ParameterError("mechanism for auto must be left out: the recipe picks it")
    rounds = size or plan.rounds if plan.model == "decision-list" else size
    return _learner(plan.model, DEFAULT_MECHANISM[plan.model], replace(task, size=rounds), plan)


def _checked_mechanism(model: str, mechanism: str | None) -> str:
    own = DEFAULT_MECHANISM.get(model, "exponential")
    allowed = dict.fromkeys((own, *SELECTIONS))
    if mechanism is not None and mechanism not in allowed:
        raise ParameterError(f"mechanism for {model} must be one of {', '.join(allowed)}, got {mechanism!r}")
    return mechanism or own


def _learner(model: str, mechanism: str, task: Task, plan: Recipe) -> RuleLearner:
    if mechanism == "surrogate":
        return _card(task, plan.curvature_share)
    if mechanism == "override-list":
        rounds = task.size or default_rounds(task.rows, task.epsilon, len(task.literals))
        return _enumerated(OverrideLists(task.literals, rounds, task.epsilon, task.neighbours))
    width = task.size or MODELS[model].default_size
    listed = mechanism in ("exponential", "permute-and-flip") and width <= widest(len(task.literals))
    if listed and model in ("conjunction", "disjunction"):
        disjunctions, flip = model == "disjunction", mechanism == "permute-and-flip"
        return _enumerated(SingleRules(task.literals, width, task.epsilon, task.neighbours, disjunctions, flip))
    return whole_class_learner(model, mechanism, task)


def _enumerated(runner: OverrideLists | SingleRules) -> RuleLearner:
    """A mechanism that lists all it chooses from, and so proves its own choice."""
    certificate = Certificate(Trust.PROVED, runner.name)

    def run(sample: Sample, source: Randomness) -> Learned:
        return Learned(runner.run(sample, source), certificate)

    return RuleLearner(runner.name, runner.guarantee, run, runner.check)


def _card(task: Task, curvature_share: Fraction) -> RuleLearner:
    sizes = (*(block.size for block in task.blocks), 1)
    surrogate = ConvexSurrogate(sizes, task.epsilon, task.neighbours, curvature_share)
    certificate = Certificate(Trust.PROVED, surrogate.name)

    def run(sample: Sample, source: Randomness) -> Learned:
        features = sample.features(task.blocks)
        weights = surrogate.run(features, sample.positive, sample.negative, source, unit=sample.unit)
        return Learned(scoring_card(weights, task.blocks, task.literals, size=task.size), certificate)

    return RuleLearner(surrogate.name, surrogate.guarantee, run, surrogate.check)


@dataclass(frozen=True)
class TableLearning:
    """A learner on a table, to predict one literal from the other columns: proofs/override-lists.md and its kin."""

    learner: RuleLearner
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
        return self.learner.run(Sample.from_table(table, self.target), source)


def learn_table(
    table: Table,
    target: Literal,
    *,
    epsilon: Exact,
    model: str = AUTOMATIC,
    size: int | None = None,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    mechanism: str | None = None,
    oracle: str | Oracle = "auto",
    rows: int | None = None,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release:
    """Learn a private rule for one literal of a table from its other columns; the release is its 0/1 loss.

    Proofs, by the model: proofs/override-lists.md, proofs/surrogate.md, proofs/exponential-mechanism.md. Under
    add/remove-one the number of rows is private, so ``rows`` should say publicly about how many there are.
    """
    relation = Neighbours.parse(neighbours)
    known = max(1, table.rows) if relation is Neighbours.REPLACE_ONE else ROWS_UNKNOWN
    guess = known if rows is None else whole(rows, "rows", most=MOST_ROWS)
    literals = table.schema.literals.without(target.column)
    learner = rule_learner(
        model,
        literals,
        rows=guess,
        epsilon=positive(epsilon, "epsilon"),
        neighbours=relation,
        size=size,
        mechanism=mechanism,
        oracle=oracle,
        blocks=schema_blocks(table.schema, literals),
        rows_bound=relation.public_rows(table.rows),
    )
    facts = Facts.of(table, relation)
    released = release(TableLearning(learner, target), table, facts, ledger=ledger, source=source)
    learned = released.result
    loss = ZeroOneLoss.of(learned.query.owner, target)
    return Release(loss.query(*learned.query.parts), released.guarantee, learned.certificate, learner.name)
