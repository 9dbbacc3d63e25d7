"""Every public function with numbers of every type: an answer or one clear line, and no charge for what is refused."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest
from experiments.paper_constants import paper_design

import oracledp as odp
from oracledp.errors import BudgetExceeded, OracleDPError, ParameterError
from oracledp.learners import PrivateRuleClassifier
from oracledp.learning import learn_table
from oracledp.mechanisms.gaussian_min import gaussian_rspm
from oracledp.mechanisms.noisy_min import report_noisy_min
from oracledp.mechanisms.robust import design_prsma, prsma
from oracledp.randomness.source import SeededRandomness

SCHEMA = odp.Schema({"columns": {name: {"kind": "boolean"} for name in ("a", "b", "sick")}})
ROWS = np.random.default_rng(1).integers(0, 2, (400, 3))
FRAME = pandas.DataFrame(ROWS.astype(bool), columns=SCHEMA.names)
TABLE = odp.Table.from_frame(FRAME, SCHEMA)
QUERIES = odp.Conjunctions(SCHEMA.literals, max_width=2)
SICK = SCHEMA.literals[2]

GOOD = [
    1,
    np.int64(1),
    np.uint8(1),
    np.float32(1),
    np.float64(1),
    1.0,
    Fraction(np.int64(1)),
    Decimal(1),
    "1",
    "1/1",
    "1e0",
]
BAD = [
    True, np.True_, None, "one", "", "nan", float("nan"), float("inf"), np.float32("inf"), Decimal("nan"), 0, -1,
    "1e400", "1e-5000", "9" * 5000, 10**5000, Fraction(1, 10**5000), Decimal("1e999999"), np.array(1.0), [1], 1j,
    "10001",
]  # fmt: skip

RELEASES = {
    "rspm": lambda e, ledger: odp.rspm(TABLE, QUERIES, epsilon=e, ledger=ledger),
    "exponential": lambda e, ledger: odp.exponential(TABLE, QUERIES, epsilon=e, ledger=ledger),
    "permute-and-flip": lambda e, ledger: odp.exponential(
        TABLE, QUERIES, epsilon=e, method="permute-and-flip", ledger=ledger
    ),
    "noisy min": lambda e, ledger: report_noisy_min(TABLE, QUERIES, epsilon=e, ledger=ledger),
    "gaussian": lambda e, ledger: gaussian_rspm(TABLE, QUERIES, epsilon=e, delta="1e-3", ledger=ledger),
    "learn": lambda e, ledger: learn_table(TABLE, SICK, epsilon=e, ledger=ledger),
    "classifier": lambda e, ledger: PrivateRuleClassifier(
        epsilon=e, classes=[0, 1], class_weight={0: e, 1: 1}, ledger=ledger
    ).fit(ROWS[:, :2], ROWS[:, 2]),
    "synthesizer": lambda e, ledger: odp.Synthesizer(SCHEMA, epsilon=e, delta="1e-3", ledger=ledger).fit(FRAME),
    "game": lambda e, ledger: odp.OracleQuery(
        SCHEMA, epsilon=e, delta="1e-3", queries=QUERIES, rounds=2, draws=3, ledger=ledger
    ).fit(FRAME),
    "plan": lambda e, ledger: odp.plan("learn", epsilon=e, rows=1000, queries=QUERIES),
}  # fmt: skip


@pytest.fixture
def ledger(tmp_path):
    return odp.Ledger.create(tmp_path / "budget", epsilon=1000, delta="1/2")


@pytest.fixture
def budget(name, ledger, tmp_path):
    """The game is private under replace-one only, so it has a ledger of its own; one serves all the others."""
    if name != "game":
        return ledger
    return odp.Ledger.create(tmp_path / "game", epsilon=1000, delta="1/2", neighbours="replace-one")


@pytest.mark.parametrize(
    ("name", "epsilon"),
    [(name, value) for name in RELEASES for value in (GOOD[1:4] if name in ("synthesizer", "game") else GOOD)],
)
def test_every_kind_of_number_is_taken(name, epsilon, budget):
    RELEASES[name](epsilon, budget)
    for charge in budget.charges:
        assert (charge.epsilon, type(charge.epsilon.numerator)) == (1, int)


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("epsilon", [*BAD, "1e-7"], ids=range(len(BAD) + 1))
def test_what_is_refused_costs_nothing(name, epsilon, budget):
    before = budget.path.read_bytes()
    with pytest.raises(ParameterError) as refused:
        RELEASES[name](epsilon, budget)
    assert "\n" not in str(refused.value)
    assert budget.path.read_bytes() == before


@pytest.mark.parametrize("delta", [*BAD, 1, "0.999999e-300", Fraction(1, 10**301)], ids=range(len(BAD) + 3))
def test_a_bad_delta_costs_nothing(delta, ledger):
    before = ledger.path.read_bytes()
    runs = [
        lambda: gaussian_rspm(TABLE, QUERIES, epsilon=1, delta=delta, ledger=ledger),
        lambda: prsma(TABLE, QUERIES, epsilon=1, delta=delta, ledger=ledger),
        lambda: odp.Synthesizer(SCHEMA, epsilon=1, delta=delta, ledger=ledger).fit(FRAME),
        lambda: odp.OracleQuery(SCHEMA, epsilon=1, delta=delta, queries=QUERIES, ledger=ledger).fit(FRAME),
        lambda: odp.Ledger.create(ledger.path.parent / "other", epsilon=1, delta=delta),
    ]
    for run in runs[: -1 if delta == 0 else None]:
        with pytest.raises(ParameterError):
            run()
    assert ledger.path.read_bytes() == before


@pytest.mark.parametrize("bound", BAD, ids=range(len(BAD)))
def test_a_ledger_takes_only_numbers(bound, tmp_path):
    with pytest.raises(ParameterError):
        odp.Ledger.create(tmp_path / "budget", epsilon=bound)
    assert not (tmp_path / "budget").exists()


@pytest.mark.parametrize("epsilon", ["1e-6", "10000", "0." + "3" * 390], ids=["least", "most", "long"])
@pytest.mark.parametrize("name", [name for name in RELEASES if name != "classifier"])
def test_the_ends_of_the_range_are_borne(name, epsilon, budget):
    """A mechanism may refuse an extreme epsilon by public numbers; it neither hangs nor charges then."""
    try:
        RELEASES[name](epsilon, budget)
    except BudgetExceeded:
        assert epsilon == "10000"
    except OracleDPError:
        assert not budget.charges


COUNTS = [True, 1.0, 2.5, "3", None, 0, -1, 10**5000, np.float64(3), np.array([3]), 1j]
WHOLE = {
    "plan rows": lambda n: odp.plan("learn", epsilon=1, rows=n, queries=QUERIES),
    "plan calls": lambda n: odp.plan("learn", epsilon=1, rows=100, queries=QUERIES, max_calls=n),
    "design rows": lambda n: design_prsma(epsilon=1, delta="1e-3", rows=n),
    "paper rows": lambda n: paper_design(epsilon=1, delta="1e-3", rows=n),
    "seed": SeededRandomness,
}
OPTIONAL = {
    "rows bound": lambda n: prsma(TABLE, QUERIES, epsilon=1, delta="1e-3", rows_bound=n),
    "learn size": lambda n: learn_table(TABLE, SICK, epsilon=1, size=n),
    "learn rows": lambda n: learn_table(TABLE, SICK, epsilon=1, rows=n),
    "classifier rows": lambda n: PrivateRuleClassifier(epsilon=1, classes=[0, 1], rows=n).fit(ROWS[:, :2], ROWS[:, 2]),
    "cuts": lambda n: PrivateRuleClassifier(epsilon=1, bounds=(0, 1), classes=[0, 1], cuts=1 if n is None else n).fit(
        ROWS[:, :2], ROWS[:, 2]
    ),
    "width": lambda n: odp.Conjunctions(SCHEMA.literals, max_width=n),
    "length": lambda n: odp.DecisionLists(SCHEMA.literals, length=n),
    "nonzero": lambda n: odp.Halfspaces(SCHEMA.literals, max_nonzero=n),
    "rounds": lambda n: odp.OracleQuery(SCHEMA, epsilon=1, delta="1e-3", queries=QUERIES, rounds=n),
    "draws": lambda n: odp.OracleQuery(SCHEMA, epsilon=1, delta="1e-3", queries=QUERIES, draws=n),
    "synthetic rows": lambda n: odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-3", rows=n),
}


@pytest.mark.parametrize("name", WHOLE | OPTIONAL)
def test_integers_are_python_s_or_numpy_s(name):
    run = (WHOLE | OPTIONAL)[name]
    if name not in ("design rows", "paper rows", "rows bound"):  # too few rows for any design
        run(3)
        run(np.int64(3))
    for value in COUNTS:
        fine = (value is None and name in OPTIONAL) or (value == 0 and name in ("seed", "width", "length", "nonzero"))
        if not fine or isinstance(value, bool):
            with pytest.raises(ParameterError):
                run(value)


def test_rounds_times_draws_are_bounded_before_anything_is_paid(ledger):
    game = odp.OracleQuery(
        SCHEMA, epsilon=1, delta="1e-3", queries=QUERIES, rounds=5000, draws=10**6, ledger=ledger
    )  # fmt: skip
    with pytest.raises(ParameterError, match="rounds times draws"):
        game.fit(FRAME)
    assert not ledger.charges
