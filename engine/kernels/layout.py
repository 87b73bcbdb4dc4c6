"""Where things are in the two flat arrays that kernels work on. Both begin with a header of 64-bit words.

The *tables* (``engine.vocabulary.tables``) are made from a vocabulary once and never change: they can be mapped from a
file and shared by threads and processes. The *state* (``engine.kernels.state``) is scratch space and caches; one thread
at a time may use it. Both hold a directory at the same place, so that ``section`` serves both.

Within kernels a token is known by its number: its place in the order of merging. Token ids are numbers plus
``FIRST_ID``; results and everything that is looked up for results hold ids.
"""

from __future__ import annotations

from engine.kernels._jit import inline_kernel
from engine.kernels.memory import Span, load64, part

# Words of the header, as byte offsets. The first eight are the same in every version.
MAGIC = 0
VERSION = 8
SIZE = 16
CHECKSUM = 24
FINGERPRINT = 32  # four words

TOKEN_COUNT = 64  # tables: numbers, unused ones included
FIRST_ID = 72  # tables: id of number 0
LONGEST = 80  # tables: bytes of the longest token
LINE_SHIFT = 88  # tables: hash >> shift is a line of LINES
LONG_SHIFT = 96  # tables: hash >> shift is a slot of LONGS
PAIR_SHIFT = 104  # tables: hash >> shift is a line of PAIRS
UNREACHABLE = 112  # tables: how many tokens are never the result of merging
EPOCH = 120  # state: counts how often the arena was forgotten
ARENA_USED = 128  # state: bytes of the arena in use
WORD_COUNT = 136  # state: how many words were put into the cache
WORD_LIMIT = 144  # state: beyond so many it is doubled
WORD_ROOM = 152  # state: bytes that it may grow to
SLOT_COUNT = 160  # state: the same of the cache of longer pieces
SLOT_LIMIT = 168
SLOT_ROOM = 176
LATE = 184  # tables: how many tokens are merged from ones that have a higher number

DIRECTORY = 192  # then start and size in bytes of each section
HEADER_SIZE = 512

# Sections of the tables.
LINES = 0  # tokens of 1 to 15 bytes: lines of three 16-byte keys, three 32-bit ids, a 32-bit fill mark
LONGS = 1  # tokens of 16 bytes and more: 64-bit slots: 32 bits of hash, then number + 1; 0 is empty
TOKEN_BYTES = 2  # all tokens' bytes in the order of their numbers
TOKEN_OFFSETS = 3  # uint32[TOKEN_COUNT + 1] into TOKEN_BYTES
PAIRS = 4  # merges: lines of eight 64-bit slots: left, right, result, 20 bits each; all ones is empty
BYTE_TOKENS = 5  # uint32[256]: number of each single byte
BIGRAMS = 6  # uint32[65536]: number << 6 of two bytes' token (first byte << 8 | second), or NO_MERGE
CROSSINGS = 7  # what scanners need for cutting pretokens further, see ``engine.split.scan_tables.crossings_of``
MASKS = 8  # sixteen rows of 16 bytes: the first n bytes all ones
PIECE_IDS = 9  # of pieces (``engine.vocabulary.piece_order``): uint32[TOKEN_COUNT], the id of each number; or empty
PIECE_SCAN = 10  # likewise: what ``scan_pieces`` asks
TABLE_SECTIONS = 11

# Sections of the state.
TOKEN_IDS = 0  # the batch: uint32 ids of the entries that are tokens
SLOTS = 1  # cache of longer pieces: 32-byte slots: hash, epoch << 32 | place in the arena, bytes, tokens; it grows
ARENA = 2  # bytes and ids of what the caches know
KEYS = 3  # the batch: 32 bytes an entry: key (16 bytes), hash, start
VALUES = 4  # the batch: 16 bytes an entry, see ``values``; only of those that are no tokens
MISSES = 5  # the batch: uint32 numbers of the entries that are no tokens
COLD = 6  # the batch: uint32 numbers of the entries that no cache knows
LANES = 7  # pieces being merged, see ``lanes``
ACTIVE = 8  # uint32 numbers of the lanes that are not done
SCRATCH = 9  # ids of one piece
QUEUE_HEADS = 10  # bucket queue: uint32 a rank; all zero between uses
QUEUE_BITS = 11  # bucket queue: which ranks are waiting; all zero between uses
BLOCK = 12  # bucket queue: space for a block of a long piece
IDS = 13  # ids of a piece of up to LONGEST_CACHED bytes
WORD_MISSES = 14  # the batch: those of MISSES that are words
LONG_MISSES = 15  # the batch: those of MISSES that are longer
SPARE = 16  # whatever the caller wants
WORDS = (
    17  # cache of words of up to 15 bytes: lines of two keys (16 bytes each) and their values (16 bytes each); it grows
)
STATE_SECTIONS = 18

NO_MERGE = 0xFFFFFFC0
"""The smallest 32-bit number that is no merge: a merge is number << 6 | place."""

NUMBER_BITS = 20
NUMBER_MASK = (1 << NUMBER_BITS) - 1
NO_TOKEN = NUMBER_MASK
"""A number that no token has: there are at most 2**20 - 1."""

BATCH = 1024
"""Pieces looked up together. The more there are, the less often a loop waits for its first lines; but what is made of
them has to stay in the processor's caches."""
KEY = 32
"""Bytes of an entry of KEYS: key (16 bytes), hash, start. Of a piece of ``LONG_PIECE`` bytes and more the first word is
0, the highest byte of the second is ``LONG_PIECE`` and the rest of it its length."""
LONG_PIECE = 16
"""Pieces from so many bytes on have no key."""
LANE_COUNT = 16
"""Pieces merged together."""
LANE_BYTES = 64
"""The longest piece that a lane takes."""
LONGEST_CACHED = 512
"""Longer pieces are encoded each time."""
BATCH_BYTES = 64 * LONGEST_CACHED
"""Bytes of the pieces of a batch at most: of long ones there are fewer together."""


@inline_kernel
def section(whole: Span, number: int) -> Span:
    """The span of one section of the tables or the state."""
    entry = DIRECTORY + 16 * number
    return part(whole, load64(whole, entry), load64(whole, entry + 8))
