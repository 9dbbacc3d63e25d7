"""Functions that are not ours, each part in a process of its own: nothing learned from one part can reach another.

A process starts anew, is handed one part, and ends. What comes back is text: numbers, words and lists of them. Whatever
the function raises, prints or leaves behind stays there, and counts as an empty list.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Hashable
from typing import Any

from oracledp.extras import optional
from oracledp.mechanisms.votes.ballots import Ballot, Counts, Records

MOST_TEXT = 1 << 22  # characters of one list
WORKER = "from oracledp.mechanisms.votes.isolation import work; work()"


def apart(ballot: Ballot, records: Records, counts: Counts, seed: int) -> list[Hashable]:
    """The ballot's list from a process of its own; an empty one however that ends."""
    payload = optional("cloudpickle", extra="parallel").dumps((ballot, records, counts, seed))
    done = subprocess.run([sys.executable, "-c", WORKER], input=payload, capture_output=True, check=False)
    return read_list(done.stdout) if done.returncode == 0 else []


def work() -> None:
    """In the worker: the part's list on standard output, which nobody else may write to."""
    channel, sys.stdout = sys.stdout, sys.stderr
    ballot, records, counts, seed = optional("cloudpickle", extra="parallel").loads(sys.stdin.buffer.read())
    channel.write(json.dumps([_plain(answer) for answer in ballot(records, counts, seed)]))
    channel.flush()


def _plain(answer: Any) -> Any:
    """Numpy's numbers as Python's, tuples as lists; anything else is left to JSON, which refuses what is no data."""
    if isinstance(answer, list | tuple):
        return [_plain(part) for part in answer]
    return answer.item() if hasattr(answer, "item") else answer


def read_list(text: bytes) -> list[Hashable]:
    """The answers as they are counted: lists become tuples. What is no list of plain data is an empty one.

    >>> read_list(b'[[1, 2], "a"]'), read_list(b'{"a": 1}'), read_list(b"boom")
    ([(1, 2), 'a'], [], [])
    """
    if len(text) > MOST_TEXT:
        return []
    try:
        answers = json.loads(text)
        return [_counted(answer) for answer in answers] if isinstance(answers, list) else []
    except (ValueError, TypeError, RecursionError):
        return []


def _counted(answer: Any) -> Hashable:
    if isinstance(answer, list):
        return tuple(_counted(part) for part in answer)
    if isinstance(answer, dict):
        raise TypeError("an answer is a number, a word, or a list of them")
    plain: Hashable = answer
    return plain
