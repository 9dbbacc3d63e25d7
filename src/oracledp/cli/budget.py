"""``oracledp budget``: create, limit, read, verify and export a ledger."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import click

from oracledp.cli.budget_words import composed_of, curves_of, delivery, harmless, line_of, pair_of
from oracledp.cli.common import emit, json_option, neighbours_option
from oracledp.data.schema import Schema
from oracledp.exact.numbers import show
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.ledger.copying import copy_ledger
from oracledp.privacy.ledger.entries import UNITS
from oracledp.privacy.ledger.events import event_of
from oracledp.privacy.ledger.limits import PERIODS, QUARTER
from oracledp.privacy.ledger.spending import in_force
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
    type=click.Choice(UNITS),
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
    data = {"path": place, "budget": pair_of(ledger.budget), "neighbours": neighbours, "accountant": accountant}
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
@click.option("--copy", is_flag=True, help="PLACE is a back-up: it may lack what its witness saw later.")
@json_option
def verify(place: str, copy: bool, as_json: bool) -> None:
    """Check that no entry was changed, deleted or rolled back."""
    if copy:
        entries, later = Ledger.at(place).verify_copy()
        words = f"{place}: a whole copy of {entries} entries; its witness knows {later} later ones, which are spent"
        emit(as_json, {"path": place, "entries": entries, "whole": True, "later": later}, words)
        return
    entries = Ledger.at(place).verify()
    witness = Ledger.at(place).terms.witness
    known = "and its witness agrees" if witness else "but it has no witness: an older copy put back would look whole"
    data = {"path": place, "entries": entries, "whole": True, "witness": witness}
    emit(as_json, data, f"{place}: {entries} entries, each follows from those before, {known}")


@budget.command()
@click.argument("place")
@click.argument("file", type=click.Path(dir_okay=False))
@json_option
def copy(place: str, file: str, as_json: bool) -> None:
    """Back a ledger up into a new FILE, while others charge it or not.

    Whatever is charged afterwards is spent, too: see 'oracledp budget verify FILE --copy'.
    """
    entries = copy_ledger(Ledger.at(place), Path(file))
    emit(as_json, {"path": place, "copy": file, "entries": entries}, f"{file}: a whole copy of {entries} entries")


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
    charges = [{**charge.to_json(), **delivery(charge, delivered)} for charge in ledger.charges]
    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows({name: harmless(value) for name, value in charge.items()} for charge in charges)
    emit(as_json, {"path": place, "charges": charges}, text.getvalue().rstrip("\n"))


@budget.command(name="show")
@click.argument("place")
@json_option
def show_ledger(place: str, as_json: bool) -> None:
    """What was spent, by whom and for what, and what is left."""
    ledger = Ledger.at(place)
    charges, limits, delivered = ledger.charges, in_force(ledger.limits), ledger.delivered
    pairs = {"budget": ledger.budget, "spent": ledger.spent, "remaining": ledger.remaining}
    data: dict[str, Any] = {name: pair_of(pair) for name, pair in pairs.items()}
    data |= {"neighbours": ledger.neighbours.value, "accountant": ledger.terms.accountant, "unit": ledger.terms.unit}
    data |= {"limits": [one.to_json() for one in limits], "datasets": [one.shown() for one in ledger.datasets]}
    curves, reserved, composed = curves_of(ledger), ledger.reservations, composed_of(ledger)
    lines = [line_of(charge, delivery(charge, delivered)) for charge in charges]
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
    data["charges"] = [{**charge.to_json(), **delivery(charge, delivered)} for charge in charges]
    emit(as_json, {**data, "curves": curves}, "\n".join(lines))
