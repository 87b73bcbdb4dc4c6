"""Encodings by name: bundled ones, the user's own, and tokenizer files in every format."""
