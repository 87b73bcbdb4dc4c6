"""Where things are in the flat arrays of an edited text. Imports no numba, as texts are edited without kernels, too.

A *block* is a stretch of the text with its tokens (``engine.editing.token_blocks``): a header of 64-bit words, then
UTF-16 units, token ids, and where each token ends, in units from the start of the block. Each part has room for more.

The *window* (``engine.kernels.edit_window``) is what an edit changes of a block: what goes in, and what comes out.

*Properties* say of each UTF-16 unit what an edit asks of it: a byte of flags a unit, the number of special tokens'
first pairs, then those pairs.
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

# Words of the window. What goes in:
EDIT_START = 0  # the edit, in units of the block
EDIT_REMOVED = 8
INSERTED = 16  # units that are inserted
IS_FIRST = 24  # 1: the text begins with this block
IS_LAST = 32  # 1: the text ends with this block
REACH = 40  # units of the longest special token
# What comes out:
START = 48  # the window, in units of the block
OLD_END = 56
NEW_END = 64
BYTES = 72  # the window's new text in UTF-8
MORE_CHARACTERS = 80  # what the text measures more than before
MORE_BYTES = 88
MORE_WORDS = 96
MORE_NEWLINES = 104
FIRST_TOKEN = 112  # the window's first token in the block
REMOVED_TOKENS = 120
WINDOW_HEADER = 128

MOST_UNITS = 8192
"""The longest window that a kernel takes, before and after."""
MOST_INSERTED = 1024
MOST_REACH = 512
"""The longest special token, with a unit behind it: where one is longer, kernels make no edits."""
INSERTED_AT = WINDOW_HEADER  # uint16[MOST_INSERTED]
NEW_UNITS_AT = INSERTED_AT + 2 * MOST_INSERTED  # uint16[MOST_REACH + MOST_UNITS]: the new text, from REACH before it
NEW_BYTES_AT = NEW_UNITS_AT + 2 * (MOST_REACH + MOST_UNITS)  # uint8[3 * MOST_UNITS]
WINDOW_SIZE = NEW_BYTES_AT + 3 * MOST_UNITS

# Answers of ``edit_window.find_window``.
FOUND = 0
BEYOND_BLOCK = 1  # the window leaves the block
TOO_LONG = 2
SPECIAL = 3  # what may be text of a special token is in the window or near it

# Flags of a unit.
WHITE = 1  # white space to a split pattern
LETTER_OR_NUMBER = 2  # one for sure, behind which safe_cuts allows a cut
PUNCTUATION = 4  # before which it allows one there
BLANK = 8  # space or tab
LINE_END = 16  # line feed or carriage return
SEPARATOR = 32  # white space to str.split
NEWLINE = 64  # line feed
SPECIAL_START = 128  # the first unit of some special token

PAIR_COUNT_AT = 65_536  # int32
PAIRS_AT = PAIR_COUNT_AT + 4  # uint32[n]: first unit << 16 | second
ANY_UNIT = 0xFFFF
"""Second unit of the pair of a special token that has only one."""
