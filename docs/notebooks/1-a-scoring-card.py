# %% [markdown]
# # A scoring card
# A private card in scikit-learn's form, on made-up visits to a clinic.
# %%
import subprocess

import pandas

subprocess.run(["oracledp", "example"], check=True, capture_output=True)
visits = pandas.read_csv("visits.csv")
visits.head(3)
# %%
import oracledp as odp

schema = odp.Schema.load("visits.yaml")
schema
# %%
from oracledp.learners import PrivateRuleClassifier

model = PrivateRuleClassifier(epsilon=1, delta="1e-6", schema=schema, classes=[False, True])
model.fit(visits.drop(columns="ill"), visits["ill"])
print(model)
# %%
axes = model.plot()
# %% [markdown]
# Probabilities cost nothing more: the card is released already.
# %%
model.predict_proba(visits.drop(columns="ill")[:3]).round(3)
