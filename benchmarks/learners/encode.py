"""Writes every development table as peers read it, so that they need nothing of ours: literals, codes, labels, splits.

python -m benchmarks.learners.encode learner-tables
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from benchmarks.learners.tables import NAMES, SEVERAL, Development, load

import oracledp as odp
from oracledp.data.table.frames import encode_frame
from oracledp.learners.encoding import SchemaEncoder


def encoded(table: Development) -> dict[str, np.ndarray]:
    """Literals (0/1), codes by column with their number, which columns are ordered, labels, and the splits."""
    if table.document is None:
        literals = np.asarray(table.rows, dtype=np.uint8)
        codes, sizes, ordered = literals, np.full(literals.shape[1], 2), np.ones(literals.shape[1], dtype=bool)
    else:
        schema = odp.Schema(table.document)
        literals = SchemaEncoder(schema).encode(table.rows)
        codes = np.stack(encode_frame(table.rows, schema).settled(strict=False), axis=1)
        sizes = np.array([column.size for column in schema.columns])
        ordered = np.array([column.kind in ("numeric", "integer") for column in schema.columns])
    found = {"literals": literals, "codes": codes, "sizes": sizes, "ordered": ordered, "labels": table.labels}
    for place, (train, test) in enumerate(table.splits):
        found |= {f"train{place}": train, f"test{place}": test}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*NAMES, *SEVERAL):
        np.savez_compressed(folder / f"{name}.npz", **encoded(load(name)))


if __name__ == "__main__":
    main()
