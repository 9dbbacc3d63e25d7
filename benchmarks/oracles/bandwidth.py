"""How far the inner loop is from the speed of memory: python -m benchmarks.oracles.bandwidth [results.json]

Compiles bandwidth.cpp against the sources of the core with the compiler in $CXX (g++), prints what it finds and
keeps it in the file of results as the section "bandwidth".
"""

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.engine import results

HERE = Path(__file__).resolve().parent
CORE = HERE.parents[1] / "src" / "oracledp" / "_core"
SOURCES = (
    HERE / "bandwidth.cpp",
    *(CORE / "rows" / f"{name}.cpp" for name in ("cover_sums", "row_table", "row_merger")),
)
SIZES = (4000, 40_000, 400_000, 4_000_000)
KEYS = ("megabytes", "loop", "read", "merge")


def measured() -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "bandwidth.so"
        compiler = [os.environ.get("CXX", "g++"), "-O3", "-std=c++17", "-shared", "-fPIC", f"-I{CORE}"]
        subprocess.run([*compiler, *map(str, SOURCES), "-o", str(library)], check=True)
        probe = ctypes.PyDLL(str(library)).bandwidth
        return [one(probe, rows) for rows in SIZES]


def one(probe: object, rows: int) -> dict[str, object]:
    out = (ctypes.c_double * len(KEYS))()
    probe(rows, out)
    return {"section": "bandwidth", "case": f"{rows} rows", "n": rows, **dict(zip(KEYS, out, strict=True))}


if __name__ == "__main__":
    found = measured()
    for row in found:
        print(
            f"{row['case']:>14s}: inner loop {row['loop']:.0f} GB/s, plain read {row['read']:.0f} GB/s, "
            f"merging {row['merge']:.1f} ns a row"
        )
    if len(sys.argv) > 1:
        path = Path(sys.argv[1])
        results.write(path, results.merge(results.read(path), found))
