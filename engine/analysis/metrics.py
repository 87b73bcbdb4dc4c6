"""Metrics that compare texts and encodings. All are ratios of counts; None if the denominator is 0.

- *Bytes per token*: amount of text per token.
- *Fertility*: tokens per word (Rust et al. 2021, "How Good is Your Tokenizer?"). It depends on the definition of a
  word, and means nothing in scripts that do not separate words.
- *Premium*: tokens of a text over tokens of its translation (Petrov et al. 2023, "Language Model Tokenizers Introduce
  Unfairness Between Languages"). It works for every script.
"""

from __future__ import annotations


def bytes_per_token(utf8_bytes: int, tokens: int) -> float | None:
    """Return the number of UTF-8 bytes per token."""
    return utf8_bytes / tokens if tokens else None


def fertility(tokens: int, words: int) -> float | None:
    """Return the number of tokens per word."""
    return tokens / words if words else None


def premium(tokens: int, tokens_of_translation: int) -> float | None:
    """Return the number of tokens of a text divided by that of its translation."""
    return tokens / tokens_of_translation if tokens_of_translation else None
