# %% [markdown]
# # A synthetic table
# Measure once, then draw as many rows as you like.
# %%
import subprocess

import oracledp as odp

subprocess.run(["oracledp", "example"], check=True, capture_output=True)
schema = odp.Schema.load("visits.yaml")
table = odp.Table.from_file("visits.csv", schema)
table
# %%
synthesizer = odp.Synthesizer(schema, epsilon=1, delta="1e-6").fit(table)
synthesizer
# %%
synthesizer.sample(5, seed=1)
# %% [markdown]
# An answer comes with an interval that holds because of the measurements.
# %%
synthesizer.answer(["age >= 60", "smoker"])
# %%
synthesizer.plot("age", "pressure")
