"""Names that people, libraries and hosts use, each with the row that it means."""

from __future__ import annotations

from datetime import date

import pytest

from pricing import UnknownModelError, load_catalog
from pricing.catalog import Catalog
from pricing.types import Alias
from tests.pricing.build import model

DAY = date(2026, 11, 27)

NAMES = """
gpt-4o openai/gpt-4o
GPT-4o openai/gpt-4o
gpt-4o-2024-08-06 openai/gpt-4o
openai/gpt-4o-mini openai/gpt-4o-mini
openai/gpt-4o-mini-2024-07-18 openai/gpt-4o-mini
azure/gpt-4o openai/gpt-4o Azure
azure/gpt-5.4 openai/gpt-5.4 Azure
azure/us/gpt-4.1-2025-04-14 openai/gpt-4.1 Azure
azure/eu/gpt-5.4-mini openai/gpt-5.4-mini Azure
azure/global-standard/gpt-4o openai/gpt-4o Azure
azure_ai/gpt-5.5 openai/gpt-5.5 Azure
gpt-5-4 openai/gpt-5.4
gpt-4-1-mini openai/gpt-4.1-mini
gpt-4.1-nano openai/gpt-4.1-nano
gpt-5 openai/gpt-5
gpt-5-2025-08-07 openai/gpt-5
gpt-5-chat-latest openai/gpt-5
gpt-5.1-chat-latest openai/gpt-5.1
gpt-5.2-chat-latest openai/gpt-5.2
gpt-5.3-codex openai/gpt-5.3-codex
gpt-5.4-nano openai/gpt-5.4-nano
gpt-5.4-pro openai/gpt-5.4-pro
gpt-5.6-sol openai/gpt-5.6-sol
gpt-6-sol openai/gpt-6-sol
gpt-6.2-astra openai/gpt-6.2-astra
gpt-daybreak-red-latest openai/gpt-5.6-cyber
o3 openai/o3
o3-2025-04-16 openai/o3
o3-pro openai/o3-pro
o4-mini openai/o4-mini
text-embedding-3-small openai/text-embedding-3-small
text-embedding-ada-002 openai/text-embedding-ada-002
openrouter/openai/gpt-4o openai/gpt-4o OpenRouter
openrouter/openai/gpt-5.2 openai/gpt-5.2 OpenRouter
github/gpt-4.1 openai/gpt-4.1 GitHub
github_copilot/gpt-5.4 openai/gpt-5.4 GitHub Copilot
litellm_proxy/gpt-4o openai/gpt-4o
litellm/openai/gpt-4o openai/gpt-4o
claude-sonnet-5.5 anthropic/claude-sonnet-5-5
claude-sonnet-5-5 anthropic/claude-sonnet-5-5
Claude-Sonnet-4.5 anthropic/claude-sonnet-4-5
claude-sonnet-4-5-20250929 anthropic/claude-sonnet-4-5
anthropic/claude-opus-4-5-20251101 anthropic/claude-opus-4-5
claude-opus-4.8 anthropic/claude-opus-4-8
claude-haiku-4-5-20251001 anthropic/claude-haiku-4-5
claude-haiku-5.5 anthropic/claude-haiku-5-5
claude-fable-5.2 anthropic/claude-fable-5-2
claude-mythos-5.1 anthropic/claude-mythos-5-1
claude-opus-5-latest anthropic/claude-opus-5
us.anthropic.claude-sonnet-5-5 anthropic/claude-sonnet-5-5 Amazon Bedrock
eu.anthropic.claude-opus-5 anthropic/claude-opus-5 Amazon Bedrock
global.anthropic.claude-sonnet-4-5-20250929-v1:0 anthropic/claude-sonnet-4-5 Amazon Bedrock
apac.anthropic.claude-sonnet-5 anthropic/claude-sonnet-5 Amazon Bedrock
anthropic.claude-haiku-4-5-20251001-v1:0 anthropic/claude-haiku-4-5 Amazon Bedrock
bedrock/us.anthropic.claude-opus-4-6-v1 anthropic/claude-opus-4-6 Amazon Bedrock
bedrock/us-east-1/anthropic.claude-sonnet-4-5-20250929-v1:0 anthropic/claude-sonnet-4-5 Amazon Bedrock
bedrock/converse/anthropic.claude-opus-5-5 anthropic/claude-opus-5-5 Amazon Bedrock
amazon-bedrock/anthropic.claude-sonnet-4-6 anthropic/claude-sonnet-4-6 Amazon Bedrock
anthropic.claude-3-7-sonnet-20250219-v1:0 bedrock/anthropic.claude-3-7-sonnet-20250219-v1:0
bedrock/amazon.nova-pro-v1:0 bedrock/amazon.nova-pro-v1:0
amazon.nova-lite-v1:0 bedrock/amazon.nova-lite-v1:0
vertex_ai/claude-sonnet-4-5@20250929 anthropic/claude-sonnet-4-5 Vertex AI
vertex_ai/claude-opus-5 anthropic/claude-opus-5 Vertex AI
openrouter/anthropic/claude-sonnet-4.5 anthropic/claude-sonnet-4-5 OpenRouter
openrouter/anthropic/claude-opus-5.5 anthropic/claude-opus-5-5 OpenRouter
github_copilot/claude-sonnet-4.5 anthropic/claude-sonnet-4-5 GitHub Copilot
databricks/claude-sonnet-5 anthropic/claude-sonnet-5 Databricks
gemini-2.5-pro google/gemini-2.5-pro
gemini/gemini-2.5-pro google/gemini-2.5-pro
models/gemini-2.5-flash google/gemini-2.5-flash
google/gemini-2.5-flash-lite google/gemini-2.5-flash-lite
vertex_ai/gemini-2.5-pro google/gemini-2.5-pro Vertex AI
vertex/gemini-3.5-flash google/gemini-3.5-flash Vertex AI
publishers/google/models/gemini-2.5-pro google/gemini-2.5-pro Vertex AI
projects/p/locations/us/publishers/google/models/gemini-2.5-flash google/gemini-2.5-flash Vertex AI
openrouter/google/gemini-3.8-flash google/gemini-3.8-flash OpenRouter
gemini-flash-latest google/gemini-3.8-flash
gemini-flash-lite-latest google/gemini-3.5-flash-lite
gemini-pro-latest google/gemini-3.1-pro-preview
gemini-4-hydrogen google/gemini-4-hydrogen
gemini-embedding-001 google/gemini-embedding-001
mistral-large-latest mistral/mistral-large-2512
mistral/mistral-large-latest mistral/mistral-large-2512
mistral-medium-latest mistral/mistral-medium-3-5
mistral-small-latest mistral/mistral-small-2603
codestral-latest mistral/codestral-2508
ministral-8b-latest mistral/ministral-8b-2512
mistral-large-4 mistral/mistral-large-4
mistral-medium-3.5 mistral/mistral-medium-3-5
mistralai/mistral-large-2512 mistral/mistral-large-2512
openrouter/mistralai/mistral-large-2512 mistral/mistral-large-2512 OpenRouter
mistral.mistral-large-4 mistral/mistral-large-4 Amazon Bedrock
deepseek-chat deepseek/deepseek-chat
deepseek-reasoner deepseek/deepseek-reasoner
deepseek-v4-pro deepseek/deepseek-v4-pro
deepseek/deepseek-flash deepseek/deepseek-flash
deepseek-ai/deepseek-v4-pro deepseek/deepseek-v4-pro
openrouter/deepseek/deepseek-v4-pro deepseek/deepseek-v4-pro OpenRouter
together_ai/deepseek-ai/deepseek-v4-pro deepseek/deepseek-v4-pro Together
x-ai/grok-4.7 xai/grok-4.7
openrouter/x-ai/grok-4.6 xai/grok-4.6 OpenRouter
grok-4-7 xai/grok-4.7
grok-latest xai/grok-4.5
grok-4.3-latest xai/grok-4.3
z-ai/glm-4.6 zai/glm-4.6
openrouter/z-ai/glm-5.2 zai/glm-5.2 OpenRouter
glm-4.5-air zai/glm-4.5-air
moonshotai/kimi-k3 moonshot/kimi-k3
openrouter/moonshotai/kimi-k2.6 moonshot/kimi-k2.6 OpenRouter
fireworks_ai/accounts/fireworks/models/kimi-k2.6 moonshot/kimi-k2.6 Fireworks
minimax/minimax-m3 minimax/MiniMax-M3
MiniMax-M2.7 minimax/MiniMax-M2.7
qwen3.8-max alibaba/qwen3.8-max
qwen3-8-max alibaba/qwen3.8-max
dashscope/qwen-plus alibaba/qwen-plus
qwen-plus-latest alibaba/qwen-plus
qwen/qwen3-coder-plus alibaba/qwen3-coder-plus
openrouter/qwen/qwen3-max alibaba/qwen3-max OpenRouter
groq/openai/gpt-oss-120b groq/openai/gpt-oss-120b
gpt-oss-20b groq/openai/gpt-oss-20b
groq/llama-3.3-70b-versatile groq/llama-3.3-70b-versatile
command-r-plus-08-2024 cohere/command-r-plus-08-2024
command-a-03-2025 cohere/command-a-03-2025
sonar-pro perplexity/sonar-pro
voyage-3-large voyage/voyage-3-large
composer-2.5 cursor/composer-2.5
muse-wonder-1.0 meta/muse-wonder-1.0
"""
"""A name, the id that it means, and the host whose price may differ, if it names one."""


@pytest.mark.parametrize("line", NAMES.strip().splitlines())
def test_a_name_means_this_row(line: str) -> None:
    name, model_id, *host = line.split()
    found = load_catalog().resolve(name, DAY)
    assert found.model.id == model_id
    if host:
        assert found.note.startswith(f"{name} is priced as {found.model.provider}'s own {model_id}")
        assert found.note.endswith(f"; the price of {' '.join(host)} may differ")
    else:
        assert "the price of" not in found.note.replace("at the price of", "")


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("gpt-4o:free", "openai/gpt-4o"),
        ("openrouter/deepseek/deepseek-chat:free", "deepseek/deepseek-chat"),
        ("ft:gpt-4o:org", "openai/gpt-4o"),
        ("gpt-7", "openai/gpt-5"),
        ("claude-sonnet", "anthropic/claude-sonnet-5"),
        ("claude-sonnet-5.5x", "anthropic/claude-sonnet-5-5"),
        ("gemini", "google/gemini-4-argon"),
        ("sonet-4-5", "anthropic/claude-sonnet-4-5"),
    ],
)
def test_a_part_of_a_name_is_none(name: str, suggestion: str) -> None:
    with pytest.raises(UnknownModelError, match="did you mean") as refusal:
        load_catalog().find(name)
    assert refusal.value.suggestions[0] == suggestion
    assert len(refusal.value.suggestions) <= 3


def test_the_name_that_the_table_shows_is_a_name() -> None:
    catalog = load_catalog()
    for one in catalog.models:
        assert catalog.find(one.name, DAY) is one
        assert catalog.find(one.name.upper(), DAY) is one


@pytest.mark.parametrize(
    ("name", "model_id", "note"),
    [
        ("gpt 4o  mini", "openai/gpt-4o-mini", ""),
        ("google/Gemini 2.5 Pro", "google/gemini-2.5-pro", ""),
        ("openai:gpt-4o", "openai/gpt-4o", ""),
        ("groq:llama-3.3-70b-versatile", "groq/llama-3.3-70b-versatile", ""),
        (
            "Bedrock:anthropic.claude-sonnet-5-5",
            "anthropic/claude-sonnet-5-5",
            "the price of Amazon Bedrock may differ",
        ),
    ],
)
def test_names_with_spaces_or_a_provider_before_a_colon(name: str, model_id: str, note: str) -> None:
    found = load_catalog().resolve(name, DAY)
    assert found.model.id == model_id
    assert found.note.endswith(note)
    assert bool(found.note) == bool(note)


def test_models_that_contain_the_name_are_suggested_before_those_that_look_like_it() -> None:
    assert all("opus" in suggestion for suggestion in load_catalog().suggest("opus"))
    with pytest.raises(UnknownModelError, match=r"did you mean [^ ]+, [^ ]+ or [^ ]+\?$"):
        load_catalog().find("opus")


def test_a_name_of_some_time() -> None:
    old, new = (
        model(id=f"acme/{name}", dated_aliases=(Alias("acme-latest", start, end),))
        for name, start, end in (("old", None, date(2026, 10, 1)), ("new", date(2026, 10, 1), None))
    )
    catalog = Catalog([old, new])
    assert catalog.resolve("acme-latest", date(2026, 9, 30)).model is old
    assert catalog.resolve("ACME/acme-latest", date(2026, 10, 1)).model is new
    assert catalog.resolve("acme-latest", DAY).note == "acme-latest means acme/new from 2026-10-01"
    with pytest.raises(UnknownModelError, match="on that day: it meant acme/old until 2026-10-01"):
        Catalog([old]).resolve("acme-latest", DAY)


@pytest.mark.parametrize(
    ("name", "model_id", "note"),
    [
        ("claude-opus-4-1", "bedrock/anthropic.claude-opus-4-1-20250805-v1:0", "at the price of Amazon Bedrock"),
        ("gpt-4o-2024-05-13", "openai/gpt-4o", "an older snapshot may have had another price"),
        ("us.amazon.nova-micro-v1:0", "bedrock/amazon.nova-micro-v1:0", ""),
        ("us.meta.llama4-scout-17b-instruct-v1:0", "bedrock/meta.llama4-scout-17b-instruct-v1:0", "another region"),
    ],
)
def test_a_price_that_may_be_another_is_said(name: str, model_id: str, note: str) -> None:
    found = load_catalog().resolve(name, DAY)
    assert found.model.id == model_id
    assert note in found.note


def test_no_name_is_too_long_to_be_refused() -> None:
    with pytest.raises(UnknownModelError):
        load_catalog().find("models/" * 50_000)
