"""``oracledp budget``: create, limit, read, verify and export a ledger."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import click

from oracledp.cli.common import emit, json_option, neighbours_option
from oracledp.data.schema import Schema
from oracledp.privacy.accounting import zcdp_rho
from oracledp.privacy.guarantee import show
from oracledp.privacy.ledger import Charge, Ledger
from oracledp.privacy.ledger.entries import Delivered
from oracledp.privacy.ledger.events import event_of
from oracledp.privacy.ledger.limits import PERIODS, QUARTER
from oracledp.privacy.ledger.spending import in_force
from oracledp.privacy.ledger.totals import total
from oracledp.privacy.signing import create_key

_COLUMNS = (
    "time",
    "actor",
    "dataset",
    "purpose",
    "mechanism",
    "epsilon",
    "delta",
    "rho",
    "private",
    "person",
    "rows_per_person",
    "release",
    "fingerprint",
    "delivered",
    "version",
)
NOTHING = "nothing delivered"


@click.group()
def budget() -> None:
    """Create a privacy budget, set limits, see what is left, check that nobody changed it.

    PLACE is a file, or postgresql://user@host/database?ledger=NAME.
    """


@budget.command()
@click.argument("place")
@click.option("--epsilon", required=True, help="The whole epsilon.")
@click.option("--delta", default="0", show_default=True, help="The whole delta.")
@neighbours_option
@click.option(
    "--accountant",
    type=click.Choice(["plain", "curves"]),
    default="plain",
    show_default=True,
    help="Add charges up plainly, or also by their curves: many small charges then go further. Needs a delta.",
)
@click.option(
    "--unit",
    default="row",
    show_default=True,
    help="Whose privacy is counted: row, or person for tables read with --person.",
)
@click.option("--witness", metavar="FILE", help="A second file that notices when an older copy is put back.")
@json_option
def create(
    place: str,
    epsilon: str,
    delta: str,
    neighbours: str,
    accountant: str,
    unit: str,
    witness: str | None,
    as_json: bool,
) -> None:
    """Open a new budget; an existing one is never overwritten."""
    ledger = Ledger.create(
        place, epsilon=epsilon, delta=delta, neighbours=neighbours, accountant=accountant, unit=unit, witness=witness
    )
    terms = ledger.terms
    text = f"{place}: epsilon {show(terms.epsilon)}, delta {show(terms.delta)}, {neighbours}, {accountant} sums"
    data = {"path": place, "budget": _pair(ledger.budget), "neighbours": neighbours, "accountant": accountant}
    emit(as_json, data, text)


@budget.command()
@click.argument("place")
@click.option("--epsilon", required=True, help="The allowance's epsilon.")
@click.option("--delta", default="0", show_default=True, help="The allowance's delta.")
@click.option("--dataset", help="One data set, or 'each'.")
@click.option("--actor", help="One person, or 'each'.")
@click.option("--purpose", help="One purpose, or 'each'.")
@click.option("--period", type=click.Choice(["year", QUARTER, *list(PERIODS)[1:]]), help="Begins anew every period.")
@json_option
def limit(
    place: str,
    epsilon: str,
    delta: str,
    dataset: str | None,
    actor: str | None,
    purpose: str | None,
    period: str | None,
    as_json: bool,
) -> None:
    """Set an allowance below the budget; one with the same scope replaces it."""
    new = Ledger.at(place).limit(
        epsilon=epsilon, delta=delta, dataset=dataset, actor=actor, purpose=purpose, period=period
    )
    emit(as_json, {"path": place, "limit": new.to_json()}, f"{place}: {new.words}")


@budget.command()
@click.argument("place")
@click.argument("dataset")
@click.option("--note", help="A line about the data set.")
@click.option(
    "--source", metavar="ADDRESS", help="Where it is: charges must then come from this file, folder or table."
)
@click.option("--schema", "schema_path", type=click.Path(), help="With --source: the schema that it must be read by.")
@click.option("--person", metavar="COLUMN", help="With --source: the column that must tell persons apart.")
@click.option("--again", is_flag=True, help="Replace what a registered name stands for, from now on.")
@json_option
def register(
    place: str,
    dataset: str,
    note: str | None,
    source: str | None,
    schema_path: str | None,
    person: str | None,
    again: bool,
    as_json: bool,
) -> None:
    """Register a data set; from then on every charge must name a registered one. No row is read."""
    schema = None if schema_path is None else Schema.load(schema_path)
    new = Ledger.at(place).register(dataset, note=note, source=source, schema=schema, person=person, again=again)
    sign = "" if new.fingerprint is None else f", fingerprint {new.fingerprint}"
    emit(as_json, {"path": place, "dataset": new.shown()}, f"{place}: data set {new.name} may be charged for{sign}")


@budget.command()
@click.argument("place")
@json_option
def verify(place: str, as_json: bool) -> None:
    """Check that no entry was changed, deleted or rolled back."""
    entries = Ledger.at(place).verify()
    witness = Ledger.at(place).terms.witness
    known = "and its witness agrees" if witness else "but it has no witness: an older copy put back would look whole"
    data = {"path": place, "entries": entries, "whole": True, "witness": witness}
    emit(as_json, data, f"{place}: {entries} entries, each follows from those before, {known}")


@budget.command()
@click.argument("file", type=click.Path(dir_okay=False))
@json_option
def key(file: str, as_json: bool) -> None:
    """Make a key FILE that signs privacy cards, and print its public key."""
    public = create_key(Path(file))
    emit(as_json, {"path": file, "public_key": public}, public)


@budget.command()
@click.argument("place")
@click.option("--epsilon", required=True, help="Epsilon to set aside.")
@click.option("--delta", default="0", show_default=True, help="Delta to set aside.")
@click.option("--hours", default=24, show_default=True, help="For how long.")
@click.option("--dataset", help="The data set of the release to come.")
@click.option("--actor", help="Who sets it aside; by default the user of this machine.")
@click.option("--purpose", help="What the release is for.")
@json_option
def reserve(
    place: str,
    epsilon: str,
    delta: str,
    hours: int,
    dataset: str | None,
    actor: str | None,
    purpose: str | None,
    as_json: bool,
) -> None:
    """Set budget aside before a long run, and print the id that the run names with --reservation."""
    acting = Ledger.at(place).acting(actor=actor, purpose=purpose, dataset=dataset)
    held = acting.reserve(epsilon=epsilon, delta=delta, hours=hours)
    emit(as_json, {"path": place, "reservation": held.release, "hours": hours}, str(held.release))


@budget.command(name="give-up")
@click.argument("place")
@click.argument("reservation")
@json_option
def give_up(place: str, reservation: str, as_json: bool) -> None:
    """End a reservation that will not be used. A charge is never given back."""
    Ledger.at(place).give_up(reservation)
    emit(as_json, {"path": place, "given_up": reservation}, f"{place}: {reservation} is no longer set aside")


@budget.command()
@click.argument("place")
@click.option("--events", is_flag=True, help="One dp_accounting event for each charge, as lines of JSON.")
@json_option
def export(place: str, events: bool, as_json: bool) -> None:
    """Print every charge as CSV (or JSON), for spreadsheets and other accountants."""
    if events:
        found = [event_of(charge) for charge in Ledger.at(place).charges]
        emit(as_json, {"path": place, "events": found}, "\n".join(map(json.dumps, found)))
        return
    ledger = Ledger.at(place)
    delivered = ledger.delivered
    charges = [{**charge.to_json(), **_delivery(charge, delivered)} for charge in ledger.charges]
    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows({name: _harmless(value) for name, value in charge.items()} for charge in charges)
    emit(as_json, {"path": place, "charges": charges}, text.getvalue().rstrip("\n"))


@budget.command(name="show")
@click.argument("place")
@json_option
def show_ledger(place: str, as_json: bool) -> None:
    """What was spent, by whom and for what, and what is left."""
    ledger = Ledger.at(place)
    charges, limits, delivered = ledger.charges, in_force(ledger.limits), ledger.delivered
    pairs = {"budget": ledger.budget, "spent": ledger.spent, "remaining": ledger.remaining}
    data: dict[str, Any] = {name: _pair(pair) for name, pair in pairs.items()}
    data |= {"neighbours": ledger.neighbours.value, "accountant": ledger.terms.accountant, "unit": ledger.terms.unit}
    data |= {"limits": [one.to_json() for one in limits], "datasets": [one.shown() for one in ledger.datasets]}
    curves, reserved, composed = _curves(ledger), ledger.reservations, _composed(ledger)
    lines = [_line(charge, _delivery(charge, delivered)) for charge in charges]
    lines += [f"{name}: epsilon {show(e)}, delta {show(d)}" for name, (e, d) in pairs.items()]
    lines += [f"limit: {one.words}" for one in limits]
    lines += [
        f"reserved until {one.until}: epsilon {show(one.epsilon)}, delta {show(one.delta)} [{one.release}]"
        for one in reserved
    ]
    if composed is not None:
        lines.append(
            f"together: epsilon {composed['epsilon']:.6f} at delta {composed['delta']:g} by {composed['by']}, had all "
            f"been fixed in advance; the plain sum is {composed['sum']:.6g}"
        )
    if curves is not None:
        lines.append(f"by curves: {curves['used']:.1%} of the budget used")
    data |= {"together": composed, "reservations": [one.to_json() for one in reserved]}
    data["charges"] = [{**charge.to_json(), **_delivery(charge, delivered)} for charge in charges]
    emit(as_json, {**data, "curves": curves}, "\n".join(lines))


def _delivery(charge: Charge, delivered: Mapping[str, Delivered]) -> dict[str, str]:
    """The digest of what came of a charge; nothing for charges of which the ledger expects no files."""
    found = delivered.get(charge.release or "")
    if found is None:
        return {"delivered": NOTHING} if charge.hashed else {}
    return {"delivered": found.digest}


def _line(charge: Charge, delivery: Mapping[str, str]) -> str:
    """A charge in a line, with what a reader of the ledger must not overlook."""
    person = None if charge.person is None else f"per {charge.person}"
    said = [charge.time, charge.actor, charge.dataset, charge.purpose, person]
    seeded = "" if charge.private else " (seeded: that release is NOT PRIVATE)"
    about = ", ".join(part for part in said if part)
    spent = f"{charge.mechanism}: epsilon {charge.epsilon}, delta {charge.delta}{seeded}"
    unseen = f": {NOTHING}" if NOTHING in delivery.values() else ""
    return (f"{spent} [{about}]" if about else spent) + unseen


def _composed(ledger: Ledger) -> dict[str, Any] | None:
    """What all charges cost together by the tightest accountant, beside their sum."""
    delta, charges = ledger.terms.delta, ledger.charges
    if delta == 0 or len(charges) < 2:
        return None
    found = total(charges, delta)
    rounded = ceil(found.epsilon * 10**6) / 10**6
    return {"epsilon": rounded, "delta": float(delta), "by": found.by, "sum": float(ledger.spent[0])}


def _curves(ledger: Ledger) -> dict[str, float] | None:
    """How full the filter of curves is."""
    terms, spending = ledger.terms, ledger.spending
    if terms.accountant != "curves":
        return None
    quarter = terms.delta / 4
    full = max(
        spending.rho / zcdp_rho(terms.epsilon, quarter), spending.rho_delta / quarter if quarter else Fraction(0)
    )
    plain = max(spending.epsilon / terms.epsilon, 2 * spending.delta / terms.delta)
    return {"used": float(min(full, plain)), "rho": float(spending.rho)}


def _pair(pair: tuple[Fraction, Fraction]) -> dict[str, str]:
    return {"epsilon": str(pair[0]), "delta": str(pair[1])}


def _harmless(value: Any) -> Any:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value[:1] else value
