"""One selection over a whole query class: the exponential mechanism, or RSPM with an oracle."""

from __future__ import annotations

from dataclasses import replace

from oracledp.data.literals import Literal
from oracledp.errors import ParameterError
from oracledp.learning.models import rule_class
from oracledp.learning.sample import Sample
from oracledp.learning.task import Learned, RuleLearner, Task
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.table_selection import Selector
from oracledp.oracles.registry import resolve
from oracledp.randomness.source import Randomness

SELECTIONS = ("exponential", "permute-and-flip", "rspm", "rspm:separator")
LABEL = Literal.boolean("the label")  # stands in for the target, which is no column of the sample


def whole_class_learner(model: str, mechanism: str, task: Task) -> RuleLearner:
    """A record of weight u moves a count by u, so it is run at ε/u (proofs/override-lists.md, section 1)."""
    queries = rule_class(model, task.literals, LABEL, size=task.size)
    share = task.epsilon / task.unit
    runner: Selector
    if mechanism in ("exponential", "permute-and-flip"):
        runner = ExponentialMechanism(queries, share, task.neighbours, mechanism == "permute-and-flip")
    else:
        runner = ReportSeparatorPerturbedMin.calibrate(
            queries,
            epsilon=share,
            neighbours=task.neighbours,
            oracle=resolve(task.oracle, queries),
            embedding="separator" if mechanism == "rspm:separator" else "k-hot",
            rows_bound=task.rows_bound,
            unit=task.unit,
        )

    def check(rows_bound: int, unit: int = 1) -> None:
        if rows_bound > task.rows_bound or unit > task.unit:
            raise ParameterError("the learner was made for fewer rows or smaller weights")
        runner.check(rows_bound, unit)

    def run(sample: Sample, source: Randomness) -> Learned:
        if sample.unit > task.unit:
            raise ParameterError("the learner was made for smaller weights")
        records, weights = sample.labelled(queries.hypotheses.literals)
        chosen = runner.choose(Objective.of(queries, records, weights, resolution=runner.resolution), source)
        return Learned(queries.hypotheses.query(*chosen.parts), chosen.certificate, runner.name)

    promise = replace(runner.guarantee, epsilon=task.epsilon, proof="override-lists")
    return RuleLearner(runner.name, promise, run, check)
