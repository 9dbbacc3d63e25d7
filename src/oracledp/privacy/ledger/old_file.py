"""Ledgers of the first version: a line of JSON per charge. They become new ones with their next charge."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from oracledp.errors import ModelError, ParameterError
from oracledp.locks import lock
from oracledp.privacy.ledger.chain import START, Link
from oracledp.privacy.ledger.entries import Charge, Terms
from oracledp.privacy.ledger.entry import Entry
from oracledp.whole_files import flush_folder, one_line

_FIRST = b'{"oracledp-ledger":'


def is_old(path: Path) -> bool:
    """Whether a file begins as ledgers of the first version do."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_FIRST)) == _FIRST
    return False


def old_links(path: Path) -> list[Link]:
    """What an old ledger says, as a new one would say it."""
    links: list[Link] = []
    for entry in _entries(path):
        links.append(Link.after(links[-1].digest if links else START, entry))
    return links


def upgrade(path: Path, write: Callable[[Path, Sequence[Link]], None]) -> None:
    """Put a new ledger with the same charges in the old one's place, whole or not at all.

    Programs of the first version then find a file that they cannot read, and sample nothing.
    """
    with one_line(path), path.open("rb") as file:
        lock(file.fileno())  # of two that upgrade, the second finds it done
        if not is_old(path):
            return
        links = old_links(path)
        fresh = path.with_name(f".{path.name}.upgrade")
        fresh.unlink(missing_ok=True)  # left by one who died on the way: the lock is ours
        fresh.touch(mode=0o600)
        write(fresh, links)
        fresh.replace(path)
    flush_folder(path.parent)


def _entries(path: Path) -> list[Entry]:
    try:
        lines = _whole_lines(path.read_bytes()).decode().splitlines()
        header: dict[str, Any] = json.loads(lines[0])
        if header["oracledp-ledger"] != 1:
            raise KeyError("oracledp-ledger")
        known = {"epsilon": header["epsilon"], "delta": header["delta"], "neighbours": header["neighbours"]}
        return [Terms.from_json(known), *(Charge.from_json(_charge(line)) for line in lines[1:])]
    except (ValueError, KeyError, IndexError, TypeError, ParameterError, RecursionError):
        raise ModelError(f"{path} is not a readable ledger; nothing is sampled") from None


def _charge(line: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(line)
    return {name: data[name] for name in ("epsilon", "delta", "mechanism", "assumes", "private")}


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
