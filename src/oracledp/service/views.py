"""The pages of the console. Every value is escaped by :mod:`oracledp.report.page`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from oracledp.errors import OracleDPError
from oracledp.exact.numbers import show
from oracledp.privacy.ledger import Charge, Ledger
from oracledp.privacy.ledger.spending import in_force
from oracledp.report.page import Html, box, grid, page, section
from oracledp.service import forms
from oracledp.service.budgets import budget_table, short, used
from oracledp.service.forms import choice, field, form
from oracledp.service.people import ROLES, Session
from oracledp.service.store import MOST_SHOWN, DataSet, Job
from oracledp.service.timeline import timeline

_FORM_STYLE = (
    "<style>form{display:grid;gap:.6rem;max-width:36rem;margin:.5rem 0}label{display:grid;gap:.2rem}"
    "input,select,textarea,button{font:inherit;padding:.35rem .5rem;color:inherit;background:var(--paper);"
    "border:1px solid var(--faint);border-radius:.3rem}textarea{min-height:9rem;font-family:ui-monospace,monospace}"
    "button{background:var(--one);color:var(--paper);border-color:var(--one);justify-self:start;cursor:pointer}"
    "nav{display:flex;gap:.5rem 1rem;flex-wrap:wrap;margin-bottom:1.5rem;align-items:center}"
    "nav form{margin:0 0 0 auto}pre{white-space:pre-wrap}td form{margin:0}"
    "nav button,td button{background:none;color:var(--one);padding:.2rem .5rem}"
    ".track{background:var(--line);border-radius:.2rem;max-width:36rem;margin:.2rem 0 1rem}.used{margin:0}"
    "td .track{min-width:5rem;margin:.35rem 0 0}.promise,.warning{margin-bottom:1rem}"
    "th[scope=row]{width:30%}"
    "@media print{nav,form,.ask{display:none}.track{outline:1px solid var(--line)}}"
    "@media(min-width:40rem){td:first-child{white-space:nowrap}}ol.stages{display:flex;gap:1.5rem;list-style:none;padding:0}"
    "@media(max-width:40rem){.time-line text{font-size:1.6rem}}</style>"
)
KINDS = {"learn": "rule", "synth": "synthetic table"}  # what jobs are called on pages
_FOOTER = "oracledp console: private rows are never shown here."


def framed(title: str, session: Session, sections: Iterable[str], *, note: str = "") -> str:
    """A page for somebody who signed in."""
    person = session.person
    links = [("/", "Data sets"), ("/jobs", "Releases")] + ([("/people", "People")] if person.may("officer") else [])
    bars = "".join(f'<a href="{place}">{name}</a>' for place, name in links)
    leave = form("/sign-out", session, [], f"Sign out {person.name}")
    told = f'<div class="warning" role="alert">{escape(note)}</div>' if note else ""
    return page(title, [_FORM_STYLE, f"<nav>{bars}{leave}</nav>", told, *sections], footer=_FOOTER)


def refusal(title: str, session: Session | None, words: str) -> str:
    """A page that says in one line what was refused, to whoever asked."""
    if session is not None:
        return framed(title, session, [], note=words)
    told = f'<div class="warning" role="alert">{escape(words)}</div><p><a href="/sign-in">Sign in</a></p>'
    return page(title, [_FORM_STYLE, told], footer=_FOOTER)


def sign_in(note: str = "") -> str:
    """The only page without a session."""
    told = f'<div class="warning" role="alert">{escape(note)}</div>' if note else ""
    fields = field("token", "Your token", kind="password")
    body = f'{told}<form method="post" action="/sign-in">{fields}<button>Sign in</button></form>'
    return page("oracledp console", [_FORM_STYLE, body], footer=_FOOTER)


def overview(
    session: Session,
    sets: Sequence[tuple[DataSet, Ledger]],
    cleared: Callable[[str], str],
    *,
    given: Mapping[str, str] | None = None,
    note: str = "",
) -> str:
    """Every data set and what is left of its budget; a registration that was refused keeps what was typed."""
    rows = [_left(known, ledger, cleared) for known, ledger in sets]
    body = (
        grid(("data set", "budget ε, δ", "spent ε, δ", ""), rows, numbers=(1, 2))
        if rows
        else "<p>No data set is registered yet.</p>"
    )
    parts = [section("Budgets", body)]
    if session.person.may("officer"):
        parts.append(asking("Register a data set", forms.registration(session, given or {})))
    return framed("Data sets" if not note else "This was refused", session, parts, note=note)


def _left(known: DataSet, ledger: Ledger, cleared: Callable[[str], str]) -> tuple[object, ...]:
    """A row of the overview; a ledger that cannot be read says so, and hides no other."""
    link = Html(f'<a href="/datasets/{quote(known.name)}">{escape(known.name)}</a>')
    try:
        terms, spent = ledger.terms, ledger.spending
    except OracleDPError as error:
        return link, "", cleared(f"nothing can be charged: {error}"), ""
    whole = f"{show(terms.epsilon)}, {show(terms.delta)}"
    return link, whole, f"{short(spent.epsilon)}, {short(spent.delta)}", used(spent.used(terms))


def dataset_page(
    session: Session, known: DataSet, ledger: Ledger, delivered: frozenset[str] = frozenset(), note: str = ""
) -> str:
    """One data set: its budget, limits and charges, and the releases that may be asked for."""
    limits = [(limit.words,) for limit in in_force(ledger.limits)]
    kept = "one row" if known.rows_per_person == 1 else f"{known.rows_per_person} rows"
    person = f"Per person: all rows with one {known.person} count together, and {kept} of them can be used."
    unit = "Every row counts by itself." if known.person is None else person
    parts = [
        f"<p>{escape(unit)}</p>",
        section("Budget", budget_table(known, ledger)),
    ]
    parts += [section("Limits", grid(("allowance",), limits))] if limits else []
    parts.append(section("Charges", timeline(ledger.charges, ledger.terms) + charges(ledger.charges, delivered)))
    if session.person.may("analyst"):
        parts += [
            asking(
                "Plan before you spend",
                f"<h3>A rule</h3>{forms.plan_of_rule(session, known)}"
                f"<h3>A table</h3>{forms.plan_of_table(session, known)}",
            ),
            asking("Ask for a rule", forms.ask_for_rule(session, known)),
            asking("Ask for a table", forms.ask_for_table(session, known)),
        ]
    if session.person.may("officer"):
        parts.append(asking("Set a limit", forms.allowance(session, known)))
    return framed(known.name, session, parts, note=note)


def asking(title: str, body: str) -> str:
    """A section with a form: it is not printed."""
    return f'<div class="ask">{section(title, body)}</div>'


def charges(made: Sequence[Charge], delivered: frozenset[str]) -> str:
    """The time line of what was paid."""
    header = ("UTC", "ε", "δ", "by", "for", "mechanism", "delivered")
    rows = [
        (moment(c.time), show(c.epsilon), show(c.delta), c.actor or "", c.purpose or "",
         c.mechanism + ("" if c.private else " (NOT PRIVATE)"), _delivery(c, delivered))
        for c in reversed(made)
    ]  # fmt: skip
    return grid(header, rows, numbers=(1, 2)) if rows else "<p>Nothing was charged yet.</p>"


def _delivery(charge: Charge, delivered: frozenset[str]) -> str:
    """Whether files came of a charge, as far as it may be known by now."""
    if charge.release in delivered:
        return "yes"
    return "nothing (yet)" if charge.hashed else ""


def plan_page(session: Session, known: DataSet, plan: Mapping[str, Any]) -> str:
    """What a release would be worth, by each mechanism that could make it."""
    note = "Made from the schema and the numbers that you gave. Nothing was read and nothing spent."
    each = "for each row" if known.person is None else "for each row that is kept of a person"
    asked = f"ε {plan['epsilon']:g} {each}, about {plan['rows']:,} rows."
    rows = [
        (one["mechanism"], _error(one["mean_error"]), _error(one["error"]), one["privacy"], one["note"])
        for one in plan["options"]
    ]
    beyond = f"exceeded {100 * plan['beta']:g} % of the time"
    table = grid(("mechanism", "error to expect", beyond, "privacy", ""), rows, numbers=(1, 2))
    back = f'<p><a href="/datasets/{quote(known.name)}">Back to {escape(known.name)}</a></p>'
    said = (
        f"<p>{note} {escape(asked)}</p>{table}<p>{escape(plan['reason'][:1].upper() + plan['reason'][1:])}.</p>{back}"
    )
    return framed(f"A plan for {known.name}", session, [said])


def _error(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def moment(time: str | None) -> str:
    """A time as a reader takes it in: the minute, in UTC."""
    return "" if time is None else time[:16].replace("T", " ")


def jobs_page(session: Session, jobs: Sequence[Job]) -> str:
    """The releases that were asked for, the latest first."""
    rows = [
        (
            Html(f'<a href="/jobs/{quote(job.id)}">{escape(moment(job.made))}</a>'),
            job.status,
            KINDS[job.kind],
            job.dataset,
            job.actor,
            job.parameters.get("purpose", ""),
        )
        for job in jobs
    ]
    body = (
        grid(("asked for (UTC)", "status", "release", "data set", "by", "purpose"), rows)
        if rows
        else "<p>Nothing yet.</p>"
    )
    told = f"<p>The latest {len(jobs)} are shown.</p>" if len(jobs) >= MOST_SHOWN else ""
    return framed("Releases", session, [body, told])


def job_page(
    session: Session, job: Job, files: Sequence[str], *, ahead: int = 0, verdict: Sequence[str] = (), answer: str = ""
) -> str:
    """One release: what was asked for, how far it is, what became of it, its files."""
    asked = [
        ("release id", job.id),
        ("data set", job.dataset),
        ("release", KINDS[job.kind]),
        ("by", job.actor),
        *sorted(job.parameters.items()),
    ]
    waiting = f"queued, {ahead} before it" if job.status == "queued" else job.status
    parts = [grid(("", ""), [*asked, ("status", waiting)]), progress(job)]
    parts += [section("What the run said", f"<pre>{escape(job.said)}</pre>")] if job.said else []
    if files:
        kind = "promise" if verdict and verdict[0].startswith("Verified") else "warning"
        told = "".join(box(line, kind=kind) for line in verdict[:1])
        told += "".join(f"<p>{escape(line)}</p>" for line in verdict[1:])
        links = "".join(f'<li><a href="/jobs/{quote(job.id)}/{quote(name)}">{escape(name)}</a></li>' for name in files)
        parts.append(section("Files", f"{told}<ul>{links}</ul>"))
    if "model.json" in files:
        said = f"<pre>{escape(answer)}</pre>" if answer else ""
        parts.append(section("Ask the released model: costs nothing", said + forms.ask_model(session, job)))
    if job.status in ("queued", "running") and session.person.may("analyst"):
        parts.append(form(f"/jobs/{quote(job.id)}/cancel", session, [], "Cancel"))
    refresh = '<meta http-equiv="refresh" content="2">' if job.status in ("queued", "running") else ""
    return framed(f"A {KINDS[job.kind]} from {job.dataset}", session, [refresh, *parts])


def progress(job: Job) -> str:
    """How far a release is, by what may be known: the time within a run would tell about the data."""
    stages = ("asked for", "running", "ended")
    reached = {"queued": 0, "running": 1}.get(job.status, 2)
    items = "".join(
        f"<li{' aria-current=step' if place == reached else ''}>{'✓' if place <= reached else '·'} {stage}</li>"
        for place, stage in enumerate(stages)
    )
    return f'<ol class="stages" aria-label="Progress">{items}</ol>'


def people_page(session: Session, people: Sequence[tuple[str, str]], token: str = "") -> str:
    """Who has a token; a new one is shown once."""
    shown = (
        f'<div class="promise">The token, shown once: <code id="token">{escape(token)}</code></div>' if token else ""
    )
    fields = [field("name", "Name"), choice("role", "Role", ROLES)]
    add = asking("Add a person, or give one a new token", form("/people", session, fields, "Make a token"))
    rows = [(name, role, Html(forms.removal(session, name))) for name, role in people]
    said = "<p>A new token ends the old one and whoever is signed in with it. Charges and releases always stay.</p>"
    return framed("People", session, [shown, grid(("name", "role", ""), rows), add, said])
