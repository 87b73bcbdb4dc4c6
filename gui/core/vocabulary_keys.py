"""Which tokens of a whole vocabulary hold an API key, for whatever hands one on. No Qt: the command line asks, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gui.core.api_keys import keys_in_tokens

if TYPE_CHECKING:
    from engine import Encoding


def keys_in_vocabulary(encoding: Encoding) -> tuple[str, ...]:
    """Whose keys, and in which tokens, in words. Special tokens are looked through as well."""
    return keys_in_tokens(_tokens(encoding))


def _tokens(encoding: Encoding) -> Iterator[tuple[int, bytes]]:
    """Ids and bytes; some ids of an imported file may stand for nothing."""
    for token_id in range(encoding.n_vocab):
        try:
            yield token_id, encoding.decode_single_token_bytes(token_id)
        except KeyError:
            continue
