"""A process that leaves nothing behind for the next: Linux's Landlock, where the kernel has it.

A part's function runs in a process of its own, so memory and environment end with it. Files do not: one part could
write what it saw and the next could read it. A confined process reads what it could read before; it writes, makes and
removes files below one folder only, and neither opens nor accepts TCP connections; the memory of processes outside is
closed to it as well. What it starts is confined with it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, with the same numbers on all machines that matter
_ASK_VERSION = 1
_NO_NEW_PRIVILEGES = 38
_BENEATH = 1  # the kind of rule that names a folder

_WRITE, _TRUNCATE = 1 << 1, 1 << 14
_MAKE_AND_REMOVE = sum(1 << bit for bit in range(4, 13))
_MOVE = 1 << 13
_TCP = 0b11  # bind and connect
_SIGNALS_AND_ABSTRACT_SOCKETS = 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def confine(folder: Path) -> bool:
    """Confine this process, for good; False where the system cannot."""
    version = confinable()
    if not version:
        return False
    rules = _rules(version)
    ruleset = _call(_CREATE, ctypes.byref(rules), ctypes.sizeof(rules), 0)
    if ruleset < 0:
        return False
    _allow(ruleset, folder, rules.files)
    _allow(ruleset, Path(os.devnull), rules.files & (_WRITE | _TRUNCATE))
    _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    done = _call(_RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return done


def confinable() -> int:
    """The version of Landlock that this system has; 0 for none."""
    return max(0, _call(_CREATE, None, 0, _ASK_VERSION)) if sys.platform == "linux" else 0


def _rules(version: int) -> _Ruleset:
    """Everything that writes, as far as this version can forbid it."""
    files = _WRITE | _MAKE_AND_REMOVE | (_MOVE if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    return _Ruleset(files, _TCP if version >= 4 else 0, _SIGNALS_AND_ABSTRACT_SOCKETS if version >= 6 else 0)


def _allow(ruleset: int, path: Path, what: int) -> None:
    held = os.open(path, os.O_PATH | os.O_CLOEXEC)
    _call(_ADD, ruleset, _BENEATH, ctypes.byref(_Beneath(what, held)), 0)
    os.close(held)


def _call(number: int, *arguments: object) -> int:
    return int(_libc().syscall(number, *arguments))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
