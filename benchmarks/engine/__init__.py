"""How fast the oracles are: one run of our searches and their peers on the same integer problems."""
