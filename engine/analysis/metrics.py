"""Figures that compare texts and encodings. All are ratios of counts; None where the count below is none.

- *Bytes per token*: how much text a token stands for.
- *Fertility*: tokens for each word (Rust et al. 2021, "How Good is Your Tokenizer?"). It depends on what a word is, and
  means nothing in scripts that do not part their words.
- *Premium*: tokens of a text over tokens of its translation (Petrov et al. 2023, "Language Model Tokenizers Introduce
  Unfairness Between Languages"). It works for every script.
"""

from __future__ import annotations


def bytes_per_token(utf8_bytes: int, tokens: int) -> float | None:
    """Bytes of UTF-8 for each token."""
    return utf8_bytes / tokens if tokens else None


def fertility(tokens: int, words: int) -> float | None:
    """Tokens for each word."""
    return tokens / words if words else None


def premium(tokens: int, tokens_of_translation: int) -> float | None:
    """How many times the tokens of its translation a text takes."""
    return tokens / tokens_of_translation if tokens_of_translation else None
