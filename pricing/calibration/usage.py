"""What a provider's answer says was used, in one form for all of them.

The conventions differ: OpenAI and Gemini count cached tokens into the prompt, Anthropic beside it; OpenAI counts hidden
reasoning into the output, Gemini beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pricing.scenario_checks import MAX_TOKENS
from pricing.types import PricingError, Scenario

MAX_CHARACTERS = 5_000_000
_CONTAINERS = ("usage", "usageMetadata", "usage_metadata", "response", "message", "body")


class UsageError(PricingError, ValueError):
    """Text that says nothing of usage, or cannot be. The text is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call.

    ``input_tokens`` is the whole prompt; of it, ``cached_tokens`` were read from the cache, and the two others written
    to it. ``reasoning_tokens`` come on top of ``output_tokens``. ``api`` names the form it came in:
    ``OpenAI chat``, ``OpenAI responses``, ``Anthropic``, ``Gemini``.
    """

    api: str
    model: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0
    reasoning_tokens: int = 0


def parse_usage(text: str) -> Usage:
    """The usage in a pasted answer: the whole answer, its usage alone, or the line ``"usage": {...}``.

    Raises UsageError.
    """
    document = _json(text)
    found = _find(document, "")
    if found is None:
        raise UsageError("this says nothing of usage: paste a provider's answer, or the 'usage' part of it")
    raw, model = found
    usage = _read(raw, model)
    parts = usage.cached_tokens + usage.cache_write_tokens + usage.cache_write_1h_tokens
    if parts > usage.input_tokens:
        raise UsageError(f"{parts:,} tokens of the cache are more than the {usage.input_tokens:,} of the prompt")
    return usage


def scenario_of(usage: Usage, on: date) -> Scenario:
    """The scenario that prices exactly this call."""
    return Scenario(
        on=on,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        cached_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        cache_write_1h_tokens=usage.cache_write_1h_tokens,
    )


def _json(text: str) -> object:
    if len(text) > MAX_CHARACTERS:
        raise UsageError(f"this is too long for a provider's answer ({len(text):,} characters)")
    cleaned = text.rstrip().rstrip(",")
    # Nothing is taken away at the beginning, so that a mistake is told where its author sees it.
    is_part = cleaned.lstrip().startswith('"')
    try:
        return json.loads("{" + cleaned + "}" if is_part else cleaned)
    except json.JSONDecodeError as error:
        column = error.colno - (is_part and error.lineno == 1)
        raise UsageError(f"this is not JSON: {error.msg} in line {error.lineno}, column {column}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError("this is nested too deep, or has a number that is too long, for an answer") from error


def _find(node: object, model: str, depth: int = 0) -> tuple[Mapping[str, Any], str] | None:
    """The object that holds the counts, and the model named on the way to it."""
    if not isinstance(node, dict) or depth > 5:
        return None
    named = node.get("model") or node.get("modelVersion") or node.get("model_version") or model
    model = named if isinstance(named, str) else model
    if any(key in node for key in ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_token_count")):
        return node, model
    return next((found for key in _CONTAINERS if (found := _find(node.get(key), model, depth + 1))), None)


def _read(raw: Mapping[str, Any], model: str) -> Usage:
    if "prompt_tokens" in raw:
        return _openai(raw, model, "OpenAI chat", "prompt", "completion")
    if "promptTokenCount" in raw or "prompt_token_count" in raw:
        return _gemini(raw, model)
    if "input_tokens_details" in raw or "total_tokens" in raw:
        return _openai(raw, model, "OpenAI responses", "input", "output")
    return _anthropic(raw, model)


def _openai(raw: Mapping[str, Any], model: str, api: str, prompt: str, answer: str) -> Usage:
    output = _tokens(raw, f"{answer}_tokens")
    reasoning = _tokens(_table(raw, f"{answer}_tokens_details"), "reasoning_tokens")
    if reasoning > output:
        raise UsageError(f"{reasoning:,} tokens of reasoning are more than the {output:,} of the output")
    return Usage(
        api,
        model,
        _tokens(raw, f"{prompt}_tokens"),
        output - reasoning,
        cached_tokens=_tokens(_table(raw, f"{prompt}_tokens_details"), "cached_tokens"),
        reasoning_tokens=reasoning,
    )


def _anthropic(raw: Mapping[str, Any], model: str) -> Usage:
    cached = _tokens(raw, "cache_read_input_tokens")
    written = _tokens(raw, "cache_creation_input_tokens")
    hour = _tokens(_table(raw, "cache_creation"), "ephemeral_1h_input_tokens")
    if hour > written:
        raise UsageError(f"{hour:,} tokens written for an hour are more than the {written:,} written at all")
    output = _tokens(raw, "output_tokens")
    thinking = _tokens(_table(raw, "output_tokens_details"), "thinking_tokens")
    if thinking > output:
        raise UsageError(f"{thinking:,} tokens of thinking are more than the {output:,} of the output")
    return Usage(
        "Anthropic",
        model,
        _tokens(raw, "input_tokens") + cached + written,
        output - thinking,
        cached_tokens=cached,
        cache_write_tokens=written - hour,
        cache_write_1h_tokens=hour,
        reasoning_tokens=thinking,
    )


def _gemini(raw: Mapping[str, Any], model: str) -> Usage:
    def count(camel: str) -> int:
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in camel)
        return _tokens(raw, camel if camel in raw else snake)

    return Usage(
        "Gemini",
        model,
        count("promptTokenCount") + count("toolUsePromptTokenCount"),
        count("candidatesTokenCount"),
        cached_tokens=count("cachedContentTokenCount"),
        reasoning_tokens=count("thoughtsTokenCount"),
    )


def _table(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _tokens(raw: Mapping[str, Any], key: str) -> int:
    value = raw.get(key)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_TOKENS:
        raise UsageError(f"{key} is no number of tokens (got {str(value)[:40]})")
    return value
