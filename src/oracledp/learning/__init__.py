"""Private learning of rules from labelled records: single rules, lists, scoring cards, and the choice among them."""

from oracledp.learning.automatic import Recipe, recipe
from oracledp.learning.learner import brings_odds, promise, rule_learner
from oracledp.learning.override_lists import OverrideLists, default_rounds
from oracledp.learning.sample import ClassSample, Sample, values_of
from oracledp.learning.table_learning import learn_table
from oracledp.learning.task import Learned, Learner, RuleLearner
from oracledp.learning.weights import whole_weights

__all__ = [
    "ClassSample",
    "Learned",
    "Learner",
    "OverrideLists",
    "Recipe",
    "RuleLearner",
    "Sample",
    "brings_odds",
    "default_rounds",
    "learn_table",
    "promise",
    "recipe",
    "rule_learner",
    "values_of",
    "whole_weights",
]
