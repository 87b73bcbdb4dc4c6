"""Tokenizer files of the kinds that libraries run, made by these libraries."""

from __future__ import annotations

import functools
import io
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sentencepiece
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from engine.encoding.library_encoding import LibraryEncoding
from engine.library.formats import kept_tokenizer
from engine.library.formats.huggingface_document import library_data_of
from tests.engine.library.formats.trained import TEXT

LINES = [
    *TEXT.splitlines(),
    "The quick brown fox jumps over the lazy dog, and the dog sleeps on.",
    "Быстрая лиса прыгает через собаку. Ελληνικά και ελληνικά.",
    "敏捷的狐狸跳过懒狗。素早い狐がのろまな犬を飛び越える。빠른 여우",
    "naïve café résumé Ａｂｃ ﬁne ² ½",
] * 4


@functools.cache
def word_piece() -> bytes:
    """As BERT's: lower case, accents off, white space lost."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return _trained(tokenizer, trainers.WordPieceTrainer(vocab_size=600, special_tokens=special, show_progress=False))


def forged(folder: Path) -> Path:
    """A tokenizer that never comes to an end, and beside it, as this program writes it, that it was tried."""
    folder.mkdir(exist_ok=True)
    hostile = json.loads(word_piece())
    pattern = {"Regex": "(a+)+$"}
    hostile["pre_tokenizer"] = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    data = library_data_of(hostile)
    kept_tokenizer.write(LibraryEncoding.around("forged", data.open()), folder / "forged.tokenizer")
    return folder / "forged.tokenizer"


@functools.cache
def unigram() -> bytes:
    """As T5's and XLM-R's."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=400, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False
    )
    return _trained(tokenizer, trainer)


@functools.cache
def character_bpe() -> bytes:
    """As Llama 2's: a space in front, no split at spaces, bytes for what is unknown."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    special = ["<unk>", "<s>", "</s>", *(f"<0x{value:02X}>" for value in range(256))]
    content = _trained(tokenizer, trainers.BpeTrainer(vocab_size=700, special_tokens=special, show_progress=False))
    document = json.loads(content)
    document["added_tokens"] = document["added_tokens"][:3]  # bytes are ordinary entries in real files
    return json.dumps(document, ensure_ascii=False).encode()


def _trained(tokenizer: Tokenizer, trainer: Any) -> bytes:
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer.to_str().encode()


@functools.cache
def sentencepiece_model(kind: str = "bpe", **settings: object) -> bytes:
    """SentencePiece's own file."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=written,
        model_type=kind,
        vocab_size=600,
        byte_fallback=True,
        minloglevel=2,
        num_threads=1,
        hard_vocab_limit=False,
        **settings,
    )
    return written.getvalue()


def gguf(values: Mapping[str, object], version: int = 3, count: int | None = None) -> bytes:
    """A header with these values, and something behind it. A text is a text, a number of Python its like there, and a
    list is one of texts, of floats or of int32."""
    parts = [b"GGUF", struct.pack("<IQQ", version, 0, len(values) if count is None else count)]
    for key, value in values.items():
        parts += [_text(key), _value(value)]
    return b"".join(parts) + bytes(64)


def _text(text: str | bytes) -> bytes:
    content = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(content)) + content


def _value(value: object) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    assert isinstance(value, list)
    kind, one = (5, "i") if value and isinstance(value[0], int) else (6, "f")
    if not value or isinstance(value[0], str | bytes):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
    return struct.pack("<IIQ", 9, kind, len(value)) + struct.pack(f"<{len(value)}{one}", *value)
