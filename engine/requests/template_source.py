"""A user's own chat template, from a file: Jinja as such, or Hugging Face's ``tokenizer_config.json`` around it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.requests.errors import TemplateError

LARGEST_SOURCE = 1 << 20
"""Bytes of a file. Published templates have up to twenty thousand."""

CONFIGURATION = "tokenizer_config.json"
TOKEN_NAMES = ("bos_token", "eos_token", "unk_token", "pad_token")


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """The text of a template, and the special tokens that it is told the names of."""

    name: str
    text: str
    tokens: Mapping[str, str]


def read_source(path: Path) -> TemplateSource:
    """The template of a file. The tokens come from the ``tokenizer_config.json`` beside it, where there is one.
    TemplateError; OSError."""
    content = _content(path)
    if path.suffix == ".json" or _looks_like_json(content):
        configuration = _configuration(content, path)
        return TemplateSource(path.name, _template_in(configuration, path), _tokens(configuration))
    beside = path.with_name(CONFIGURATION)
    tokens: dict[str, str] = {}
    if beside.is_file():
        try:
            tokens = _tokens(_configuration(_content(beside), beside))
        except TemplateError:  # only its names of tokens would have been wanted
            tokens = {}
    return TemplateSource(path.name, content, tokens)


def _looks_like_json(content: str) -> bool:
    beginning = content.lstrip()[:2]
    return beginning[:1] == "{" and beginning not in ("{%", "{{", "{#", "{-")


def _content(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(LARGEST_SOURCE + 1)
    if len(data) > LARGEST_SOURCE:
        raise TemplateError(f"{path.name}: it is larger than {LARGEST_SOURCE >> 20} MB, which no chat template is")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TemplateError(
            f"{path.name}: it is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start:,}"
        ) from None
    if not text.strip():
        raise TemplateError(f"{path.name}: it is empty")
    return text


def _configuration(content: str, path: Path) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise TemplateError(f"{path.name}: it is neither a template nor JSON that holds one") from None
    return document if isinstance(document, dict) else {}


def _template_in(configuration: dict[str, Any], path: Path) -> str:
    """The template; of several, the one called ``default``, else the first."""
    found = configuration.get("chat_template")
    if isinstance(found, list):
        named = {
            entry.get("name"): entry.get("template")
            for entry in reversed(found)
            if isinstance(entry, dict) and isinstance(entry.get("name"), str)
        }
        found = named.get("default", next(reversed(named.values()), None))
    if not isinstance(found, str) or not found:
        raise TemplateError(f"{path.name}: it holds no chat_template")
    return found


def _tokens(configuration: dict[str, Any]) -> dict[str, str]:
    """The special tokens with a name, each a text or an object that holds one."""
    tokens: dict[str, str] = {}
    for name in TOKEN_NAMES:
        value = configuration.get(name)
        text = value.get("content") if isinstance(value, dict) else value
        if isinstance(text, str) and text:
            tokens[name] = text
    return tokens
