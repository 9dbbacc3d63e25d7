"""Every code that a comment or a page uses is in the glossary."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"\b(?:erratum |trap |tightening |\()([EAPT][0-9]{1,2})\b")


def test_every_code_is_explained() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| ([EAPT][0-9]{1,2}) \|", glossary, re.MULTILINE))
    files = [
        path
        for folder in ("src", "docs", "proofs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md")
    ]
    used = {code for path in files for code in CODE.findall(path.read_text(encoding="utf-8"))}
    assert len(used) > 10
    assert used <= known
