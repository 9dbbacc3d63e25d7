"""Builds the compiled core; everything else is in pyproject.toml."""

from pathlib import Path

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from setuptools import setup

ParallelCompile(default=0).install()  # one compiler per core

SOURCES = sorted(str(path) for path in Path("src/oracledp/_core").glob("*.cpp"))

setup(
    ext_modules=[
        Pybind11Extension(
            "oracledp._engine",
            SOURCES,
            depends=sorted(str(path) for path in Path("src/oracledp/_core").glob("*.hpp")),
            cxx_std=17,
            extra_compile_args=["-O3", "-fno-math-errno"],
        )
    ]
)
