"""Estimators read back from JSON, ready to predict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from oracledp.errors import ModelError, OracleDPError
from oracledp.learners import estimators
from oracledp.learners.base import PrivateClassifier
from oracledp.learners.encoding import SchemaEncoder, encoder_from_json
from oracledp.learners.rule_sets import RuleSet
from oracledp.learners.saving import FORMAT, VERSION
from oracledp.oracles.base import Certificate, Trust
from oracledp.privacy.guarantee import Guarantee
from oracledp.whole_files import read_saved


def load_model(path: str | Path) -> Any:
    """The estimator that :func:`oracledp.learners.saving.save_model` wrote, ready to predict."""
    data = read_saved(path, "a model that this version reads")
    if data.get(FORMAT) != VERSION:
        raise ModelError(f"{path} does not hold a model that this version reads")
    try:
        return _rebuild(data)
    except OracleDPError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError(f"{path} does not hold a whole model") from error


def _rebuild(data: dict[str, Any]) -> Any:
    guarantee = Guarantee.from_json(data["guarantee"])
    kinds = {kind.__name__: kind for kind in _estimators(estimators)}
    encoder = encoder_from_json(data["rules"]["encoder"])
    schema = encoder.schema if isinstance(encoder, SchemaEncoder) else None
    model = kinds[data["estimator"]](epsilon=str(guarantee.epsilon), schema=schema, neighbours=guarantee.neighbours)
    model.guarantee_, model.rules_ = guarantee, RuleSet.from_json(data["rules"], encoder)
    stated = data["certificate"]
    model.certificate_ = None if stated is None else Certificate(Trust(stated["trust"]), str(stated["method"]))
    model.classes_ = np.array(model.rules_.classes)
    queries = model.rules_.queries
    model.rule_ = queries[0] if len(queries) == 1 else queries
    return model


def _estimators(module: Any) -> list[type]:
    return [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, PrivateClassifier)]
