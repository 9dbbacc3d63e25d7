"""Tables without a schema, run on neighbours under identical released values: frames, and files with odd records."""

from __future__ import annotations

import json
import pickle
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

from oracledp.audit.doors import Door, Seen, patched
from oracledp.audit.exact_law import DataSet
from oracledp.extras import optional
from oracledp.mechanisms.private_schema import infer_schema
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource
from oracledp.synthesis import chosen_fit
from oracledp.synthesis.raw import synthesize_raw

SHORT = ((24, 6),) * 2  # fits of few components and steps: they touch released values only


def inferred(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """``infer_schema`` on rows of four kinds: common ones, a rare text, a missing number, an id."""
    return _bought(_jobs(data), ("job", "points", "case"), relation, source)


def inferred_spelling(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """``infer_schema`` on texts whose spelling is bought: formats of dates, marks of missing values, decimals."""
    kinds = (
        ("01/02/2020", "1.50", "0:30"),
        ("13/02/2020", "2.25", "1:05"),
        ("02/13/2020", "NA", "?"),
        ("01/02/2020", "1.5", "0:30"),
    )
    rows = [kind for kind, held in zip(kinds, data, strict=True) for _ in range(held)]
    return _bought(rows, ("seen", "paid", "wait"), relation, source)


def inferred_exactly(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """``infer_schema`` at a budget whose Gaussian noise is composed exactly, on a finer lattice."""
    return _bought(_jobs(data), ("job", "points", "case"), relation, source, epsilon=Fraction(4))


def made_raw(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """``synthesize_raw``: a schema and rows from one budget; what either shows, and what can be pickled."""
    heard: list[tuple[int, int]] = []
    frame = _frame(_jobs(data), ("job", "points", "case"))
    with patched(chosen_fit, "SIZES", SHORT):
        found, synthesizer = synthesize_raw(
            frame, epsilon=Fraction(4), delta=Fraction(1, 1000), neighbours=relation, share=Fraction(1, 2),
            source=source, progress=lambda done, total: heard.append((done, total)),
        )  # fmt: skip
    seen = [found.to_json(), found.to_yaml(), synthesizer.model_.to_json(), synthesizer.sample(seed=0).to_csv(), heard]
    return Seen(json.dumps(seen) + pickle.dumps(synthesizer).hex(), synthesizer.model_.guarantee)


def _jobs(data: DataSet) -> list[Any]:
    """Rows of four kinds: common ones, a rare text, a missing number, an id."""
    kinds = (("cook", 3, "a1"), ("smith", -20, "a1"), ("zoologist", None, "a2"), ("cook", 4, "a1"))
    return [kind for kind, held in zip(kinds, data, strict=True) for _ in range(held)]


def _frame(rows: list[Any], names: tuple[str, ...]) -> Any:
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return optional("pandas", extra="frames").DataFrame(columns, dtype=object)


def _bought(
    rows: list[Any],
    names: tuple[str, ...],
    relation: Neighbours,
    source: DrawSource,
    epsilon: Fraction = Fraction(20),
) -> Seen:
    return _seen(_frame(rows, names), relation, source, epsilon)


def _seen(data: Any, relation: Neighbours, source: DrawSource, epsilon: Fraction = Fraction(20)) -> Seen:
    budget: dict[str, Any] = {"epsilon": epsilon, "delta": Fraction(1, 1000), "neighbours": relation}
    found = infer_schema(data, **budget, source=source)
    return Seen(json.dumps(found.to_json()) + found.to_yaml() + repr(found), found.guarantee)


def inferred_persons(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """The same for persons with up to three rows, of which two are kept, or one where their number is public."""
    kinds = ((("cook", 3),), (("smith", -20), ("cook", 3)), (("zoologist", None),) * 3, (("cook", 4), ("cook", 5)))
    rows = [
        (f"{number}/{person}", *row)
        for number, (kind, held) in enumerate(zip(kinds, data, strict=True))
        for person in range(held)
        for row in kind
    ]
    found = infer_schema(
        _frame(rows, ("who", "job", "points")), epsilon=Fraction(20), delta=Fraction(1, 1000), neighbours=relation,
        source=source, person="who", rows_per_person=1 if relation is Neighbours.REPLACE_ONE else 2,
    )  # fmt: skip
    return Seen(json.dumps(found.to_json()) + found.to_yaml() + repr(found), found.guarantee)


def inferred_file(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """``infer_schema`` on a file of which some records cannot be read: too few fields, or not UTF-8."""
    kinds = (b"cook,3,a1", b"smith,-20,a1", b"cook,\xff,a1", b"zoologist")
    records = [kind for kind, held in zip(kinds, data, strict=True) for _ in range(held)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        path.write_bytes(b"\n".join([b"job,points,case", *records]) + b"\n")
        return _seen(path, relation, source)


def raw_doors() -> list[Door]:
    """What is bought of a table before there is a schema."""
    return [
        Door("infer_schema", inferred, rows=1, base=(40, 0, 0, 8), repeats=4),
        Door("infer_schema, persons", inferred_persons, rows=1, base=(40, 0, 0, 8), repeats=4),
        Door("infer_schema / spelling", inferred_spelling, rows=1, base=(40, 0, 0, 8), repeats=4),
        Door("infer_schema / exact", inferred_exactly, rows=1, base=(400, 0, 0, 80), repeats=4),
        Door("synthesize_raw", made_raw, rows=1, base=(400, 0, 0, 80), repeats=2),
        Door("infer_schema / odd records", inferred_file, rows=1, base=(40, 0, 0, 8), repeats=4),
    ]
