"""Fitted models as JSON: rules, encoder, guarantee and public parameters. No training data, no pickles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from oracledp.whole_files import write_whole

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
    check_is_fitted(model, "rules_")
    write_whole(path, json.dumps(to_json(model), indent=2, ensure_ascii=False) + "\n")
