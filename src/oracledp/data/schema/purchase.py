"""What a schema cost, where it was bought from private rows, so that a release can say what both cost together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oracledp.errors import ParameterError, SchemaError
from oracledp.exact.numbers import positive, probability, show

_KEYS = ("epsilon", "delta", "neighbours", "person", "private")
_RELATIONS = ("add-remove", "replace-one")


@dataclass(frozen=True)
class Purchase:
    """The promise under which a schema was bought: numbers, which neighbours, whose rows, and whether by real noise.

    >>> Purchase.parse({"epsilon": "0.1", "delta": "1e-7", "neighbours": "add-remove"}).epsilon
    Fraction(1, 10)
    """

    epsilon: Fraction
    delta: Fraction
    neighbours: str
    person: str | None = None
    private: bool = True

    @classmethod
    def parse(cls, entry: object) -> Purchase:
        """What stands under the key ``bought`` of a schema."""
        if not isinstance(entry, Mapping) or not {"epsilon", "delta", "neighbours"} <= set(entry) <= set(_KEYS):
            raise SchemaError("key 'bought': must map epsilon, delta and neighbours, as 'schema infer' writes them")
        if entry["neighbours"] not in _RELATIONS:
            raise SchemaError(f"key 'bought': neighbours must be one of {', '.join(_RELATIONS)}")
        person, private = entry.get("person"), entry.get("private", True)
        if not isinstance(person, str | None) or not isinstance(private, bool):
            raise SchemaError("key 'bought': person must be the name of a column, and private true or false")
        try:
            return cls(
                positive(entry["epsilon"], "epsilon"),
                probability(entry["delta"], "delta", zero=True),
                entry["neighbours"],
                person,
                private,
            )
        except ParameterError as error:
            raise SchemaError(f"key 'bought': {error}") from None

    def to_json(self) -> dict[str, Any]:
        """What :meth:`parse` reads."""
        told = {"epsilon": show(self.epsilon), "delta": show(self.delta), "neighbours": self.neighbours}
        return (
            told
            | ({} if self.person is None else {"person": self.person})
            | ({} if self.private else {"private": False})
        )
