"""What an officer asks for, read from texts in the same way for pages and pipelines."""

from __future__ import annotations

from collections.abc import Mapping

from oracledp.errors import ParameterError
from oracledp.privacy.ledger import Limit
from oracledp.service.jobs import refuse_unwritable
from oracledp.service.store import Console, DataSet


def registered(console: Console, fields: Mapping[str, str]) -> DataSet:
    """A new data set."""
    refuse_unwritable(fields)
    name, address, schema, epsilon, delta, accountant = (
        fields.get(key, "") for key in ("name", "address", "schema", "epsilon", "delta", "accountant")
    )
    rows = fields.get("rows_per_person", "") or "1"
    if not rows.isascii() or not rows.isdecimal() or len(rows) > 9:
        raise ParameterError("rows_per_person must be a positive integer")
    return console.register(
        name,
        address,
        schema,
        epsilon=epsilon,
        delta=delta,
        accountant=accountant or "plain",
        person=fields.get("person") or None,
        rows_per_person=int(rows),
    )


def limited(console: Console, name: str, fields: Mapping[str, str]) -> Limit:
    """A new allowance below a data set's budget."""
    refuse_unwritable(fields)
    return console.ledger(name).limit(
        epsilon=fields.get("epsilon", ""),
        delta=fields.get("delta", "") or 0,
        actor=fields.get("actor") or None,
        period=fields.get("period") or None,
    )
