"""The whole mechanism: guarantees, claims, charges, bad options."""

import threading
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from prsma_examples import ADD, LIMITED, ON_DATA, REPLACE, a_design, a_table, rules, run

from broken.hostile_oracles import FailsOnDemand, FailsOnOutputs, HostileOracle
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust import Design, NothingReleased, RobustMechanism, certified_delta
from oracledp.mechanisms.robust.mechanism import RobustSelection
from oracledp.mechanisms.robust.parallel import JoblibWorkers, workers_of
from oracledp.mechanisms.robust.rspm_base import RspmBase
from oracledp.mechanisms.robust.runs import (
    ThisProcess,
)
from oracledp.oracles.base import Answer, Trust
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness, SystemRandomness


@dataclass(frozen=True)
class MayFail(HostileOracle):
    """A proved oracle that admits it may fail."""

    @property
    def total(self) -> bool:
        return False


def test_a_release_is_a_query_with_a_robust_guarantee() -> None:
    tries = (run(source=SystemRandomness()) for _ in range(4))  # each is ⊥ with probability beta = 1/100
    found = next(result for result in tries if isinstance(result, Release))
    assert found.guarantee.robust
    assert found.mechanism == "prsma"
    assert found.guarantee.delta == Fraction(1, 100)
    assert found.guarantee.neighbours is Neighbours.DEFAULT


def test_an_oracle_that_always_fails_gives_bottom_with_the_same_guarantee_and_nothing_else() -> None:
    found = run(oracle=ON_DATA)
    assert isinstance(found, NothingReleased)
    assert found.exit_code == 4
    assert set(found.to_json()) == {"mechanism", "rule", "guarantee"}
    assert found.to_json()["rule"] is None


def test_failures_on_outputs_are_survived_or_give_bottom() -> None:
    outputs = frozenset({(0, 1)})
    found = run(oracle=FailsOnOutputs(outputs=outputs))
    assert isinstance(found, NothingReleased) or found.query.parts not in outputs


def test_a_design_whose_claim_is_not_confirmed_never_runs(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=10, delta="1/2")
    with pytest.raises(ParameterError, match="not confirmed"):
        run(delta=certified_delta(a_design(delta=Fraction(1, 10**12))) * Fraction(98, 100), ledger=ledger)
    assert ledger.charges == ()


def test_the_ledger_is_charged_before_sampling_and_refuses_first(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100")
    assert isinstance(run(oracle=ON_DATA, ledger=ledger), NothingReleased)
    assert ledger.spent == (2, Fraction(1, 100))
    with pytest.raises(BudgetExceeded):
        run(ledger=ledger)


def test_an_oracle_that_cannot_travel_is_refused_before_the_charge(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100")
    lock = threading.Lock()
    stuck = FailsOnDemand(when=lambda problem: lock.locked())
    with pytest.raises(ParameterError, match="the oracle cannot be sent to another process"):
        run(oracle=stuck, parallel="joblib", ledger=ledger)
    assert ledger.charges == ()


def test_free_ties_are_charged_to_delta() -> None:
    @dataclass(frozen=True)
    class FreeTies(MayFail):
        @property
        def fixed_ties(self) -> bool:
            return False

    mechanism = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=FreeTies())
    assert mechanism.design.tie_delta == mechanism.base.perturbation.tie_delta > 0
    assert mechanism.design.delta_terms["ties"] > 0


def test_the_base_gets_the_designs_own_parameter() -> None:
    mechanism = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=LIMITED)
    assert mechanism.base.epsilon == Fraction(1, 40)
    assert mechanism.base.neighbours is ADD
    assert mechanism.guarantee.robust


def test_claims_are_listed_and_guesses_refused() -> None:
    @dataclass(frozen=True)
    class Claims(MayFail):
        level: Trust = Trust.CLAIMED

        @property
        def trust(self) -> Trust:
            return self.level

    claimed = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=Claims())
    assert not claimed.guarantee.robust
    claims = ("the claim of optimality by Claims is true", "Claims does not count its calls")
    assert claimed.guarantee.assumes == claims
    with pytest.raises(ParameterError, match="guesses"):
        RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=Claims(level=Trust.GUESSED))


def test_an_oracle_that_cannot_do_the_class_says_so_before_budget_is_spent(tmp_path: Path) -> None:
    class Unable(MayFail):
        def solve(self, problem: WeightedProblem) -> Answer:
            raise ParameterError("this oracle knows parities only")

    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100")
    for oracle in (Unable(), FailsOnDemand()):
        with pytest.raises(ParameterError, match="does not serve conjunctions"):
            run(oracle=oracle, ledger=ledger)
    assert ledger.charges == ()


def test_under_replace_one_the_design_is_for_the_rows_that_are_there(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100", neighbours="replace-one")
    with pytest.raises(ParameterError, match="rows_bound"):
        run(neighbours="replace-one", rows_bound=3000, ledger=ledger)
    with pytest.raises(ParameterError, match="another number of rows"):
        run(neighbours="replace-one", design=a_design(rows=2999), ledger=ledger)
    assert ledger.charges == ()
    assert run(neighbours="replace-one").guarantee.neighbours is REPLACE


@pytest.mark.parametrize("options", [{"goal": "best"}, {"parallel": "threads"}, {"epsilon": 0}, {"delta": 0}])
def test_bad_options_are_named(options: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(options))):
        run(**options)


def test_processes_give_what_one_process_gives_with_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracledp.mechanisms.robust.runs.BATCH", 20)
    here = run(oracle=ExhaustiveOracle())
    there = run(oracle=ExhaustiveOracle(), parallel="joblib")
    assert isinstance(here, Release)
    assert here.to_json() == there.to_json()
    assert isinstance(workers_of("joblib"), JoblibWorkers)


@pytest.mark.parametrize(("goal", "sign"), [("min", 1), ("max", -1)])
def test_a_goal_is_the_sign_of_the_weights(goal: str, sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[RspmBase] = []

    def caught(design: Design, base: RspmBase, *rest: object) -> None:
        seen.append(base)

    monkeypatch.setattr("oracledp.mechanisms.robust.mechanism.answer_after_tests", caught)
    mechanism = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=ExhaustiveOracle())
    RobustSelection(mechanism, goal, ThisProcess()).run(a_table(), SeededRandomness(1))
    assert [base.sign for base in seen] == [sign]
