"""What a command writes: opened before anything is charged, kept one by one once it is paid for, never lost.

A file that cannot be written after all (a full disk) does not take the others with it: its content goes to another
folder, or in the end to standard output, and one line says where.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import click

from oracledp.cli.rescue import Writer, rescued
from oracledp.errors import OracleDPError, ParameterError
from oracledp.privacy.cards import Card
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.signing import Signer
from oracledp.whole_files import PendingFile

RESERVE = 1 << 16  # bytes set aside for each output: a rule with its guarantee, or a page, is smaller
NOT_RELEASED = ("internal-report",)  # of these not even a digest leaves the house
CARD = "oracledp.card"  # where a command keeps the card that it was asked for
CHARGED = "oracledp.charged-ledger"  # and the ledger that learns what was delivered
PRINTED = "standard output"  # how a ledger names what was printed
READ = (  # parameters
    *("data", "path", "model", "schema_path", "children", "children_schema", "holdout", "ledger_path"),
    *("real", "synthetic"),
)
UNRECORDED = "oracledp.unrecorded"  # whether it should say that no ledger counts what it spent
NOT_RECORDED = "not recorded: no --ledger was named, so nobody counts what this release cost (see: oracledp budget)"


class NotSaved(OracleDPError):
    """An output could not be written where it was asked for; the budget is spent, and the message says where it is."""


class CardToWrite:
    """The privacy card that a command was asked for; its key is read before anything is charged."""

    def __init__(self, path: str, ledger: Ledger, key: str | None) -> None:
        self.path = path
        self._ledger = ledger
        self._signer = None if key is None else Signer(key)

    def text(self, files: Mapping[str, str]) -> str:
        """The card of what was released, with the digests of its files."""
        card = Card.of(self._ledger, self._ledger.release or "", tuple(sorted(files.items())))
        card = card if self._signer is None else card.signed(self._signer)
        return json.dumps(card.to_json(), indent=2, ensure_ascii=False) + "\n"


class Outputs:
    """The files of one command, by the option that names them, and the digests of those that were written."""

    def __init__(self, card: CardToWrite | None = None, ledger: Ledger | None = None) -> None:
        self._pending: dict[str, PendingFile] = {}
        self._lost: list[str] = []
        self._digests: dict[str, str] = {}
        self._printed: dict[str, str] = {}
        self._card = card
        self._ledger = ledger
        if card is not None:
            self.open("card", card.path)

    def open(self, option: str, path: str | None) -> None:
        """Find out now, before any budget is spent, whether this can be written."""
        if path is None:
            return
        if path == "-":
            raise ParameterError(f"--{option} needs the name of a file; --json prints to standard output")
        if any(_same(path, other.path) for other in self._pending.values()):
            raise ParameterError(f"--{option} {path}: another option writes the same file")
        if any(_same(path, other) for other in _read_files()):
            raise ParameterError(f"--{option} {path}: the command reads this file, and would overwrite it")
        if any(_inside(path, other) for other in _read_files()):
            raise ParameterError(f"--{option} {path}: the command reads all files of this folder: name another place")
        if self._card is not None and not _beside(path, self._card.path):
            raise ParameterError(f"--{option} {path}: a card speaks of regular files in its own folder")
        self._pending[option] = PendingFile(path, reserve=RESERVE)

    def write(self, option: str, writer: Writer, *, rescue: bool = True) -> None:
        """Write one output if it was asked for, here or at worst elsewhere; without ``rescue`` nowhere else."""
        pending = self._pending.pop(option, None)
        if pending is None:
            return
        try:
            writer(pending.file)
            counts = self._ledger is not None and option not in (*NOT_RELEASED, "card") and pending.regular
            digest = _digest(pending.file) if counts else None
            pending.keep()
            if digest is not None:
                self._digests[Path(pending.path).name] = digest
        except Exception as error:  # whatever happens to one output, the others are still to be written
            pending.drop()
            where = f"; {self._rescue(option, Path(pending.path).name, writer)}" if rescue else ""
            self._lost.append(f"{_reason(pending, error)}{where}")

    def _rescue(self, option: str, name: str, writer: Writer) -> str:
        """Save an output elsewhere; the ledger knows it by its own name, so that it can be put back beside its card."""
        digest, where = rescued(name, writer)
        if digest is not None and self._ledger is not None and option not in (*NOT_RELEASED, "card"):
            self._digests[name] = digest
        return where

    def write_text(self, option: str, text: Callable[[], str], *, rescue: bool = True) -> None:
        """The same for a text, which is made only if it was asked for."""
        self.write(option, lambda file: _write_text(file, text()), rescue=rescue)

    def printed(self, text: str) -> None:
        """Have the ledger know what was printed, too; never a text with a figure that is not private."""
        self._printed[PRINTED] = hashlib.sha256(f"{text}\n".encode()).hexdigest()

    def settle(self) -> None:
        """Tell the ledger what was delivered, write the card, and say what was not recorded or not saved."""
        self._deliver()
        context = click.get_current_context(silent=True)
        if context is not None and context.meta.get(UNRECORDED):
            click.echo(NOT_RECORDED, err=True)
        if (card := self._card) is not None:
            self.write_text("card", lambda: card.text(dict(self._digests)))
        if self._lost:
            raise NotSaved("; ".join(self._lost))

    def _deliver(self) -> None:
        """After the files, and before the card, which is worth nothing to a ledger that knows no files."""
        files = {**self._digests, **self._printed}
        if self._ledger is None or self._ledger.release is None or not files:
            return
        try:
            self._ledger.deliver(self._ledger.release, files)
        except OracleDPError as error:
            self._lost.append(f"the ledger does not know the files of this release: {error}")

    @contextmanager
    def keeping(self, option: str, what: str) -> Iterator[None]:
        """A block that writes one output early: if it fails later, the ledger knows that file, and a line says so."""
        path = self._pending[option].path
        try:
            yield
        except BaseException as error:
            if option not in self._pending:
                self._deliver()
                _add_words(error, "; ".join(self._lost or [f"{what}, which is paid for, is in {path}"]))
            raise

    def drop(self) -> None:
        """Leave no trace of what was not written."""
        for pending in self._pending.values():
            pending.drop()


@contextmanager
def outputs(**paths: str | None) -> Iterator[Outputs]:
    """All outputs of a command, open; a block that fails leaves no file."""
    context = click.get_current_context(silent=True)
    meta = {} if context is None else context.meta
    opened = Outputs(meta.get(CARD), meta.get(CHARGED))
    try:
        for option, path in paths.items():
            opened.open(option.replace("_", "-"), path)
        yield opened
    finally:
        opened.drop()


def refuse_unwritable(path: str | None) -> None:
    """Find out before long work that its result could not be saved."""
    if path is not None:
        PendingFile(path).drop()


def refuse_closed_output() -> None:
    """Without a standard output a release would be paid for and never seen."""
    if sys.stdout is None:
        raise ParameterError("standard output is closed: there is nowhere to print to")


def _add_words(error: BaseException, words: str) -> None:
    """To what an error of ours says in the end; ahead of any other, whose own words are never shown."""
    if isinstance(error, OracleDPError):
        error.args = (f"{error}; {words}",)
        return
    with suppress(OSError):
        click.echo(words, err=True)


def _write_text(file: BinaryIO, text: str) -> None:
    file.write(text.encode())


def _digest(file: BinaryIO) -> str:
    """The SHA-256 of what was written so far."""
    end, digest = file.tell(), hashlib.sha256()
    file.seek(0)
    while file.tell() < end:
        digest.update(file.read(min(1 << 20, end - file.tell())))
    return digest.hexdigest()


def _beside(path: str, card: str) -> bool:
    """Whether two outputs are regular files in one folder."""
    regular = not Path(path).exists() or Path(path).is_file()
    return regular and Path(os.path.realpath(path)).parent == Path(os.path.realpath(card)).parent


def _read_files() -> list[str]:
    """What the running command was told to read."""
    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    return [str(given[name]) for name in READ if given.get(name) is not None]


def _inside(path: str, folder: str) -> bool:
    """Whether a path lies in a folder, or beneath it."""
    return Path(folder).is_dir() and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _same(path: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _reason(pending: PendingFile, error: Exception) -> str:
    if isinstance(error, OracleDPError):
        return str(error)
    words = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return f"{pending.path} cannot be written: {words}"
