"""A vote of parts: any heuristic, no certificate, a few dozen calls (proofs/vote.md)."""
