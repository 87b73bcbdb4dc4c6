"""Edits with kernels: local ones, in microseconds.

The window and its tokens are found and replaced within the block of the edit (``engine.kernels.edit_window``). Kernels
leave the following to ``engine.editing.edited_text``: edits that cross a block boundary, that insert a long text, whose
window is long, that have text like a special token nearby, or whose window is changed before encoding
(``Encoding.takes_as_is``).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.editing.token_blocks import TokenBlock, TokenBlocks
from engine.kernels import block_layout as layout
from engine.kernels.edit_window import find_window, replace_window
from engine.split.safe_boundaries import unit_properties
from engine.text.offsets import sound_text_of
from engine.types import TextEdit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.encoding.encoder import NativeEncoder
    from engine.encoding.encoding import Encoding

_REQUEST = struct.Struct("<6q")  # from EDIT_START to REACH
_ANSWER = struct.Struct("<10q")  # from START to REMOVED_TOKENS
_ATTEMPTS = 3


class QuickEdit(NamedTuple):
    """Result of an edit. Offsets are UTF-16 units of the text; ``ids``: int32[n], read-only, ``utf16_ends``: int32[n],
    of the window's new text. ``before``: the window's old text, if requested."""

    start: int
    old_end: int
    new_end: int
    ids: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]
    removed_tokens: int
    more_characters: int
    more_bytes: int
    more_words: int
    more_newlines: int
    before: str
    after: str


class QuickEdits:
    """Applies edits to the blocks of texts, in one encoding. Not thread-safe."""

    def __init__(self, native: NativeEncoder, encoding: Encoding) -> None:
        special = encoding.special_tokens_set
        self._native = native
        self._encoding = encoding
        self._lengths = encoding.utf16_lengths
        self._properties = unit_properties(special)
        self._reach = max((len(text.encode("utf-16-le")) // 2 for text in special), default=0)
        self._window = np.zeros(layout.WINDOW_SIZE, dtype=np.uint8)
        self._memory = self._window.data

    def make(self, blocks: TokenBlocks, edit: TextEdit, *, want_texts: bool) -> QuickEdit | None:
        """Apply an edit within the text. Returns None if kernels do not support it; then nothing has changed."""
        inserted = edit.inserted.encode("utf-16-le", "surrogatepass")
        if len(inserted) > 2 * layout.MAX_INSERTED or self._reach >= layout.MAX_REACH or not len(blocks):
            return None
        memory = self._memory
        memory[layout.INSERTED_AT : layout.INSERTED_AT + len(inserted)] = inserted
        number = blocks.block_at(edit.utf16_start)
        for _ in range(_ATTEMPTS):
            block, origin = blocks.block(number)
            start = edit.utf16_start - origin
            if start + edit.utf16_removed > len(block.units):
                return None
            ends = (number == 0, blocks.is_last(number))
            _REQUEST.pack_into(memory, 0, start, edit.utf16_removed, len(inserted) // 2, *ends, self._reach)
            answer = find_window(block.buffer, self._window, self._properties)
            if answer == layout.FOUND:
                return self._replace(blocks, number, want_texts)
            if answer != layout.BEYOND_BLOCK:
                return None
            number = blocks.join_neighbours(number)
        return None

    def _replace(self, blocks: TokenBlocks, number: int, want_texts: bool) -> QuickEdit | None:
        """Encode the window that was found in a block, and replace its tokens. Returns None as in ``make``."""
        block, origin = blocks.block(number)
        memory = self._memory
        start, old_end, new_end, n_bytes, *_ = _ANSWER.unpack_from(memory, layout.START)
        content = bytes(memory[layout.NEW_BYTES_AT : layout.NEW_BYTES_AT + n_bytes])
        if self._encoding.prepares and not content.isascii() and not self._encoding.takes_as_is(content.decode()):
            return None
        before = sound_text_of(block.units[start:old_end]) if want_texts else ""
        ids = self._native.encode(content)
        if not replace_window(block.buffer, self._window, ids, self._lengths):
            block = blocks.grow(number, len(block.units) + new_end - start, len(block.ids) + len(ids))
            replace_window(block.buffer, self._window, ids, self._lengths)
        *_, characters, more_bytes, words, newlines, first, removed = _ANSWER.unpack_from(memory, layout.START)
        utf16_ends = block.ends[first : first + len(ids)] + np.int32(origin)
        blocks.note_edit(number, new_end - old_end, len(ids) - removed)
        return QuickEdit(
            *(origin + start, origin + old_end, origin + new_end),
            *(ids.view(np.int32), utf16_ends, removed),
            *(characters, more_bytes, words, newlines),
            *(before, content.decode() if want_texts else ""),
        )


def warm_up() -> None:
    """Compile the kernels for edits, or load them compiled."""
    nothing = np.empty(0, dtype=np.int32)
    block = TokenBlock(np.zeros(1, dtype=np.uint16), nothing, nothing)
    window = np.zeros(layout.WINDOW_SIZE, dtype=np.uint8)
    _REQUEST.pack_into(window.data, 0, 0, 1, 0, 1, 1, 0)
    properties = np.zeros(layout.PAIRS_AT, dtype=np.uint8)  # those of real encodings take longer than everything here
    ids, lengths = np.empty(0, dtype=np.uint32), nothing.copy()
    for array in (ids, lengths, properties):
        array.flags.writeable = False
    find_window(block.buffer, window, properties)
    replace_window(block.buffer, window, ids, lengths)
