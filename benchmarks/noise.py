"""Draws per CPU second of the exact samplers, against OpenDP's exact ones and numpy's floating-point ones.

Run: python -m benchmarks.noise [--json]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from oracledp.randomness import noise
from oracledp.randomness.source import SystemRandomness

SYSTEM = SystemRandomness()
FLOAT = np.random.default_rng()
SCALES = (1, 10, 1000, 2**20, 2**40, 2**54)
Draw = Callable[[int], Any]


def rate(draw: Draw, count: int) -> float:
    """Draws per second of CPU time, the best of three."""
    draw(1000)
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        draw(count)
        best = max(best, count / (time.process_time() - start))
    return best


def opendp_sampler(kind: str, scale: float) -> Draw | None:
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if kind == "laplace":
        release = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=scale)
    else:
        release = dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=scale)
    return lambda count: release(np.zeros(count, dtype=np.int64))


def vector_rows() -> list[dict[str, Any]]:
    rows = []
    for scale in SCALES:
        laws: list[tuple[str, Draw, str | None, Draw]] = [
            ("geometric", lambda n, t=scale: noise.geometric(t, n, SYSTEM), None, FLOAT.standard_exponential),
            (
                "laplace",
                lambda n, t=scale: noise.discrete_laplace(t, n, SYSTEM),
                "laplace",
                lambda n: FLOAT.laplace(size=n),
            ),
            (
                "gaussian",
                lambda n, t=scale: noise.discrete_gaussian(Fraction(t * t), n, SYSTEM),
                "gaussian",
                FLOAT.standard_normal,
            ),
        ]
        for name, ours, peer_name, floating in laws:
            peer = opendp_sampler(peer_name, float(scale)) if peer_name else None
            rows.append(
                {
                    "law": name,
                    "scale": scale,
                    "ours": rate(ours, 1_000_000),
                    "opendp": rate(peer, 20_000) if peer else None,
                    "numpy_float": rate(floating, 1_000_000),
                }
            )
    return rows


def seconds(work: Callable[[], Any], repeats: int) -> float:
    work()
    start = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - start) / repeats


def other_rows() -> list[dict[str, Any]]:
    scores = FLOAT.integers(0, 100_000, 10_000_000)
    few, many = np.full(1000, 100_000), np.ones(1_000_000, dtype=np.int64)
    peer = opendp_sampler("gaussian", 10.0)
    work: list[tuple[str, Callable[[], Any], int]] = [
        (
            "one discrete Gaussian draw, new variance each call",
            lambda: noise.discrete_gaussian(Fraction(700, 7), 1, SYSTEM),
            5000,
        ),
        (
            "exponential mechanism, 100 scores",
            lambda: noise.exponential_choice(scores[:100], Fraction(1, 1000), SYSTEM),
            500,
        ),
        ("exponential mechanism, 1e7 scores", lambda: noise.exponential_choice(scores, Fraction(1, 1000), SYSTEM), 3),
        ("permute-and-flip, 1e7 scores", lambda: noise.permute_and_flip_choice(scores, Fraction(1, 1000), SYSTEM), 3),
        (
            "partition of 1e8 rows, 1000 records, 100 parts",
            lambda: noise.hypergeometric_split(few, [10**6] * 100, SYSTEM),
            1,
        ),
        (
            "partition of 1e6 distinct rows, 100 parts",
            lambda: noise.hypergeometric_parts(many, [10**4] * 100, SYSTEM),
            3,
        ),
        ("exp_enclosure, 64 bits", lambda: noise.exp_enclosure(Fraction(1234, 1000), 64), 5000),
    ]
    if peer:
        work.insert(1, ("the same by OpenDP, measurement built before", lambda: peer(1), 500))
    return [{"work": name, "seconds": seconds(task, repeats)} for name, task, repeats in work]


def print_table(rows: list[dict[str, Any]]) -> None:
    heads = ("law", "scale", "exact/s", "OpenDP/s", "ratio", "numpy float/s", "ratio")
    print("{:<10} {:>18} {:>12} {:>10} {:>6} {:>14} {:>6}".format(*heads))
    for row in rows:
        ours, theirs, floating = row["ours"], row["opendp"], row["numpy_float"]
        peer = f"{theirs:>10,.0f} {ours / theirs:>6.0f}" if theirs else f"{'-':>10} {'-':>6}"
        print(f"{row['law']:<10} {row['scale']:>18} {ours:>12,.0f} {peer} {floating:>14,.0f} {ours / floating:>6.2f}")


def main() -> None:
    vectors, others = vector_rows(), other_rows()
    if "--json" in sys.argv:
        print(json.dumps({"rows": vectors, "others": others}))
        return
    print_table(vectors)
    print()
    for row in others:
        print(f"{row['work']:<52} {row['seconds'] * 1e6:>14,.1f} µs CPU")


if __name__ == "__main__":
    main()
