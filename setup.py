"""Builds the compiled core; everything else is in pyproject.toml."""

import os
from pathlib import Path

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

ParallelCompile(default=0).install()  # one compiler per core

CORE = Path("src/oracledp/_core")
BINDINGS = sorted(str(path) for path in (CORE / "python").glob("*.cpp"))
COMPUTING = sorted(str(path) for path in CORE.rglob("*.cpp") if str(path) not in BINDINGS)
HEADERS = sorted(str(path) for path in CORE.rglob("*.hpp"))

LIGHT, FAST = ["-O1"], ["-O3", "-fno-math-errno"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
CHECKED = ["-O0", "-g1", "-fno-wrapv", *SANITIZERS]  # Python's own -fwrapv would hide every sum that wraps

sanitize = os.environ.get("ORACLEDP_SANITIZE") == "1"  # set by .ci/sanitize
shared = ["-shared-libasan"] if "clang" in os.environ.get("CXX", "") else []  # gcc's runtime is shared anyway


class BuildCore(build_ext):
    """Optimises what computes; the bindings only hand arguments over, and most of the time would go into them."""

    def build_extension(self, ext: Extension) -> None:
        """Compile what computes first, then let the bindings be compiled and linked with it."""
        if self.force or newer_group([*ext.sources, *ext.depends], self.get_ext_fullpath(ext.name), "newer"):
            ext.extra_objects = self.compiler.compile(
                COMPUTING,
                output_dir=self.build_temp,
                include_dirs=ext.include_dirs,
                extra_postargs=[*ext.extra_compile_args, *([] if sanitize else FAST)],
                depends=HEADERS,
            )
        super().build_extension(ext)


setup(
    cmdclass={"build_ext": BuildCore},
    ext_modules=[
        Pybind11Extension(
            "oracledp._engine",
            BINDINGS,
            depends=[*COMPUTING, *HEADERS],
            include_dirs=[str(CORE)],
            cxx_std=17,
            extra_compile_args=["-pthread", *(CHECKED if sanitize else LIGHT)],
            extra_link_args=["-pthread", *([*SANITIZERS, *shared] if sanitize else [])],
        )
    ],
)
