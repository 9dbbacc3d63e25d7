"""PRSMA's accuracy: the error of its base on one part, and how far that part is from the whole table."""

from __future__ import annotations

from math import log, sqrt

from oracledp.bounds.sampling import subsample_error, subsample_error_paper
from oracledp.bounds.selection import rspm_k_hot, rspm_paper, rspm_separator
from oracledp.bounds.shape import Shape
from oracledp.errors import ParameterError
from oracledp.mechanisms.robust.design import Design


def prsma_paper(elements: int, log_size: float, *, epsilon: float, delta: float, rows: float, beta: float) -> float:
    """The accuracy theorem with its proof's constants, for β > δ, at inputs ε* = ε/62 and δ* = δ/11.

    "With probability 1 - δ it answers" is false: it returns ⊥ a quarter of the time (E3), and two events of
    probability η are spent where the proof counts one (A12).
    """
    if beta <= delta:
        raise ParameterError("the paper's theorem needs beta > delta")
    star, small = epsilon / 62, delta / 11
    parts = (1 + log(2 / small)) / star
    inner = 1 / sqrt(8 * rows / parts * log(2 * parts / small))
    spread = subsample_error_paper(log_size, rows=rows, parts=parts, beta=beta - delta)
    return spread + rspm_paper(elements, epsilon=inner, rows=rows / parts, beta=beta - delta)


def prsma(design: Design, shape: Shape, *, beta: float, embedding: str = "k-hot") -> float:
    """Corrected, for a certified design and a base of RSPM: with probability 1 - β it answers within this error.

    β pays for ⊥ (exactly ``design.beta``), for the base's noise and for the draw of the part, half of the rest each.
    Parts drawn by independent labels have a random size; the bound is for a part of the mean size.
    """
    rest = beta - float(design.beta)
    if rest <= 0:
        raise ParameterError(f"this design answers with probability {1 - float(design.beta):.4g} only: raise beta")
    epsilon, size = float(design.base_epsilon), design.rows / design.parts
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
