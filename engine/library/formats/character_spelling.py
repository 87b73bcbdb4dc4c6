"""Spelling of a character vocabulary with byte fallback in ``tokenizer.json``: text as it is, a byte as ``<0xE2>``.

Source: huggingface/tokenizers, src/models/bpe/model.rs (``byte_fallback``) and src/decoders/byte_fallback.rs. There,
bytes never merge: a character is either in the vocabulary or spelled in bytes. Here, bytes merge to characters by way
of their prefixes, which are spelled as several bytes and have no meaning there. All ASCII characters are in the
vocabulary, so their bytes need no spelling of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from engine.library.formats.validation import quoted

from engine.errors import FormatError
from engine.library.formats.tokenizer_data import Merge, merges_of_ranks
from engine.text.sentencepiece import is_beginning

_BYTES = re.compile("(?:<0x[0-9A-Fa-f]{2}>)+")


def spelled(token: bytes) -> str:
    """Return the spelling of a token. Raises FormatError for text that looks like spelled bytes, and for bytes that are
    not text."""
    if is_beginning(token) or (len(token) == 1 and token[0] >= 0x80):
        return "".join(f"<0x{value:02X}>" for value in token)
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("its tokens are not whole characters, as they must be with byte fallback") from None
    if _BYTES.fullmatch(text):
        raise FormatError(f"Hugging Face's files cannot tell the token {quoted(text)} from bytes, which are spelled so")
    return text


def unspelled(letters: str) -> bytes | None:
    """Return the bytes that a spelling stands for, None if it is invalid."""
    if _BYTES.fullmatch(letters):
        return bytes.fromhex(letters.replace("<0x", "").replace(">", ""))
    try:
        return letters.encode("utf-8")
    except UnicodeEncodeError:
        return None


def merges_between_characters(ranks: Mapping[bytes, int]) -> list[Merge]:
    """Return the merges of a vocabulary without those that form characters from bytes."""
    contents = {token_id: token for token, token_id in ranks.items()}
    return [(pair, made) for pair, made in merges_of_ranks(ranks) if not _is_of_one_character(contents[made])]


def check_characters(ranks: Mapping[bytes, int], merges: Sequence[Merge]) -> None:
    """Raise FormatError if merging bytes by their ranks would differ from the merges of such a file."""
    behind = max((token_id for token, token_id in ranks.items() if _is_of_one_character(token)), default=0)
    before = min((token_id for token, token_id in ranks.items() if not _is_of_one_character(token)), default=behind + 1)
    missing = [token for token in ranks if any(part not in ranks for part in _beginnings(token))]
    if before < behind or missing or merges_between_characters(ranks) != list(merges):
        raise FormatError(
            "model: it is BPE over characters with byte fallback, whose ids are in another order than here: such files "
            "of other programs cannot be opened yet"
        )


def _is_of_one_character(token: bytes) -> bool:
    return len(token) == 1 or is_beginning(token) or len(token.decode("utf-8", "replace")) == 1


def _beginnings(token: bytes) -> list[bytes]:
    """Return the prefixes from which the bytes of a one-character token are merged."""
    return [token[:size] for size in range(2, len(token))] if _is_of_one_character(token) else []
