"""Text to tokens. These are the public names of the engine; each is loaded on first use (PEP 562)."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.corpus.walk import survey
    from engine.editing.edited_text import EditedText
    from engine.encoding.encoding import Encoding
    from engine.errors import (
        DamagedVocabularyError,
        EngineError,
        FormatError,
        TrainingError,
        UnknownEncodingError,
        UnknownModelError,
        UnsupportedTextError,
    )
    from engine.library.bundled_encodings import EncodingEntry
    from engine.library.catalog import (
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
    from engine.library.formats.opening import OpenedTokenizer, Saved, load, open_tokenizer, save_encoding
    from engine.library.user_encodings import UserEntry
    from engine.training.evaluation import evaluate, longest_tokens, overlap
    from engine.training.forecast import forecast
    from engine.training.run import TrainingRun, train
    from engine.types import MergeStep, MergeTree, TextEdit, TextStatistics, TokenInfo, TokenParents, TokenPatch

_HOMES = {
    "DamagedVocabularyError": "errors",
    "EditedText": "editing.edited_text",
    "Encoding": "encoding.encoding",
    "EncodingEntry": "library.bundled_encodings",
    "EngineError": "errors",
    "FormatError": "errors",
    "MergeStep": "types",
    "MergeTree": "types",
    "OpenedTokenizer": "library.formats.opening",
    "UserEntry": "library.user_encodings",
    "Saved": "library.formats.opening",
    "TextEdit": "types",
    "TextStatistics": "types",
    "TokenInfo": "types",
    "TokenParents": "types",
    "TokenPatch": "types",
    "TrainingError": "errors",
    "TrainingRun": "training.run",
    "UnknownEncodingError": "errors",
    "UnknownModelError": "errors",
    "UnsupportedTextError": "errors",
    "add_folder": "library.catalog",
    "encoding_entries": "library.catalog",
    "encoding_for_model": "library.catalog",
    "encoding_name_for_model": "library.catalog",
    "evaluate": "training.evaluation",
    "forecast": "training.forecast",
    "forget_encoding": "library.catalog",
    "get_encoding": "library.catalog",
    "keep_encoding": "library.catalog",
    "list_encoding_names": "library.catalog",
    "load": "library.formats.opening",
    "longest_tokens": "training.evaluation",
    "open_tokenizer": "library.formats.opening",
    "opened_encodings": "library.catalog",
    "overlap": "training.evaluation",
    "register": "library.catalog",
    "rename_encoding": "library.catalog",
    "save_encoding": "library.formats.opening",
    "survey": "corpus.walk",
    "train": "training.run",
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
    "UserEntry",
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


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
