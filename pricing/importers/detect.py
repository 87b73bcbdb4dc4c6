"""Finds out which table a file is, and reads it."""

from __future__ import annotations

from pricing.importers.genai_prices import is_genai_module, is_genai_prices, read_genai_module, read_genai_prices
from pricing.importers.litellm import is_litellm, read_litellm
from pricing.importers.llm_prices import is_llm_prices, read_llm_prices
from pricing.importers.model_prices import is_model_prices, read_model_prices
from pricing.importers.models_dev import is_models_dev, read_models_dev
from pricing.importers.reading import read_json
from pricing.importers.types import Imported, ImportFileError

_TABLES = (
    (is_genai_prices, read_genai_prices),
    (is_model_prices, read_model_prices),
    (is_llm_prices, read_llm_prices),
    (is_models_dev, read_models_dev),
    (is_litellm, read_litellm),
)


def read_import(text: str) -> Imported:
    """The table of a file's text. Raises ImportFileError for what is none that we know, or damaged."""
    if is_genai_module(text):
        return read_genai_module(text)
    document = read_json(text)
    for is_it, read in _TABLES:
        if is_it(document):
            return read(document)
    raise ImportFileError(
        "this is no price table that can be imported: LiteLLM's map, llm-prices, models.dev, genai-prices, model-prices"
    )
