"""What leaves the private side: a query, what it promises, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oracledp.classes import query_from_json
from oracledp.classes.base import Query
from oracledp.errors import ModelError, OracleDPError
from oracledp.oracles.base import Certificate, Trust
from oracledp.privacy.guarantee import Guarantee
from oracledp.showing import html_text
from oracledp.whole_files import read_saved, write_whole

MARK, VERSION = "oracledp-rule", 1


@dataclass(frozen=True, repr=False)
class Release:
    """A privately chosen query with its guarantee and the certificate of the oracle that found it."""

    query: Query
    guarantee: Guarantee
    certificate: Certificate
    mechanism: str

    def __post_init__(self) -> None:
        # How much work a search did depends on the data; neither text nor pickle of a release may tell it.
        object.__setattr__(self, "certificate", replace(self.certificate, work=0))

    def __str__(self) -> str:
        return f"{self.query}\n{self.guarantee}"

    def __repr__(self) -> str:
        return f"<Release by {self.mechanism}: {self.query}; {self.guarantee}>"

    def _repr_html_(self) -> str:
        return html_text(str(self.query), str(self.guarantee))

    def to_json(self) -> dict[str, Any]:
        """Everything a reader may see; nothing here depends on the data but the query."""
        return {
            MARK: VERSION,
            "mechanism": self.mechanism,
            "rule": str(self.query),
            "query": self.query.to_json(),
            "guarantee": self.guarantee.to_json(),
            "certificate": self.certificate.to_json(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Release:
        """Read what :meth:`to_json` wrote."""
        try:
            if data.get(MARK, VERSION) != VERSION:  # the first files had no mark
                raise ModelError("this rule was saved in a format that this version of oracledp does not know")
            certificate = Certificate(Trust(data["certificate"]["trust"]), str(data["certificate"]["method"]))
            return cls(
                query_from_json(data["query"]),
                Guarantee.from_json(data["guarantee"]),
                certificate,
                str(data["mechanism"]),
            )
        except OracleDPError:
            raise
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise ModelError("this is not a release written by oracledp") from error

    def to_text(self) -> str:
        """The content of a saved release."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the release as JSON, whole or not at all."""
        write_whole(path, self.to_text())

    @classmethod
    def load(cls, path: str | Path) -> Release:
        """Read a saved release."""
        return cls.from_json(read_saved(path, "a release"))
