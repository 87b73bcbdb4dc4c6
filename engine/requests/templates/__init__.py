"""Built-in templates, with a module for models that are alike, and the choice of one by the name of a model.

``ALONE`` is for models with unpublished overhead, such as Claude and Gemini: messages without framing. Anthropic
documents that framing and tools add tokens, and offers a service that counts them; so does Google with ``countTokens``.
All tokens beyond the text are therefore an estimate here. For "Hi" Anthropic counts 8 and Bedrock 24, so up to 23 are
framing; each further message takes a few more.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.library.bundled_encodings import ENTRIES
from engine.requests.template import Surroundings, Template, json_text, overhead, tools_text, written
from engine.requests.templates import chatml, open_models, openai
from engine.requests.types import Piece, Request

VOCABULARIES = frozenset({"gemma", "gemma3", "kimi", "qwen3_5"})
"""Bundled vocabularies of models whose framing is not published: Gemini, Kimi, Qwen 3.5 and later."""


def _render_alone(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request, with a blank line between messages."""
    for number, message in enumerate(request.messages):
        if number:
            yield overhead("\n\n", number)
        yield written(message.content, number)
        for call in message.tool_calls:
            yield overhead("\n", number)
            yield written(f"{call.name}({call.arguments})", number)
    for tool in request.tools:
        yield overhead("\n\n")
        yield tools_text(json_text(tool.as_json()))


ALONE = Template(
    key="alone",
    label="Messages alone (Claude, Gemini)",
    render=_render_alone,
    encoding="o200k_base",
    special=frozenset(),
    grade="estimate",
    tools="estimate",
    images="claude",
    other_encodings=VOCABULARIES,
    foreign_encodings=frozenset(entry.name for entry in ENTRIES) - VOCABULARIES,
    framing=(20, 5),
    tools_prompt=530,
    remark=(
        "How this vendor frames messages and tools is not published. Tools also add a system prompt of the vendor: "
        "159 to 530 tokens with Claude 3."
    ),
    source="Anthropic, Token counting",
)

TEMPLATES: dict[str, Template] = {
    template.key: template
    for template in (
        openai.CHAT,
        openai.HARMONY,
        chatml.CHATML,
        open_models.LLAMA3,
        open_models.LLAMA3_DATED,
        chatml.QWEN,
        open_models.DEEPSEEK,
        open_models.MISTRAL,
        ALONE,
    )
}
"""Templates by key, in the order of selection lists."""

UNKNOWN = ALONE.key
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
