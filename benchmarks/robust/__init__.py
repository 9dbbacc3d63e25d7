"""Mechanisms that are private whatever the solver does, measured on real tables."""
