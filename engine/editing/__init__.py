"""Exact tokens of a text under edit."""
