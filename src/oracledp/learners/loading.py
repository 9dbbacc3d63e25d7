"""Estimators read back from JSON, ready to predict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from oracledp.data.schema import Schema
from oracledp.errors import ModelError, OracleDPError
from oracledp.learners import estimators, regressors, trees
from oracledp.learners.encoding import SchemaEncoder, encoder_from_json
from oracledp.learners.estimator import PrivateEstimator
from oracledp.learners.rule_sets import RuleSet
from oracledp.learners.saving import FORMAT, VERSION
from oracledp.mechanisms.release import Release
from oracledp.oracles.base import Certificate, Trust
from oracledp.privacy.guarantee import Guarantee
from oracledp.whole_files import read_saved


def load_model(path: str | Path) -> Any:
    """The estimator that ``save`` wrote, or the rule that ``oracledp learn --out`` wrote as one, ready to predict."""
    data = read_saved(path, "a model that this version reads")
    if "query" in data and "schema" in data:
        return _released(data)
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
    kinds = {kind.__name__: kind for module in (estimators, trees, regressors) for kind in _estimators(module)}
    encoder = encoder_from_json(data["rules"]["encoder"])
    schema = encoder.schema if isinstance(encoder, SchemaEncoder) else None
    spent: dict[str, Any] = {"epsilon": str(guarantee.epsilon)}
    if guarantee.delta:
        spent["delta"] = str(guarantee.delta)
    if "range" in data["rules"]:
        spent["target_bounds"] = tuple(data["rules"]["range"])
    model = kinds[data["estimator"]](**spent, schema=schema, neighbours=guarantee.neighbours)
    model.guarantee_, model.rules_ = guarantee, model.rules_kind.from_json(data["rules"], encoder)
    stated = data["certificate"]
    model.certificate_ = None if stated is None else Certificate(Trust(stated["trust"]), str(stated["method"]))
    if model.rules_.classes:
        model.classes_ = np.array(model.rules_.classes)
    queries = model.rules_.queries
    model.rule_ = queries[0] if len(queries) == 1 else queries
    return model


def _released(data: dict[str, Any]) -> Any:
    """A rule of the command line: it predicts whether its target holds."""
    release = Release.from_json(data)
    rules, target = release.query.owner.without_target()
    schema = Schema(data["schema"])
    encoder = SchemaEncoder(schema if target is None else schema.without(target.column))
    promised = release.guarantee
    spent: dict[str, Any] = {"epsilon": str(promised.epsilon), "neighbours": promised.neighbours}
    model = estimators.PrivateRuleClassifier(**spent, schema=encoder.schema, classes=[False, True])
    model.guarantee_, model.certificate_ = promised, release.certificate
    model.rules_ = RuleSet((False, True), (rules.query(*release.query.parts),), encoder)
    model.rule_, model.classes_ = model.rules_.queries[0], np.array([False, True])
    return model


def _estimators(module: Any) -> list[type]:
    return [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, PrivateEstimator)]
