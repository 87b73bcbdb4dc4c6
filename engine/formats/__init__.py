"""Tokenizer files: one format a module, each able to say what it loses.

``engine.formats.opening`` reads any of them, ``engine.formats.saving`` writes one and proves that it can be read back.
"""
