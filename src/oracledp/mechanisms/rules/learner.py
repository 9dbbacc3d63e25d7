"""One door to every private rule learner: a model's name and exact parameters in, a calibrated learner out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from oracledp.classes import Query, ZeroOneLoss
from oracledp.errors import OracleFailure, ParameterError
from oracledp.guarantee import Exact, Guarantee, Neighbours, positive
from oracledp.learning import MODELS, rule_class
from oracledp.ledger import Ledger
from oracledp.literals import Literal, Literals
from oracledp.mechanisms.exponential import ExponentialMechanism
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.release import Release, pay
from oracledp.mechanisms.rspm import ReportSeparatorPerturbedMin
from oracledp.mechanisms.rules.automatic import recipe
from oracledp.mechanisms.rules.blocks import Block, schema_blocks, single_blocks
from oracledp.mechanisms.rules.cards import scoring_card
from oracledp.mechanisms.rules.override_lists import OverrideLists, default_rounds, widest
from oracledp.mechanisms.rules.sample import Sample
from oracledp.mechanisms.rules.single_rules import SingleRules
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.oracles.base import Certificate, Failed, Oracle, Trust
from oracledp.oracles.registry import resolve
from oracledp.randomness import Randomness, SystemRandomness
from oracledp.table import Table

AUTOMATIC = "auto"
DEFAULT_MECHANISM = {"decision-list": "override-list", "halfspace": "surrogate"}
SELECTIONS = ("exponential", "permute-and-flip", "rspm", "rspm:separator")


@dataclass(frozen=True)
class Learned:
    """A hypothesis (true where the positive label is predicted) and why it should be believed."""

    query: Query
    certificate: Certificate


@dataclass(frozen=True)
class RuleLearner:
    """A calibrated learner: what it promises, and how it runs on a sample."""

    name: str
    guarantee: Guarantee
    run: Callable[[Sample, Randomness], Learned]


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
) -> RuleLearner:
    """The learner for one binary problem. ``rows`` must be public: it sets the recipe, never the privacy.

    ``blocks`` say which literals belong to one column; a score then hears less noise.
    """
    if model not in (AUTOMATIC, *MODELS):
        raise ParameterError(f"model must be one of {', '.join((AUTOMATIC, *MODELS))}, got {model!r}")
    if len(literals) == 0:
        raise ParameterError("there is no column to learn from")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
        raise ParameterError("size must be a positive integer")
    blocks = single_blocks(literals) if blocks is None else blocks
    plan = recipe(rows, epsilon, len(literals), sum(block.size for block in blocks))
    if model == AUTOMATIC and mechanism is None:
        model, size = plan.model, size or (plan.rounds if plan.model == "decision-list" else None)
    own = DEFAULT_MECHANISM.get(model, "exponential")
    chosen = mechanism or own
    if model == AUTOMATIC or chosen not in (own, *SELECTIONS):
        allowed = () if model == AUTOMATIC else dict.fromkeys((own, *SELECTIONS))
        raise ParameterError(f"mechanism for {model} must be one of {', '.join(('None', *allowed))}, got {mechanism!r}")
    if chosen == "surrogate":
        return _card(literals, blocks, size, plan.curvature_share, epsilon, neighbours)
    if chosen == "override-list":
        rounds = size or default_rounds(rows, epsilon, len(literals))
        return _enumerated(OverrideLists(literals, rounds, epsilon, neighbours))
    width = size or MODELS[model].default_size
    if model in ("conjunction", "disjunction") and chosen in SELECTIONS[:2] and width <= widest(len(literals)):
        disjunctions, flip = model == "disjunction", chosen == "permute-and-flip"
        return _enumerated(SingleRules(literals, width, epsilon, neighbours, disjunctions, flip))
    return _selection(model, literals, chosen, size, epsilon, neighbours, oracle)


def _enumerated(runner: OverrideLists | SingleRules) -> RuleLearner:
    """A mechanism that lists all it chooses from, and so proves its own choice."""
    certificate = Certificate(Trust.PROVED, runner.name)
    return RuleLearner(
        runner.name, runner.guarantee, lambda sample, source: Learned(runner.run(sample, source), certificate)
    )


def _card(
    literals: Literals,
    blocks: tuple[Block, ...],
    size: int | None,
    share: Fraction,
    epsilon: Fraction,
    neighbours: Neighbours,
) -> RuleLearner:
    sizes = (*(block.size for block in blocks), 1)
    surrogate = ConvexSurrogate(sizes, epsilon, neighbours, share)
    certificate = Certificate(Trust.PROVED, surrogate.name)

    def run(sample: Sample, source: Randomness) -> Learned:
        features = sample.features(blocks)
        weights = surrogate.run(features, sample.positive, sample.negative, source, unit=sample.unit)
        return Learned(scoring_card(weights, blocks, literals, size=size), certificate)

    return RuleLearner(surrogate.name, surrogate.guarantee, run)


def _selection(
    model: str,
    literals: Literals,
    mechanism: str,
    size: int | None,
    epsilon: Fraction,
    neighbours: Neighbours,
    oracle: str | Oracle,
) -> RuleLearner:
    """One selection over the whole class. A record of weight u moves a count by u: such a run is made at ε/u."""
    queries = rule_class(model, literals, Literal.boolean("\N{WHITE STAR} label"), size=size)
    hypotheses = queries.hypotheses

    def calibrated(unit: int) -> ExponentialMechanism | ReportSeparatorPerturbedMin:
        share = epsilon / unit
        if mechanism in ("exponential", "permute-and-flip"):
            return ExponentialMechanism(queries, share, neighbours, mechanism == "permute-and-flip")
        embedding = "separator" if mechanism == "rspm:separator" else "k-hot"
        return ReportSeparatorPerturbedMin.calibrate(
            queries, epsilon=share, neighbours=neighbours, oracle=resolve(oracle, queries), embedding=embedding
        )

    def run(sample: Sample, source: Randomness) -> Learned:
        runner = calibrated(sample.unit)
        records, weights = sample.labelled(hypotheses.literals)
        if isinstance(runner, ExponentialMechanism):
            found = runner.run(Objective.of(queries, records, weights, resolution=0), source)
            return Learned(hypotheses.query(*found), Certificate(Trust.PROVED, runner.name))
        lattice = Objective.of(queries, records, weights, resolution=runner.perturbation.resolution)
        answer = runner.run(lattice, source)
        if isinstance(answer, Failed):
            raise OracleFailure(
                f"{runner.oracle.name} failed: {answer.reason}; nothing is released, the budget is spent"
            )
        return Learned(hypotheses.query(*answer.parts), answer.certificate)

    whole = calibrated(1)
    return RuleLearner(whole.name, whole.guarantee, run)


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

    Under add/remove-one the number of rows is private, so ``rows`` should say publicly about how many there are.
    """
    relation = Neighbours.parse(neighbours)
    public_rows = rows or (table.rows if relation is Neighbours.REPLACE_ONE else 1000)
    literals = table.schema.literals.without(target.column)
    learner = rule_learner(
        model,
        literals,
        rows=public_rows,
        epsilon=positive(epsilon, "epsilon"),
        neighbours=relation,
        size=size,
        mechanism=mechanism,
        oracle=oracle,
        blocks=schema_blocks(table.schema, literals),
    )
    source = SystemRandomness() if source is None else source
    guarantee = pay(learner, ledger, source)
    learned = learner.run(Sample.from_table(table, target), source)
    loss = ZeroOneLoss.of(learned.query.owner, target)
    return Release(loss.query(*learned.query.parts), guarantee, learned.certificate, learner.name)
