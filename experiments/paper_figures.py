"""What the paper's theorems say of a plan's own question: what a reader of the paper would expect of it."""

from __future__ import annotations

from math import log

from experiments import paper_bounds
from oracledp.bounds.shape import Shape
from oracledp.planning.selection import Question
from oracledp.planning.synthesis import SynthesisQuestion


def selection_figures(question: Question) -> dict[str, float]:
    """The error of one selection by mechanism, with what is wrong about it."""
    shape, epsilon, rows, beta = question.shape, float(question.epsilon), question.rows, question.beta
    found = {"exponential": paper_bounds.exponential(shape.log_size, epsilon=epsilon, rows=rows, beta=beta)}
    if not shape.elements:
        return found
    found["rspm (2ε-DP only, E1)"] = paper_bounds.rspm(shape.elements, epsilon=epsilon, rows=rows, beta=beta)
    if question.delta is None:
        return found
    delta = float(question.delta)
    found["gaussian rspm (not private, E2)"] = paper_bounds.gaussian_rspm(
        shape.elements, epsilon=epsilon, delta=delta, rows=rows, beta=beta
    )
    if delta < beta and log(2 / delta) * 62 / epsilon < rows:
        found["prsma (⊥ a quarter of the time, E3)"] = paper_bounds.prsma(
            shape.elements, shape.log_size, epsilon=epsilon, delta=delta, rows=rows, beta=beta
        )
    return found


def game_rates(question: SynthesisQuestion) -> dict[str, float]:
    """The three corollaries about OracleQuery; none without a class of queries."""
    if question.queries is None:
        return {}
    shape = Shape.of(question.queries)
    dual, log_domain = len(question.queries.dual_separator()), question.log_domain
    epsilon, rows = float(question.epsilon), float(question.rows)
    common = {"epsilon": epsilon, "delta": float(question.delta), "rows": rows, "beta": question.beta}
    found = {"bound 3, private oracle": paper_bounds.private_oracle_rate(dual, shape.log_size, log_domain, **common)}
    if shape.elements:
        found["bound 1, gaussian (void, E2)"] = paper_bounds.gaussian_rate(shape.elements, dual, log_domain, **common)
        found["bound 1 with the noise it needs"] = paper_bounds.gaussian_rate_corrected(
            shape.elements, dual, log_domain, **common
        )
        found["bound 2, prsma"] = paper_bounds.prsma_rate(
            shape.elements, dual, shape.log_size, log_domain, epsilon=epsilon, rows=rows
        )
    return found
