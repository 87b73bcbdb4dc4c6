"""Workspace Tokenizers: library, training, vocabularies and merges."""
