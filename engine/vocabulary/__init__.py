"""Vocabularies: ranks, special tokens, the tables that kernels read, and the pairs that tokens are merged from."""
