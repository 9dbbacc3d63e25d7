"""The figures of docs/officers.md follow from ε, rounded up, and its words are those that reports use."""

from fractions import Fraction
from math import exp
from pathlib import Path

from oracledp.report.words import protection

PAGE = (Path(__file__).parents[2] / "docs" / "officers.md").read_text(encoding="utf-8")


def test_the_table_of_epsilon() -> None:
    rows = [
        line.strip("| ").split(" | ")
        for line in PAGE.splitlines()
        if line.startswith(("| 0.", "| 1 ", "| 2", "| 4", "| 8"))
    ]
    assert len(rows) == 8
    for epsilon, factor, *chances, words in rows:
        ratio = exp(float(epsilon))
        said = float(factor.replace(",", "").replace(" million", "e6"))
        assert said >= 0.99 * ratio
        assert said <= 1.01 * ratio + 0.01
        for chance, prior in zip(chances, (0.5, 0.1, 0.01), strict=True):
            posterior = 100 * ratio * prior / (ratio * prior + 1 - prior)
            assert posterior <= float(chance.removesuffix(" %")) <= min(100, posterior + 0.1)
        assert words == protection(Fraction(epsilon))
