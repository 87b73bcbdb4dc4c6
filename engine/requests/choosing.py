"""The choice of a template by the name of a model."""

from __future__ import annotations

from engine.requests.templates import TEMPLATES

UNKNOWN = "alone"
"""Template for a model whose framing is not known."""

BY_NAME: tuple[tuple[str, str], ...] = (
    ("gpt-oss", "harmony"),
    ("gpt-", "openai"),
    ("chatgpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("qwen3.", UNKNOWN),  # the template of Qwen 3.5 and later was not compared with that of Qwen 3
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
"""Prefixes of model names, with their templates; the first that matches is used."""


def template_for_model(model: str) -> str:
    """Return the key of a model's template. A vendor before a slash is ignored."""
    bare = model.rsplit("/", 1)[-1].lower()
    found = next((key for beginning, key in BY_NAME if bare.startswith(beginning)), UNKNOWN)
    assert found in TEMPLATES
    return found
