"""Layout of the two flat arrays that kernels work on. Both start with a header of 64-bit words.

The *tables* (``engine.vocabulary.tables``) are made from a vocabulary once and never change: they can be memory-mapped
from a file and shared by threads and processes. The *state* (``engine.kernels.state``) is scratch space and caches,
used by one thread at a time. Both have a directory at the same offset, so that ``section`` serves both.

Within kernels a token is identified by its number, its position in merge order. Token ids are numbers plus
``FIRST_ID``. Results, and tables that results are read from, hold ids.
"""

from __future__ import annotations

from engine.kernels._jit import inline_kernel
from engine.kernels.primitives import NUMBER_MASK, Span, load64, part

# Words of the header, as byte offsets. The first eight are the same in every version.
MAGIC = 0
VERSION = 8
SIZE = 16
CHECKSUM = 24
FINGERPRINT = 32  # four words

TOKEN_COUNT = 64  # tables: number of numbers, including unused ones
FIRST_ID = 72  # tables: id of number 0
LONGEST = 80  # tables: length of the longest token, in bytes
LINE_SHIFT = 88  # tables: hash >> shift is a line of LINES
LONG_SHIFT = 96  # tables: hash >> shift is a slot of LONGS
PAIR_SHIFT = 104  # tables: hash >> shift is a line of PAIRS
UNREACHABLE = 112  # tables: number of tokens that no merge makes
EPOCH = 120  # state: number of times that the arena was dropped
ARENA_USED = 128  # state: bytes of the arena in use
WORD_COUNT = 136  # state: number of words put into the cache
WORD_LIMIT = 144  # state: maximum word count before the cache is doubled
WORD_ROOM = 152  # state: maximum size of the cache, in bytes
SLOT_COUNT = 160  # state: likewise for the cache of longer pretokens
SLOT_LIMIT = 168
SLOT_ROOM = 176
LATE = 184  # tables: number of tokens that are merged from tokens of higher numbers

DIRECTORY = 192  # then start and size of each section, in bytes
HEADER_SIZE = 512

# Sections of the tables.
LINES = 0  # tokens of 1 to 15 bytes: lines of three 16-byte keys, three 32-bit ids, a 32-bit fill mark
LONGS = 1  # tokens of 16 bytes and more: 64-bit slots: 32 bits of hash, then number + 1; 0 is empty
TOKEN_BYTES = 2  # the bytes of all tokens in the order of their numbers
TOKEN_OFFSETS = 3  # uint32[TOKEN_COUNT + 1] into TOKEN_BYTES
PAIRS = 4  # merges: lines of eight 64-bit slots: left, right, result, 20 bits each; all ones is empty
BYTE_TOKENS = 5  # uint32[256]: number of each single byte
BIGRAMS = 6  # uint32[65536]: number << 6 of two bytes' token (first byte << 8 | second), or NO_MERGE
CROSSINGS = 7  # for splitting pretokens at additional boundaries, see ``engine.split.scanners.crossings_of``
MASKS = 8  # sixteen rows of 16 bytes: the first n bytes all ones
PIECE_IDS = 9  # of pieces (``engine.vocabulary.piece_order``): uint32[TOKEN_COUNT], the id of each number; or empty
PIECE_SCAN = 10  # likewise: for ``scan_pieces``
TABLE_SECTIONS = 11

# Sections of the state.
TOKEN_IDS = 0  # the batch: uint32 ids of the entries that are tokens
SLOTS = 1  # cache of longer pretokens: 32-byte slots: hash, epoch << 32 | offset in the arena, bytes, tokens; it grows
ARENA = 2  # bytes and ids of cached pretokens
KEYS = 3  # the batch: 32 bytes per entry: key (16 bytes), hash, start
VALUES = 4  # the batch: 16 bytes per entry, see ``lookup``; only of those that are not tokens
MISSES = 5  # the batch: uint32 numbers of the entries that are not tokens
COLD = 6  # the batch: uint32 numbers of the entries that are not cached
LANES = 7  # pretokens being merged, see ``merging``
ACTIVE = 8  # uint32 numbers of the lanes that are not done
SCRATCH = 9  # ids of one pretoken
QUEUE_HEADS = 10  # bucket queue: uint32 per rank; all zero between uses
QUEUE_BITS = 11  # bucket queue: which ranks are waiting; all zero between uses
BLOCK = 12  # bucket queue: space for a block of a long pretoken
IDS = 13  # ids of a pretoken of up to LONGEST_CACHED bytes
WORD_MISSES = 14  # the batch: those of MISSES that are words
LONG_MISSES = 15  # the batch: those of MISSES that are longer
SPARE = 16  # for any use by the caller
WORDS = (
    17  # cache of words of up to 15 bytes: lines of two keys (16 bytes each) and their values (16 bytes each); it grows
)
STATE_SECTIONS = 18

NO_MERGE = 0xFFFFFFC0
"""Smallest 32-bit number that is not a merge. A merge is number << 6 | position."""

NO_TOKEN = NUMBER_MASK
"""Number that no token has: there are at most 2**20 - 1."""

BATCH = 1024
"""Pretokens looked up together. With more, loops wait less often for their first cache lines, but their data must stay
in the processor's caches."""
KEY = 32
"""Size of an entry of KEYS, in bytes: key (16 bytes), hash, start. For a pretoken of at least ``LONG_PRETOKEN`` bytes,
the first word is 0, and the second has ``LONG_PRETOKEN`` in its highest byte and the length in the rest."""
LONG_PRETOKEN = 16
"""Minimum length of a pretoken without a key, in bytes."""
LANE_COUNT = 16
"""Pretokens merged together."""
LANE_BYTES = 64
"""Maximum length of a pretoken in a lane, in bytes."""
LONGEST_CACHED = 512
"""Maximum length of a cached pretoken, in bytes. Longer ones are encoded each time."""
BATCH_BYTES = 64 * LONGEST_CACHED
"""Maximum total length of the pretokens in a batch, in bytes: a batch has fewer long ones."""


@inline_kernel
def section(whole: Span, number: int) -> Span:
    """Return the span of one section of the tables or the state."""
    entry = DIRECTORY + 16 * number
    return part(whole, load64(whole, entry), load64(whole, entry + 8))
