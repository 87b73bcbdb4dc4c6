"""Sizes for ``block_sums`` and its plain twin, ``engine.text.digests``. Imports no numba."""

from __future__ import annotations

BLOCK = 1024
"""Size of a block that is summed, in bytes. The last block of a text is padded with zeros."""

SUMS = 4
"""Sums per block."""

SUM_BYTES = 8 * SUMS
"""Size of the sums of a block, in bytes."""

FACTOR_BYTES = SUMS * BLOCK
"""Size of the random words, in bytes: one for each word of a block, for each sum."""
