"""Ranks, special tokens, merges, and the tables that kernels read."""
