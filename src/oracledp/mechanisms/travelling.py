"""What is sent to other processes must be able to go there, and that is found out before anything is paid."""

from __future__ import annotations

from oracledp.errors import ParameterError
from oracledp.extras import optional


def refuse_stuck(thing: object, name: str) -> None:
    """Refuse what cannot be sent to another process; the message repeats nothing of it.

    >>> refuse_stuck(len, "answers")
    >>> refuse_stuck((row for row in []), "answers")
    Traceback (most recent call last):
    oracledp.errors.ParameterError: answers cannot be sent to another process: it holds a lock, a file or the like
    """
    pickle = optional("cloudpickle", extra="parallel")
    try:
        pickle.dumps(thing)
    except Exception:
        raise ParameterError(f"{name} cannot be sent to another process: it holds a lock, a file or the like") from None
