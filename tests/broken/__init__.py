"""Deliberately broken mechanisms and hostile oracles: the audit is worth what it says of them."""
