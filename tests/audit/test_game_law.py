"""Whole games of one and two rounds: the exact law of the transcript keeps its promise, and broken games do not."""

import pytest

from broken.game_mutants import GAME_MUTANTS
from broken.mutants import Mutant
from oracledp.audit.game_law import SmallGame, games


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name.replace(" ", "_"))
def test_the_whole_run_keeps_its_promise(game: SmallGame) -> None:
    finding = game.finding()
    assert finding.holds, finding
    assert finding.pairs >= 2
    assert finding.epsilon_low > 0.05  # the law does depend on the data


@pytest.mark.parametrize("mutant", GAME_MUTANTS, ids=lambda mutant: mutant.name)
def test_a_broken_game_is_caught(mutant: Mutant) -> None:
    assert mutant.caught


def test_the_law_is_that_of_the_game() -> None:
    """The masses of all transcripts sum to one, and there is one for each pair of queries."""
    two = next(game for game in games() if game.rounds == 2)
    law = two.law((1, 0, 0, 1))
    assert len(law.outputs) == two.queries.size**2
    assert abs(float(law.low.sum()) - 1) < 1e-12
