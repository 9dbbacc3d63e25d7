"""The privacy card of a release: what was paid for it, and the digests of the files that it came in.

A card is made from the ledger's own charge, so it cannot claim what was not paid. Whoever gets the files checks them
against the card, the card against a public key, and the charge against the ledger.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from oracledp.errors import ModelError, ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Charge, Ledger
from oracledp.privacy.ledger.stamps import library
from oracledp.privacy.signing import Signer, refuse_forged
from oracledp.whole_files import read_saved

VERSION = 2
_BEFORE_HASHES = 1  # cards of this version are of releases whose ledger may know no files
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Card:
    """A charge, the relation and unit that it speaks of, and the files of its release by name and SHA-256.

    >>> charge = Charge.from_json({"epsilon": "1", "delta": "0", "mechanism": "exponential", "proof": "noise"})
    >>> print(Card(charge, "add-remove", "row", (("rule.json", "00"),)))
    exponential: 1-differentially private when any one record is added or removed; robust: it depends on no solver.
    files: rule.json
    not signed
    """

    charge: Charge
    neighbours: str
    unit: str
    files: tuple[tuple[str, str], ...]
    public_key: str | None = None
    signature: str | None = None
    version: int = VERSION
    read: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)  # as it stands in its file

    @classmethod
    def of(cls, ledger: Ledger, release: str, files: tuple[tuple[str, str], ...]) -> Card:
        """The card of a release that a ledger was charged for."""
        return cls(charged(ledger, release), ledger.terms.neighbours, ledger.terms.unit, files)

    @property
    def guarantee(self) -> Guarantee:
        """What the release promises."""
        return Guarantee(
            epsilon=self.charge.epsilon,
            delta=self.charge.delta,
            neighbours=Neighbours.parse(self.neighbours),
            assumes=self.charge.assumes,
            private=self.charge.private,
            proof=self.charge.proof or "composition",
            rho=self.charge.rho,
            unit=self.charge.unit,
        )

    def signed(self, signer: Signer) -> Card:
        """The same card, signed."""
        named = replace(self, public_key=signer.public, signature=None, read=None)
        return replace(named, signature=signer.sign(named.message()))

    def message(self) -> bytes:
        """What a signature is about: everything but the signature, in the words of the version that wrote it."""
        said = self.to_json() if self.read is None else self.read
        data = {name: value for name, value in said.items() if name != "signature"}
        return json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()

    def check(
        self, folder: Path, *, key: str | None = None, ledger: Ledger | None = None, only: Path | None = None
    ) -> None:
        """Refuse files that are not the card's own, another key than ``key``, a charge or files that a ledger lacks.

        The files are those in a folder, or ``only`` the one of them that lies at some path.
        """
        for name, digest in self.files:
            path = folder / name if only is None else only
            if only is not None and name != only.name:
                continue
            if not path.is_file():
                raise ModelError(f"{name} is not beside its card")
            if digest_of(path) != digest:
                raise ModelError(f"{name} is not the file that was released: its digest differs")
        if key is not None and self.public_key != key:
            raise ModelError("the card is not signed with the key that was given")
        if self.public_key is not None:
            refuse_forged(self.message(), self.public_key, self.signature or "")
        if ledger is not None:
            self._check_ledger(ledger)

    def _check_ledger(self, ledger: Ledger) -> None:
        """Refuse another charge, and other files than those that were delivered for it."""
        release = self.charge.release or ""
        if charged(ledger, release) != self.charge:
            raise ModelError("the ledger's charge for this release is another one")
        delivered = ledger.delivered.get(release)
        if delivered is None and (self.version > _BEFORE_HASHES or self.charge.hashed):
            raise ModelError("the ledger says that nothing was delivered for this release")
        if delivered is not None and not set(self.files) <= set(delivered.files):
            raise ModelError("the ledger knows other files of this release")

    def to_json(self) -> dict[str, Any]:
        """Plain values; the sentence is for people, the rest is what is checked."""
        plain: dict[str, Any] = {
            "oracledp-card": self.version,
            "charge": self.charge.to_json(),
            "neighbours": self.neighbours,
            "unit": self.unit,
            "guarantee": str(self.guarantee),
            "files": [{"name": name, "sha256": digest} for name, digest in self.files],
        }
        if self.public_key is not None:
            plain |= {"public_key": self.public_key, "signature": self.signature}
        return plain

    @classmethod
    def load(cls, path: str | Path) -> Card:
        """Read a card; one whose sentence says something else than its numbers is refused."""
        data = read_saved(path, "a privacy card")
        try:
            card = cls(
                Charge.from_json(data["charge"]),
                str(data["neighbours"]),
                str(data["unit"]),
                tuple((_plain_name(file["name"]), str(file["sha256"])) for file in data["files"]),
                data.get("public_key"),
                data.get("signature"),
                data["oracledp-card"],
                data,
            )
            signed_before = card.public_key is not None and card.charge.version != library()  # in words of its own
            same = signed_before or data["guarantee"] == str(card.guarantee)
            known = card.version in (_BEFORE_HASHES, VERSION)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ModelError(f"{path} does not hold a privacy card") from None
        if not known:
            raise ModelError(f"{path} is a card of another version than this library reads")
        if not same:
            raise ModelError(f"{path} was edited: its words and its numbers differ")
        return card

    def __str__(self) -> str:
        said = (self.charge.time, self.charge.actor, self.charge.dataset, self.charge.purpose)
        lines = [f"{self.charge.mechanism}: {self.guarantee}"]
        lines += [", ".join(part for part in said if part)] if any(said) else []
        lines.append("files: " + ", ".join(name for name, _ in self.files))
        lines.append("not signed" if self.public_key is None else f"signed with {self.public_key}")
        return "\n".join(lines)


def charged(ledger: Ledger, release: str) -> Charge:
    """The charge of a release."""
    found = [charge for charge in ledger.charges if release and charge.release == release]
    if len(found) != 1:
        raise ModelError("the ledger has no charge for this release")
    return found[0]


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _plain_name(name: Any) -> str:
    """A name without a folder: a card must not send its reader elsewhere."""
    if not isinstance(name, str) or Path(name).name != name:
        raise ParameterError("a card names files in its own folder only")
    return name
