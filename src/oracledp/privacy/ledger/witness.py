"""A second memory of how long a ledger was: without one, an older copy put back in its place looks whole.

One line per entry, its number and digest, only ever added. It is written after the ledger, so a crash in between
leaves it one entry behind, never ahead: a witness that knows more than the ledger proves a roll-back.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from oracledp.errors import ModelError, ParameterError
from oracledp.locks import lock
from oracledp.privacy.ledger.chain import Link
from oracledp.whole_files import flush

_WHOLE = re.compile(r"\d+ [0-9a-f]{64}\n")


def create_witness(path: Path, first: Link) -> None:
    """Begin a witness; an existing file is never overwritten."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise ParameterError(f"cannot create the witness {path}: {error.strerror}") from None
    remember(path, [first])


def remember(path: Path, links: Sequence[Link]) -> None:
    """Add the last link, and those that a crash kept out."""
    try:
        with path.open("a", encoding="ascii", newline="\n") as file:
            lock(file.fileno())  # another charge may be remembered at the same time
            known = len(_remembered(path))
            if path.read_bytes()[-1:] not in (b"", b"\n"):
                file.write("\n")  # ends a torn line
            for number, link in enumerate(links[known:], start=known):
                file.write(f"{number} {link.digest}\n")
            flush(file)
    except OSError as error:
        raise ModelError(f"the witness {path} cannot be written: {error.strerror}; nothing is sampled") from None


def refuse_rolled_back(path: Path, links: Sequence[Link], place: str, *, copy: bool = False) -> int:
    """Refuse a ledger that is shorter than its witness remembers, or another one; how much shorter a copy is."""
    remembered = _remembered(path)
    if len(remembered) > len(links) and not copy:
        raise ModelError(
            f"{place} was rolled back: it has {len(links)} entries, its witness {path} remembers {len(remembered)}"
        )
    for number, (digest, link) in enumerate(zip(remembered, links, strict=False)):
        if digest != link.digest:
            raise ModelError(f"{place} is not the ledger that its witness {path} knows: entry {number} differs")
    return max(0, len(remembered) - len(links))


def _remembered(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="ascii").splitlines(keepends=True)
    except (OSError, ValueError):
        raise ModelError(f"the witness {path} cannot be read; nothing is sampled") from None
    entries = [line.split() for line in lines if _WHOLE.fullmatch(line)]  # others are torn: their writers died
    if [number for number, _ in entries] != [str(number) for number in range(len(entries))]:
        raise ModelError(f"the witness {path} cannot be read; nothing is sampled")
    return [digest for _, digest in entries]
