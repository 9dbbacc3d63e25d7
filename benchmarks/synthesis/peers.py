"""One synthetic table from AIM or MST: ``peers.py TABLE.npz aim|mst EPSILON OUT.npz``.

Runs in an environment of its own with ``mbi`` 1.0 and what it needs (at the time of writing jax 0.6, pandas 2.2). The
mechanisms are read from the ``mechanisms`` folder of a checkout of private-pgm, named by ORACLEDP_PRIVATE_PGM. Nothing
of oracledp is imported: tables come in and go out as integer codes. AIM gets all three-way marginals of at most 10,000
cells (its own default limit) as its workload; rounds, model size and iterations are capped by options so that a run
takes minutes, not hours.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

DELTA = 1e-6
MOST_CELLS = 10_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("peer", choices=("aim", "mst"))
    parser.add_argument("epsilon", type=float)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--megabytes", type=float, default=3)
    parser.add_argument("--iterations", type=int, default=1000)
    options = parser.parse_args()
    sys.path.insert(0, str(Path(os.environ["ORACLEDP_PRIVATE_PGM"]) / "mechanisms"))
    loaded = np.load(options.table)
    data = dataset(loaded["codes"], loaded["sizes"].tolist())
    start = time.process_time()
    if options.peer == "aim":
        made = run_aim(data, options)
    else:
        import mst

        made = mst.MST(data, options.epsilon, DELTA)
    seconds = time.process_time() - start
    codes = made.df[list(data.domain)].to_numpy(np.int64)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    np.savez_compressed(options.out, codes=codes, cpu_seconds=seconds, megabytes=megabytes)


def dataset(codes: np.ndarray, sizes: list[int]) -> Any:
    import pandas
    from mbi import Dataset, Domain

    names = [f"c{number}" for number in range(len(sizes))]
    return Dataset(pandas.DataFrame(codes, columns=names), Domain(names, sizes))


def run_aim(data: Any, options: argparse.Namespace) -> Any:
    import aim

    workload = [(triple, 1.0) for triple in combinations(data.domain, 3) if data.domain.size(triple) <= MOST_CELLS]
    caps = {"rounds": options.rounds, "max_model_size": options.megabytes, "max_iters": options.iterations}
    return aim.AIM(options.epsilon, DELTA, **caps).run(data, workload)[1]


if __name__ == "__main__":
    main()
