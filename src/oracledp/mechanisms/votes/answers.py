"""An answer that is no query of a class: what a vote over free answers releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from oracledp.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class AnswerReleased:
    """A privately chosen plain value (a word, a number, a list of them) with its guarantee."""

    answer: Any
    guarantee: Guarantee
    mechanism: str

    def __str__(self) -> str:
        return f"{self.answer}\n{self.guarantee}"

    def to_json(self) -> dict[str, Any]:
        """Everything a reader may see; nothing here depends on the data but the answer."""
        return {"mechanism": self.mechanism, "answer": self.answer, "guarantee": self.guarantee.to_json()}
