"""One synthetic table from a peer, raw in and raw out: ``raw_peers.py TABLE.csv PEER OUT.csv``.

ε = 1 and δ = 1e-6 pay for all of it.

Runs in an environment of its own; nothing of oracledp is imported. Peers, and what they are told beside the rows:

- ``smartnoise-mst``, ``smartnoise-aim`` (smartnoise-synth 1.0.8): which columns are numbers. A tenth of ε buys their
  bounds (``preprocessor_eps``); the lists of categories are read off the rows by the library and cost it nothing.
- ``dpsynth-mst``, ``dpsynth-swift`` (google/dpsynth): which columns are numbers, and bounds at the next powers of ten
  for nothing; it buys quantiles and categories itself.

The last line printed is JSON: CPU seconds and memory of fit and sample, without imports.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import warnings
from math import ceil, log10
from pathlib import Path
from typing import Any

EPSILON, DELTA = 1.0, 1e-6
RHO = 0.0243  # the zCDP budget at (1, 0.9e-6): dpsynth takes a tenth of delta for its categories
FEW = 10  # distinct values up to which a number counts as a category


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("peer", choices=("smartnoise-mst", "smartnoise-aim", "dpsynth-mst", "dpsynth-swift"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=int, default=900, help="CPU time after which the system ends the run")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CPU, (asked.seconds, asked.seconds))
    warnings.simplefilter("ignore")
    import pandas

    frame = pandas.read_csv(asked.table)
    library, mechanism = asked.peer.split("-")
    run = (smartnoise if library == "smartnoise" else dpsynth)(mechanism)
    start = time.process_time()
    made = run(frame)
    seconds = time.process_time() - start
    made.to_csv(asked.out, index=False)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu_seconds": round(seconds, 1), "megabytes": round(megabytes)}))


def numbers(frame: Any) -> list[str]:
    """The columns that hold numbers, more than a few."""
    found = frame.select_dtypes("number")
    return [name for name in found if found[name].nunique() > FEW]


def smartnoise(mechanism: str) -> Any:
    from snsynth import Synthesizer

    def run(frame: Any) -> Any:
        wide = numbers(frame)
        rest = [name for name in frame if name not in wide]
        synthesizer = Synthesizer.create(mechanism, epsilon=EPSILON, delta=DELTA, verbose=False)
        options = {"continuous_columns": wide, "categorical_columns": rest}
        gaps = bool(frame.isna().any().any())
        return synthesizer.fit_sample(frame, preprocessor_eps=EPSILON / 10, nullable=gaps, **options)

    return run


def dpsynth(mechanism: str) -> Any:
    import numpy
    import pandas
    from dpsynth import TabularSynthesizer, discrete_mechanisms, domain

    config = {"mst": discrete_mechanisms.MSTConfig, "swift": discrete_mechanisms.SWIFTConfig}[mechanism]()

    def attribute(column: Any, wide: bool) -> Any:
        if not wide:
            return domain.OpenSetCategoricalAttribute()
        whole = bool((column.dropna() % 1 == 0).all())
        low, high = float(column.min()), float(column.max())
        bounds = (0.0 if low >= 0 else -power(-low)), power(max(high, 1e-3))
        gaps = bool(column.isna().any())
        kind = "int" if whole and not gaps else "float"
        return domain.NumericalAttribute(*bounds, clip_to_range=not gaps, dtype=kind, interval_handling="sample")

    def run(frame: Any) -> Any:
        wide = numbers(frame)
        texts = {name: frame[name].astype(str) for name in frame if name not in wide}
        domains = {name: attribute(frame[name], name in wide) for name in frame}
        synthesizer = TabularSynthesizer(domains=domains, discrete_mechanism=config)
        calibrated = synthesizer.configure(zcdp_rho=RHO, delta=DELTA)  # its calibrate divides by zero at this version
        made = calibrated(numpy.random.default_rng(), frame.assign(**texts)).synthetic_data
        return pandas.DataFrame({name: made[name] for name in frame})

    return run


def power(value: float) -> float:
    return float(10.0 ** ceil(log10(value)))


if __name__ == "__main__":
    main()
