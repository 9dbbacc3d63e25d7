"""Shipped code, broken in one place at a time: what the front door must see."""
