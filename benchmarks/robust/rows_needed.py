"""Rows needed for a rule within one point of the best, by what makes the votes; and a vote on 10^8 rows.

python -m benchmarks.robust.rows_needed [rules|lists|points|trees|prsma|huge …] [--json FILE]

The table is planted: random bits, labels that follow a rule of the class but for a fifth; δ = 1e-6. Ten parts of the
size that the vote would have are drawn from it, and their votes scaled to all parts; what counts is the mean error
above the best, ⊥ counted as the more frequent label. Rows double from 250 to 10^7.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from experiments.paper_constants import paper_design
from experiments.parts.designer import design_parts
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import oracledp as odp
from oracledp.bounds.shape import Shape
from oracledp.learning.models import rule_class
from oracledp.mechanisms.robust import Design, design_prsma
from oracledp.mechanisms.votes.approval import ApprovalVote
from oracledp.mechanisms.votes.ballots import Around, Ballot, BestListed, Called
from oracledp.mechanisms.votes.choice import calibrate_vote
from oracledp.mechanisms.votes.fitted import Fitted, RoundedPoints, SameTree
from oracledp.mechanisms.votes.size import bears_approval
from oracledp.oracles.cp_sat import CpSatIncumbents
from oracledp.oracles.heuristics import HeuristicOracle
from oracledp.oracles.maxsat import MaxSatOracle
from oracledp.oracles.registry import resolve
from oracledp.planning.public import error_on
from oracledp.planning.selection import Question
from oracledp.planning.stand_in import StandIn
from oracledp.planning.trials import Trial, tried_prsma, tried_vote

DELTA, WITHIN = Fraction(1, 10**6), 0.01
EPSILONS = ("0.1", "0.3", "1", "3")
SIZES = [round(250 * 2**k) for k in range(16)] + [10**7]
LITERALS = odp.Literals.named(*(f"x{j}" for j in range(12)))
LIMIT = 0.02  # of CP-SAT's deterministic seconds: too few for a proof
TOO_SLOW = (("PRSMA, Theorem 5", "0.1"),)  # the search for its design takes many minutes
Made = Callable[[odp.QueryClass, int], Ballot]


def listed(queries: odp.QueryClass, most: int) -> Ballot:
    return BestListed(queries, most)


def around(oracle: Any) -> Made:
    return lambda queries, most: Around(queries, oracle, most)


def svm(queries: odp.QueryClass, most: int) -> Ballot:
    return Called(Fitted(LinearSVC(random_state=0), RoundedPoints(queries)), most)


def greedy_tree(queries: odp.QueryClass, most: int) -> Ballot:
    return Called(Fitted(DecisionTreeClassifier(max_depth=2, random_state=0), SameTree(queries)), most)


LOCAL = around(HeuristicOracle())
VOTERS: dict[str, tuple[str, int, dict[str, tuple[Made, int | None]]]] = {
    "rules": (
        "conjunction", 3,
        {
            "every query": (listed, None), "local search": (LOCAL, None),
            "CP-SAT, small limit": (around(CpSatIncumbents(work_limit=LIMIT)), None),
            "RC2": (around(MaxSatOracle()), None),
        },
    ),
    "lists": ("decision-list", 2, {"local search": (LOCAL, None)}),
    "points": ("halfspace", 4, {"local search": (LOCAL, None), "linear SVM, rounded": (svm, 3)}),
    "trees": (
        "tree", 2,
        {"local search": (LOCAL, None), "greedy tree": (greedy_tree, 1), "every query": (listed, None)},
    ),
}  # fmt: skip


def good(trial: Trial, rows: StandIn) -> bool:
    trivial = max(0.0, rows.trivial_error() - rows.least_error)
    return trial.silence * trivial + (1 - trial.silence) * trial.error <= WITHIN


def needed(stand_in: StandIn, made: Made, ballot: int | None, epsilon: Fraction) -> dict[str, Any]:
    """The least of the sizes at which the vote is good, and what it takes there."""
    for rows in SIZES:
        vote = calibrate_vote(epsilon, DELTA, size=stand_in.queries.size, ballot=ballot, form="approval")
        if not bears_approval(epsilon, DELTA, vote.most, rows):
            continue
        vote = calibrate_vote(epsilon, DELTA, size=stand_in.queries.size, ballot=ballot, rows=rows, form="approval")
        assert isinstance(vote, ApprovalVote)
        trial = tried_vote(vote, made(stand_in.queries, vote.most), False, stand_in, rows // vote.parts)
        if good(trial, stand_in):
            return {"rows": rows, "parts": vote.parts, "silence": trial.silence, "seconds": trial.seconds * vote.parts}
    return {"rows": None}


def floor(stand_in: StandIn, epsilon: Fraction) -> int | None:
    """The rows that the exponential mechanism needs, where the class can be listed."""
    shape = Shape.of(stand_in.queries)
    for rows in (*(25 * 2**k for k in range(4)), *SIZES):
        question = Question(stand_in.queries, shape, rows, epsilon, None, odp.Neighbours.ADD_REMOVE, 0.05)
        error = error_on("exponential", question, stand_in)
        if error is None:
            return None
        if error <= WITHIN:
            return rows
    return None


def family(name: str) -> list[dict[str, Any]]:
    model, size, voters = VOTERS[name]
    stand_in = StandIn.with_planted_rule(rule_class(model, LITERALS, odp.Literal.boolean("y"), size=size))
    assert stand_in is not None
    lines: list[dict[str, Any]] = []
    for epsilon in EPSILONS:
        least = floor(stand_in, Fraction(epsilon))
        lines.append({"class": name, "voter": "exponential mechanism", "epsilon": epsilon, "rows": least})
        print(lines[-1], flush=True)
        for voter, (made, ballot) in voters.items():
            found = needed(stand_in, made, ballot, Fraction(epsilon))
            lines.append({"class": name, "voter": voter, "epsilon": epsilon, **found})
            print(lines[-1], flush=True)
    return lines


def prsma() -> list[dict[str, Any]]:
    """Two samples, Theorem 5 and the paper's constants, with 10^6 calls and ⊥ in 2 % where one may choose."""
    stand_in = StandIn.with_planted_rule(rule_class("conjunction", LITERALS, odp.Literal.boolean("y"), size=3))
    assert stand_in is not None
    task: dict[str, Any] = {"delta": DELTA, "rows": 10**6, "max_calls": 1_000_000, "beta": "1/50"}
    kinds: dict[str, Callable[[str], Design]] = {
        "PRSMA, two samples": lambda epsilon: design_prsma(epsilon=epsilon, **task),
        "PRSMA, Theorem 5": lambda epsilon: design_parts(epsilon=epsilon, **task),
        "PRSMA, the paper's constants": lambda epsilon: paper_design(epsilon=epsilon, delta=DELTA, rows=10**6),
    }
    oracle, lines = resolve("auto", stand_in.queries), []
    for epsilon in reversed(EPSILONS):
        for kind, design in kinds.items():
            if (kind, epsilon) in TOO_SLOW:
                continue
            made = design(epsilon)
            enough = (rows for rows in SIZES if rows > 2 * made.parts and _serves(made.at_rows(rows), oracle, stand_in))
            found = {"rows": next(enough, None), "calls": made.calls, "signal": made.relative_signal}
            lines.append({"class": "rules", "voter": kind, "epsilon": epsilon, **found})
            print(lines[-1], flush=True)
    return lines


def _serves(design: Design, oracle: Any, stand_in: StandIn) -> bool:
    return good(tried_prsma(design, oracle, stand_in), stand_in)


def huge() -> list[dict[str, Any]]:
    """10^8 rows, 12 columns, all 4,096 records there are with random counts; the vote after the table is there."""
    rng = np.random.default_rng(0)
    codes = ((np.arange(4096)[:, None] >> np.arange(12)) & 1).astype(np.uint8)
    wrong = np.where((codes[:, 0] & codes[:, 1]) == codes[:, 11], 1.0, 0.25)
    counts = rng.multinomial(10**8, wrong / wrong.sum()).astype(np.int64)
    schema = odp.Schema({"columns": {f"x{j}": {"kind": "boolean"} for j in range(12)}})
    table = odp.Table.from_codes(codes, schema, counts=counts)
    features = schema.literals.without("x11").with_negations()
    rules = odp.ZeroOneLoss.of(odp.Conjunctions(features, max_width=3), schema.literals[11])
    lines = []
    for oracle in ("auto", "heuristic"):
        started, busy = time.perf_counter(), time.process_time()
        found = odp.vote(table, rules, epsilon=1, delta="1e-6", oracle=oracle)
        line = {
            "rows": table.rows, "voter": oracle, "rule": str(getattr(found, "query", None)),
            "seconds": time.perf_counter() - started, "cpu": time.process_time() - busy,
        }  # fmt: skip
        print(line, flush=True)
        lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=[*VOTERS, "prsma", "huge"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    extra = {"prsma": prsma, "huge": huge}
    found = [line for name in options.what for line in (extra[name]() if name in extra else family(name))]
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
