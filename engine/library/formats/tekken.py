"""``tekken.json``, Mistral's format: a pattern, ranks with their bytes in base64, special tokens before them. Read
only.

Source: mistral_common/tokens/tokenizers/tekken.py (mistral-common 1.13.1).
"""

from __future__ import annotations

from typing import Any

from engine.errors import FormatError
from engine.library.formats.source import Found, Source, member, typed
from engine.library.formats.tokenizer_data import TokenizerData, check_id, token_in_base64
from engine.runtime.cancellation import interruptible
from engine.vocabulary import special_tokens


def read_source(source: Source) -> Found | None:
    """Return the content of the file, None for another format. Raises FormatError, with the position."""
    document = source.document
    is_own = isinstance(document.get("vocab"), list) and isinstance(document.get("config"), dict)
    return Found(read(document)) if is_own else None


def read(document: dict[str, Any]) -> TokenizerData:
    """Return the tokenizer. Raises FormatError, with the position."""
    config = member(document, "config", dict)
    size = check_id(member(config, "default_vocab_size", int, "config"), "config.default_vocab_size")
    special_count = check_id(
        member(config, "default_num_special_tokens", int, "config"), "config.default_num_special_tokens"
    )
    if special_count > size:
        raise FormatError("config.default_num_special_tokens is larger than config.default_vocab_size")
    ranks: dict[bytes, int] = {}
    for number, entry in enumerate(interruptible(member(document, "vocab", list))):
        where = f"vocab[{number}]"
        rank = check_id(member(typed(entry, dict, where), "rank", int, where), where)
        token = token_in_base64(member(entry, "token_bytes", str, where), f"{where}.token_bytes")
        if rank >= size - special_count:  # present in the file, but not used by the models
            continue
        if token in ranks:
            raise FormatError(f"{where}: duplicate token")
        ranks[token] = rank + special_count
    specials = _special_tokens(document, special_count)
    return TokenizerData(member(config, "pattern", str, "config"), ranks, specials)


def _special_tokens(document: dict[str, Any], count: int) -> dict[str, int]:
    """Return the special tokens named in the file (from version 7 on), else those of version 3; fillers for the other
    IDs."""
    listed = document.get("special_tokens")
    if listed is None:
        return {text: token_id for text, token_id in special_tokens.tekken().items() if token_id < count}
    named: dict[str, int] = {}
    for number, entry in enumerate(typed(listed, list, "special_tokens")):
        where = f"special_tokens[{number}]"
        token_id = check_id(member(typed(entry, dict, where), "rank", int, where), where)
        named[member(entry, "token_str", str, where)] = token_id
    taken = set(named.values())
    return named | {f"<SPECIAL_{token_id}>": token_id for token_id in range(count) if token_id not in taken}
