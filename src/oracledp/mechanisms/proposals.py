"""How much public proposals weigh against private rows, in integers and from public numbers alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def proposal_weights(weights: tuple[int, ...], draws: int, total: int) -> NDArray[np.int64]:
    """Each draw's share of ``total``, in integers: round t has weights[t], spread over its draws, rounded."""
    whole = draws * sum(weights)
    each = [(2 * total * weight + whole) // (2 * whole) for weight in weights]
    return np.repeat(np.array(each, dtype=np.int64), draws)


def selection_resolution(rows: int, whole: int) -> int:
    """The lattice on which a selection compares ``rows`` private records with proposals of this weight in all.

    It is fine enough for :func:`equal_unit` to be off by less than a thirtieth of a record, and so coarse that all
    weights together stay below 2^61. Both numbers are public.
    """
    return max(0, min(whole.bit_length() + 4, 59 - rows.bit_length()))


def equal_unit(rows: int, whole: int, resolution: int) -> int:
    """What one unit of the proposals' weight counts in lattice units, so that they weigh as much as the rows, rounded.

    >>> equal_unit(10, 7, 4)
    23
    """
    return (2 * (rows << resolution) + whole) // (2 * whole)
