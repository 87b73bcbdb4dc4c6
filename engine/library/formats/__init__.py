"""Tokenizer files: one format a module, each able to say what it loses.

``engine.library.formats.opening`` reads any of them, ``engine.library.formats.saving`` writes one and proves that it
can be read back.
"""
