"""Functions that are not ours, each part in a process of its own: nothing learned from one part can reach another.

A process starts anew, is handed one part, and ends. What comes back is text: numbers, words and lists of them. Whatever
the function raises or prints stays there, and counts as an empty list. Files it writes are in a folder of its own that
goes with it; elsewhere it cannot write, where the system can see to that (``confinement.py``). A process that runs out
of time is ended, where the caller set a time; what such a limit assumes is for the guarantee to say.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from oracledp.extras import optional
from oracledp.mechanisms.votes.ballots import Ballot, Counts, Graded, Records
from oracledp.mechanisms.votes.confinement import confine

MOST_TEXT = 1 << 22  # characters of one list
FOLDERS = ("TMPDIR", "TEMP", "TMP", "JOBLIB_TEMP_FOLDER")  # where a process is told to keep what it keeps
WORKER = "from oracledp.mechanisms.votes.isolation import work; work()"


def apart(ballot: Ballot, records: Records, counts: Counts, seconds: float | None = None) -> Graded:
    """The ballot's list from a process of its own; an empty one however that ends."""
    pickled = optional("cloudpickle", extra="parallel").dumps((ballot, records, counts))
    payload = pickle.dumps((sys.path, pickled))  # what can be imported here can be imported there
    command = [sys.executable, "-c", WORKER]
    with tempfile.TemporaryDirectory(prefix="oracledp-part-", ignore_cleanup_errors=True) as folder:
        own = {**os.environ, **dict.fromkeys(FOLDERS, folder)}
        try:
            done = subprocess.run(command, input=payload, capture_output=True, check=False, timeout=seconds, env=own)
        except subprocess.TimeoutExpired:
            return []
    return read_list(done.stdout) if done.returncode == 0 else []


def work() -> None:
    """In the worker: the part's list on standard output, which nobody else may write to."""
    channel, sys.stdout = sys.stdout, sys.stderr
    confine(Path(os.environ[FOLDERS[0]]))
    sys.path[:], pickled = pickle.loads(sys.stdin.buffer.read())
    ballot, records, counts = pickle.loads(pickled)
    channel.write(json.dumps([_plain(pair) for pair in ballot(records, counts)]))
    channel.flush()


def _plain(answer: Any) -> Any:
    """Numpy's numbers as Python's, tuples as lists, sets in order; what is left JSON takes, or refuses as no data."""
    if isinstance(answer, set | frozenset):
        return sorted(map(_plain, answer))
    if isinstance(answer, list | tuple):
        return [_plain(part) for part in answer]
    return answer.tolist() if hasattr(answer, "tolist") else answer


def read_list(text: bytes) -> Graded:
    """The answers as they are counted: lists become tuples. What is no list of pairs of plain data is an empty one.

    >>> read_list(b'[[[1, 2], 8], ["a", 3]]'), read_list(b'{"a": 1}'), read_list(b"boom")
    ([((1, 2), 8), ('a', 3)], [], [])
    """
    if len(text) > MOST_TEXT:
        return []
    try:
        said = json.loads(text, parse_constant=_no_number)
        return [(_counted(answer), int(eighths)) for answer, eighths in said]
    except (ValueError, TypeError, RecursionError, OverflowError):
        return []


def _no_number(word: str) -> None:
    raise ValueError("an answer that is not equal to itself cannot be counted")


def free_answer(answer: Hashable) -> str:
    """What an answer that belongs to no class is counted as: its text, so that 1, 1.0 and true are three answers.

    Were they one, its form would be the first part's to choose, and a single record could choose it.

    >>> free_answer((1, "a")), free_answer(1.0)
    ('[1, "a"]', '1.0')
    """
    return json.dumps(answer, allow_nan=False)


def _counted(answer: Any) -> Hashable:
    if isinstance(answer, list):
        return tuple(_counted(part) for part in answer)
    if isinstance(answer, dict):
        raise TypeError("an answer is a number, a word, or a list of them")
    plain: Hashable = answer
    return plain
