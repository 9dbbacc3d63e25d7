# %% [markdown]
# # Planning
# What error to expect, before you spend anything.
# %%
import oracledp as odp

rules = odp.Conjunctions(odp.Literals.named(*"abcdefgh"), max_width=2)
plan = odp.plan("learn", epsilon=1, rows=10_000, queries=rules, target_error="0.01")
plan
# %%
plan.plot()
