"""The pretokens of a text in the form in which an editor shows tokens. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.editor.offsets import char_to_utf16, stored_to_document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.types import TokenPatch

DROPPED = -1
"""The id of a stretch that the pattern does not match."""


def pretoken_patch(text: str, char_spans: NDArray[np.int64]) -> TokenPatch:
    """Pretokens as tokens of ``document_text(text)``; each has its place among all of them as its id. What lies between
    pretokens is a token that is none."""
    import numpy as np

    from engine.types import TokenPatch

    bounds = np.unique(np.concatenate([[0], char_spans.reshape(-1), [len(text)]]))
    kept = np.isin(bounds[:-1], char_spans[:, 0])
    ends = stored_to_document(char_to_utf16(bounds[1:], text), text)
    length = int(ends[-1]) if len(ends) else 0
    ids = np.where(kept, np.cumsum(kept) - 1, DROPPED).astype(np.int32)
    return TokenPatch(0, length, length, ids, ends.astype(np.int32), np.zeros(len(ends), np.bool_))
