"""What every query class promises, confirmed by brute force over all queries, all records and all pairs."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.classes import (
    Conjunctions,
    DecisionLists,
    Disjunctions,
    Halfspaces,
    Parities,
    QueryClass,
    ReadOnceFormulas,
    ZeroOneLoss,
    class_from_json,
    query_from_json,
)
from oracledp.classes.separation import all_records
from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import ParameterError

ABC, ABCD = Literals.named(*"abc"), Literals.named(*"abcd")
CODE = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1))  # the simplex code [7, 3, 4]

BASES: list[QueryClass] = [
    Conjunctions(ABC),
    Conjunctions(ABCD, max_width=2),
    Conjunctions(ABC, max_width=0),
    Conjunctions(Literals.named("a", "b").with_negations(), max_width=3),
    Disjunctions(ABCD),
    Disjunctions(ABCD, max_width=1),
    Parities(ABCD),
    Parities(ABCD, max_width=2),
    Parities(ABC, code=CODE),
    Halfspaces(ABC),
    Halfspaces(ABC, weights=(-1, 1)),
    Halfspaces(ABC, weights=(-1, 1), thresholds=(0,)),
    Halfspaces(ABC, weights=(-2, -1, Fraction(-1, 2)), thresholds=(-3, -2)),
    Halfspaces(ABC, weights=(0, Fraction(1, 3), 2), thresholds=(Fraction(1, 2), 2)),
    Halfspaces(ABC, weights=(-1, 0, 1), thresholds=(2,)),
    Halfspaces(ABCD, weights=(-1, 0, 1, 2), max_nonzero=2),
    Halfspaces(ABC, weights=(-1, 0, 1), max_nonzero=2, thresholds=(-1, 0, 1)),
    Halfspaces(ABC, weights=(0,), max_nonzero=1, thresholds=(0, 1)),
    DecisionLists(ABC, length=0),
    DecisionLists(ABC, length=2),
    DecisionLists(ABC, length=1, width=2),
    DecisionLists(ABCD, length=2, width=2),
    DecisionLists(Literals.named("a", "b"), length=None),
    ReadOnceFormulas(ABCD),
    ReadOnceFormulas(Literals.named(*"abcde"), depth=2),
    ReadOnceFormulas(ABCD, gate="nand"),
]
SMALL = [queries for queries in BASES if queries.size <= 100]
CLASSES: list[QueryClass] = [
    *BASES,
    *(queries.closure() for queries in SMALL),
    *(ZeroOneLoss.of(queries, Literal.boolean("y")) for queries in SMALL),
    ZeroOneLoss.of(Conjunctions(ABC).closure(), Literal.boolean("y")),
    ZeroOneLoss.of(Halfspaces(ABC, thresholds=(0, 1)), Literal.boolean("y")).closure(),
]


def title(queries: QueryClass) -> str:
    inner = getattr(queries, "base", None) or getattr(queries, "hypotheses", None)
    if inner is not None:
        return f"{queries.kind}({title(inner)})"
    return f"{queries.kind}-" + ",".join(f"{value}" for value in queries.parameters().values())[:40]


every_class = pytest.mark.parametrize("queries", CLASSES, ids=title)


def injective(queries: QueryClass) -> bool:
    """Whether labels, not only functions, are told apart by the separator."""
    inner = getattr(queries, "base", None) or getattr(queries, "hypotheses", queries)
    return injective(inner) if inner is not queries else not isinstance(queries, DecisionLists)


# ---- the printed rule is the function ----------------------------------------------------------------
def meaning(words: str, names: dict[str, int]) -> bool:
    """The value of a printed rule, read as a person would read it. Shares no code with the classes."""
    if words.startswith("predict "):
        target, rule = words.removeprefix("predict ").split(" when ", 1)
        return meaning(rule, names) != bool(names[target])
    if words.startswith("not (") and words.endswith(")"):
        return not meaning(words[5:-1], names)
    *rules, last = words.split("; else ")
    for rule in rules:
        condition, label = rule.removeprefix("if ").split(" then ")
        if meaning(condition, names):
            return label == "1"
    scope = {
        **names,
        **{f"not_{name}": 1 - value for name, value in names.items()},
        "always": True,
        "never": False,
        "Fraction": Fraction,
        "nand": lambda p, q: not (p and q),
        "majority": lambda p, q, r: p + q + r >= 2,
    }
    python = last.replace(" xor ", " ^ ").replace("not ", "not_")
    python = " ".join(exact_number(word) for word in python.split(" "))
    return bool(eval(python, {}, scope))


def exact_number(word: str) -> str:
    number, dot, rest = word.partition("·")
    if "/" not in number and not dot:
        return word
    return f"+ Fraction('{number}')" + (f" * {rest}" if dot else "")


@every_class
def test_the_printed_rule_means_what_the_query_does(queries: QueryClass) -> None:
    records = all_records(queries.dimension)
    consistent = [row for row in records if _consistent(queries, row)]
    for parts in list(queries.all_parts())[:: max(1, queries.size // 60)]:
        values = queries.evaluate(parts, np.array(consistent))
        words = str(queries.query(*parts))
        named = [{name.column: int(bit) for name, bit in _positive(queries, row)} for row in consistent]
        assert values.tolist() == [meaning(words, names) for names in named]


def _positive(queries: QueryClass, row: np.ndarray) -> list[tuple[Literal, int]]:
    return [(name, bit) for name, bit in zip(queries.literals, row, strict=True) if name.test == "is"]


def _consistent(queries: QueryClass, row: np.ndarray) -> bool:
    known = {name.column: bit for name, bit in _positive(queries, row)}
    return all(known[name.column] != bit for name, bit in zip(queries.literals, row, strict=True) if name.test != "is")


# ---- order, size, membership ---------------------------------------------------------------------------
@every_class
def test_all_queries_are_listed_once_in_the_fixed_order(queries: QueryClass) -> None:
    listed = list(queries.all_parts())
    keys = [queries.order_key(parts) for parts in listed]
    assert all(a < b for a, b in pairwise(keys))
    assert len(listed) == queries.size
    assert all(list(parts) == sorted(set(parts)) for parts in listed)
    assert [query.parts for query in queries] == listed


@every_class
def test_membership_is_exactly_the_listing(queries: QueryClass) -> None:
    listed = set(queries.all_parts())
    assert all(map(queries.contains, listed))
    rng = np.random.default_rng(0)
    for size in range(queries.hot + 2):
        candidates = combinations(range(-1, queries.part_count + 1), size)
        for parts in combinations_or_sample(candidates, queries, size, rng):
            assert queries.contains(parts) == (parts in listed)
    assert not any(queries.contains(parts[::-1]) for parts in listed if len(parts) > 1)
    assert not any(queries.contains((*parts, parts[-1])) for parts in listed if parts)


def combinations_or_sample(candidates, queries, size, rng):  # type: ignore[no-untyped-def]
    numbers = range(-1, queries.part_count + 1)
    if len(numbers) ** min(size, 6) < 20_000:
        return list(candidates)
    return [tuple(sorted(rng.choice(numbers, size, replace=False).tolist())) for _ in range(2000)]


# ---- Theorem 1's embeddings ----------------------------------------------------------------------------
def patterns(queries: QueryClass) -> np.ndarray:
    separator = queries.separator()
    if len(separator) == 0:
        return np.zeros((queries.size, 0), dtype=bool)
    return np.array([queries.evaluate(parts, separator.records) for parts in queries.all_parts()])


def functions(queries: QueryClass) -> np.ndarray:
    records = all_records(queries.dimension)
    return np.array([queries.evaluate(parts, records) for parts in queries.all_parts()])


@every_class
def test_the_identification_set_identifies(queries: QueryClass) -> None:
    found = [row.tobytes() for row in patterns(queries)]
    if injective(queries):
        assert len(set(found)) == queries.size
    else:
        values = [row.tobytes() for row in functions(queries)]
        assert len(set(found)) == len(set(zip(found, values, strict=True)))
    assert all(len(element) == queries.element_width for element in queries.separator().elements)


@every_class
@pytest.mark.parametrize("delta", [1, 2])
def test_separator_witnesses(queries: QueryClass, delta: int) -> None:
    phi = np.unique(patterns(queries), axis=0).astype(np.int64)
    margin = queries.separator().margin
    witnesses = delta * (1 - 2 * phi)  # times 1/margin
    gains = witnesses @ phi.T - (witnesses * phi).sum(axis=1, keepdims=True)
    others = gains[~np.eye(len(phi), dtype=bool)]
    assert others.min(initial=delta * margin) >= delta * margin
    if len(phi) > 1 and margin > 1:
        assert others.min() == delta * margin  # the margin is not understated either


def padded(queries: QueryClass) -> np.ndarray:
    """Every query with every choice of dummies, as indicator rows."""
    rows = []
    for parts in queries.all_parts():
        free = queries.dummies - queries.sizable(parts) if queries.dummies else 0
        for dummies in combinations(range(queries.dummies), free):
            row = np.zeros(queries.part_count + queries.dummies, dtype=np.int64)
            row[[*parts, *(queries.part_count + dummy for dummy in dummies)]] = 1
            rows.append(row)
    return np.array(rows)


@every_class
@pytest.mark.parametrize("delta", [1, 2])
def test_k_hot_witnesses(queries: QueryClass, delta: int) -> None:
    phi = padded(queries)
    assert (phi.sum(axis=1) == queries.hot).all()
    gains = -delta * (phi @ phi.T - (phi * phi).sum(axis=1, keepdims=True))
    assert gains[~np.eye(len(phi), dtype=bool)].min(initial=delta) >= delta


@every_class
def test_separator_noise_is_linear_in_the_parts(queries: QueryClass) -> None:
    noise = np.random.default_rng(1).integers(-9, 10, len(queries.separator()))
    costs = queries.linear_costs(noise)
    if costs is None:
        return
    for parts, row in zip(queries.all_parts(), patterns(queries), strict=True):
        assert int(noise[row].sum()) == costs.constant + int(costs.parts[list(parts)].sum())


@every_class
def test_nested_classes_are_nested(queries: QueryClass) -> None:
    if not queries.nested:
        return
    phi, values = patterns(queries).astype(np.int64), functions(queries)
    for first, second in combinations(range(len(phi)), 2):
        if np.abs(phi[first] - phi[second]).sum() == 1:
            assert (values[first] <= values[second]).all() or (values[first] >= values[second]).all()


# ---- relatives -----------------------------------------------------------------------------------------
@every_class
def test_the_dual_is_the_dual(queries: QueryClass) -> None:
    dual, listed, values = queries.dual(), list(queries.all_parts()), functions(queries)
    for column, record in enumerate(dual.records()):
        assert dual.evaluate(record, listed).tolist() == values[:, column].tolist()


@every_class
def test_the_self_dual_agrees_on_all_records_and_queries(queries: QueryClass) -> None:
    dual, listed = queries.dual(), list(queries.all_parts())
    same = dual.self_dual()
    if same is None:
        return
    rows = dual.encode(listed)
    for record in dual.records():
        element = same.element(record)
        assert same.query_class.contains(element)
        assert same.query_class.evaluate(element, rows).tolist() == dual.evaluate(record, listed).tolist()


@pytest.mark.parametrize("queries", [Conjunctions(ABC), Disjunctions(ABC), Parities(ABC), Halfspaces(ABC)], ids=title)
def test_the_paper_s_classes_have_a_self_dual(queries: QueryClass) -> None:
    assert queries.dual().self_dual() is not None


@every_class
def test_the_dual_separator_separates_what_the_class_can(queries: QueryClass) -> None:
    if not _reads_records(queries):
        with pytest.raises(ParameterError, match="cannot tell records apart"):
            queries.dual_separator()
        return
    records, values = all_records(queries.dimension), functions(queries)
    chosen = np.array([queries.evaluate(parts, records) for parts in queries.dual_separator()])
    assert all(map(queries.contains, queries.dual_separator()))
    assert len(np.unique(chosen.reshape(-1, len(records)), axis=1).T) == len(np.unique(values, axis=1).T)


def _reads_records(queries: QueryClass) -> bool:
    inner = getattr(queries, "base", None) or getattr(queries, "hypotheses", None)
    if inner is not None:
        return _reads_records(inner)
    return getattr(queries, "width", 1) > 0 and getattr(queries, "length", 1) != 0


@every_class
def test_the_constant_query_is_constant(queries: QueryClass) -> None:
    constant = queries.constant_query()
    if constant is not None:
        assert queries.contains(constant)
        assert len(set(queries.evaluate(constant, all_records(queries.dimension)).tolist())) == 1


@every_class
def test_the_closure_is_the_class_and_its_negations(queries: QueryClass) -> None:
    values = functions(queries)
    assert (functions(queries.closure()) == np.concatenate([values, ~values])).all()


@every_class
def test_branches_and_reduction_give_the_same_values(queries: QueryClass) -> None:
    rng = np.random.default_rng(2)
    records = all_records(queries.dimension)
    weights = rng.integers(-50, 51, len(records))
    features, signed, constant = queries.reduce(PackedRecords.of(records), weights)
    listed = []
    for branch in queries.branches():
        for parts in branch.base.all_parts():
            value = int(signed[branch.base.holds_on(parts, features)].sum())
            total = constant + (int(signed.sum()) - value if branch.negated else value)
            listed.append((parts + branch.extra, total))
    direct = [(parts, int(weights[queries.evaluate(parts, records)].sum())) for parts in queries.all_parts()]
    assert listed == direct


# ---- saving --------------------------------------------------------------------------------------------
@every_class
def test_classes_and_queries_survive_json(queries: QueryClass) -> None:
    assert class_from_json(json.loads(json.dumps(queries.to_json()))) == queries
    for parts in list(queries.all_parts())[:: max(1, queries.size // 5)]:
        query = queries.query(*parts)
        assert query_from_json(json.loads(json.dumps(query.to_json()))) == query


# ---- random halfspaces: the class with the most cases -----------------------------------------------------
NUMBERS = st.fractions(min_value=-3, max_value=3, max_denominator=3)


@st.composite
def halfspaces(draw: st.DrawFn) -> Halfspaces:
    weights = draw(st.sets(NUMBERS, min_size=1, max_size=4))
    sparse = draw(st.none() | st.integers(0, 3))
    thresholds = draw(st.sets(NUMBERS, min_size=1, max_size=3))
    return Halfspaces(
        Literals.named(*"abc"[: draw(st.integers(1, 3))]),
        weights=tuple(weights if sparse is None else weights | {Fraction(0)}),
        max_nonzero=sparse,
        thresholds=tuple(thresholds),
    )


@settings(derandomize=True, deadline=None, max_examples=60)
@given(halfspaces())
def test_random_halfspaces_keep_every_promise(queries: Halfspaces) -> None:
    test_all_queries_are_listed_once_in_the_fixed_order(queries)
    test_the_printed_rule_means_what_the_query_does(queries)
    test_the_identification_set_identifies(queries)
    test_separator_witnesses(queries, 2)
    test_k_hot_witnesses(queries, 2)
    test_separator_noise_is_linear_in_the_parts(queries)
    test_the_self_dual_agrees_on_all_records_and_queries(queries)
    test_the_dual_separator_separates_what_the_class_can(queries)
    test_the_identification_set_identifies(queries.closure())
