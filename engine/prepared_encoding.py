"""An encoding that does something to a text before it encodes it (``engine.preparation``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, Any

from engine.encoding import Encoding
from engine.preparation import Preparation, preparation_with
from engine.special_text import split_at_specials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.encoder import NativeEncoder


class PreparedEncoding(Encoding):
    """As ``Encoding``, but that ``decode(encode(text))`` is ``preparation(text)``. Special tokens are looked for in the
    text as it is."""

    preparation: Preparation
    """What is done to a text first; the split pattern is for prepared text."""

    def __reduce__(self) -> tuple[Callable[..., Encoding], tuple[Any, ...]]:
        return encoding_with, (self.name, self._pat_str, self._mergeable_ranks, self._special_tokens, self.preparation)

    @property
    def native(self) -> NativeEncoder | None:
        """None: our own encoder knows nothing of preparing texts."""
        return None

    @property
    def has_safe_cuts(self) -> bool:
        """Whether ``engine.safe_cuts`` holds for texts before they are prepared: composing leaves every character that
        cuts depend on what it is, other changes may not."""
        return self.preparation.steps in ((), ("NFC",)) and super().has_safe_cuts

    def count(self, text: str | bytes, *, num_threads: int = 1) -> int:
        """How many tokens ``encode_ordinary`` gives."""
        if self._native is None:
            return super().count(text)
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        return super().count(self.preparation(text), num_threads=num_threads)

    def token_ends(self, text: str) -> NDArray[np.int64]:
        """int64[n]: the UTF-8 byte offset in the prepared text at which each token ends."""
        import numpy as np

        return np.cumsum(self.byte_lengths[self.token_ids(text)], dtype=np.int64)

    def utf16_ends(self, text: str, ids: NDArray[np.int32], *, special_as_tokens: bool) -> NDArray[np.int32]:
        """int32[n]: where the tokens that a text has end in it, in UTF-16 units."""
        from engine.alignment import aligned_ends

        return aligned_ends(self, text, ids, self.special_tokens_set if special_as_tokens else frozenset())

    def _list(self, text: str, allowed: Set[str]) -> list[int]:
        ids = []
        for segment, special in split_at_specials(text, allowed):
            ids += super()._list(self.preparation(segment), frozenset())
            if special:
                ids.append(self._special_tokens[special])
        return ids

    def _ids(self, text: str, allowed: Set[str], num_threads: int = 1) -> NDArray[np.int32]:
        if not allowed:
            return super()._ids(self.preparation(text), allowed, num_threads)
        import numpy as np

        ids = np.array(self._list(text, allowed), dtype=np.int32)
        ids.flags.writeable = False
        return ids


def prepared(encoding: Encoding, steps: Sequence[str]) -> Encoding:
    """An encoding that does these steps (``engine.preparation``) to a text first. One that does some already stays as
    it is. UnknownNormalizationError."""
    if not steps or isinstance(encoding, PreparedEncoding):
        return encoding
    return encoding_with(
        encoding.name,
        encoding._pat_str,
        encoding._mergeable_ranks,
        encoding._special_tokens,
        preparation_with(steps),
    )


def encoding_with(
    name: str,
    pattern: str,
    ranks: dict[bytes, int],
    special_tokens: dict[str, int],
    preparation: Preparation,
) -> Encoding:
    """An encoding with this preparation; an ordinary one where that does nothing. ``pattern`` is for prepared texts.
    ValueError where it is no pattern."""
    if not preparation.steps:
        return Encoding.of_ranks(name, pattern, ranks, special_tokens)
    encoding = PreparedEncoding.of_ranks(name, pattern, ranks, special_tokens)
    encoding.preparation = preparation
    return encoding
