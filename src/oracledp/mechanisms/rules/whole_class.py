"""One selection over a whole query class: the exponential mechanism, or RSPM with an oracle."""

from __future__ import annotations

from oracledp.learning import rule_class
from oracledp.literals import Literal
from oracledp.mechanisms.exponential import ExponentialMechanism
from oracledp.mechanisms.objective import Objective, nothing_found
from oracledp.mechanisms.rspm import ReportSeparatorPerturbedMin
from oracledp.mechanisms.rules.sample import Sample
from oracledp.mechanisms.rules.task import Learned, RuleLearner, Task
from oracledp.oracles.base import Certificate, Failed, Trust
from oracledp.oracles.registry import resolve
from oracledp.randomness import Randomness

SELECTIONS = ("exponential", "permute-and-flip", "rspm", "rspm:separator")
LABEL = Literal.boolean("the label")  # stands in for the target, which is no column of the sample


def whole_class_learner(model: str, mechanism: str, task: Task) -> RuleLearner:
    """A record of weight u moves a count by u, so it is run at ε/u (proofs/override-lists.md, section 1)."""
    queries = rule_class(model, task.literals, LABEL, size=task.size)

    def calibrated(unit: int) -> ExponentialMechanism | ReportSeparatorPerturbedMin:
        share = task.epsilon / unit
        if mechanism in ("exponential", "permute-and-flip"):
            return ExponentialMechanism(queries, share, task.neighbours, mechanism == "permute-and-flip")
        return ReportSeparatorPerturbedMin.calibrate(
            queries,
            epsilon=share,
            neighbours=task.neighbours,
            oracle=resolve(task.oracle, queries),
            embedding="separator" if mechanism == "rspm:separator" else "k-hot",
        )

    def run(sample: Sample, source: Randomness) -> Learned:
        runner = calibrated(sample.unit)
        records, weights = sample.labelled(queries.hypotheses.literals)
        if isinstance(runner, ExponentialMechanism):
            found = runner.run(Objective.of(queries, records, weights, resolution=0), source)
            return Learned(queries.hypotheses.query(*found), Certificate(Trust.PROVED, runner.name))
        lattice = Objective.of(queries, records, weights, resolution=runner.perturbation.resolution)
        answer = runner.run(lattice, source)
        if isinstance(answer, Failed):
            raise nothing_found(runner.oracle, answer)
        return Learned(queries.hypotheses.query(*answer.parts), answer.certificate)

    whole = calibrated(1)
    return RuleLearner(whole.name, whole.guarantee, run)
