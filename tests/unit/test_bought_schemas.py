"""What a release costs together with the schema that its rows were read by."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracledp.cli import cli
from oracledp.data.schema import Schema
from oracledp.data.schema.purchase import Purchase
from oracledp.data.table.unit import Unit
from oracledp.errors import SchemaError
from oracledp.privacy.guarantee import Guarantee, Neighbours, in_all

PRICE = {"epsilon": "0.1", "delta": "1e-07", "neighbours": "add-remove"}
RELEASE = Guarantee(
    epsilon=Fraction(9, 10), delta=Fraction(9, 10**7), neighbours=Neighbours.ADD_REMOVE, proof="noise", rho=Fraction(1)
)


def test_release_and_schema_cost_their_sum_and_have_no_rho() -> None:
    both = RELEASE.with_schemas(Purchase.parse(PRICE))
    assert both is not None
    assert (both.epsilon, both.delta, both.rho) == (1, Fraction(1, 10**6), None)


def test_two_schemas_are_both_counted() -> None:
    both = RELEASE.with_schemas(Purchase.parse(PRICE), None, Purchase.parse(PRICE))
    assert both is not None
    assert both.epsilon == Fraction(11, 10)


def test_nothing_is_said_of_a_schema_that_cost_nothing() -> None:
    assert RELEASE.with_schemas(None) is None
    assert in_all(RELEASE, None) is None


@pytest.mark.parametrize("other", [{"neighbours": "replace-one"}, {"person": "patient"}])
def test_promises_about_other_changes_are_never_added_up(other: dict[str, str]) -> None:
    bought = Purchase.parse({**PRICE, **other})
    assert RELEASE.with_schemas(bought) is None
    assert "more, with other neighbours" in (in_all(RELEASE, bought) or "")


def test_persons_are_persons_however_many_of_their_rows_were_kept() -> None:
    bought = Guarantee(
        epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE, proof="private-schema", unit=Unit("patient", 5)
    ).bought
    release = Guarantee(epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE, proof="noise", unit=Unit("patient", 2))
    both = release.with_schemas(bought)
    assert both is not None
    assert both.epsilon == 2


def test_a_seeded_schema_makes_both_not_private() -> None:
    bought = RELEASE.tainted().bought
    assert Purchase.parse(bought.to_json()) == bought
    both = RELEASE.with_schemas(bought)
    assert both is not None
    assert not both.private
    assert "NOT PRIVATE" in (in_all(RELEASE, bought) or "")


@pytest.mark.parametrize(
    "entry",
    [7, {}, {"epsilon": 1}, {**PRICE, "cost": 1}, {**PRICE, "epsilon": -1}, {**PRICE, "neighbours": "all"},
     {**PRICE, "neighbours": []}, {**PRICE, "person": 3}, {**PRICE, "private": "no"}],
)  # fmt: skip
def test_a_bad_price_is_refused_in_one_line_that_names_its_key(entry: object) -> None:
    with pytest.raises(SchemaError, match="key 'bought'") as refused:
        Schema({"columns": {"a": "boolean"}, "bought": entry})
    assert "\n" not in str(refused.value)


def test_the_price_stays_with_a_schema_that_is_changed() -> None:
    schema = Schema({"columns": {"a": "boolean", "b": "boolean"}, "bought": PRICE})
    for changed in (schema.without("b"), schema.spelled(decimal=","), Schema(schema.to_json())):
        assert changed.bought == schema.bought


def test_two_commands_say_what_both_cost(tmp_path: Path) -> None:
    rows, schema, page = (str(tmp_path / name) for name in ("rows.csv", "rows.yaml", "page.html"))
    Path(rows).write_text("job,ill\n" + "cook,yes\nsmith,no\n" * 3000, encoding="utf-8")
    priced = ["--epsilon", "0.5", "--delta", "1e-6", "--out", schema]
    done = CliRunner().invoke(cli, ["schema", "infer", rows, *priced], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    asked = ["learn", rows, "--schema", schema, "--target", "ill=yes", "--epsilon", "1", "--report", page]
    said = CliRunner().invoke(cli, asked, catch_exceptions=False).stdout
    assert "With its schema, which was bought for (0.5, 1e-06): (1.5, 1e-06) in all." in said
    assert "(1.5, 1e-06) in all" in Path(page).read_text(encoding="utf-8")
    told = json.loads(CliRunner().invoke(cli, [*asked, "--json"], catch_exceptions=False).stdout)
    assert told["guarantee_with_schema"]["epsilon"] == "3/2"
