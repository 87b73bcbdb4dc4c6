"""Ranks, special tokens, the tables that kernels read, and merges."""
