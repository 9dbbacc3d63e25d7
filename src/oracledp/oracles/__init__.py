"""Oracles: solvers that minimise integer problems. They never see randomness, and they are never trusted."""
