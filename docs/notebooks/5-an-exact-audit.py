# %% [markdown]
# # An exact audit
# The true privacy loss of the exponential mechanism on all small tables: computed, not sampled.
# %%
from fractions import Fraction

import oracledp as odp
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism

rules = odp.Conjunctions(odp.Literals.named("a", "b"), max_width=1)
mechanism = ExponentialMechanism(rules, Fraction(1), odp.Neighbours.ADD_REMOVE)
finding = odp.audit.exact(mechanism, rows=2)
finding.to_json()
# %% [markdown]
# It holds if the loss found is no larger than the one claimed, for every pair of neighbours.
# %%
finding.holds
