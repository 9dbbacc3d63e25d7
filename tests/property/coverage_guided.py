"""Coverage-guided fuzzing of every reader, for long runs by hand: ``pip install atheris``, then

    python tests/property/coverage_guided.py -max_total_time=600

It looks for what test_fuzzing.py looks for, any error that is not one of ours, by another search.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any


def readers() -> list[Any]:
    """Every function that turns outside text into one of our objects."""
    import oracledp as odp
    from oracledp.classes import class_from_json, query_from_json
    from oracledp.privacy.guarantee import Guarantee
    from oracledp.privacy.ledger import Ledger
    from oracledp.synthesis.model import SyntheticModel

    path = Path(tempfile.mkdtemp()) / "file"

    def from_path(read: Any, suffix: str) -> Any:
        def reader(text: str) -> Any:
            target = path.with_suffix(suffix)
            target.write_text(text, encoding="utf-8", errors="surrogatepass")
            return read(target)

        return reader

    parsed = (class_from_json, query_from_json, Guarantee.from_json, odp.Release.from_json, SyntheticModel.from_json)
    return [
        *((lambda text, read=read: read(json.loads(text))) for read in (odp.Schema, *parsed)),
        from_path(odp.Schema.load, ".yaml"),
        from_path(odp.Release.load, ".json"),
        from_path(lambda target: Ledger(target).remaining, ".ledger"),
    ]


def main() -> None:
    """Run until stopped; the arguments are libFuzzer's."""
    import atheris

    with atheris.instrument_imports():
        import oracledp as odp
    entries = readers()

    def one_input(content: bytes) -> None:
        provider = atheris.FuzzedDataProvider(content)
        entry = entries[provider.ConsumeIntInRange(0, len(entries) - 1)]
        text = provider.ConsumeUnicode(len(content))
        try:
            entry(text)
        except (odp.OracleDPError, json.JSONDecodeError, RecursionError):
            pass
        except ValueError as error:  # json refuses integers of thousands of digits by itself
            if "integer string conversion" not in str(error):
                raise

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
