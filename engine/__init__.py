"""Text to tokens. These are the names that others import; each is loaded when it is first asked for (PEP 562)."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.catalog import (
        EncodingEntry,
        add_folder,
        encoding_entries,
        encoding_for_model,
        encoding_name_for_model,
        forget_encoding,
        get_encoding,
        keep_encoding,
        list_encoding_names,
        opened_encodings,
        register,
        rename_encoding,
    )
    from engine.corpus import survey
    from engine.encoding import Encoding
    from engine.errors import (
        DamagedVocabularyError,
        EngineError,
        FormatError,
        TrainingError,
        UnknownEncodingError,
        UnknownModelError,
        UnsupportedTextError,
    )
    from engine.evaluation import evaluate, longest_tokens, overlap
    from engine.formats.opening import OpenedTokenizer, load, open_tokenizer
    from engine.formats.saving import Saved, save_encoding
    from engine.incremental import EditedText
    from engine.own_encodings import OwnEntry
    from engine.training import TrainingRun, train
    from engine.training_forecast import forecast
    from engine.types import MergeStep, MergeTree, TextEdit, TextStatistics, TokenInfo, TokenParents, TokenPatch

_HOMES = {
    "DamagedVocabularyError": "errors",
    "EditedText": "incremental",
    "Encoding": "encoding",
    "EncodingEntry": "catalog",
    "EngineError": "errors",
    "FormatError": "errors",
    "MergeStep": "types",
    "MergeTree": "types",
    "OpenedTokenizer": "formats.opening",
    "OwnEntry": "own_encodings",
    "Saved": "formats.saving",
    "TextEdit": "types",
    "TextStatistics": "types",
    "TokenInfo": "types",
    "TokenParents": "types",
    "TokenPatch": "types",
    "TrainingError": "errors",
    "TrainingRun": "training",
    "UnknownEncodingError": "errors",
    "UnknownModelError": "errors",
    "UnsupportedTextError": "errors",
    "add_folder": "catalog",
    "encoding_entries": "catalog",
    "encoding_for_model": "catalog",
    "encoding_name_for_model": "catalog",
    "evaluate": "evaluation",
    "forecast": "training_forecast",
    "forget_encoding": "catalog",
    "get_encoding": "catalog",
    "keep_encoding": "catalog",
    "list_encoding_names": "catalog",
    "load": "formats.opening",
    "longest_tokens": "evaluation",
    "open_tokenizer": "formats.opening",
    "opened_encodings": "catalog",
    "overlap": "evaluation",
    "register": "catalog",
    "rename_encoding": "catalog",
    "save_encoding": "formats.saving",
    "survey": "corpus",
    "train": "training",
}

__all__ = [
    "DamagedVocabularyError",
    "EditedText",
    "Encoding",
    "EncodingEntry",
    "EngineError",
    "FormatError",
    "MergeStep",
    "MergeTree",
    "OpenedTokenizer",
    "OwnEntry",
    "Saved",
    "TextEdit",
    "TextStatistics",
    "TokenInfo",
    "TokenParents",
    "TokenPatch",
    "TrainingError",
    "TrainingRun",
    "UnknownEncodingError",
    "UnknownModelError",
    "UnsupportedTextError",
    "add_folder",
    "encoding_entries",
    "encoding_for_model",
    "encoding_name_for_model",
    "evaluate",
    "forecast",
    "forget_encoding",
    "get_encoding",
    "keep_encoding",
    "list_encoding_names",
    "load",
    "longest_tokens",
    "open_tokenizer",
    "opened_encodings",
    "overlap",
    "register",
    "rename_encoding",
    "save_encoding",
    "survey",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
