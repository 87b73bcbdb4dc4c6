"""Tokenizer files: one module for each format, each of which reports its losses.

``engine.library.formats.opening`` reads any of them, and writes one and verifies it by reading it back.
"""
