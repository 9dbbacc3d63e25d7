"""Trees as learners: one private tree for two labels of a sample."""

from __future__ import annotations

import numpy as np

from oracledp.classes.decision_trees import DecisionTrees
from oracledp.errors import ParameterError
from oracledp.learning.sample import Sample
from oracledp.learning.task import Learned, RuleLearner, Task
from oracledp.mechanisms.private_trees import PrivateTrees, usual_depth
from oracledp.oracles.base import Certificate, Trust
from oracledp.randomness.source import Randomness


def tree_learner(task: Task) -> RuleLearner:
    """The exponential mechanism over all trees of at most ``task.size`` tests on a path (proofs/private-trees.md)."""
    depth = task.size or usual_depth(len(task.literals), 2)
    trees = DecisionTrees(task.literals, depth=depth)
    mechanism = PrivateTrees(trees, task.epsilon, task.neighbours)

    def run(sample: Sample, source: Randomness) -> Learned:
        if sample.unit > task.unit:
            raise ParameterError("the learner was made for smaller weights")
        weights = np.stack([sample.negative, sample.positive], axis=1)
        parts = mechanism.run(sample.packed, weights, source, unit=sample.unit)
        return Learned(trees.query(*parts), Certificate(Trust.PROVED, mechanism.name), mechanism.name)

    return RuleLearner(mechanism.name, mechanism.guarantee, run, mechanism.check)
