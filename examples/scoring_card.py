"""A private scoring card: who saw a doctor at least twice a year in the RAND health insurance experiment?

Run: python examples/scoring_card.py        (needs oracledp[demo,solvers])
"""

from __future__ import annotations

import numpy as np
from statsmodels.datasets import randhie

import oracledp as odp
from oracledp.learners import DecisionListClassifier, HalfspaceClassifier, PrivateRuleClassifier, load_model

# Bounds and thresholds come from the study's code book, never from the rows.
SCHEMA = odp.Schema(
    {
        "columns": {
            "lncoins": {"kind": "numeric", "lo": 0, "hi": 5, "thresholds": [1, 3, 4]},
            "idp": {"kind": "boolean"},
            "lpi": {"kind": "numeric", "lo": 0, "hi": 8, "thresholds": [1, 4, 6]},
            "fmde": {"kind": "numeric", "lo": 0, "hi": 9, "thresholds": [1, 5, 7]},
            "physlm": {"kind": "numeric", "lo": 0, "hi": 1, "thresholds": [0.5]},
            "disea": {"kind": "numeric", "lo": 0, "hi": 60, "thresholds": [5, 10, 15, 20, 30]},
            "hlthg": {"kind": "boolean"},
            "hlthf": {"kind": "boolean"},
            "hlthp": {"kind": "boolean"},
        }
    }
)


def main() -> None:
    """Learn three models on four fifths of the rows and try them on the rest, which plays a public test set."""
    frame = randhie.load_pandas().data
    label = np.where(frame["mdvis"] >= 2, "twice", "less")
    train = np.arange(len(frame)) % 5 != 0
    print(f"always 'twice': {np.mean(label[~train] == 'twice'):.3f} right\n")
    for model in (
        PrivateRuleClassifier(epsilon="0.5", schema=SCHEMA, classes=["less", "twice"]),
        HalfspaceClassifier(epsilon="0.5", schema=SCHEMA, classes=["less", "twice"], size=6),
        DecisionListClassifier(epsilon="0.5", schema=SCHEMA, classes=["less", "twice"], size=3),
    ):
        model.fit(frame[train], label[train])
        right = np.mean(model.predict(frame[~train]) == label[~train])
        print(f"{type(model).__name__}: {right:.3f} right\n{model}\n")
    model.save("rule.json")
    assert str(load_model("rule.json")) == str(model)
    print("saved without a single row: rule.json")


if __name__ == "__main__":
    main()
