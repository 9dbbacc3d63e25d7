"""The law of a private tree by listing all trees of a small class: nothing here is shared with the sampler."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.draw_laws import Outcomes, bounds
from oracledp.classes.decision_trees import DecisionTrees, Path, Tree
from oracledp.data.packed_records import PackedRecords
from oracledp.exact.exponentials import exp_enclosure

BITS = 200


def tree_choice(
    trees: DecisionTrees, records: PackedRecords, weights: NDArray[np.int64], rate: Fraction, splitting: Fraction
) -> Outcomes:
    """Every tree's parts with bounds on its probability, the likeliest first."""
    listed = list(trees.all_parts())
    matrix = records.matrix()
    errors = [errors_of(trees.tree(parts), matrix, weights) for parts in listed]
    least = min(errors)
    known = {gap: exp_enclosure(rate * gap, BITS) for gap in {wrong - least for wrong in errors}}
    priors = [prior(trees, trees.tree(parts), trees.depth, (), splitting) for parts in listed]
    masses = [
        (share * known[wrong - least][0], share * known[wrong - least][1])
        for share, wrong in zip(priors, errors, strict=True)
    ]
    low, high = sum(mass[0] for mass in masses), sum(mass[1] for mass in masses)
    law = [(parts, *bounds(mass[0] / high, mass[1] / low)) for parts, mass in zip(listed, masses, strict=True)]
    return iter(sorted(law, key=lambda outcome: -outcome[2]))


def prior(trees: DecisionTrees, node: Tree, left: int, path: Path, splitting: Fraction) -> Fraction:
    """A node at which tests are open is split with this probability, by any of them; a leaf's label costs nothing."""
    tests = len(trees.open_tests(path)) if left else 0
    if isinstance(node, int):
        return 1 - splitting if tests else Fraction(1)
    test, held, other = node
    below = prior(trees, held, left - 1, (*path, (test, True)), splitting)
    return splitting / tests * below * prior(trees, other, left - 1, (*path, (test, False)), splitting)


def errors_of(tree: Tree, records: NDArray[np.uint8], weights: NDArray[np.int64]) -> int:
    """Record by record."""
    wrong = 0
    for record, by_label in zip(records.tolist(), weights.tolist(), strict=True):
        node = tree
        while not isinstance(node, int):
            node = node[1] if record[node[0]] else node[2]
        wrong += sum(by_label) - by_label[node]
    return wrong
