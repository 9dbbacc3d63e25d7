"""How a fitted estimator shows itself: as text, in a notebook, as a frame of rules, as a file, as a score."""

from __future__ import annotations

import warnings
from html import escape
from typing import Any

from sklearn.utils.validation import check_is_fitted

from oracledp.extras import optional
from oracledp.learners.encoding import plain
from oracledp.learners.rule_sets import RuleSet
from oracledp.learners.saving import save_model
from oracledp.privacy.guarantee import Guarantee


class NotPrivateWarning(UserWarning):
    """A figure was computed from rows as they are: it is not differentially private."""


class Shown:
    """What estimators show of what they released; nothing here reads training rows."""

    rules_: RuleSet
    guarantee_: Guarantee

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on these rows (R² of a regressor), read as they are: warns, since the figure is not private."""
        warnings.warn("score reads the rows as they are: the figure is not private", NotPrivateWarning, stacklevel=2)
        return float(super().score(X, plain(y), sample_weight))  # type: ignore[misc]

    def get_rules(self) -> Any:
        """The rule as a pandas frame: one row per literal, list entry or weight."""
        check_is_fitted(self, "rules_")
        columns = ["class", "order", "condition", "value"]
        return optional("pandas", extra="frames").DataFrame(self.rules_.rules(), columns=columns)

    def risk_table(self) -> Any:
        """A logistic card's scores beside the probability of the second class, as a pandas frame."""
        check_is_fitted(self, "rules_")
        return optional("pandas", extra="frames").DataFrame(self.rules_.risks(), columns=["score", "probability"])

    def plot(self, ax: Any = None) -> Any:
        """Draw the rule: a bar for each line of a card, each leaf or each rule, on ``ax`` or on a new figure."""
        check_is_fitted(self, "rules_")
        rows = [row for row in self.rules_.rules() if row["condition"] != "threshold"]
        if ax is None:
            plots = optional("matplotlib.pyplot", extra="plots")
            ax = plots.subplots(figsize=(7, 1.2 + 0.3 * len(rows)), layout="constrained")[1]
        several = len({str(row["class"]) for row in rows}) > 1
        names = [f"{row['class']}: {row['condition']}" if several else row["condition"] for row in rows]
        values = [float(row["value"]) for row in rows]
        ax.barh(range(len(rows)), values, color=["#3b6ea8" if value >= 0 else "#b5523b" for value in values])
        ax.set_yticks(range(len(rows)), names)
        ax.invert_yaxis()
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_title(str(self.guarantee_).split(";")[0], fontsize=8)
        return ax

    def __str__(self) -> str:
        return f"{self.rules_}\n{self.guarantee_}" if hasattr(self, "rules_") else repr(self)

    def save(self, path: Any) -> None:
        """Write the fitted model as JSON: rules, schema and guarantee, nothing of the training rows."""
        save_model(self, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.non_deterministic = True
        (tags.classifier_tags or tags.regressor_tags).poor_score = True
        tags.input_tags.allow_nan = True  # a missing number is as good as one below every cut
        tags.input_tags.string = True  # and so is a text that says no number
        return tags

    def _repr_html_inner(self) -> str:
        """In a notebook: the rule and its guarantee once fitted, the parameters before."""
        if not hasattr(self, "rules_"):
            return str(super()._repr_html_inner())  # type: ignore[misc]
        return f"<pre>{escape(str(self.rules_))}</pre><p>{escape(str(self.guarantee_))}</p>"
