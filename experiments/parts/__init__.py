"""PRSMA over parts, as it was before two samples: Theorems 2 to 5, certified, searched and attacked (README.md).

No shipped code runs it: at every ε, δ, β, number of calls and of rows that was tried, Theorem 7 of proofs/prsma.md has
the greater signal (``python -m benchmarks.prsma theorems``). The paper's own constants are a design of this kind.
"""
