"""Cards, blocks, the recipe, and learning straight from a table."""

from fractions import Fraction

import numpy as np
import pandas
import pytest

import oracledp as odp
from oracledp.data.literals import Literals
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.learning import learn_table, recipe, rule_learner
from oracledp.learning.blocks import Block, schema_blocks, single_blocks, thin_blocks
from oracledp.learning.cards import scoring_card
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

SCHEMA = odp.Schema(
    {
        "columns": {
            "town": {"kind": "categorical", "values": ["Bern", "Genf", "Chur"], "other": "elsewhere"},
            "age": {"kind": "integer", "lo": 0, "hi": 100, "thresholds": [18, 40, 65], "nullable": True},
            "sick": {"kind": "boolean"},
        }
    }
)


def all_codes(schema):
    grids = np.meshgrid(*(np.arange(size) for size in schema.sizes), indexing="ij")
    return np.stack([grid.reshape(-1) for grid in grids], axis=1).astype(np.uint8)


def test_a_block_score_is_the_same_score_over_literals():
    literals = SCHEMA.literals
    records = SCHEMA.literal_values(literals, all_codes(SCHEMA))
    rng = np.random.default_rng(1)
    for block in schema_blocks(SCHEMA, literals):
        weights = rng.normal(size=block.size)
        points, constant = block.points(weights)
        direct = block.features(records) @ weights
        assert np.allclose(records[:, list(block.literals)] @ points + constant, direct)


def test_every_record_has_length_one_in_every_block():
    literals = SCHEMA.literals
    blocks = schema_blocks(SCHEMA, literals)
    assert [block.size for block in blocks] == [4, 5, 1]
    records = SCHEMA.literal_values(literals, all_codes(SCHEMA))
    for block in blocks:
        assert np.all(np.abs(block.features(records)).sum(axis=1) == 1)


def test_a_pattern_nobody_declared_has_no_entry():
    block = Block((0, 1), ((0, 0), (1, 0), (1, 1)))
    assert block.features(np.array([[0, 1]], dtype=np.uint8)).tolist() == [[0, 0, 0]]


def test_a_card_is_the_rounded_score():
    literals = Literals.named("a", "b")
    card = scoring_card(np.array([50, -20, 10]) << 40, single_blocks(literals), literals)
    assert str(card) == "+25·a -10·b >= 5"


def test_the_recipe_depends_on_rows_times_epsilon_only():
    assert recipe(1000, Fraction(1), 45) == recipe(10_000, Fraction(1, 10), 45)
    assert recipe(1000, Fraction(1), 10).model == "halfspace"
    assert (recipe(99, Fraction(1), 10).thin, recipe(100, Fraction(1), 10).thin) == (True, False)


def test_a_thin_table_keeps_the_middle_threshold_and_every_category():
    thresholds = Block((0, 1, 2), ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)))
    towns = Block((3, 4), ((1, 0), (0, 1)))
    assert [block.literals for block in thin_blocks((thresholds, towns))] == [(1,), (3,), (4,)]


def frame(rows=3000):
    rng = np.random.default_rng(2)
    town = rng.choice(["Bern", "Genf", "Chur"], rows)
    age = rng.integers(0, 100, rows)
    return pandas.DataFrame({"town": town, "age": age, "sick": (town == "Bern") & (age >= 40)})


@pytest.mark.parametrize("model", ["auto", "conjunction", "decision-list", "halfspace", "parity", "disjunction"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_learning_from_a_table_gives_a_release_that_saves(model, neighbours, tmp_path):
    table = odp.Table.from_frame(frame(), SCHEMA)
    release = learn_table(
        table, SCHEMA.literal("sick"), epsilon=4, model=model, neighbours=neighbours, source=SeededRandomness(1)
    )
    wrong = release.query(table.matrix(release.query.owner.literals))
    assert table.counts[wrong].sum() / table.rows < (0.4 if model in ("parity", "disjunction") else 0.12)
    release.save(tmp_path / "rule.json")
    assert str(odp.Release.load(tmp_path / "rule.json").query) == str(release.query)


def test_a_ledger_that_is_spent_refuses_before_sampling(tmp_path):
    ledger = odp.Ledger.create(tmp_path / "budget", epsilon=1)
    with pytest.raises(BudgetExceeded):
        learn_table(odp.Table.from_frame(frame(50), SCHEMA), SCHEMA.literal("sick"), epsilon=2, ledger=ledger)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "oracle"}, "model must be one of auto"),
        ({"mechanism": "surrogate", "model": "parity"}, "mechanism for parity"),
        ({"mechanism": "exponential", "model": "auto"}, "mechanism for auto"),
        ({"size": -1, "model": "auto"}, "size must be"),
    ],
)
def test_bad_options_are_named(options, words):
    given = {"rows": 10, "epsilon": Fraction(1), "neighbours": Neighbours.REPLACE_ONE, **options}
    with pytest.raises(ParameterError, match=words):
        rule_learner(given.pop("model"), Literals.named("a"), **given)
