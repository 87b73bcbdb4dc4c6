"""What people call a model: spellings, hosts, dates and versions taken off a name until the price table knows it.

Never by a part of a name: a short key matches by accident, and a wrong price looks like a right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

_TRAILING_DATE = re.compile(r"[-@]([0-9]{4})-?([0-9]{2})-?([0-9]{2})$")
_DOT_BETWEEN_DIGITS = re.compile(r"(?<=[0-9])\.(?=[0-9])")
_BEDROCK_VERSION = re.compile(r"(-v[0-9]+)?:[0-9]+$|-v[0-9]+$")
_BEDROCK_REGION = re.compile(r"^(us|eu|apac|au|jp|ca|sa|us-gov|global)\.(?=[a-z0-9]+\.)")
_AWS_REGION = re.compile(r"^[a-z]{2}(-gov)?-[a-z]+-[0-9]/")

LONGEST_NAME = 200
"""Characters of a name."""

HOSTS: dict[str, str] = {
    "azure": "Azure",
    "azure_ai": "Azure",
    "vertex_ai": "Vertex AI",
    "vertex": "Vertex AI",
    "google-vertex": "Vertex AI",
    "publishers/google/models": "Vertex AI",
    "publishers/anthropic/models": "Vertex AI",
    "bedrock": "Amazon Bedrock",
    "bedrock_converse": "Amazon Bedrock",
    "bedrock/converse": "Amazon Bedrock",
    "amazon-bedrock": "Amazon Bedrock",
    "openrouter": "OpenRouter",
    "together_ai": "Together",
    "together": "Together",
    "togetherai": "Together",
    "fireworks_ai": "Fireworks",
    "fireworks": "Fireworks",
    "accounts/fireworks/models": "Fireworks",
    "groq": "Groq",
    "cerebras": "Cerebras",
    "deepinfra": "DeepInfra",
    "databricks": "Databricks",
    "replicate": "Replicate",
    "github": "GitHub",
    "github_copilot": "GitHub Copilot",
    "sambanova": "SambaNova",
    "nebius": "Nebius",
    "novita": "Novita",
    "vercel_ai_gateway": "Vercel",
    "vercel": "Vercel",
    "oci": "Oracle",
    "watsonx": "watsonx",
    "snowflake": "Snowflake",
    "heroku": "Heroku",
    "poe": "Poe",
}
"""Prefixes of hosts that sell other vendors' models, as LiteLLM, OpenRouter and the hosts themselves write them."""

SELLERS = {"bedrock", "groq", "deepinfra"}
"""Vendors of the price table that sell models of others."""

_ROUTERS = ("litellm_proxy", "litellm", "models")
"""Prefixes that say nothing of who is paid."""

_PREFIXES = sorted((*_ROUTERS, *HOSTS), key=len, reverse=True)

_DEPLOYMENTS = ("us", "eu", "global", "global-standard")
"""What may stand behind ``azure/``."""

_VENDORS: dict[str, str] = {
    "x-ai": "xai",
    "z-ai": "zai",
    "z.ai": "zai",
    "zhipuai": "zai",
    "moonshotai": "moonshot",
    "moonshot-ai": "moonshot",
    "mistralai": "mistral",
    "meta-llama": "meta",
    "qwen": "alibaba",
    "dashscope": "alibaba",
    "gemini": "google",
    "google-ai-studio": "google",
    "minimaxi": "minimax",
    "deepseek-ai": "deepseek",
    "codestral": "mistral",
}
"""Other names of vendors, as hosts and libraries write them."""

_ON_BEDROCK = (
    *("anthropic", "meta", "mistral", "cohere", "deepseek", "openai", "qwen", "moonshot", "moonshotai", "minimax"),
    *("zai", "google", "xai", "ai21", "amazon"),
)
"""Vendors before the dot of an id of Bedrock."""


class Spelling(NamedTuple):
    """One way to read a name. ``host``: who sells the model under it, empty for the vendor itself."""

    name: str
    host: str = ""


def spellings(text: str) -> Iterator[Spelling]:
    """Yield the names to look for, the one that was given first, and last those without the prefix of a host.

    Nothing for what is too long for a name.
    """
    if len(text) > LONGEST_NAME:
        return
    for name in _own_spellings(text):
        yield Spelling(name)
    host, rest = _without_host(text)
    bare = text.rpartition("/")[2]
    if region := _BEDROCK_REGION.match(bare):
        yield Spelling(f"bedrock/{bare[region.end() :]}", "another region")
    if rest != text:
        for name in _own_spellings(rest):
            yield Spelling(name, host)


def folded(name: str) -> str:
    """A name without what people spell differently: capitals, and the dot between two digits."""
    return _DOT_BETWEEN_DIGITS.sub("-", name.casefold())


def without_date(text: str) -> str | None:
    """``text`` without a date at its end, None where there is none."""
    found = _TRAILING_DATE.search(text)
    if not found:
        return None
    try:
        date(*map(int, found.groups()))
    except ValueError:
        return None
    return text[: found.start()]


def _own_spellings(text: str) -> Iterator[str]:
    vendor, slash, rest = text.partition("/")
    own = _VENDORS.get(vendor.casefold())
    for name in (text, f"{own}/{rest}" if own and slash else None):
        if name is not None:
            yield name
            dateless = without_date(name)
            if dateless is not None:
                yield dateless


def _without_host(text: str) -> tuple[str, str]:
    """The host whose prefixes a name has, and the name without them; an empty host where none is paid."""
    host, rest = "", text
    if rest.startswith("projects/") and "/publishers/" in rest:
        rest = "publishers/" + rest.partition("/publishers/")[2]
    while True:
        prefix = next((one for one in _PREFIXES if rest.casefold().startswith(f"{one}/")), None)
        if prefix is None:
            break
        rest = rest[len(prefix) + 1 :]
        host = HOSTS.get(prefix, "") or host
        if host == "Azure":
            first, slash, behind = rest.partition("/")
            rest = behind if slash and first in _DEPLOYMENTS else rest
        if host == "Amazon Bedrock":
            rest = _AWS_REGION.sub("", rest)
        if host == "Vertex AI":
            rest = rest.removeprefix("publishers/").replace("/models/", "/", 1)
    bare = _BEDROCK_REGION.sub("", rest)
    vendor, dot, model = bare.partition(".")
    if dot and vendor.casefold() in _ON_BEDROCK:
        version_less = _BEDROCK_VERSION.sub("", model)
        return "Amazon Bedrock", f"{vendor}/{version_less}"
    return host, rest
