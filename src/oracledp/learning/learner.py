"""One door to every private rule learner: a model's name and exact parameters in, a calibrated learner out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from oracledp.classes.registry import FAMILIES
from oracledp.data.literals import Literals
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import whole
from oracledp.learning.automatic import Recipe, descent, recipe, recipes
from oracledp.learning.blocks import Block, single_blocks, thin_blocks
from oracledp.learning.by_size import LearnerBySize, Sized
from oracledp.learning.cards import scoring_card
from oracledp.learning.class_cards import class_learner
from oracledp.learning.gradient_cards import gradient_learner, growing_learner
from oracledp.learning.override_lists import OverrideLists, widest
from oracledp.learning.sample import Sample
from oracledp.learning.single_rules import SingleRules
from oracledp.learning.sparse_cards import sparse_card
from oracledp.learning.task import Learned, Learner, RuleLearner, Task
from oracledp.learning.trees import tree_learner
from oracledp.learning.whole_class import whole_class_learner
from oracledp.mechanisms.gradients import Descent
from oracledp.mechanisms.growing_gradients import CHOOSING
from oracledp.mechanisms.registry import SELECTIONS
from oracledp.mechanisms.row_count import sizes
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.oracles.base import Certificate, Oracle, Trust
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import Randomness

AUTOMATIC = "auto"
DEFAULT_MECHANISM = {"decision-list": "override-list", "halfspace": "surrogate", "tree": "private-tree"}
GRADIENTS, CLASS_SUMS = "gradients", "class-sums"
AT_ONCE = (GRADIENTS, CLASS_SUMS)  # they settle all classes in one run
PROOFS = {
    "surrogate": "surrogate", "private-tree": "private-trees", GRADIENTS: "gradient-cards", CLASS_SUMS: CLASS_SUMS,
}  # fmt: skip  # else override-lists


def rule_learner(
    model: str,
    literals: Literals,
    *,
    rows: int | None,
    epsilon: Fraction,
    neighbours: Neighbours,
    problems: int = 1,
    size: int | None = None,
    mechanism: str | None = None,
    oracle: str | Oracle = "auto",
    blocks: tuple[Block, ...] | None = None,
    rows_bound: int = MOST_ROWS,
    unit: int = 1,
    delta: Fraction | None = None,
) -> Learner:
    """The learner for some binary problems on the same rows, which share ε.

    ``rows`` must be public: it sets the recipe, never the privacy. None says that it is private; then a share of ε
    measures it, if the recipe asks for it at all. ``blocks`` say which literals belong to one column; with rows enough
    a score then hears less noise. There are never more rows than ``rows_bound``, which must be public too, and none
    weighs more than ``unit``.
    """
    if len(literals) == 0:
        raise ParameterError("there is no column to learn from")
    if model != AUTOMATIC and model not in FAMILIES:
        raise ParameterError(f"model must be one of {', '.join((AUTOMATIC, *FAMILIES))}, got {model!r}")
    chosen = _checked_mechanism(model, mechanism, delta, problems)
    own = delta if delta is None or chosen == GRADIENTS else delta / problems
    task = Task(literals, single_blocks(literals), epsilon, neighbours, size, oracle, rows_bound, unit, own, problems)
    few = None if blocks is None else thin_blocks(blocks)

    def built(plan: Recipe, share: Fraction) -> RuleLearner:
        columns = few if few is not None and plan.thin else task.blocks
        own = replace(task, blocks=columns, epsilon=share / problems)
        return _learner(model, chosen, own, plan, task.blocks if blocks is None else blocks)

    def at_once(size: int, share: Fraction) -> RuleLearner:
        columns = task.blocks if blocks is None else blocks
        whole = replace(task, blocks=columns, epsilon=share)
        if chosen == CLASS_SUMS:
            return sparse_card(whole, class_learner, columns)
        if whole.size is not None and whole.size < len(literals):
            return growing_learner(whole, descent_of(whole, size, whole.size, 1 - CHOOSING))
        return gradient_learner(whole, descent_of(whole, size, len(columns)))

    def by_size(share: Fraction) -> tuple[Sized, ...]:
        if chosen == GRADIENTS:
            return tuple((at_once(size, share), frozenset((size,))) for size in sizes())
        known = recipes(share / problems, len(literals), None if few is None else len(few))
        return tuple((built(plan, share), fitting) for plan, fitting in known)

    if rows is not None or not _follows_size(chosen, size):
        known = 1 if rows is None else whole(rows, "rows", most=MOST_ROWS)
        if chosen in AT_ONCE:
            return at_once(known, epsilon)
        return built(recipe(known, epsilon / problems, len(literals), None if few is None else len(few)), epsilon)
    if neighbours is Neighbours.REPLACE_ONE:
        raise ParameterError("under replace-one the number of rows is public: rows must be given")
    return LearnerBySize.measuring(epsilon, by_size)


def promise(
    model: str,
    *,
    epsilon: Fraction,
    neighbours: Neighbours,
    problems: int = 1,
    rows: int | None = None,
    size: int | None = None,
    mechanism: str | None = None,
    delta: Fraction | None = None,
) -> Guarantee:
    """What the learner of these parameters promises on all tables alike, all its problems together."""
    chosen = _checked_mechanism(model, mechanism, delta, problems)
    if chosen is not None and chosen in SELECTIONS and chosen not in ("exponential", "permute-and-flip"):
        raise ParameterError(
            f"what {chosen} promises depends on the columns and the oracle: see guarantee_ after a fit"
        )
    measured = rows is None and neighbours is Neighbours.ADD_REMOVE and _follows_size(chosen, size)
    proof = "row-count" if chosen is None or measured else PROOFS.get(chosen, "override-lists")
    spent = delta if delta is not None and chosen == GRADIENTS else Fraction(0)
    return Guarantee(epsilon=epsilon, delta=spent, neighbours=neighbours, proof=proof)


def _follows_size(mechanism: str | None, size: int | None) -> bool:
    """Whether a recipe by the number of rows is asked for."""
    return mechanism in (None, "surrogate", GRADIENTS) or (mechanism == "override-list" and size is None)


def brings_odds(model: str, mechanism: str | None, delta: Fraction | None, problems: int) -> bool:
    """Whether a learner's cards tell probabilities by themselves."""
    return model in (AUTOMATIC, "halfspace") and _checked_mechanism(model, mechanism, delta, problems) in AT_ONCE


def _checked_mechanism(model: str, mechanism: str | None, delta: Fraction | None, problems: int) -> str | None:
    """The mechanism for a model; None where the recipe picks it.

    A δ buys a score its gradients; without it, the scores of several classes come from their sums.
    """
    at_once = GRADIENTS if delta is not None else CLASS_SUMS if problems > 2 else None
    if model == AUTOMATIC:
        if mechanism is not None:
            raise ParameterError("mechanism for auto must be left out: the recipe picks it")
        return at_once
    scores = AT_ONCE if model == "halfspace" else ()
    if mechanism == GRADIENTS and scores and delta is None:
        raise ParameterError("mechanism gradients needs delta")
    own = at_once if scores and at_once is not None else DEFAULT_MECHANISM.get(model, "exponential")
    if mechanism is None or mechanism == own:  # most fits: nobody looks through the installed packages
        return own
    allowed = dict.fromkeys((own, DEFAULT_MECHANISM.get(model, own), *scores, *SELECTIONS))
    if mechanism not in allowed:
        raise ParameterError(f"mechanism for {model} must be one of {', '.join(allowed)}, got {mechanism!r}")
    return mechanism


def descent_of(task: Task, rows: int, columns: int, share: Fraction = Fraction(1)) -> Descent:
    """The descent for a task on about so many rows, by a share of its ε."""
    assert task.delta is not None
    return descent(rows, share * task.epsilon, task.delta, columns, task.classes)


def _learner(model: str, mechanism: str | None, task: Task, plan: Recipe, columns: tuple[Block, ...]) -> RuleLearner:
    if mechanism is None:
        found = _learner(plan.model, DEFAULT_MECHANISM[plan.model], task, plan, columns)
        return replace(found, guarantee=replace(found.guarantee, proof="row-count"))
    if mechanism == "surrogate":
        return sparse_card(task, lambda own: _card(own, plan.curvature_share), columns)
    if mechanism == "private-tree":
        return tree_learner(task)
    if mechanism == "override-list":
        return _enumerated(OverrideLists(task.literals, task.size or plan.rules, task.epsilon, task.neighbours))
    width = task.size or FAMILIES[model].default_size
    listed = mechanism in ("exponential", "permute-and-flip") and width <= widest(len(task.literals))
    if listed and model in ("conjunction", "disjunction"):
        disjunctions, flip = model == "disjunction", mechanism == "permute-and-flip"
        return _enumerated(SingleRules(task.literals, width, task.epsilon, task.neighbours, disjunctions, flip))
    return whole_class_learner(model, mechanism, task)


def _enumerated(runner: OverrideLists | SingleRules) -> RuleLearner:
    """A mechanism that lists all it chooses from, and so proves its own choice."""
    certificate = Certificate(Trust.PROVED, runner.name)

    def run(sample: Sample, source: Randomness) -> Learned:
        return Learned(runner.run(sample, source), certificate, runner.name)

    return RuleLearner(runner.name, runner.guarantee, run, runner.check)


def _card(task: Task, curvature_share: Fraction) -> RuleLearner:
    sizes = (*(block.size for block in task.blocks), 1)
    surrogate = ConvexSurrogate(sizes, task.epsilon, task.neighbours, curvature_share)
    certificate = Certificate(Trust.PROVED, surrogate.name)

    def run(sample: Sample, source: Randomness) -> Learned:
        features = sample.features(task.blocks)
        weights = surrogate.run(features, sample.positive, sample.negative, source, unit=sample.unit)
        card = scoring_card(weights, task.blocks, task.literals)
        return Learned(card, certificate, surrogate.name)

    return RuleLearner(surrogate.name, surrogate.guarantee, run, surrogate.check)
