"""Which template a model is shown requests by, as far as its name tells."""

from __future__ import annotations

from engine.requests.templates import TEMPLATES

UNKNOWN = "alone"
"""The template of a model whose framing is not known."""

BY_NAME: tuple[tuple[str, str], ...] = (
    ("gpt-oss", "harmony"),
    ("gpt-", "openai"),
    ("chatgpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("qwen3.", UNKNOWN),  # that of Qwen 3.5 and later was not compared with the one of Qwen 3
    ("qwen", "qwen"),
    ("deepseek", "deepseek"),
    ("llama-3.0", "llama3"),
    ("meta-llama-3-", "llama3"),
    ("llama-3", "llama3.1"),
    ("meta-llama-3", "llama3.1"),
    ("mistral", "mistral"),
    ("ministral", "mistral"),
    ("magistral", "mistral"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("pixtral", "mistral"),
)
"""Beginnings of names, and their templates; the first that fits holds."""


def template_for_model(model: str) -> str:
    """The key of a model's template. A vendor before a slash does not count."""
    bare = model.rsplit("/", 1)[-1].lower()
    found = next((key for beginning, key in BY_NAME if bare.startswith(beginning)), UNKNOWN)
    assert found in TEMPLATES
    return found
