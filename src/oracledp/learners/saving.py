"""Fitted models as JSON: rules, encoder, guarantee and public parameters. No training data, no pickles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from oracledp.errors import ModelError, OracleDPError
from oracledp.learners.encoding import SchemaEncoder, encoder_from_json
from oracledp.learners.rule_sets import RuleSet
from oracledp.oracles.base import Certificate, Trust
from oracledp.privacy.guarantee import Guarantee
from oracledp.whole_files import read_saved, write_whole

FORMAT = "oracledp-model"
VERSION = 1


def to_json(model: Any) -> dict[str, Any]:
    """A fitted estimator as plain values."""
    certificate = model.certificate_
    return {
        FORMAT: VERSION,
        "estimator": type(model).__name__,
        "guarantee": model.guarantee_.to_json(),
        "certificate": None if certificate is None else certificate.to_json(),
        "text": str(model.rules_),
        "rules": model.rules_.to_json(),
    }


def save_model(model: Any, path: str | Path) -> None:
    """Write a fitted estimator, whole or not at all."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "rules_")
    write_whole(path, json.dumps(to_json(model), indent=2, ensure_ascii=False) + "\n")


def load_model(path: str | Path) -> Any:
    """The estimator that :func:`save_model` wrote, ready to predict."""
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
    from oracledp.learners import estimators

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
    from oracledp.learners.base import PrivateClassifier

    return [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, PrivateClassifier)]
