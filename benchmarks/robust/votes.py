"""Votes of parts on real tables: how often they answer, how well, with how many calls; and the exponential mechanism.

python -m benchmarks.robust.votes [TABLE …] [--classes rules,lists,points,trees] [--epsilons 0.5,1,2] [--splits 1]
                                  [--ballots exact,auto,heuristic,model,cp-sat,pool,maxsat,maxsat-pool] [--json FILE]

Rules are conjunctions of at most three literals, negated or not; lists have two rules, cards four points, trees depth
two; δ = 1e-6; four fifths of the rows vote, the rest test. Given the parts' lists the law of the draw is known, so
shares and accuracies are means over laws, not over draws. The exponential mechanism's accuracy is that of its law too,
where a class has at most 400,000 queries, and the mean of some draws where it has more. ``auto`` is what
``odp.vote`` does when nobody says; ``model`` a linear SVM rounded to points, or a greedy tree, of scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import oracledp as odp
from benchmarks.robust.pools import AroundSeveral
from benchmarks.robust.rows_needed import greedy_tree, svm
from oracledp.classes.tables import parts_table
from oracledp.errors import ParameterError
from oracledp.learning.models import rule_class
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.votes.approval import GRADES, tally
from oracledp.mechanisms.votes.ballots import Around, Ballot, BestListed
from oracledp.mechanisms.votes.choice import calibrate_vote
from oracledp.mechanisms.votes.mechanism import LISTED, Vote, voters_for
from oracledp.oracles.base import Failed
from oracledp.oracles.batch import values
from oracledp.oracles.cp_sat import CpSatIncumbents
from oracledp.oracles.door import ask
from oracledp.oracles.heuristics import HeuristicOracle
from oracledp.oracles.maxsat import MaxSatOracle
from oracledp.oracles.registry import resolve
from oracledp.randomness.source import SystemRandomness

DATA = Path(os.environ.get("ORACLEDP_TABLES", Path(__file__).resolve().parents[3] / "shared/data/binary-tables.npz"))
TABLES = ("adult", "bank", "compas", "krkp", "mushroom")
EPSILONS = ("0.5", "1", "2")
DELTA = Fraction(1, 10**6)
LIMIT = 0.1  # of CP-SAT's deterministic seconds: too few for a proof
MODELS_OF = {"points": (svm, 3), "trees": (greedy_tree, 1)}  # models of scikit-learn, and the answers that each has
DRAWS = 3  # of the exponential mechanism, where its law is too long to list
ADD_REMOVE = odp.Neighbours.ADD_REMOVE


def splits(name: str, count: int) -> Iterator[tuple[odp.Table, odp.Table]]:
    """Training and test tables."""
    with np.load(DATA) as tables:
        codes = np.column_stack([tables[f"{name}__X"], tables[f"{name}__y"]]).astype(np.uint8)
    columns = [*(f"x{j}" for j in range(codes.shape[1] - 1)), "y"]
    schema = odp.Schema({"columns": {column: {"kind": "boolean"} for column in columns}})
    for seed in range(count):
        order = np.random.default_rng(seed).permutation(len(codes))
        cut = 4 * len(codes) // 5
        yield tuple(odp.Table.from_codes(codes[rows], schema) for rows in (order[:cut], order[cut:]))


MODELS = {"lists": ("decision-list", 2), "points": ("halfspace", 4), "trees": ("tree", 2)}


def rules_of(table: odp.Table, kind: str = "rules") -> odp.QueryClass:
    literals = table.schema.literals
    if kind == "rules":
        return odp.ZeroOneLoss.of(odp.Conjunctions(literals.without("y").with_negations(), max_width=3), literals[-1])
    model, size = MODELS[kind]
    return rule_class(model, literals.without("y"), literals[-1], size=size)


def losses(rules: odp.QueryClass, table: odp.Table) -> np.ndarray:
    return Objective.of(rules, table.matrix(rules.literals), table.counts, resolution=0).all_values()


ORACLES: dict[str, Any] = {
    "heuristic": HeuristicOracle(), "cp-sat": CpSatIncumbents(work_limit=LIMIT), "maxsat": MaxSatOracle(),
}  # fmt: skip


def ballot_of(kind: str, family: str, rules: odp.QueryClass, most: int) -> Ballot:
    if kind == "exact":
        return BestListed(rules, most)
    if kind == "auto":
        return voters_for(rules, "auto", None, most, 1)[0]
    if kind == "model":
        return MODELS_OF[family][0](rules, most)
    if kind.endswith("pool"):
        return AroundSeveral(rules, most, solver="maxsat" if kind.startswith("maxsat") else "cp-sat")
    return Around(rules, ORACLES[kind], most)


def measure(
    rules: odp.QueryClass, family: str, kind: str, epsilon: str, train: odp.Table, test: odp.Table
) -> dict[str, float]:
    """One vote: its law given the lists, priced on the test rows."""
    ballot = MODELS_OF[family][1] if kind == "model" else None
    vote = calibrate_vote(Fraction(epsilon), DELTA, size=rules.size, rows=train.rows, ballot=ballot, form="approval")
    started = time.process_time()
    asked = Vote(rules, vote, ballot_of(kind, family, rules, vote.most), ADD_REMOVE)
    counts = tally(asked.lists(train, SystemRandomness()), vote.most)
    seconds = time.process_time() - started
    if not counts:
        raise SystemExit("no part handed in anything: the limit is too small")
    answers = list(counts)
    logs = np.array([counts[answer] for answer in answers]) * float(np.log(float(vote.base)))
    silence = float(np.log(vote.silence))
    weights = np.exp(logs - max(logs.max(), silence))
    error = test_errors(rules, answers, test)
    return {
        "parts": vote.parts,
        "most": vote.most,
        "calls": vote.parts,
        "seconds": seconds,
        "released": float(weights.sum() / (weights.sum() + np.exp(silence - max(logs.max(), silence)))),
        "accuracy": 1 - float(weights @ error / weights.sum()),
        "leader": max(counts.values()) / GRADES,
    }


def test_errors(rules: odp.QueryClass, answers: list[tuple[int, ...]], test: odp.Table) -> np.ndarray:
    (piece,) = Objective.of(rules, test.matrix(rules.literals), test.counts, resolution=0).pieces
    wrong = values(piece.problem, parts_table(answers)) + piece.problem.constant
    return np.asarray(wrong / test.rows)


def floors(rules: odp.QueryClass, train: odp.Table, test: odp.Table, epsilons: list[str]) -> dict[str, Any]:
    """The majority, the optimum, and the exponential mechanism's mean accuracy at each ε (add/remove-one)."""
    share = float(test.counts[test.codes[:, -1] == 1].sum()) / test.rows
    found: dict[str, Any] = {"majority": max(share, 1 - share)}
    if rules.size > LISTED:
        found["optimum"] = optimum(rules, train, test)
        return found | {epsilon: drawn(rules, train, test, epsilon) for epsilon in epsilons}
    learned, tested = losses(rules, train), 1 - losses(rules, test) / test.rows
    found["optimum"] = float(tested[learned.argmin()])
    for epsilon in epsilons:
        weights = np.exp(-float(epsilon) * (learned - learned.min()))
        found[epsilon] = float(weights @ tested / weights.sum())
    return found


def optimum(rules: odp.QueryClass, train: odp.Table, test: odp.Table) -> float:
    """The test accuracy of the best query of the training rows, by the library's own search."""
    (piece,) = Objective.of(rules, train.matrix(rules.literals), train.counts, resolution=0).pieces
    best = ask(resolve("auto", rules), piece.problem)
    return np.nan if isinstance(best, Failed) else 1 - float(test_errors(rules, [best.query.parts], test)[0])


def drawn(rules: odp.QueryClass, train: odp.Table, test: odp.Table, epsilon: str) -> float:
    """The exponential mechanism's mean accuracy over some draws; of trees, which it would list, the optimum's."""
    if rules.without_target()[0].as_decision_trees() is not None:
        return optimum(rules, train, test)
    found = [odp.exponential(train, rules, epsilon=epsilon).query.parts for _ in range(DRAWS)]
    return 1 - float(test_errors(rules, found, test).mean())


def run(name: str, family: str, kinds: list[str], epsilons: list[str], count: int) -> list[dict[str, Any]]:
    rows: dict[tuple[str, str], list[dict[str, float]]] = {}
    base = []
    for train, test in splits(name, count):
        rules = rules_of(train, family)
        base.append(floors(rules, train, test, epsilons))
        for kind in kinds:
            if (kind == "exact" and rules.size > LISTED) or (kind == "model" and family not in MODELS_OF):
                continue
            for epsilon in epsilons:
                try:
                    rows.setdefault((kind, epsilon), []).append(measure(rules, family, kind, epsilon, train, test))
                except ParameterError as refusal:
                    print(f"{name:9} {family:6} {kind:9} ε={epsilon:3} refused: {refusal}", flush=True)
                    rows.pop((kind, epsilon), None)
    mean = {key: float(np.mean([one[key] for one in base])) for key in base[0]}
    found = []
    for (kind, epsilon), many in rows.items():
        line: dict[str, Any] = {"table": name, "class": family, "ballot": kind, "epsilon": epsilon}
        line |= {key: float(np.mean([one[key] for one in many])) for key in many[0]}
        line |= {"exponential": mean[epsilon], "optimum": mean["optimum"], "majority": mean["majority"]}
        line["gain"] = (line["accuracy"] - mean["majority"]) / (mean[epsilon] - mean["majority"])
        print(
            f"{name:9} {family:6} {kind:9} ε={epsilon:3} K={line['parts']:.0f} m={line['most']:.0f} "
            f"released {line['released']:.3f}  accuracy {100 * line['accuracy']:.2f}  "
            f"exponential {100 * mean[epsilon]:.2f}  optimum {100 * mean['optimum']:.2f}  "
            f"majority {100 * mean['majority']:.2f}  share of the gain {100 * line['gain']:.1f} %  "
            f"{line['calls']:.0f} calls, {line['seconds']:.1f} CPU s",
            flush=True,
        )
        found.append(line)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--classes", default="rules")
    parser.add_argument("--ballots", default="exact,heuristic")
    parser.add_argument("--epsilons", default=",".join(EPSILONS))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not DATA.exists():
        print(f"{DATA.name} is not here: set ORACLEDP_TABLES to the file of binary tables", file=sys.stderr)
        return
    ballots, epsilons = options.ballots.split(","), options.epsilons.split(",")
    found = [
        line
        for family in options.classes.split(",")
        for name in options.tables
        for line in run(name, family, ballots, epsilons, options.splits)
    ]
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
