"""Sizes of ``block_sums`` and of its plain twin, ``engine.text.digests``. Imports no numba."""

from __future__ import annotations

BLOCK = 1024
"""Bytes that are added up together. What is missing of the last ones of a text are zeros."""

SUMS = 4
"""Sums of a block."""

SUM_BYTES = 8 * SUMS
"""What they take."""

FACTOR_BYTES = SUMS * BLOCK
"""A random word for each word of a block, for each sum."""
