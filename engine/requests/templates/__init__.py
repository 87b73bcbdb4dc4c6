"""Built-in templates, with one module for each family of models."""

from __future__ import annotations

from engine.requests.template import Template
from engine.requests.templates import chatml, deepseek, harmony, llama3, messages_alone, mistral, openai_chat, qwen

TEMPLATES: dict[str, Template] = {
    template.key: template
    for template in (
        openai_chat.TEMPLATE,
        harmony.TEMPLATE,
        chatml.TEMPLATE,
        llama3.TEMPLATE,
        llama3.DATED_TEMPLATE,
        qwen.TEMPLATE,
        deepseek.TEMPLATE,
        mistral.TEMPLATE,
        messages_alone.TEMPLATE,
    )
}
"""Templates by key, in the order of selection lists."""
