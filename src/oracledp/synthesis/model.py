"""The released model: everything a synthesizer learned, all of it private already. It can be saved and shared."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import query_from_json
from oracledp.data.schema import Schema
from oracledp.errors import ModelError, OracleDPError
from oracledp.exact.numbers import exact
from oracledp.privacy.guarantee import Guarantee
from oracledp.synthesis.basis import Features
from oracledp.synthesis.bins import ColumnBins, Floats, Integers
from oracledp.synthesis.counted import counted
from oracledp.synthesis.layout import Layout
from oracledp.synthesis.measurements import NoisyParities, NoisyQueries, NoisyTable
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.model_checks import refuse_strange
from oracledp.whole_files import read_saved, write_whole

FORMAT = 1


@dataclass(frozen=True)
class SyntheticModel:
    """A mixture over binned columns, the columns' own distributions, and the noisy tables behind intervals."""

    schema: Schema
    guarantee: Guarantee
    total: float
    marginals: tuple[Floats, ...]
    mixture: Mixture
    tables: tuple[NoisyTable, ...]
    features: Features
    parities: tuple[NoisyParities, ...]
    queries: tuple[NoisyQueries, ...] = ()

    @property
    def bins(self) -> tuple[ColumnBins, ...]:
        """The bins of each column."""
        return self.mixture.layout.bins

    def restricted(self, allowed: Sequence[NDArray[np.bool_]]) -> tuple[SyntheticModel, float]:
        """The model given that every column's code is allowed, and the probability of that."""
        parts, marginals = self.mixture.parts.copy(), []
        weights = self.mixture.weights.copy()
        for block, binning, mass, keep in zip(
            self.mixture.layout.blocks(), self.bins, self.marginals, allowed, strict=True
        ):
            kept = np.where(keep, mass, 0.0)
            share = np.bincount(binning.fine, weights=kept, minlength=binning.size)
            parts[:, block] *= share / np.bincount(binning.fine, weights=mass, minlength=binning.size)
            inside = parts[:, block].sum(axis=1)
            weights *= inside
            parts[:, block] /= np.maximum(inside, 1e-300)[:, None]
            marginals.append(kept)
        probability = float(weights.sum())
        if probability <= 0:
            raise ModelError("no record of the model satisfies these conditions")
        mixture = Mixture(self.mixture.layout, weights / probability, parts)
        return replace(self, mixture=mixture, marginals=tuple(marginals)), probability

    def of_columns(self, columns: slice, schema: Schema) -> SyntheticModel:
        """The model of some columns that lie side by side, without the counts behind it."""
        blocks, bins = self.mixture.layout.blocks()[columns], self.bins[columns]
        parts = self.mixture.parts[:, blocks[0].start : blocks[-1].stop]
        mixture = Mixture(Layout(bins), self.mixture.weights, parts)
        nothing = Features(np.zeros(0, dtype=np.int64), (), (False,) * len(bins))
        return SyntheticModel(schema, self.guarantee, self.total, self.marginals[columns], mixture, (), nothing, ())

    # ---- saving ----------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """Released numbers only; arrays as base64 of little-endian floats."""
        return {
            "oracledp-synthetic-model": FORMAT,
            "schema": self.schema.to_json(),
            "guarantee": self.guarantee.to_json(),
            "total": self.total,
            "marginals": [_pack(mass) for mass in self.marginals],
            "bins": [_bins_json(binning) for binning in self.bins],
            "weights": _pack(self.mixture.weights),
            "parts": _pack(self.mixture.parts),
            "tables": [
                {
                    "columns": list(t.columns),
                    "levels": list(t.levels),
                    "values": t.values.tolist(),
                    "variance": str(t.variance),
                }
                for t in self.tables
            ],
            "features": {
                "columns": self.features.columns.tolist(),
                "signs": [sign.tolist() for sign in self.features.signs],
                "resolved": list(self.features.resolved),
            },
            "parities": [
                {"subsets": p.subsets.tolist(), "values": p.values.tolist(), "variance": str(p.variance)}
                for p in self.parities
            ],
            "queries": [
                {
                    "queries": [found.query.to_json() for found in group.queries],
                    "values": group.values.tolist(),
                    "variance": str(group.variance),
                }
                for group in self.queries
            ],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SyntheticModel:
        """Read what :meth:`to_json` wrote."""
        try:
            if "oracledp-game-model" in data:
                raise ModelError("this model is of a game, which counted nothing: sample it by odp.OracleQuery.load")
            if "oracledp-linked-model" in data:
                raise ModelError(
                    "this model is of two linked tables: 'oracledp sample' and odp.LinkedSynthesizer.load draw rows"
                    " from it, and there are no answers"
                )
            if data["oracledp-synthetic-model"] != FORMAT:
                raise ModelError("this model was written by another version of oracledp")
            bins = tuple(_bins(entry) for entry in data["bins"])
            weights = _unpack(data["weights"])
            mixture = Mixture(Layout(bins), weights, _unpack(data["parts"]).reshape(len(weights), -1))
            tables = tuple(
                NoisyTable(
                    tuple(t["columns"]), tuple(t["levels"]), _ints(t["values"]), exact(t["variance"], "variance")
                )
                for t in data["tables"]
            )
            schema = Schema(data["schema"])
            model = cls(
                schema,
                Guarantee.from_json(data["guarantee"]),
                float(data["total"]),
                tuple(_unpack(mass) for mass in data["marginals"]),
                mixture,
                tables,
                Features(
                    _ints(data["features"]["columns"]),
                    tuple(_ints(sign) for sign in data["features"]["signs"]),
                    tuple(data["features"]["resolved"]),
                ),
                tuple(
                    NoisyParities(_ints(p["subsets"]), _ints(p["values"]), exact(p["variance"], "variance"))
                    for p in data["parities"]
                ),
                tuple(_queries(group, schema) for group in data.get("queries", ())),
            )
            refuse_strange(model)
            return model
        except OracleDPError:
            raise
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise ModelError("this is not a synthetic model written by oracledp") from error

    def to_text(self) -> str:
        """The content of a saved model."""
        return json.dumps(self.to_json()) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        write_whole(path, self.to_text())

    @classmethod
    def load(cls, path: str | Path) -> SyntheticModel:
        """Read a saved model."""
        return cls.from_json(read_saved(path, "a synthetic model"))


def _bins_json(binning: ColumnBins) -> dict[str, Any]:
    stages = {"stages": [start.tolist() for start in binning.stages]} if binning.stages else {}
    return {"fine": binning.fine.tolist(), "starts": [start.tolist() for start in binning.starts]} | stages


def _bins(entry: dict[str, Any]) -> ColumnBins:
    starts, stages = (tuple(_ints(start) for start in entry.get(key, ())) for key in ("starts", "stages"))
    return ColumnBins(_ints(entry["fine"]), starts, stages)


def _queries(group: dict[str, Any], schema: Schema) -> NoisyQueries:
    found = tuple(counted(query_from_json(query), schema) for query in group["queries"])
    return NoisyQueries(found, _ints(group["values"]), exact(group["variance"], "variance"))


def _pack(values: Floats) -> str:
    return base64.b64encode(values.astype("<f8").tobytes()).decode()


def _unpack(text: str) -> Floats:
    return np.frombuffer(base64.b64decode(text), dtype="<f8").astype(np.float64)


def _ints(values: Any) -> Integers:
    return np.array(values, dtype=np.int64)
