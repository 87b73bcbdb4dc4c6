"""What takes long asks now and then whether it is still wanted; reading a tokenizer of any format does."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.library.formats import huggingface, minbpe, sentencepiece_model, tekken, tiktoken_ranks
from engine.library.formats.opening import open_tokenizer
from engine.library.formats.sentencepiece_model import NORMAL, UNKNOWN, Piece, SentencePieceModel
from engine.library.formats.source import parse_json
from engine.library.formats.spelling import spelled
from engine.runtime.cancellation import ENTRIES, cancellable, check_cancelled, interruptible

MANY = 3 * ENTRIES
TOKENS = [bytes([value]) for value in range(256)] + [b"%05d" % number for number in range(MANY)]
RANKS = b"".join(base64.b64encode(token) + b" %d\n" % place for place, token in enumerate(TOKENS))
TEKKEN = {
    "config": {"pattern": r"\w+", "default_vocab_size": len(TOKENS), "default_num_special_tokens": 0},
    "vocab": [{"rank": place, "token_bytes": base64.b64encode(token).decode()} for place, token in enumerate(TOKENS)],
}
HUGGING_FACE = {
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
    "model": {
        "type": "BPE",
        "ignore_merges": True,
        "vocab": {spelled(token): place for place, token in enumerate(TOKENS)},
        "merges": [],
    },
}
MINBPE = "minbpe v1\n\n0\n" + "".join(f"{place // 256} {place % 256}\n" for place in range(MANY))
PIECES = [Piece("<unk>", 0.0, UNKNOWN), *(Piece(f"{number:05d}", -1.0, NORMAL) for number in range(MANY))]
READERS: dict[str, Callable[[], object]] = {
    "JSON, numbers": lambda: parse_json(json.dumps({"all": list(range(MANY))}).encode()),
    "JSON, objects": lambda: parse_json(json.dumps({"all": [{}] * MANY}).encode()),
    "ranks": lambda: tiktoken_ranks.read_ranks(RANKS),
    "tekken": lambda: tekken.read(TEKKEN),
    "Hugging Face": lambda: huggingface.read(HUGGING_FACE),
    "minbpe": lambda: minbpe.read(MINBPE.encode()),
    "SentencePiece": lambda: sentencepiece_model.read(sentencepiece_model.write(SentencePieceModel(PIECES, 1))),
}


class NotWantedError(Exception):
    """Raised where it is asked for the last time."""


class Asked:
    """Counts, and says in the end that it is not wanted."""

    def __init__(self, last: int | None = None) -> None:
        self.times, self._last = 0, last

    def __call__(self) -> None:
        self.times += 1
        if self.times == self._last:
            raise NotWantedError


def test_nobody_minds_where_nobody_is_to_be_asked():
    check_cancelled()
    assert list(interruptible(range(MANY))) == list(range(MANY))


def test_entries_come_as_they_are_and_every_so_many_ask():
    asked = Asked()
    with cancellable(asked):
        assert list(interruptible(range(MANY))) == list(range(MANY))
        assert asked.times == 3
        check_cancelled()
    check_cancelled()
    assert asked.times == 4


def test_what_is_raised_ends_it_and_nobody_is_asked_afterwards():
    asked = Asked(2)
    with pytest.raises(NotWantedError), cancellable(asked):
        list(interruptible(range(MANY)))
    check_cancelled()
    assert asked.times == 2


def test_none_leaves_it_to_whoever_was_to_be_asked():
    asked = Asked()
    with cancellable(asked), cancellable(None):
        check_cancelled()
    assert asked.times == 1


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_readers_of_files_ask_in_the_middle(read: Callable[[], object]):
    read()
    with pytest.raises(NotWantedError), cancellable(Asked(2)):
        read()


def test_whoever_opens_a_tokenizer_says_who_is_to_be_asked(tmp_path: Path):
    path = tmp_path / "own.tiktoken"
    path.write_bytes(RANKS)
    with pytest.raises(NotWantedError):
        open_tokenizer(path, pattern="gpt2", cancel_check=Asked(2))
