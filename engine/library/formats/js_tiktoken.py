"""js-tiktoken's JSON: a pattern, special tokens, and ranks as lines of tokens in base64 with consecutive IDs. Read
only.

``@anthropic-ai/tokenizer`` publishes Claude's old vocabulary in this format, and npm's tiktoken its encoders.

Source: dqbd/tiktoken, js/src/core.ts (js-tiktoken 1.0.21).
"""

from __future__ import annotations

from typing import Any

from engine.errors import FormatError
from engine.library.formats.source import Found, Source, member, quoted
from engine.library.formats.tokenizer_data import TokenizerData, check_id, token_in_base64
from engine.runtime.cancellation import interruptible


def read_source(source: Source) -> Found | None:
    """Return the content of the file, None for another format. Raises FormatError, with the position."""
    document = source.document
    is_own = isinstance(document.get("bpe_ranks"), str) and "pat_str" in document
    return Found(read(document)) if is_own else None


def read(document: dict[str, Any]) -> TokenizerData:
    """Return the tokenizer. Raises FormatError, with the position."""
    pattern = member(document, "pat_str", str)
    if not pattern:
        raise FormatError("pat_str is empty, so it matches no text")
    specials = {
        text: check_id(token_id, f"special_tokens: {quoted(text)}")
        for text, token_id in member(document, "special_tokens", dict).items()
    }
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(member(document, "bpe_ranks", str).split("\n"), 1):
        where = f"bpe_ranks, line {number}"
        if not line:
            continue
        words = line.split(" ")  # "!", the id of the first token, tokens
        if len(words) < 2 or not (words[1].isascii() and words[1].isdigit() and len(words[1]) <= 20):
            raise FormatError(f"{where}: {quoted(line)} does not begin with an id")
        first = int(words[1])
        for index, word in enumerate(interruptible(words[2:])):
            token = token_in_base64(word, where)
            if token in ranks:
                raise FormatError(f"{where}: duplicate token {quoted(word)}")
            ranks[token] = check_id(first + index, f"{where}: {quoted(word)}")
    return TokenizerData(pattern, ranks, specials)
