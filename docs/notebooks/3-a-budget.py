# %% [markdown]
# # A budget
# A ledger that refuses what would be too much.
# %%
import numpy as np

import oracledp as odp

ledger = odp.Ledger.create("study.ledger", epsilon=1, delta="1e-6").acting(actor="ada", purpose="first look")
schema = odp.Schema({"cough": "boolean", "fever": "boolean", "ill": "boolean"})
table = odp.Table.from_codes(np.array([[1, 1, 1], [0, 1, 0], [1, 0, 1]] * 200), schema)
rules = odp.ZeroOneLoss.of(odp.Conjunctions(schema.literals.without("ill"), max_width=2), schema.literal("ill"))
odp.exponential(table, rules, epsilon="0.6", ledger=ledger)
# %%
ledger
# %%
try:
    odp.exponential(table, rules, epsilon="0.6", ledger=ledger)
except odp.OracleDPError as refusal:
    print(refusal)
# %%
ledger.plot()
