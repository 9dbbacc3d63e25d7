"""Exact curves lie below what the claim allows everywhere, and a broken one does not."""

from fractions import Fraction
from pathlib import Path

import pytest

from oracledp.audit.catalogue import small_classes
from oracledp.audit.curves import Curve, allowed_delta, catalogue_curves, curve, draw
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.privacy.guarantee import Guarantee, Neighbours


def test_every_curve_is_allowed_and_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    curves = catalogue_curves()
    assert all(one.holds for one in curves)
    draw(curves, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


def test_a_curve_above_its_claim_is_seen() -> None:
    honest = curve("x", ExponentialMechanism(small_classes()["loss"], Fraction(1), Neighbours.REPLACE_ONE))
    claimed = Guarantee(epsilon=Fraction(1, 4), neighbours=Neighbours.REPLACE_ONE, proof="x")
    too_much = tuple(allowed_delta(claimed, epsilon) for epsilon in honest.epsilons)
    assert not Curve("mutant", honest.epsilons, honest.exact, too_much).holds
