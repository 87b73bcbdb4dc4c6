"""Encodings by name, and tokenizer files in every format."""
