"""The trainers to compare with ours: Hugging Face's ``tokenizers`` and rustbpe, if installed.

A trainer takes a file and the vocabulary size, trains on one thread with the split of cl100k, and returns a function
that returns the merges, so that reading these is not timed.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.split import patterns
from engine.split.patterns import LLAMA3

OURS, TOKENIZERS, RUSTBPE = "ours", "tokenizers", "rustbpe"

Merges = list[tuple[bytes, ...]]
"""Both parts of each merge; or only the merged token, if a trainer reports no more."""

Trainer = Callable[[Path, int], Callable[[], Merges]]


def train_ours(path: Path, vocab_size: int, threads: int = 1, tie_order: str = "bytes") -> Callable[[], Merges]:
    """Train with our own trainer."""
    from engine import TrainingRun

    run = TrainingRun(path, vocab_size, threads=threads, tie_order=tie_order)
    while not run.done:
        run.advance(10.0)

    def merges() -> Merges:
        learned = run.merges()
        tokens = [bytes([byte]) for byte in range(256)] + [merge.token_bytes for merge in learned]
        return [(tokens[merge.left_id], tokens[merge.right_id]) for merge in learned]

    return merges


_PART_CHARACTERS = 1 << 16
_AT_LINES = re.compile(r"(?<=\n)(?=\S)")


def parts_of(path: Path) -> Iterator[str]:
    """Yield the text of a file in chunks, as users of a peer do.

    Boundaries are before lines that do not start with whitespace, which changes no pretoken.
    """
    text = path.read_bytes().decode("utf-8")
    start = 0
    while start < len(text):
        cut = _AT_LINES.search(text, start + _PART_CHARACTERS)
        end = cut.start() if cut else len(text)
        yield text[start:end]
        start = end


def byte_letters() -> list[str]:
    """Return the characters that ``tokenizers`` represents bytes with, by byte: those of GPT-2."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def train_tokenizers(path: Path, vocab_size: int) -> Callable[[], Merges]:
    r"""Train with ``BpeTrainer``.

    Its regular expressions have no possessive quantifiers, so it gets the pattern of Llama 3's file: that of cl100k
    without ``\s+$``, which affects only whitespace at the end of a text.
    """
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    split = pre_tokenizers.Split(Regex(LLAMA3.expression), "isolated")
    to_letters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_letters])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, min_frequency=2, show_progress=False, initial_alphabet=alphabet
    )
    tokenizer.train_from_iterator(parts_of(path), trainer)

    def merges() -> Merges:
        values = {letter: byte for byte, letter in enumerate(byte_letters())}
        pairs = json.loads(tokenizer.to_str())["model"]["merges"]
        return [tuple(bytes(values[letter] for letter in part) for part in pair) for pair in pairs]

    return merges


def train_rustbpe(path: Path, vocab_size: int) -> Callable[[], Merges]:
    """Train with rustbpe, which also merges pairs that occur only once if no others are left."""
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(parts_of(path), vocab_size, pattern=patterns.CL100K.expression)
    return lambda: [(bytes(token),) for token, rank in tokenizer.get_mergeable_ranks() if rank >= 256]


def same_merges(ours: Merges, theirs: Merges) -> bool:
    """Return True if both learned the same merges."""
    if theirs and len(theirs[0]) == 1:
        ours = [(b"".join(merge),) for merge in ours]
    return ours == theirs


TRAINERS: dict[str, Trainer] = {OURS: train_ours, TOKENIZERS: train_tokenizers, RUSTBPE: train_rustbpe}

TWINS: dict[str, Trainer] = {
    TOKENIZERS: functools.partial(train_ours, tie_order="huggingface"),
    RUSTBPE: train_ours,
}
"""Our trainer with the order of ties of each peer."""


def installed_peers() -> list[str]:
    """Return the peers that are installed."""
    return [name for name in TWINS if importlib.util.find_spec(name)]
