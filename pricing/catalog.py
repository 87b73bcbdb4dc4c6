"""The price catalog: the built-in prices overlaid by the user's file, and lookup of models by name.

Lookup never matches a part of a name: a short key matches by accident, and a wrong price looks like a right one.

Reading YAML needs a library that is slow to import, so it is imported only if there is a file to read.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from pricing.bundled import load_bundled
from pricing.layering import build_model, lay_over
from pricing.types import (
    Alias,
    AmbiguousModelError,
    Model,
    Notice,
    Origin,
    Position,
    PriceFileError,
    Problem,
    UnknownModelError,
)

_TRAILING_DATE = re.compile(r"[-@]([0-9]{4})-?([0-9]{2})-?([0-9]{2})$")
_SEPARATOR = re.compile(r"(?<=[0-9])\.(?=[0-9])|\s+")
_BEDROCK_VERSION = re.compile(r"(-v[0-9]+)?:[0-9]+$|-v[0-9]+$")
_BEDROCK_REGION = re.compile(r"^(us|eu|apac|au|jp|ca|sa|us-gov|global)\.(?=[a-z0-9]+\.)")
_AWS_REGION = re.compile(r"^[a-z]{2}(-gov)?-[a-z]+-[0-9]/")

LONGEST_NAME = 200
"""Maximum length of a name, in characters."""

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
"""Vendors in the price table that sell models of other vendors."""

_ROUTERS = ("litellm_proxy", "litellm", "models")
"""Prefixes that do not identify the seller."""

_PREFIXES = sorted((*_ROUTERS, *HOSTS), key=len, reverse=True)

_DEPLOYMENTS = ("us", "eu", "global", "global-standard")
"""Deployment names that may follow ``azure/``."""

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
"""Vendors before the dot of a Bedrock id."""

_BEFORE_COLON = frozenset((*HOSTS, *_VENDORS, *_ON_BEDROCK))
"""Providers that libraries write before a colon, as in ``openai:gpt-4o``. Not the models in ``gpt-4o:free``."""


class Spelling(NamedTuple):
    """One interpretation of a name. ``host``: the seller of the model under this name, empty for the vendor itself."""

    name: str
    host: str = ""


def spellings(text: str) -> Iterator[Spelling]:
    """Yield the names to look up: the given one first, those without a host prefix last.

    Yields nothing if the text is too long for a name.
    """
    if len(text) > LONGEST_NAME:
        return
    provider, colon, model = text.partition(":")
    if colon and provider.casefold() in _BEFORE_COLON:
        text = f"{provider}/{model}"
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
    """Return a name without common spelling differences: case, spaces, and the dot between two digits."""
    return _SEPARATOR.sub("-", name.casefold())


def without_date(text: str) -> str | None:
    """Return ``text`` without the date at its end, or None if there is none."""
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
    """Return the host that a name's prefixes identify, and the name without them. The host may be empty."""
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


class Found(NamedTuple):
    """The model that a name resolves to. ``note``: how the name was resolved, empty if that is obvious."""

    model: Model
    note: str = ""


class Catalog:
    """All visible models with the prices in effect. Immutable.

    ``hidden``: ids that the user's file hides. ``notices``: hints for the author of the file that are no errors.
    ``exchange_rates``: US dollars per unit of each currency that the file names.
    """

    def __init__(
        self,
        models: Iterable[Model],
        notices: Iterable[Notice] = (),
        hidden: Iterable[str] = (),
        exchange_rates: Mapping[str, Decimal] | None = None,
    ) -> None:
        self.models = tuple(models)
        self.notices = tuple(notices)
        self.hidden = tuple(hidden)
        self.exchange_rates = dict(exchange_rates or {"USD": Decimal(1)})

    def __len__(self) -> int:
        return len(self.models)

    def get(self, model_id: str) -> Model | None:
        """Return the model with exactly this id, or None."""
        return self._by_id.get(model_id)

    def find(self, text: str, on: date | None = None) -> Model:
        """Return the model that ``text`` names, like ``resolve``."""
        return self.resolve(text, on).model

    def resolve(self, text: str, on: date | None = None) -> Found:
        """Return the model that ``text`` names on a day (default: today), and a note on how it was resolved.

        Tries an id, an alias valid on that day, or a unique bare or display name. Then the same ignoring case, and with
        a dash for spaces and for the dot between two digits. Then without a date at the end (``gpt-4o-2024-08-06``),
        with other names of the vendor (``x-ai/``), and last without the prefix of a host (``azure/``,
        ``us.anthropic.``), whose price may differ from the vendor's. Never matches a part of a name.

        Raises UnknownModelError with similar ids, or AmbiguousModelError with the ids that share the name.
        """
        wanted = text.strip()
        day = on or date.today()
        for name, host in spellings(wanted):
            for index, key in ((self._names, name), (self._folded_names, folded(name))):
                for level in index:
                    ids = self._holding(level.get(key, ()), key, day)
                    if len(ids) > 1:
                        raise AmbiguousModelError(wanted, ids)
                    if ids:
                        model = self._by_id[ids[0]]
                        return Found(model, self._note(model, wanted, key, host, day))
        raise UnknownModelError(wanted, self.suggest(wanted), self._when(wanted))

    def _holding(self, ids: tuple[str, ...], name: str, day: date) -> tuple[str, ...]:
        """Return those models that the name means on a day."""
        holding = []
        for model_id in ids:
            alias = self._alias(self._by_id[model_id], name)
            if alias is None or alias.holds(day):
                holding.append(model_id)
        return tuple(holding)

    def _alias(self, model: Model, name: str) -> Alias | None:
        """Return the dated alias with this name, or None."""
        key = folded(name)
        named = ((folded(alias.name), alias) for alias in model.dated_aliases)
        return next((alias for name, alias in named if _bare(key) == _bare(name)), None)

    def _note(self, model: Model, text: str, key: str, host: str, day: date) -> str:
        alias = self._alias(model, key)
        if alias is not None and not host:
            return f"{text} means {model.id} {alias.period}".rstrip()
        is_sold_on = model.vendor in SELLERS and "/amazon." not in model.id
        if host and model.provider != host:
            own = f"{model.provider}'s {'' if is_sold_on else 'own '}{model.id}"
            return f"{text} is priced as {own}; the price of {host} may differ"
        if is_sold_on and not text.casefold().startswith((f"{model.vendor}/", f"{model.vendor}:")):
            return f"{text} is priced as {model.id}, at the price of {model.provider}"
        if without_date(text) is not None and without_date(model.id) is None:
            return f"{text} is priced as {model.id}; an older snapshot may have had another price"
        return ""

    def _when(self, text: str) -> str:
        """Return the period in which a name was valid, if it is not valid on the requested day; else ""."""
        for name, _ in spellings(text):
            for model in self.models:
                alias = self._alias(model, name)
                if alias is not None:
                    return f"it meant {model.id} {alias.period}"
        return ""

    def suggest(self, text: str, limit: int = 3) -> tuple[str, ...]:
        """Return the ids of the models with the most similar id, alias or bare name, best first."""
        names: dict[str, str] = {}
        for level in reversed(self._folded_names):
            names.update({name: ids[0] for name, ids in level.items()})
        wanted = [folded(name) for name, _ in spellings(text.strip()[:LONGEST_NAME])][-1]
        close = difflib.get_close_matches(wanted, names, n=limit * 3, cutoff=0.0)
        holding = sorted((name for name in names if len(wanted) >= 3 and wanted in name), key=len)
        beginning = [name for name in holding if name.startswith(wanted)]
        return tuple(dict.fromkeys(names[name] for name in (*beginning, *holding, *close)))[:limit]

    @cached_property
    def _by_id(self) -> dict[str, Model]:
        return {model.id: model for model in self.models}

    @cached_property
    def _names(self) -> tuple[dict[str, tuple[str, ...]], ...]:
        return _index(self.models, fold=False)

    @cached_property
    def _folded_names(self) -> tuple[dict[str, tuple[str, ...]], ...]:
        return _index(self.models, fold=True)


def _index(models: Iterable[Model], fold: bool) -> tuple[dict[str, tuple[str, ...]], ...]:
    """Map names to ids, with one mapping per kind of name in order of priority: ids, aliases, bare names, display
    names."""
    ids: dict[str, list[str]] = {}
    aliases: dict[str, list[str]] = {}
    bare: dict[str, list[str]] = {}
    displayed: dict[str, list[str]] = {}
    for model in models:
        _, _, rest = model.id.partition("/")
        short = {rest, rest.rpartition("/")[2]}
        others = {*model.aliases, *(alias.name for alias in model.dated_aliases)}
        others |= {f"{model.vendor}/{name}" for name in others if "/" not in name}
        short.update(map(_bare, others))
        for level, names in ((ids, {model.id}), (aliases, others), (bare, short), (displayed, {model.name})):
            for name in {folded(name) if fold else name for name in names}:
                level.setdefault(name, []).append(model.id)
    return tuple({name: tuple(found) for name, found in level.items()} for level in (ids, aliases, bare, displayed))


def _bare(name: str) -> str:
    """Return the part of a name after the last slash."""
    return name.rpartition("/")[2]


def load_catalog(user_file: Path | str | None = None, tokenizers: Collection[str] = ()) -> Catalog:
    """Return the built-in prices, overlaid field by field by those of ``user_file``.

    ``tokenizers``: names of encodings that the file may count with, besides the bundled ones. Raises PriceFileError
    with every problem of the file. The built-in prices always load, by ``load_catalog()``.
    """
    bundled = load_bundled()
    if user_file is None:
        return Catalog(build_model(model_id, bundled) for model_id in bundled.entries)
    from pricing.load import read_price_file

    file = read_price_file(Path(user_file), tokenizers, bundled.rules)
    if file.problems:
        raise PriceFileError(file.problems)
    return Catalog(*lay_over(bundled, file), file.exchange_rates)


def check_file(path: Path | str, tokenizers: Collection[str] = ()) -> list[Problem]:
    """Return every problem of a price file, in line order. Never raises for the file's content."""
    from pricing.load import read_price_file

    return list(read_price_file(Path(path), tokenizers, load_bundled().rules).problems)


def check_text(text: str, file_name: str, tokenizers: Collection[str] = ()) -> list[Problem]:
    """Return every problem of a price file given as text."""
    from pricing.load import read_price_text

    return list(read_price_text(text, file_name, tokenizers, load_bundled().rules).problems)


def origin_of(model: Model, path: str) -> tuple[Origin, Position | None] | None:
    """Return the origin of a model's field, such as ``price.input``, and its position in the file. None if it is not
    set.

    The position in the built-in files is found by reading the one with the model, which takes a moment the first time.
    """
    origin = model.origin.get(path)
    if origin is None:
        return None
    return origin, model.positions.get(path) if origin == "yours" else bundled_position(model.id, path)


def bundled_position(model_id: str, path: str) -> Position | None:
    """Return the position of a field in the built-in files, or None."""
    name = _bundled_file(model_id)
    return None if name is None else _bundled_positions(name).get(model_id, {}).get(path)


@cache
def _bundled_file(model_id: str) -> str | None:
    """Return the name of the built-in file with a model, or None."""
    names = (source.name for source in files("pricing").joinpath("data").iterdir() if source.name.endswith(".yaml"))
    return next((name for name in names if f"\n  {model_id}:" in _text(name)), None)


@cache
def _bundled_positions(name: str) -> Mapping[str, Mapping[str, Position]]:
    """Return the positions of all fields in one of the built-in files, by model."""
    from pricing.load import read_price_text

    models = read_price_text(_text(name), name, rules=load_bundled().rules).models
    return {model_id: entry.positions for model_id, entry in models.items() if entry is not None}


def _text(name: str) -> str:
    return files("pricing").joinpath("data", name).read_text(encoding="utf-8")
