"""Exact tokens of a text while it is edited."""
