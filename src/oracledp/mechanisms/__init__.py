"""Mechanisms: the only place, with synthesis, where private counts and randomness meet."""
