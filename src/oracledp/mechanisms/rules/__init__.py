"""Private learning of rules from labelled records: single rules, lists, scoring cards, and the choice among them."""

from oracledp.mechanisms.rules.automatic import Recipe, recipe
from oracledp.mechanisms.rules.learner import ROWS_UNKNOWN, learn_table, rule_learner
from oracledp.mechanisms.rules.override_lists import OverrideLists, default_rounds
from oracledp.mechanisms.rules.sample import Sample, values_of
from oracledp.mechanisms.rules.task import Learned, RuleLearner
from oracledp.mechanisms.rules.weights import whole_weights

__all__ = [
    "ROWS_UNKNOWN",
    "Learned",
    "OverrideLists",
    "Recipe",
    "RuleLearner",
    "Sample",
    "default_rounds",
    "learn_table",
    "recipe",
    "rule_learner",
    "values_of",
    "whole_weights",
]
