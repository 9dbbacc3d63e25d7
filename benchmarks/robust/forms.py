"""Approval, hard and soft votes side by side: the chance that anything is released, on the same parts of real tables.

python -m benchmarks.robust.forms [TABLE …]

Rules are conjunctions of at most two literals, negated or not; δ = 1e-6; four fifths of the rows vote. K parts hand in
their best queries. Hard votes count the first, soft votes spread a vote over the first three or ten evenly (Pr[q] is
the mean of the ladder over the layers of q's votes: with even shares B(c_q)/(K·length)), approval counts 1, 20 or 400.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np

import oracledp as odp
from benchmarks.robust.votes import ADD_REMOVE, DATA, DELTA, splits
from oracledp.mechanisms.votes.approval import GRADES, ApprovalVote, tally
from oracledp.mechanisms.votes.ballots import BestListed
from oracledp.mechanisms.votes.ladder import LadderVote
from oracledp.mechanisms.votes.mechanism import Vote
from oracledp.mechanisms.votes.size import ladder_parts
from oracledp.randomness.source import SystemRandomness

LONGEST = 400


def forms(name: str) -> None:
    train, _ = next(splits(name, 1))
    literals = train.schema.literals
    rules = odp.ZeroOneLoss.of(odp.Conjunctions(literals.without("y").with_negations(), max_width=2), literals[-1])
    for epsilon in (Fraction(1, 2), Fraction(1), Fraction(2)):
        for factor in (1, 2, 4):
            parts = factor * ladder_parts(epsilon, DELTA)
            if parts * 10 > train.rows:
                continue
            common = {"epsilon": epsilon, "delta": DELTA, "parts": parts}
            longest = ApprovalVote.calibrate(**common, most=LONGEST)
            lists = Vote(rules, longest, BestListed(rules, LONGEST), ADD_REMOVE).lists(train, SystemRandomness())
            cells = [f"{name:9} ε={float(epsilon):3} K={parts:3}"]
            ladder = LadderVote.calibrate(**common)
            for length in (1, 3, 10):
                votes = tally([[(answer, GRADES) for answer, _ in one[:length]] for one in lists], length)
                heard = sum(float(ladder.rungs[eighths // GRADES]) for eighths in votes.values()) / parts / length
                cells.append(f"{'hard' if length == 1 else f'soft {length}'} {heard:.3f}")
            for most in (1, 20, LONGEST):
                vote = ApprovalVote.calibrate(**common, most=most)
                counts = np.array(list(tally([one[:most] for one in lists], most).values()))
                logs = counts * np.log(float(vote.base)) - np.log(float(vote.silence))
                total = np.exp(np.minimum(logs, 600)).sum()
                cells.append(f"approval {most} {total / (1 + total):.3f}")
            print("  ".join(cells), flush=True)


if __name__ == "__main__":
    if DATA.exists():
        for table in sys.argv[1:] or ("adult", "bank", "compas", "krkp", "mushroom"):
            forms(table)
    else:
        print(f"{DATA.name} is not here: set ORACLEDP_TABLES to the file of binary tables", file=sys.stderr)
