"""``oracledp demo``: a private rule from a real public table that ships inside statsmodels."""

from __future__ import annotations

from typing import Any

import click

from oracledp.cli.common import emit, json_option, progress, quiet_option
from oracledp.cli.outputs import outputs
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.extras import optional
from oracledp.learning import learn_table
from oracledp.learning.models import accuracy, majority_accuracy
from oracledp.mechanisms.release import Release
from oracledp.report.about import About
from oracledp.report.rule_page import rule_page

# The columns and their possible values come from the study's code book, not from the rows.
RAND_SCHEMA: dict[str, Any] = {
    "columns": {
        "mdvis": {"kind": "integer", "lo": 0, "hi": 100, "thresholds": [1, 2, 4, 8], "clip": True},
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
TARGET = "mdvis >= 2"


@click.command()
@click.option("--epsilon", default="0.5", show_default=True, help="Privacy parameter.")
@click.option("--report", type=click.Path(dir_okay=False), help="Write a page about the rule (HTML).")
@quiet_option
@json_option
def demo(epsilon: str, report: str | None, quiet: bool, as_json: bool) -> None:
    """Learn who saw a doctor twice a year in the RAND health insurance experiment, privately."""
    statsmodels = optional("statsmodels.datasets.randhie", extra="demo")
    schema = Schema(RAND_SCHEMA)
    with progress("reading the RAND health insurance experiment", quiet):
        table = Table.from_frame(statsmodels.load_pandas().data, schema)
    target = schema.literal(TARGET)
    with outputs(report=report) as files:
        with progress("choosing a rule by the exponential mechanism", quiet):
            release = learn_table(table, target, epsilon=epsilon, model="disjunction", size=3)
        files.write_text("report", lambda: rule_page(release, about=About("RAND health insurance experiment")))
        emit(as_json, *_told(release, table))
        files.settle()
    if report is not None and not as_json:
        click.echo(f"page        open {report} in a browser")


def _told(release: Release, table: Table) -> tuple[dict[str, Any], str]:
    """The rule, its guarantee and a picture of how often it is right, beside always predicting the majority."""
    target = table.schema.literal(TARGET)
    shown = {"error": 1 - accuracy(release, table), "majority_error": 1 - majority_accuracy(table, target)}
    bars = [
        f"{name:<11} {'█' * round(40 * (1 - error)):<40} {100 * (1 - error):.1f} % right"
        for name, error in (("this rule", shown["error"]), ("majority", shown["majority_error"]))
    ]
    lines = [
        f"rule        {release.query}",
        f"guarantee   {release.guarantee}",
        *bars,
        "            (read from the table itself, which is public: on private data these would cost budget)",
    ]
    return {**release.to_json(), **shown}, "\n".join(lines)
