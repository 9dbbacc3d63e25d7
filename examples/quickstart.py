"""The README's example: a private rule from a real public table."""

import statsmodels.datasets.randhie as rand

import oracledp as odp

schema = odp.Schema({"columns": {
    "mdvis": {"kind": "integer", "lo": 0, "hi": 100, "resolution": 1, "thresholds": [2], "clip": True},  # doctor visits
    "disea": {"kind": "numeric", "lo": 0, "hi": 60, "thresholds": [5, 10, 15, 20, 30]},  # chronic diseases
    "physlm": {"kind": "numeric", "lo": 0, "hi": 1, "resolution": 0.001, "thresholds": [0.5]},  # physical limitation
    "hlthg": {"kind": "boolean"}, "hlthf": {"kind": "boolean"}, "hlthp": {"kind": "boolean"},
}})  # fmt: skip
table = odp.Table.from_frame(rand.load_pandas().data, schema)
features = schema.literals.without("mdvis").with_negations()
rules = odp.ZeroOneLoss.of(odp.Disjunctions(features, max_width=2), schema.literal("mdvis >= 2"))
release = odp.exponential(table, rules, epsilon="0.5")
print(release.query)
print(release.guarantee)
