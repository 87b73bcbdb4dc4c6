"""What all formats hold in their own ways, and what must be true of it before anything is made of it."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from engine.errors import FormatError
from engine.library.formats.quoting import quoted
from engine.runtime.cancellation import interruptible
from engine.runtime.tiktoken_core import byte_core

MOST_IDS = 1 << 22
"""Token ids are below that. Tables have one entry for each id, so a file with one large id would fill the memory."""

MOST_SPARE = 1 << 18
"""Ids without a token that a small tokenizer may have; a large one may have as many as tokens. A few merges may come
with the special tokens of a large vocabulary, from 100,257 on for cl100k_base. A table of so many has 2 MB."""

MOST_TOKENS = 1 << 20
"""Of a tokenizer from a file. The largest published ones have 270,000."""

LONGEST_TOKEN = 1 << 16
"""In bytes, a special token as well."""

LONGEST_PATTERN = 1 << 19
"""In characters. Published ones have some hundred, and one that another library reads, with each class spelled out,
a hundred thousand; two engines take seconds over a million."""

SURE_SPECIAL_BYTES = 1 << 16
"""Special tokens of so many bytes together fit into the regular expression that tiktoken makes of them, whatever they
are: measured with letters, brackets, emoji, one long text and thousands of short ones."""

MOST_TOKEN_BYTES = 32 << 20
"""Of all tokens together, where a file names them by their parts and so can make much of little."""

MOST_WORK = 1 << 31
"""Sum of the squares of all tokens' lengths in bytes. Published tokenizers come to 20 million."""


@dataclass(frozen=True, slots=True)
class TokenizerData:
    """A byte-level BPE tokenizer.

    ``pattern``: the split pattern, in the dialect of the Rust crates. ``ranks``: token bytes to id, in the order of
    merging. ``special_tokens``: text to id. ``normalization``: what to do to a text first, as names like ``NFC``,
    ``lowercase``, ``strip accents``, in this order. ``notes``: sentences about what a user should know.
    ``byte_fallback``: whether unknown characters are written in single bytes (``engine.text.byte_fallback``).
    """

    pattern: str
    ranks: dict[bytes, int]
    special_tokens: dict[str, int]
    normalization: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    byte_fallback: bool = False


def token_in_base64(text: str | bytes, where: str) -> bytes:
    """Return the bytes of a token. Raises FormatError, with the place."""
    try:
        token = base64.b64decode(text, validate=True)
    except ValueError:
        raise FormatError(f"{where}: {quoted(text)} is not base64") from None
    if not token or len(token) > LONGEST_TOKEN:
        raise FormatError(f"{where}: a token has {len(token):,} bytes")
    return token


def check(data: TokenizerData) -> TokenizerData:
    """The same data. FormatError where no tokenizer can be made of it; the text is the end of a sentence about a file.

    Readers check each entry where they can name its place; this is about the whole.
    """
    missing = [value for value in range(256) if bytes([value]) not in data.ranks]
    if missing:
        raise FormatError(
            f"it has no token for the byte 0x{missing[0]:02x}"
            + (f" and {len(missing) - 1} others" if len(missing) > 1 else "")
            + ": only tokenizers that can spell every text byte by byte can be opened"
        )
    if len(data.pattern) > LONGEST_PATTERN:
        raise FormatError(
            f"its split pattern has {len(data.pattern):,} characters; up to {LONGEST_PATTERN:,} can be used"
        )
    ids = set(data.ranks.values())
    if len(ids) < len(data.ranks):
        raise FormatError(f"two tokens have the id {_repeated(data.ranks)}")
    check_dense(ids | set(data.special_tokens.values()))
    special_bytes = 0
    for text, token_id in data.special_tokens.items():
        what = f"the special token {quoted(text)}"
        if token_id in ids:
            raise FormatError(f"{what} has the id {token_id} of another token")
        check_id(token_id, what)
        try:
            n_bytes = len(text.encode("utf-8"))
        except UnicodeEncodeError:
            raise FormatError(f"{what} is not a text") from None
        if not text:
            raise FormatError("a special token has no text")
        if n_bytes > LONGEST_TOKEN:
            raise FormatError(f"{what} has {n_bytes:,} bytes; up to {LONGEST_TOKEN:,} can be opened")
        special_bytes += n_bytes
    if special_bytes > SURE_SPECIAL_BYTES:  # not tried otherwise: no other Python thread runs during it
        _check_together(data.special_tokens)
    return data


def _check_together(special_tokens: Mapping[str, int]) -> None:
    """FormatError where the special tokens are more than tiktoken finds at once."""
    try:
        byte_core(".", special_tokens)
    except ValueError:
        raise FormatError("its special tokens are too many, or too long, to be looked for in a text") from None


def check_id(token_id: object, what: str) -> int:
    """The id. FormatError where it is not a whole number from 0 to MOST_IDS."""
    if type(token_id) is not int:
        raise FormatError(f"the id of {what} is not a whole number: {quoted(token_id)}")
    if not 0 <= token_id < MOST_IDS:
        raise FormatError(f"{what} has the id {token_id}, which is not between 0 and {MOST_IDS - 1:,}")
    return token_id


def check_work(ranks: Mapping[bytes, int]) -> None:
    """Raise FormatError if finding the parts of the tokens could take too long."""
    if sum(len(token) ** 2 for token in interruptible(ranks)) > MOST_WORK:
        raise FormatError("its tokens are too long: finding their parents would take minutes")


def check_dense(ids: Collection[int]) -> None:
    """FormatError where there are too many ids, or more holes between them than ids: every table has one entry for each
    id up to the last."""
    if len(ids) > MOST_TOKENS:
        raise FormatError(f"it has {len(ids):,} tokens; up to {MOST_TOKENS:,} can be opened")
    holes = max(ids) + 1 - len(ids)
    if holes > len(ids) + MOST_SPARE:
        raise FormatError(f"its ids go up to {max(ids):,}, with {holes:,} holes between {len(ids):,} tokens")


def _repeated(ranks: Mapping[bytes, int]) -> int:
    seen: set[int] = set()
    for token_id in ranks.values():
        if token_id in seen:
            return token_id
        seen.add(token_id)
    raise AssertionError("some id is repeated")
