"""The released model of a game: its queries and proposals, all of it private already. It can be saved and shared."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import class_from_json
from oracledp.classes.base import Query, QueryClass
from oracledp.data.output.conditions import Conditions, allowed_codes, parse_conditions
from oracledp.data.schema import Schema
from oracledp.errors import ModelError, OracleDPError
from oracledp.game.data_player import Codes
from oracledp.game.play import Play
from oracledp.privacy.guarantee import Guarantee
from oracledp.whole_files import read_saved, write_whole

FORMAT = 1
MOST_RECORDS = 1 << 26


@dataclass(frozen=True, eq=False)
class GameModel:
    """What a game leaves behind: the play, the class it was about and the promise. ``rows`` is public: replace-one."""

    schema: Schema
    guarantee: Guarantee
    queries: QueryClass
    query_player: str
    rows: int
    play: Play

    def released_queries(self) -> tuple[Query, ...]:
        """The query of each round: all that was learned of the data."""
        closed = self.queries.closure()
        return tuple(Query(closed, parts) for parts in self.play.queries)

    def sample(self, n: int | None, where: Conditions | None, rng: np.random.Generator) -> Codes:
        """Rows of the average play that meet the conditions and break no deny rule; by default as many as the data."""
        allowed = ~self.schema.denied(self.play.records.astype(self.schema.code_dtype))
        share = 1.0
        if where is not None:
            met = self._meets(where)
            share, allowed = float(self.play.shares[met].sum()), allowed & met
        return self.play.average(max(1, round(self.rows * share)) if n is None else n, rng, allowed)

    def share(self, conditions: Conditions) -> float:
        """The share of the average play that meets all conditions."""
        return float(self.play.shares[self._meets(conditions)].sum())

    def _meets(self, conditions: Conditions) -> NDArray[np.bool_]:
        allowed = allowed_codes(parse_conditions(conditions, self.schema), self.schema)
        met = [keep[self.play.records[:, column]] for column, keep in enumerate(allowed)]
        return np.asarray(np.logical_and.reduce(met))

    # ---- saving ----------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """Released queries, and records drawn from them; nothing else depends on the data."""
        play = self.play
        return {
            "oracledp-game-model": FORMAT,
            "schema": self.schema.to_json(),
            "guarantee": self.guarantee.to_json(),
            "queries": self.queries.to_json(),
            "query_player": self.query_player,
            "rows": self.rows,
            "released": [list(parts) for parts in play.queries],
            "weights": list(play.weights),
            "draws": len(play.draws[0]),
            "records": _pack(play.records, self.schema),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> GameModel:
        """Read what :meth:`to_json` wrote."""
        try:
            if data["oracledp-game-model"] != FORMAT:
                raise ModelError("this model was written by another version of oracledp")
            schema, queries = Schema(data["schema"]), class_from_json(data["queries"])
            released = tuple(tuple(int(part) for part in parts) for parts in data["released"])
            weights = tuple(int(weight) for weight in data["weights"])
            records = _unpack(data["records"], schema, len(released) * int(data["draws"]))
            draws = tuple(np.split(records, len(released)))
            _refuse_strange(queries, released, weights, int(data["rows"]))
            play = Play(released, draws, weights)
            guarantee = Guarantee.from_json(data["guarantee"])
            return cls(schema, guarantee, queries, str(data["query_player"]), int(data["rows"]), play)
        except OracleDPError:
            raise
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, zlib.error) as error:
            raise ModelError("this is not a game model written by oracledp") from error

    def to_text(self) -> str:
        """The content of a saved model."""
        return json.dumps(self.to_json()) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        write_whole(path, self.to_text())

    @classmethod
    def load(cls, path: str | Path) -> GameModel:
        """Read a saved model."""
        return cls.from_json(read_saved(path, "a game model"))


def _refuse_strange(
    queries: QueryClass, released: tuple[tuple[int, ...], ...], weights: tuple[int, ...], rows: int
) -> None:
    closed = queries.closure()
    whole = len(weights) == len(released) and all(weight > 0 for weight in weights) and rows > 0
    if not released or not whole or not all(closed.contains(parts) for parts in released):
        raise ModelError("this game model does not fit together")


def _pack(records: Codes, schema: Schema) -> str:
    stored = records.astype(schema.code_dtype.newbyteorder("<"))
    return base64.b64encode(zlib.compress(stored.tobytes())).decode()


def _unpack(text: str, schema: Schema, count: int) -> Codes:
    dtype, columns = schema.code_dtype.newbyteorder("<"), len(schema.columns)
    if not 0 < count <= MOST_RECORDS:
        raise ModelError("this game model does not fit together")
    length = count * columns * dtype.itemsize
    raw = zlib.decompressobj().decompress(base64.b64decode(text), length + 1)
    codes = np.frombuffer(raw, dtype=dtype).reshape(count, columns).astype(np.int64)
    if np.any(codes >= np.array(schema.sizes)):
        raise ModelError("this game model holds codes that its schema does not have")
    return codes
