"""Synthetic codes as values again: frames in the types of the schema, conditions on columns."""
