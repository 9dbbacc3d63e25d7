"""Know before you spend: the error to expect, the rows and the epsilon needed, the cost, the mechanism to choose."""

from oracledp.planning.options import Option, Plan
from oracledp.planning.planner import TASKS, plan, robust_mechanism

__all__ = ["TASKS", "Option", "Plan", "plan", "robust_mechanism"]
