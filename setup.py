"""Builds the compiled core; everything else is in pyproject.toml."""

import os
from pathlib import Path

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from setuptools import setup

ParallelCompile(default=0).install()  # one compiler per core

SOURCES = sorted(str(path) for path in Path("src/oracledp/_core").glob("*.cpp"))
FAST = ["-O3", "-fno-math-errno"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
CHECKED = ["-O0", "-g1", "-fno-wrapv", *SANITIZERS]  # Python's own -fwrapv would hide every sum that wraps

sanitize = os.environ.get("ORACLEDP_SANITIZE") == "1"  # set by .ci/sanitize
shared = ["-shared-libasan"] if "clang" in os.environ.get("CXX", "") else []  # gcc's runtime is shared anyway

setup(
    ext_modules=[
        Pybind11Extension(
            "oracledp._engine",
            SOURCES,
            depends=sorted(str(path) for path in Path("src/oracledp/_core").glob("*.hpp")),
            cxx_std=17,
            extra_compile_args=CHECKED if sanitize else FAST,
            extra_link_args=[*SANITIZERS, *shared] if sanitize else [],
        )
    ]
)
