"""Functions that fail in their own ways. They travel by name: this file imports next to nothing."""

import sys
import time
from typing import Any


def hangs(records: Any, counts: Any) -> Any:
    time.sleep(600)


def nan(records: Any, counts: Any) -> Any:
    return float("nan")


def raises(records: Any, counts: Any) -> Any:
    raise RuntimeError(f"a secret of {len(records)} rows")


def exits(records: Any, counts: Any) -> Any:
    sys.exit("a secret")


def foreign(records: Any, counts: Any) -> Any:
    return [object()]


def unhashable(records: Any, counts: Any) -> Any:
    return {"old": 1}


def nothing(records: Any, counts: Any) -> Any:
    return None


def columns(records: Any, counts: Any) -> Any:
    return frozenset({"smoker", "old"})


def word(records: Any, counts: Any) -> Any:
    return "red"


def numbers(records: Any, counts: Any) -> Any:
    return 1, 2.5
