"""Back-ups: a whole copy of a ledger in a file of its own, made while others charge."""

from __future__ import annotations

from pathlib import Path

from oracledp.privacy.ledger.file_store import FileStore
from oracledp.privacy.ledger.ledger import Ledger
from oracledp.privacy.ledger.rules import whole_chain
from oracledp.privacy.ledger.stores import store_at


def copy_ledger(ledger: Ledger, path: Path) -> int:
    """Copy a ledger that is whole, from a file or a server, into a new file; how many entries it has after its terms.

    An existing file is never overwritten. The copy knows the same witness: :meth:`Ledger.verify_copy` says how many
    entries came later, and once there are any, nothing can be charged to it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger.create(Path(folder) / "budget", epsilon=1)
    ...     _ = ledger.limit(epsilon="0.5")
    ...     copy_ledger(ledger, Path(folder) / "copy"), Ledger.at(Path(folder) / "copy").verify_copy()
    (1, (1, 0))
    """
    store = store_at(ledger.path)
    links = store.read()
    _, entries = whole_chain(links, store.place)
    FileStore(path).create(links[0], *links[1:])
    return len(entries)
