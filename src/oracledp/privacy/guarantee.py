"""What a release promises: exact parameters, the neighbour relation, and what the promise stands on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from oracledp.data.schema.purchase import Purchase
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import ModelError, ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import positive, probability, show


class Neighbours(Enum):
    """Which pairs of data sets a guarantee speaks of; ``DEFAULT`` is the one relation of everything that names none.

    >>> Neighbours.DEFAULT
    <Neighbours.ADD_REMOVE: 'add-remove'>
    """

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"
    DEFAULT = "add-remove"

    @classmethod
    def parse(cls, value: Neighbours | str) -> Neighbours:
        """Read ``"add-remove"`` or ``"replace-one"``."""
        try:
            return value if isinstance(value, cls) else cls(value)
        except ValueError:
            raise ParameterError(f"neighbours must be 'add-remove' or 'replace-one', got {value!r}") from None

    @property
    def comparison_sensitivity(self) -> int:
        """Δ of Theorem 1 (proofs/perturbed-minimisation.md): how far one record moves L(S,q) - L(S,q').

        Every noise scale of the library is in units of this number, and it is converted nowhere else.
        """
        return 2 if self is Neighbours.REPLACE_ONE else 1

    def public_rows(self, rows: int) -> int:
        """A bound on the rows that may be known: their number under replace-one, else the most that a table holds."""
        return rows if self is Neighbours.REPLACE_ONE else MOST_ROWS

    @property
    def words(self) -> str:
        """The relation in plain words."""
        return self.about(ROWS)

    def about(self, unit: Unit) -> str:
        """The relation in plain words, about records or about persons.

        >>> Neighbours.ADD_REMOVE.about(Unit("patient_id"))
        'any one person (all rows with one patient_id) is added or removed'
        """
        one = "record" if unit.person is None else "person"
        rows = "" if unit.person is None else f" (all rows with one {unit.person})"
        if self is Neighbours.REPLACE_ONE:
            return f"any one {one}{rows} is replaced by another (the number of {one}s is public)"
        return f"any one {one}{rows} is added or removed"


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A differential-privacy guarantee with everything it depends on.

    ``assumes`` is empty for a *robust* guarantee; otherwise it lists what must be true beyond the code.
    ``private`` is False when the noise came from a seed: then nothing is promised at all. ``rho`` says that the release
    is also ρ-zCDP, which a ledger of curves adds up more tightly than ε (proofs/budget.md). ``unit`` says whether
    records or persons are protected (proofs/persons.md).

    >>> print(Guarantee(epsilon=Fraction(1), neighbours=Neighbours.REPLACE_ONE, proof="perturbed-minimisation"))
    1-differentially private when any one record is replaced by another (the number of records is public); \
robust: it depends on no solver.
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    neighbours: Neighbours
    assumes: tuple[str, ...] = ()
    private: bool = True
    proof: str
    rho: Fraction | None = None
    unit: Unit = ROWS

    @property
    def robust(self) -> bool:
        """Whether the guarantee stands on nothing beyond the code and its proof."""
        return self.private and not self.assumes

    def assuming(self, *claims: str) -> Guarantee:
        """The same guarantee, contingent on more claims."""
        return replace(self, assumes=self.assumes + tuple(c for c in claims if c not in self.assumes))

    def tainted(self) -> Guarantee:
        """The same release made from a seeded source: no longer private."""
        return replace(self, private=False)

    @property
    def bought(self) -> Purchase:
        """What a schema that was released under this promise says of itself."""
        return Purchase(self.epsilon, self.delta, self.neighbours.value, self.unit.person, self.private)

    def with_schemas(self, *bought: Purchase | None) -> Guarantee | None:
        """What this release promises together with the schemas that its rows were read by, where those were bought.

        One after the other they cost the sum (proofs/composition.md), however many rows of a person each of them kept.
        None where nothing was bought, and where one of them protects against other changes than this release.

        >>> release = Guarantee(epsilon=Fraction(9, 10), neighbours=Neighbours.ADD_REMOVE, proof="noise")
        >>> release.with_schemas(Purchase(Fraction(1, 10), Fraction(0), "add-remove")).epsilon
        Fraction(1, 1)
        """
        paid = [one for one in bought if one is not None]
        whose = self.neighbours.value, self.unit.person
        if not paid or any((one.neighbours, one.person) != whose for one in paid):
            return None
        return replace(
            self,
            epsilon=self.epsilon + sum(one.epsilon for one in paid),
            delta=self.delta + sum(one.delta for one in paid),
            private=self.private and all(one.private for one in paid),
            proof="composition",
            rho=None,
        )

    def __str__(self) -> str:
        if not self.private:
            return "NOT PRIVATE: the noise came from a seed, so anyone who knows the seed can undo it."
        pair = show(self.epsilon) if self.delta == 0 else f"({show(self.epsilon)}, {show(self.delta)})"
        tail = (
            "robust: it depends on no solver."
            if self.robust
            else "contingent: it holds only if " + " and ".join(self.assumes) + "."
        )
        return f"{pair}-differentially private when {self.neighbours.about(self.unit)}; {tail}"

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary; fractions are strings, so nothing is rounded."""
        return {
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "neighbours": self.neighbours.value,
            "assumes": list(self.assumes),
            "robust": self.robust,
            "private": self.private,
            "proof": f"proofs/{self.proof}.md",
            "sentence": str(self),
            **({} if self.rho is None else {"rho": str(self.rho)}),
            **({} if self.unit.person is None else {"person": self.unit.person, "rows_per_person": self.unit.rows}),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Guarantee:
        """Read what :meth:`to_json` wrote."""
        try:
            return cls(
                epsilon=positive(data["epsilon"], "epsilon"),
                delta=probability(data["delta"], "delta", zero=True),
                neighbours=Neighbours.parse(data["neighbours"]),
                assumes=tuple(str(claim) for claim in data["assumes"]),
                private=data["private"] is True,
                proof=str(data["proof"]).removeprefix("proofs/").removesuffix(".md"),
                rho=positive(data["rho"], "rho") if "rho" in data else None,
                unit=ROWS if "person" not in data else Unit.of(data["person"], data["rows_per_person"], None),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("this is not a guarantee written by oracledp") from error


def in_all(guarantee: Guarantee, *bought: Purchase | None) -> str | None:
    """One line on what a release costs with the schemas that its rows were read by, if those were bought.

    >>> release = Guarantee(epsilon=Fraction(9, 10), neighbours=Neighbours.ADD_REMOVE, proof="noise")
    >>> in_all(release, Purchase(Fraction(1, 10), Fraction(1, 10**7), "add-remove"))
    'With its schema, which was bought for (0.1, 1e-07): (1, 1e-07) in all.'
    """
    paid = [one for one in bought if one is not None]
    if not paid:
        return None
    prices = " and ".join(f"({show(one.epsilon)}, {show(one.delta)})" for one in paid)
    whole = guarantee.with_schemas(*paid)
    if whole is None:
        return f"Its schema was bought for {prices} more, with other neighbours: see the ledger for both."
    if not whole.private:
        return "Its schema was made with a seed: NOT PRIVATE."
    return f"With its schema, which was bought for {prices}: ({show(whole.epsilon)}, {show(whole.delta)}) in all."
