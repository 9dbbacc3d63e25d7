"""Bits of the operating system, exact noise on integer lattices, exact choice, partitions."""
