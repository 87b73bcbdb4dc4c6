"""Layout of the arrays of an edited text, and of sums of texts. Imports no numba: both are also made without kernels.

A *block* is a span of the text with its tokens (``engine.editing.token_blocks``): a header of 64-bit words, then UTF-16
units, token ids, and the end of each token, in units from the start of the block. Each array has room to grow.

The *window* (``engine.kernels.edit_window``) is the part of a block that an edit changes: its input and output.

*Properties* describe each UTF-16 unit for an edit: one byte of flags per unit, the number of first pairs of special
tokens, then those pairs.
"""

from __future__ import annotations

# Words of the header of a block, as byte offsets.
UNITS = 0  # UTF-16 units in use
TOKENS = 8  # tokens in use
UNIT_ROOM = 16
TOKEN_ROOM = 24
IDS_AT = 32  # byte offset of int32[TOKEN_ROOM], the ids
ENDS_AT = 40  # byte offset of int32[TOKEN_ROOM], the ends
UNITS_AT = 64  # byte offset of uint16[UNIT_ROOM]: the header's size

# Words of the window. Input:
EDIT_START = 0  # the edit, in units of the block
EDIT_REMOVED = 8
INSERTED = 16  # units to insert
IS_FIRST = 24  # 1: the text begins with this block
IS_LAST = 32  # 1: the text ends with this block
REACH = 40  # units of the longest special token
# Output:
START = 48  # the window, in units of the block
OLD_END = 56
NEW_END = 64
BYTES = 72  # the window's new text in UTF-8
MORE_CHARACTERS = 80  # characters more than before
MORE_BYTES = 88
MORE_WORDS = 96
MORE_NEWLINES = 104
FIRST_TOKEN = 112  # the window's first token in the block
REMOVED_TOKENS = 120
WINDOW_HEADER = 128

MAX_UNITS = 8192
"""Maximum length of a window for kernels, before and after the edit, in units."""
MAX_INSERTED = 1024
MAX_REACH = 512
"""Maximum length of a special token plus one unit. With a longer one, kernels make no edits."""
INSERTED_AT = WINDOW_HEADER  # uint16[MAX_INSERTED]
NEW_UNITS_AT = INSERTED_AT + 2 * MAX_INSERTED  # the new text, from REACH units before the window
NEW_BYTES_AT = NEW_UNITS_AT + 2 * (MAX_REACH + MAX_UNITS)  # uint8[3 * MAX_UNITS]
WINDOW_SIZE = NEW_BYTES_AT + 3 * MAX_UNITS

# Results of ``edit_window.find_window``.
FOUND = 0
BEYOND_BLOCK = 1  # the window leaves the block
TOO_LONG = 2
SPECIAL = 3  # text that may be a special token is in or near the window

# Flags of a unit.
WHITE = 1  # whitespace in a split pattern
LETTER_OR_NUMBER = 2  # certainly one of these, after which safe_boundaries allows a boundary
PUNCTUATION = 4  # before which it allows a boundary after one of those
BLANK = 8  # space or tab
LINE_END = 16  # line feed or carriage return
SEPARATOR = 32  # whitespace in str.split
NEWLINE = 64  # line feed
SPECIAL_START = 128  # the first unit of a special token

PAIR_COUNT_AT = 65_536  # int32
PAIRS_AT = PAIR_COUNT_AT + 4  # uint32[n]: first unit << 16 | second
ANY_UNIT = 0xFFFF
"""Second unit of the pair for a special token of one unit."""


# --- sizes for ``text_bytes.sum_blocks`` and its plain twin in ``engine.text.digests`` --------------------------------


SUM_BLOCK = 1024
"""Size of a block that is summed, in bytes. The last block of a text is padded with zeros."""

SUMS = 4
"""Sums per block."""

SUM_BYTES = 8 * SUMS
"""Size of the sums of a block, in bytes."""

FACTOR_BYTES = SUMS * SUM_BLOCK
"""Size of the random words, in bytes: one for each word of a block, for each sum."""
