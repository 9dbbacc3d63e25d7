"""The budget on disk: charged before anything is sampled, never given back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

from oracledp.errors import BudgetExceeded, ModelError, ParameterError
from oracledp.exact.numbers import Exact, exact, positive, probability
from oracledp.locks import lock
from oracledp.privacy.guarantee import Guarantee, Neighbours, show
from oracledp.whole_files import flush, flush_folder

_BINARY = getattr(os, "O_BINARY", 0)  # Windows would write two bytes for a newline


@dataclass(frozen=True)
class Charge:
    """One line of the ledger."""

    epsilon: Fraction
    delta: Fraction
    mechanism: str
    assumes: tuple[str, ...]
    private: bool

    def to_json(self) -> dict[str, Any]:
        """Plain values; fractions as strings."""
        return {
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "mechanism": self.mechanism,
            "assumes": list(self.assumes),
            "private": self.private,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Charge:
        """Read what :meth:`to_json` wrote."""
        epsilon, delta = exact(data["epsilon"], "epsilon"), exact(data["delta"], "delta")
        if epsilon < 0 or delta < 0:
            raise ModelError("a charge cannot be negative: it would give budget back")
        return cls(
            epsilon,
            delta,
            str(data["mechanism"]),
            tuple(data["assumes"]),
            bool(data["private"]),
        )


@dataclass(frozen=True)
class Ledger:
    """A budget (ε, δ) for one private table under one neighbour relation, add/remove-one by default, kept in a file.

    A charge is written and flushed to disk, under a lock, before the mechanism samples: a crash counts as
    spent, and two processes cannot spend the same budget. Charges add up (basic composition,
    proofs/composition.md); :meth:`events` hands them to other accountants.
    """

    path: Path

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        epsilon: Exact,
        delta: Exact = 0,
        neighbours: Neighbours | str = Neighbours.DEFAULT,
    ) -> Ledger:
        """Open a new budget; an existing file is never overwritten."""
        header = {
            "epsilon": str(positive(epsilon, "epsilon")),
            "delta": str(probability(delta, "delta", zero=True)),
            "neighbours": Neighbours.parse(neighbours).value,
        }
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(json.dumps({"oracledp-ledger": 1, **header}) + "\n")
                flush(file)
            flush_folder(Path(path).parent)
        except FileExistsError:
            raise ParameterError(f"{path} exists already: a ledger is never overwritten") from None
        except OSError as error:
            raise ParameterError(f"cannot create the ledger {path}: {error.strerror}") from None
        return cls(Path(path))

    @property
    def budget(self) -> tuple[Fraction, Fraction]:
        """The whole (ε, δ)."""
        header, _ = self._read()
        return exact(header["epsilon"], "epsilon"), exact(header["delta"], "delta")

    @property
    def neighbours(self) -> Neighbours:
        """The relation that every charge must speak of."""
        return Neighbours.parse(self._read()[0]["neighbours"])

    @property
    def charges(self) -> tuple[Charge, ...]:
        """What was spent, in order."""
        return self._read()[1]

    @property
    def spent(self) -> tuple[Fraction, Fraction]:
        """The sum of all charges."""
        charges = self.charges
        return sum((c.epsilon for c in charges), Fraction(0)), sum((c.delta for c in charges), Fraction(0))

    @property
    def remaining(self) -> tuple[Fraction, Fraction]:
        """What is left."""
        (epsilon, delta), (used_epsilon, used_delta) = self.budget, self.spent
        return epsilon - used_epsilon, delta - used_delta

    def charge(self, guarantee: Guarantee, mechanism: str) -> None:
        """Write the charge to disk, or refuse it; call this before any noise is drawn."""
        with self._locked():
            if guarantee.neighbours is not self.neighbours:
                raise BudgetExceeded(
                    f"the ledger {self.path} counts {self.neighbours.value} budget only, "
                    f"and this release is private under {guarantee.neighbours.value}"
                )
            epsilon, delta = self.remaining
            if guarantee.epsilon > epsilon or guarantee.delta > delta:
                raise BudgetExceeded(
                    f"the budget does not allow ({show(guarantee.epsilon)}, {show(guarantee.delta)}): "
                    f"({show(epsilon)}, {show(delta)}) is left in {self.path}"
                )
            charge = Charge(guarantee.epsilon, guarantee.delta, mechanism, guarantee.assumes, guarantee.private)
            with self.path.open("r+b") as file:
                content = self.path.read_bytes()
                kept = _whole_lines(content)
                start = min(len(kept), len(content))
                file.seek(start)
                file.truncate()
                file.write(kept[start:] + (json.dumps(charge.to_json()) + "\n").encode())
                flush(file)

    def events(self) -> Any:
        """The charges as a ``dp_accounting`` event, for other accountants.

        A pure ε charge becomes randomised response on two values with the same ε, which dominates every ε-DP
        mechanism (give the accountant the relation REPLACE_ONE); a charge with δ > 0 becomes an event that
        accountants reject rather than guess at.
        """
        from oracledp.extras import optional

        accounting = optional("dp_accounting", extra="accounting")
        return accounting.ComposedDpEvent(
            [
                accounting.UnsupportedDpEvent()
                if charge.delta
                else accounting.RandomizedResponseDpEvent(2 / (1 + exp(float(charge.epsilon))), 2)
                for charge in self.charges
            ]
        )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._read()  # a missing or damaged ledger is named here
        with self.path.open("rb") as file:
            lock(file.fileno())
            yield

    def _read(self) -> tuple[dict[str, Any], tuple[Charge, ...]]:
        try:
            lines = _whole_lines(self.path.read_bytes()).decode().splitlines()
            header = json.loads(lines[0])
            if header["oracledp-ledger"] != 1:
                raise KeyError
            positive(header["epsilon"], "epsilon")
            probability(header["delta"], "delta", zero=True)
            Neighbours.parse(header["neighbours"])
            return header, tuple(Charge.from_json(json.loads(line)) for line in lines[1:])
        except FileNotFoundError:
            raise ParameterError(f"there is no ledger {self.path}; create it with 'oracledp budget create'") from None
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            raise ModelError(f"{self.path} is not a readable ledger; nothing is sampled") from None


def _whole_lines(content: bytes) -> bytes:
    """Every line that says something whole, each with its newline.

    A torn last line is dropped: its writer died before the flush returned, so it never sampled. A last line that lost
    nothing but its newline is a charge like any other: dropping it would give budget back.
    """
    end = content.rfind(b"\n") + 1
    whole, last = content[:end], content[end:]
    try:
        json.loads(last)
    except ValueError:
        return whole
    return content + b"\n"
