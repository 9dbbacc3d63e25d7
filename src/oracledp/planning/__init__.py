"""Know before you spend: the error to expect, the rows and the epsilon needed, the cost, the mechanism to choose."""

from oracledp.planning.options import Option, Plan
from oracledp.planning.planner import TASKS, plan

__all__ = ["TASKS", "Option", "Plan", "plan"]
