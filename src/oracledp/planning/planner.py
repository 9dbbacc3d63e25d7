"""``plan``: parameters, expected error and cost before any budget is spent. No private data is touched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from oracledp.bounds.shape import Shape
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literal
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import OracleDPError, ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import MOST_CALLS, MOST_PARTS, Exact, positive, probability, show, whole, whole_or_none
from oracledp.oracles.base import Oracle
from oracledp.planning.cost import Timing, timing
from oracledp.planning.models import ModelQuestion, model_options, recommend_model
from oracledp.planning.options import Option, Plan
from oracledp.planning.public import with_public_error
from oracledp.planning.robust import RobustQuestion, design_json, robust_option
from oracledp.planning.robust_choice import RobustChoice
from oracledp.planning.selection import Question, selection_options
from oracledp.planning.stand_in import StandIn
from oracledp.planning.synthesis import SynthesisQuestion, synthesis_options
from oracledp.privacy.guarantee import Neighbours

ROBUST_CALLS = 100_000  # the most that --robust spends on PRSMA
TASKS = ("learn", "rspm", "prsma", "robust", "synth")


def plan(
    task: str,
    *,
    epsilon: Exact,
    rows: int,
    delta: Exact | None = None,
    queries: QueryClass | None = None,
    schema: Schema | None = None,
    target: Literal | str | None = None,
    size: int | None = None,
    target_error: Exact | None = None,
    beta: Exact = "1/20",
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    public: Table | None = None,
    max_calls: int = 1_000_000,
    oracle: str | Oracle = "auto",
    timed: bool = False,
) -> Plan:
    """What each mechanism would give and cost for a task: "learn", "rspm", "prsma", "robust" or "synth".

    ``rows`` is the public number of rows (or a public guess); neighbours have one record more or less by default.
    Errors are shares of the rows above the best query of the class and hold for every table; ``public``, a table that
    is *not* private, adds the error on data like it. ``target_error`` adds the rows and the epsilon that it needs;
    ``timed`` measures an oracle call on random data. "robust" compares what is private whatever ``oracle`` does, by
    trials on ``public`` or else on random rows with a planted rule. "learn" with ``schema`` and ``target`` in place of
    a class tries what ``oracledp learn`` runs by default (a scoring card, of ``size`` lines if given) and other models.

    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> rules = Conjunctions(Literals.named(*"abcdefgh"), max_width=2)
    >>> chosen = plan("learn", epsilon=1, rows=10_000, queries=rules, target_error="0.01")
    >>> chosen.recommended, chosen.option("exponential").rows_needed
    ('report-noisy-min', 653)
    """
    if task not in TASKS:
        raise ParameterError(f"the task to plan must be one of {', '.join(TASKS)}, got {task!r}")
    rows, max_calls = whole(rows, "rows", most=MOST_ROWS), whole(max_calls, "max_calls", most=MOST_CALLS)
    pair = positive(epsilon, "epsilon"), None if delta is None else probability(delta, "delta")
    share, aim = probability(beta, "beta"), None if target_error is None else positive(target_error, "target_error")
    relation = Neighbours.parse(neighbours)
    common = _Common(pair[0], pair[1], rows, float(share), None if aim is None else float(aim), relation)
    if task == "synth":
        return _synth(common, queries, schema)
    if task == "prsma":
        return _prsma(common, queries, max_calls)
    if task == "robust":
        return _robust(common, queries, public, max_calls, oracle)
    if task == "learn" and queries is None and schema is not None and target is not None:
        return _models(common, schema, target, size, public)
    return _selection(task, common, queries, public, max_calls, timed)


@dataclass(frozen=True)
class _Common:
    """The parameters that every task has."""

    epsilon: Fraction
    delta: Fraction | None
    rows: int
    beta: float
    target: float | None
    neighbours: Neighbours

    def needed_delta(self, task: str) -> Fraction:
        if self.delta is None:
            raise ParameterError(f"plan {task} needs a delta, for instance 1e-6")
        return self.delta

    def parameters(self, **more: Any) -> dict[str, Any]:
        return {
            "epsilon": float(self.epsilon),
            "delta": None if self.delta is None else float(self.delta),
            "rows": self.rows,
            "beta": self.beta,
            "target_error": self.target,
            "neighbours": self.neighbours.value,
            **more,
        }

    def aim(self, option: Option) -> Option:
        return option.aimed_at(self.target, self.rows, float(self.epsilon))


def _class_numbers(queries: QueryClass | None, shape: Shape | None) -> dict[str, Any]:
    if queries is None or shape is None:
        return {}
    return {
        "class": queries.kind,
        "class_size": shape.size,
        "hot": shape.hot,
        "parts": shape.parts,
        "elements": shape.elements,
    }


def _models(common: _Common, schema: Schema, target: Literal | str, size: int | None, public: Table | None) -> Plan:
    """What ``learn`` runs without a model."""
    literal = schema.literal(target) if isinstance(target, str) else target
    lines = whole_or_none(size, "size", most=MOST_PARTS)
    question = ModelQuestion(
        schema, literal, common.rows, common.epsilon, common.delta, common.neighbours, lines, public
    )
    options = model_options(question, common.target)
    return Plan("learn", common.parameters(target=str(literal), size=lines), options, *recommend_model(options))


def _selection(
    task: str, common: _Common, queries: QueryClass | None, public: Table | None, max_calls: int, timed: bool
) -> Plan:
    question = _question(task, common, queries)
    queries, shape = question.queries, question.shape
    options = [common.aim(option) for option in selection_options(question)]
    if task == "rspm":
        options = [option for option in options if option.mechanism.startswith("rspm")]
    elif common.delta is not None:
        options += _robust_if_possible(common, shape, max_calls)
    if public is not None:
        rows = StandIn.public(queries, public)
        options = [with_public_error(option, question, rows) for option in options]
    if timed:
        options = _timed(options, timing(queries, common.rows))
    recommended, reason = _recommend(options)
    return Plan(task, common.parameters(**_class_numbers(queries, shape)), tuple(options), recommended, reason)


def _question(task: str, common: _Common, queries: QueryClass | None) -> Question:
    if queries is None:
        raise ParameterError(f"plan {task} needs a query class")
    shape = Shape.of(queries)
    if shape.size < 2:
        raise ParameterError("this class has a single query: there is nothing to choose")
    return Question(queries, shape, common.rows, common.epsilon, common.delta, common.neighbours, common.beta)


def _robust(
    common: _Common, queries: QueryClass | None, public: Table | None, max_calls: int, oracle: str | Oracle
) -> Plan:
    question = _question("robust", common, queries)
    choice = RobustChoice.of(question, oracle, max_calls, public)
    options = choice.options()
    recommended, reason = choice.recommend(options)
    named = oracle if isinstance(oracle, str) else oracle.name
    numbers = common.parameters(max_calls=max_calls, oracle=named, **_class_numbers(question.queries, question.shape))
    return Plan("robust", numbers, options, recommended, reason)


def robust_mechanism(
    queries: QueryClass,
    *,
    epsilon: Exact,
    delta: Exact | None,
    rows: int | None,
    oracle: str | Oracle,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
) -> str:
    """The mechanism that ``learn --robust`` takes, by public numbers; refused with the rows needed where none works.

    Where the number of rows is private (None), it is what works on all rows, or a vote.

    >>> from oracledp.learning.models import rule_class
    >>> from oracledp.data.literals import Literal, Literals
    >>> rules = rule_class("conjunction", Literals.named(*"abcdefgh"), Literal.boolean("y"))
    >>> robust_mechanism(rules, epsilon=1, delta=None, rows=1000, oracle="auto")
    'exponential'
    >>> robust_mechanism(rules, epsilon=1, delta="1e-6", rows=None, oracle="heuristic")
    'vote'
    """
    pair = positive(epsilon, "epsilon"), None if delta is None else probability(delta, "delta")
    known = 1 if rows is None else whole(rows, "rows", most=MOST_ROWS)
    question = _question("robust", _Common(*pair, known, 0.05, None, Neighbours.parse(neighbours)), queries)
    if rows is None:
        return RobustChoice(question, oracle, ROBUST_CALLS, None, False).on_all_rows() or "vote"
    return RobustChoice.of(question, oracle, ROBUST_CALLS, None).mechanism()


def _robust_if_possible(common: _Common, shape: Shape, max_calls: int) -> list[Option]:
    """PRSMA, or nothing where no design exists at these parameters."""
    question = RobustQuestion(
        common.rows, common.epsilon, common.needed_delta("prsma"), common.beta, max_calls, shape=shape
    )
    try:
        return [robust_option(question, None)[0]]
    except OracleDPError:
        return []


def _timed(options: list[Option], timing: Timing | None) -> list[Option]:
    if timing is None:
        return options
    return [replace(option, seconds=timing.total(option.oracle_calls or 1)) for option in options]


def _recommend(options: list[Option]) -> tuple[str | None, str]:
    """Robust before contingent, then the least error: on public data where known, else expected, else proven."""

    def merit(option: Option) -> tuple[bool, float]:
        known = (option.public_error, option.mean_error, option.error)
        return "contingent" in option.privacy, next(value for value in known if value is not None)

    usable = [option for option in options if option.available]
    if not usable:
        return None, "no mechanism can run at these parameters"
    best = min(usable, key=merit)
    meaning = "is robust and has the least error" if "robust" in best.privacy else "has the least error"
    weak = "; its guaranteed error exceeds one, so nothing is promised" if best.error >= 1 else ""
    return best.mechanism, f"recommended: {best.mechanism}, which {meaning} of those that can run{weak}"


def _prsma(common: _Common, queries: QueryClass | None, max_calls: int) -> Plan:
    shape = None if queries is None else Shape.of(queries)
    delta = common.needed_delta("prsma")
    question = RobustQuestion(common.rows, common.epsilon, delta, common.beta, max_calls, shape)
    option, design = robust_option(question, common.target if shape else None)
    reason = (
        f"({show(common.epsilon)}, {show(delta)})-DP whatever the solver does; a part learns with signal "
        f"{design.relative_signal:.3g}·sqrt(rows) in {design.calls:,} oracle calls"
    )
    return Plan(
        "prsma",
        common.parameters(max_calls=max_calls, **_class_numbers(queries, shape)),
        (option,) if shape else (),
        "prsma",
        reason,
        design=design_json(design),
    )


def _synth(common: _Common, queries: QueryClass | None, schema: Schema | None) -> Plan:
    if schema is None and queries is None:
        raise ParameterError("plan synth needs a schema or a query class")
    sizes = tuple(schema.sizes) if schema is not None else (2,) * (queries.dimension if queries else 1)
    question = SynthesisQuestion(
        sizes, common.rows, common.epsilon, common.needed_delta("synth"), common.neighbours, common.beta, queries
    )
    measured, *games = synthesis_options(question)
    options = [common.aim(measured), *games]
    reason = (
        "recommended: synthesizer for tables of marginals; oracle-query where the class is too large to measure, "
        "with a proof for every query"
    )
    shape = None if queries is None else Shape.of(queries)
    numbers = common.parameters(columns=len(sizes), log_domain=question.log_domain, **_class_numbers(queries, shape))
    return Plan("synth", numbers, tuple(options), "synthesizer", reason)
