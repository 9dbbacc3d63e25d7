"""One neighbour relation by default: whatever names none speaks of add/remove-one, so one ledger serves it all."""

import ast
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import oracledp as odp
from oracledp.cli import cli
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.learners import (
    ConjunctionClassifier,
    DecisionListClassifier,
    DisjunctionClassifier,
    HalfspaceClassifier,
    ParityClassifier,
    PrivateClassifier,
    PrivateRuleClassifier,
    PrivateSelector,
)
from oracledp.learning import learn_table
from oracledp.mechanisms.gaussian_min import gaussian_rspm
from oracledp.mechanisms.mapped_counts import mapped_counts
from oracledp.mechanisms.noisy_min import report_noisy_min
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger

SOURCE = Path(odp.__file__).parent
SCHEMA = odp.Schema({name: {"kind": "boolean"} for name in ("a", "b", "sick")})
BITS = np.array([[n >> place & 1 for place in range(3)] for n in range(400)], dtype=bool)
FRAME = pd.DataFrame(BITS, columns=["a", "b", "sick"])
TABLE = odp.Table.from_frame(FRAME, SCHEMA)
SICK = SCHEMA.literal("sick")
RULES = odp.ZeroOneLoss.of(odp.Conjunctions(SCHEMA.literals.without("sick")), SICK)
X, Y = BITS[:, :2].astype(int), BITS[:, 2].astype(int)

PRODUCTS: dict[str, Callable[[Ledger], Any]] = {
    "exponential": lambda ledger: odp.exponential(TABLE, RULES, epsilon=1, ledger=ledger),
    "rspm": lambda ledger: odp.rspm(TABLE, RULES, epsilon=1, ledger=ledger),
    "report-noisy-min": lambda ledger: report_noisy_min(TABLE, RULES, epsilon=1, ledger=ledger),
    "gaussian": lambda ledger: gaussian_rspm(TABLE, RULES, epsilon=1, delta="1e-3", ledger=ledger),
    "mapped counts": lambda ledger: mapped_counts(TABLE, epsilon=1, ledger=ledger),
    "learn_table": lambda ledger: learn_table(TABLE, SICK, epsilon=1, ledger=ledger),
    "estimator": lambda ledger: PrivateRuleClassifier(epsilon=1, classes=[0, 1], ledger=ledger).fit(X, Y),
    "selector": lambda ledger: PrivateSelector(
        [ConjunctionClassifier(epsilon=1), HalfspaceClassifier(epsilon=1)], epsilon=1, classes=[0, 1], ledger=ledger
    ).fit(X, Y),
    "synthesizer": lambda ledger: odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-3", ledger=ledger).fit(FRAME),
}  # fmt: skip


def test_one_ledger_made_with_defaults_serves_every_product(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget.json", epsilon=100, delta="1/10")
    for number, (name, product) in enumerate(PRODUCTS.items()):
        product(ledger)
        assert len(ledger.charges) == number + 1, name
    assert ledger.spent[0] == len(PRODUCTS)
    assert ledger.neighbours is Neighbours.ADD_REMOVE


def test_one_budget_serves_learn_and_synth_on_the_command_line(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "data.csv", index=False)
    SCHEMA.save(tmp_path / "schema.json")
    budget, data, schema = (str(tmp_path / name) for name in ("budget.json", "data.csv", "schema.json"))
    lines = [
        ["budget", "create", budget, "--epsilon", "3", "--delta", "1e-3"],
        ["learn", data, "--schema", schema, "--target", "sick", "--epsilon", "1", "--ledger", budget],
        ["synth", data, "--schema", schema, "--epsilon", "1", "--delta", "1e-3", "--out", str(tmp_path / "rows.csv"),
         "--ledger", budget],
        ["schema", "check", data, "--schema", schema, "--epsilon", "1", "--ledger", budget],
    ]  # fmt: skip
    for line in lines:
        result = CliRunner().invoke(cli, line)
        assert result.exit_code == 0, result.output
    assert Ledger(Path(budget)).remaining == (0, 0)


def defaults(path: Path) -> Iterator[str]:
    """The default of every argument that is called ``neighbours``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            plain = node.args.posonlyargs + node.args.args
            pairs = list(zip(plain[len(plain) - len(node.args.defaults) :], node.args.defaults, strict=True))
            pairs += zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            yield from (ast.unparse(value) for name, value in pairs if name.arg == "neighbours" and value is not None)


def test_the_default_is_written_in_one_place() -> None:
    found = {path.relative_to(SOURCE).as_posix(): list(defaults(path)) for path in SOURCE.rglob("*.py")}
    named = {name: values for name, values in found.items() if values}
    assert len(named) > 10, "the scan sees the signatures"
    game = named.pop("game/oracle_query.py")
    assert game == ["NEIGHBOURS"]
    assert {value for values in named.values() for value in values} == {
        "Neighbours.DEFAULT", "Neighbours.DEFAULT.value",
    }  # fmt: skip


def test_the_game_says_that_it_needs_a_public_number_of_rows(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget.json", epsilon=1, delta="1e-3")
    queries = odp.Conjunctions(SCHEMA.literals)
    with pytest.raises(ParameterError, match="replace-one only: its payoff needs a public number of rows"):
        odp.OracleQuery(SCHEMA, epsilon=1, delta="1e-3", queries=queries, neighbours="add-remove", ledger=ledger)
    game = odp.OracleQuery(SCHEMA, epsilon=1, delta="1e-3", queries=queries, rounds=1, ledger=ledger)
    with pytest.raises(BudgetExceeded, match="counts add-remove budget only"):
        game.fit(FRAME)
    assert ledger.charges == ()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"rows": 400},
    {"neighbours": "replace-one"},
    {"size": 1},
    {"subsample": "1/2"},
    {"classes": None},
]
KINDS: list[type[PrivateClassifier]] = [
    ConjunctionClassifier, DisjunctionClassifier, ParityClassifier, DecisionListClassifier, HalfspaceClassifier,
    PrivateRuleClassifier,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_what_a_fit_promises_is_known_before_it(kind: type[PrivateClassifier], options: dict[str, Any]) -> None:
    model = kind(**{"epsilon": "1/2", "classes": [0, 1], **options})
    before = model.guarantee
    assert before.epsilon == Fraction(1, 2)
    assert model.fit(X, Y).guarantee_ == before == model.guarantee


def test_other_products_know_their_promise_too() -> None:
    estimators = [ConjunctionClassifier(epsilon=1), PrivateRuleClassifier(epsilon=1)]
    selector = PrivateSelector(estimators, epsilon=2)
    assert selector.guarantee == selector.fit(X, Y).guarantee_
    for player in ("exponential", "rspm"):
        game = odp.OracleQuery(
            SCHEMA, epsilon=1, delta="1e-3", queries=odp.Conjunctions(SCHEMA.literals), rounds=1, draws=3,
            query_player=player,
        )  # fmt: skip
        assert game.guarantee == game.fit(FRAME).guarantee_
    synthesizer = odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-3")
    assert synthesizer.guarantee == synthesizer.fit(FRAME).guarantee_


def test_an_oracle_s_part_in_the_promise_needs_the_columns() -> None:
    model = ParityClassifier(epsilon=1, bounds=(0, 1), classes=[0, 1], mechanism="rspm")
    with pytest.raises(ParameterError, match="guarantee_"):
        _ = model.guarantee
    assert model.fit(X, Y).guarantee_.robust


def test_what_is_promised_before_a_fit_names_its_grounds() -> None:
    """A recipe by the number of rows stands on their count; reading strictly stands on the schema."""
    schema = odp.Schema({"columns": {"a": {"kind": "boolean"}}})
    strict = "lie in its schema"
    for options, proof in (
        ({}, "row-count"),
        ({"size": 1}, "override-lists"),
        ({"neighbours": "replace-one"}, "override-lists"),
    ):
        assert odp.learners.DecisionListClassifier(epsilon=1, classes=[0, 1], **options).guarantee.proof == proof
    for asked, given, expected in ((True, schema, True), (False, schema, False), (True, None, False)):
        model = odp.learners.ConjunctionClassifier(epsilon=1, classes=[0, 1], schema=given, strict=asked)
        assert any(strict in claim for claim in model.guarantee.assumes) is expected
