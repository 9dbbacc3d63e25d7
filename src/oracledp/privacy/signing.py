"""Ed25519 signatures of release cards, by the ``cryptography`` library (extra ``signing``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from oracledp.errors import ModelError, ParameterError
from oracledp.extras import optional
from oracledp.whole_files import PendingFile

_EXTRA = "signing"


def create_key(path: Path) -> str:
    """Make a signing key that only its owner may read, and say the public key that others check with.

    An existing file is never overwritten.
    """
    keys, forms = _library()
    if path.exists():
        raise ParameterError(f"{path} exists already: a key is never overwritten")
    key = keys.Ed25519PrivateKey.generate()
    text = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    pending = PendingFile(path)
    pending.file.write(text)
    pending.keep()
    return _public(key)


class Signer:
    """A key that was read, so that a bad one is refused before anything is charged."""

    def __init__(self, path: str | Path) -> None:
        keys, forms = _library()
        try:
            self._key = forms.load_pem_private_key(Path(path).read_bytes(), password=None)
        except (OSError, ValueError, TypeError):
            self._key = None
        if not isinstance(self._key, keys.Ed25519PrivateKey):
            raise ParameterError(f"{path} is not a signing key; make one with 'oracledp budget key'")

    @property
    def public(self) -> str:
        """The public key, as 64 hexadecimal digits."""
        return _public(self._key)

    def sign(self, message: bytes) -> str:
        """A signature, as 128 hexadecimal digits."""
        signature: bytes = self._key.sign(message)
        return signature.hex()


def refuse_forged(message: bytes, public: str, signature: str) -> None:
    """Refuse a message that the owner of a public key did not sign."""
    keys, _ = _library()
    invalid = optional("cryptography.exceptions", extra=_EXTRA).InvalidSignature
    try:
        keys.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (ValueError, invalid):
        raise ModelError(f"the signature does not belong to this card and the key {public[:16]}…") from None


def _public(key: Any) -> str:
    raw: bytes = key.public_key().public_bytes_raw()
    return raw.hex()


def _library() -> tuple[Any, Any]:
    keys = optional("cryptography.hazmat.primitives.asymmetric.ed25519", extra=_EXTRA)
    return keys, optional("cryptography.hazmat.primitives.serialization", extra=_EXTRA)
