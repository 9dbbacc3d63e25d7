"""PRSMA's accuracy: the error of its base on one part, and how far that part is from the whole table."""

from __future__ import annotations

from oracledp.bounds.sampling import subsample_error
from oracledp.bounds.selection import rspm_k_hot, rspm_separator
from oracledp.bounds.shape import Shape
from oracledp.errors import ParameterError
from oracledp.mechanisms.robust.design import Design


def prsma(design: Design, shape: Shape, *, beta: float, embedding: str = "k-hot") -> float:
    """For a certified design and a base of RSPM: with probability 1 - β it answers within this error.

    β pays for ⊥ (exactly ``design.beta``), for the base's noise and for the draw of the part, half of the rest each.
    Parts drawn by independent labels have a random size; the bound is for a part of the mean size.
    """
    rest = beta - float(design.beta)
    if rest <= 0:
        raise ParameterError(f"this design answers with probability {1 - float(design.beta):.4g} only: raise beta")
    epsilon, size = float(design.base_epsilon), float(design.rows * design.theorem.share(design.parts))
    sensitivity = design.theorem.base_neighbours.comparison_sensitivity
    if embedding == "k-hot":
        base = rspm_k_hot(
            shape.hot, shape.parts, epsilon=epsilon, rows=size, beta=rest / 2, sensitivity=sensitivity, size=shape.size
        )
    elif shape.elements is None:
        raise ParameterError("this class has no separator set of reasonable size")
    else:
        base = rspm_separator(
            shape.elements, epsilon=epsilon, rows=size, beta=rest / 2, margin=shape.margin, sensitivity=sensitivity
        )
    return base + subsample_error(shape.log_size, part_size=size, beta=rest / 2)
