"""The forms of the console: what an officer sets and what an analyst asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import quote

from oracledp.service.people import Session
from oracledp.service.store import DataSet, Job

MODELS = ("", "tree", "halfspace", "decision-list", "conjunction", "disjunction", "parity")


def form(action: str, session: Session, fields: Sequence[str], button: str) -> str:
    """A form that carries the session's secret."""
    secret = f'<input type="hidden" name="secret" value="{escape(session.form_secret)}">'
    inner = f"{secret}{''.join(fields)}<button>{escape(button)}</button>"
    return f'<form method="post" action="{escape(action)}">{inner}</form>'


def field(name: str, label: str, value: str = "", *, kind: str = "text") -> str:
    """A labelled input."""
    inner = f'<input name="{name}" type="{kind}" value="{escape(value)}" autocomplete="off">'
    return f"<label>{escape(label)}{inner}</label>"


def choice(name: str, label: str, options: Sequence[str], *, empty: str = "") -> str:
    """A labelled choice."""
    inner = "".join(f'<option value="{escape(value)}">{escape(value or empty)}</option>' for value in options)
    return f'<label>{escape(label)}<select name="{name}">{inner}</select></label>'


def text_area(name: str, label: str, value: str = "") -> str:
    """A labelled text of several lines; the first line break after the tag is not part of it."""
    return f'<label>{escape(label)}<textarea name="{name}" spellcheck="false">\n{escape(value)}</textarea></label>'


def _hidden(name: str, value: str) -> str:
    return f'<input type="hidden" name="{name}" value="{escape(value)}">'


# ---- officers ------------------------------------------------------------------------------------------
def removal(session: Session, name: str) -> str:
    """The end of somebody's token."""
    return form("/people/remove", session, [_hidden("name", name)], "Take the token away")


def registration(session: Session, given: Mapping[str, str]) -> str:
    """A new data set; what was given before stands there again."""
    usual = {"rows_per_person": "1", "epsilon": "1", "delta": "1e-6", **given}

    def filled(name: str, label: str) -> str:
        return field(name, label, usual.get(name, ""))

    fields = [
        filled("name", "Name"),
        filled("address", "File, folder or postgresql://…?table=NAME on this machine"),
        text_area("schema", "Schema (YAML)", usual.get("schema", "")),
        filled("person", "Column that tells persons apart (empty: every row counts by itself)"),
        filled("rows_per_person", "Rows that are kept of each person"),
        filled("epsilon", "Whole ε"),
        filled("delta", "Whole δ"),
        choice(
            "accountant",
            "Charges add up: plain sums, or also by curves, which bear many small ones",
            sorted(("plain", "curves"), key=lambda one: one != usual.get("accountant", "plain")),
        ),
    ]
    return form("/datasets", session, fields, "Register")


def allowance(session: Session, known: DataSet) -> str:
    """A limit."""
    fields = [
        field("epsilon", "ε", "0.5"),
        field("delta", "δ", "1e-7"),
        field("actor", "Person, or 'each' (empty: everybody together)", "each"),
        choice("period", "Begins anew every", ["quarter", "year", "month", "day"]),
    ]
    return form(f"/datasets/{quote(known.name)}/limits", session, fields, "Set limit")


# ---- analysts ------------------------------------------------------------------------------------------
def plan_of_rule(session: Session, known: DataSet) -> str:
    """What a rule would be worth."""
    fields = [
        field("target", "Predict this column or condition (plan)"),
        choice("model", "Kind of rule of the plan", MODELS[1:]),
        field("epsilon", "ε of the plan", "0.1"),
        field("rows", "About how many rows, from what is public", "10000"),
        _hidden("kind", "learn"),
    ]
    return form(f"/datasets/{quote(known.name)}/plan", session, fields, "Plan a rule: costs nothing")


def plan_of_table(session: Session, known: DataSet) -> str:
    """What a synthetic table would be worth."""
    fields = [
        field("epsilon", "ε of the plan", "0.5"),
        field("delta", "δ of the plan", "1e-7"),
        field("rows", "About how many rows, from what is public", "10000"),
        _hidden("kind", "synth"),
    ]
    return form(f"/datasets/{quote(known.name)}/plan", session, fields, "Plan a table: costs nothing")


def ask_for_rule(session: Session, known: DataSet) -> str:
    """A rule, tree or scoring card."""
    fields = [
        field("target", "Predict this column or condition"),
        choice("model", "Kind of rule", MODELS, empty="scoring card (automatic)"),
        field("size", "Size: literals, lines or depth (empty: a usual one)"),
        field("epsilon", "ε", "0.1"),
        field("delta", "δ (empty: none)"),
        field("purpose", "Purpose"),
        _hidden("kind", "learn"),
    ]
    return form(f"/datasets/{quote(known.name)}/jobs", session, fields, "Learn a rule")


def ask_for_table(session: Session, known: DataSet) -> str:
    """A synthetic table with the model that answers questions."""
    fields = [
        field("epsilon", "ε", "0.5"),
        field("delta", "δ", "1e-7"),
        field("rows", "Rows (empty: about as many as there are)"),
        field("purpose", "Purpose"),
        _hidden("kind", "synth"),
    ]
    return form(f"/datasets/{quote(known.name)}/jobs", session, fields, "Make a synthetic table")


def ask_model(session: Session, job: Job) -> str:
    """A question to a released model: no budget is spent."""
    fields = [field("conditions", "Conditions, one or several with 'and': age >= 40 and not smoker")]
    return form(f"/jobs/{quote(job.id)}/answer", session, fields, "Answer")
