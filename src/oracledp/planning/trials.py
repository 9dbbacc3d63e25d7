"""Votes and PRSMA tried on a stand-in: how often they would answer, how well, how long one call takes."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from time import perf_counter

import numpy as np

from oracledp.classes.tables import Parts
from oracledp.mechanisms.objective import Minimum, Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.votes.approval import ApprovalVote, tally
from oracledp.mechanisms.votes.ballots import Ballot, Counts, Records
from oracledp.mechanisms.votes.isolation import apart
from oracledp.oracles.base import Oracle
from oracledp.oracles.guarded import Ending, guarded
from oracledp.planning.stand_in import MOST_PART, StandIn
from oracledp.randomness.source import SeededRandomness

HEARD = 10  # parts that are tried; the others are taken to vote as they do
RUNS = 8  # of PRSMA's base
COUNTED = 1e-4  # answers whose share of the likeliest one's weight is smaller are left out


@dataclass(frozen=True)
class Trial:
    """What came of it: the chance of ⊥, the mean error of an answer above the best query's, seconds of one call."""

    silence: float
    error: float
    seconds: float


def tried_vote(vote: ApprovalVote, ballot: Ballot, isolated: bool, rows: StandIn, part_rows: int) -> Trial:
    """Lists of a few parts, their votes scaled to all parts, and the law of the draw that follows."""
    heard, started = min(HEARD, vote.parts), perf_counter()
    parts = rows.parts(max(1, part_rows), heard)
    lists = [_heard(ballot, isolated, *part) for part in parts]
    seconds = (perf_counter() - started) / heard
    votes = tally(lists, vote.most)
    if not votes:
        return Trial(1.0, 0.0, seconds)
    rate = log(float(vote.base)) * vote.parts / heard
    silence = log(vote.silence)
    top = max(silence, rate * max(votes.values()))
    total = sum(exp(rate * eighths - top) for eighths in votes.values())
    chance = total / (total + exp(silence - top))
    return Trial(1 - chance, _mean_error(rows, votes, rate), seconds)


def _heard(ballot: Ballot, isolated: bool, records: Records, counts: Counts) -> list[tuple[Parts, int]]:
    said = guarded(lambda: apart(ballot, records, counts) if isolated else ballot(records, counts))
    return [] if isinstance(said, Ending) else said


def _mean_error(rows: StandIn, votes: dict[Parts, int], rate: float) -> float:
    most = max(votes.values())
    weights = {answer: exp(rate * (eighths - most)) for answer, eighths in votes.items()}
    likely = {answer: weight for answer, weight in weights.items() if weight >= COUNTED}
    errors = {answer: rows.error(answer) for answer in likely}
    mean = sum(weight * errors[answer] for answer, weight in likely.items()) / sum(likely.values())
    return mean - min(rows.least_error, *errors.values())


def tried_prsma(design: Design, oracle: Oracle, rows: StandIn) -> Trial:
    """Runs of the base on samples as large as the design's; past ``MOST_PART`` rows on as many, at an ε to match."""
    scale = max(1, design.part_size // MOST_PART)
    mechanism = ReportSeparatorPerturbedMin.calibrate(
        rows.queries,
        epsilon=design.base_epsilon * scale,
        neighbours=design.theorem.base_neighbours,
        oracle=oracle,
        rows_bound=MOST_PART,
    )
    source, found = SeededRandomness(0), list[Parts]()  # nothing here is private, and plans repeat
    started = perf_counter()
    for records, counts in rows.parts(design.part_size, RUNS):
        objective = Objective.of(rows.queries, records, counts, resolution=mechanism.perturbation.resolution)
        answer = mechanism.run(objective, source)
        if isinstance(answer, Minimum):
            found.append(answer.parts)
    seconds = (perf_counter() - started) / RUNS
    if len(found) < RUNS:  # one failed run in a handful: R of them in every test would not all succeed
        return Trial(1.0, 0.0, seconds)
    errors = [rows.error(parts) for parts in found]
    return Trial(float(design.beta), float(np.mean(errors)) - min(rows.least_error, *errors), seconds)
