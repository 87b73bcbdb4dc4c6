"""Digests of file contents: sixteen bytes that identify a content, computed at the speed of reading memory.

Cached counts are stored under these digests, so it must be impossible to craft a file that has the digest of another
and so gets its count. A cryptographic hash of all bytes takes a quarter of the time of counting, even if the processor
has instructions for it. Instead, a *secret* that is stored beside the counts is mixed in. Each kilobyte becomes four
sums of products with random words derived from the secret (``engine.kernels.text_bytes``). Without the secret, any two
contents of equal size have the same sums with a probability of 2**-128. The sums and the size go through BLAKE2b with
the secret as its key (RFC 7693). Digests made with different secrets cannot be compared.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.kernels.block_layout import FACTOR_BYTES, SUM_BLOCK, SUM_BYTES, SUMS

SECRET_BYTES = 32
DIGEST_BYTES = 16

SumBlocks = Callable[["NDArray[np.uint8]", "NDArray[np.int64]", "NDArray[np.uint8]", "NDArray[np.int64]"], None]
"""Signature of ``engine.kernels.text_bytes.sum_blocks``."""

_TWIN_BLOCKS = 64
"""Blocks summed at a time; each temporarily needs twelve times its size."""


def new_secret() -> bytes:
    """Return a secret that cannot be guessed."""
    return os.urandom(SECRET_BYTES)


def sum_blocks_plainly(
    content: NDArray[np.uint8], byte_spans: NDArray[np.int64], factors: NDArray[np.uint8], sums: NDArray[np.int64]
) -> None:
    """Do the work of ``engine.kernels.text_bytes.sum_blocks`` without compiled kernels, at a tenth of the speed."""
    words = factors.view("<u4").reshape(SUMS, SUM_BLOCK // 4)
    row = 0
    for start, end in byte_spans.tolist():
        for at in range(start, end, _TWIN_BLOCKS * SUM_BLOCK):
            part = content[at : min(end, at + _TWIN_BLOCKS * SUM_BLOCK)]
            blocks = np.zeros((-(-len(part) // SUM_BLOCK), 1, SUM_BLOCK), dtype=np.uint8)
            blocks.reshape(-1)[: len(part)] = part
            added = blocks.view("<u4") + words
            low, high = np.split(added, 2, axis=2)
            products = low.astype(np.uint64) * high
            sums[row : row + len(blocks)] = products.sum(axis=2, dtype=np.uint64).view(np.int64)
            row += len(blocks)


class ContentDigests:
    """Computes digests with one secret. Thread-safe."""

    def __init__(self, secret: bytes, sum_blocks: SumBlocks = sum_blocks_plainly) -> None:
        """``sum_blocks``: the kernel, if it is compiled. It does not change the digests."""
        self._keyed = hashlib.blake2b(digest_size=DIGEST_BYTES, key=secret)
        self._factors = np.frombuffer(hashlib.shake_256(secret).digest(FACTOR_BYTES), dtype=np.uint8)
        self._sum_blocks = sum_blocks

    def of(self, content: bytes) -> bytes:
        """Return the digest of a content."""
        running = RunningDigest(self)
        running.update(content)
        return running.digest()

    def of_many(self, content: NDArray[np.uint8], byte_spans: NDArray[np.int64]) -> list[bytes]:
        """Return the digests of many contents in one buffer. ``content``: uint8[m], read-only; ``byte_spans``: int64[n,
        2], start and end of each."""
        ends = (np.cumsum(_blocks(byte_spans)) * SUM_BYTES).tolist()
        sums = memoryview(self.sums(content, byte_spans))
        digests, done = [], 0
        for (start, stop), end in zip(byte_spans.tolist(), ends, strict=True):
            digests.append(_finished(self.mixer(), sums[done:end], stop - start))
            done = end
        return digests

    def mixer(self) -> hashlib.blake2b:
        """Return a fresh hash for the sums."""
        return self._keyed.copy()

    def sums(self, content: NDArray[np.uint8], byte_spans: NDArray[np.int64]) -> bytes:
        """Return the sums of all blocks of all contents, ``SUM_BYTES`` per block."""
        sums = np.empty((int(_blocks(byte_spans).sum()), SUMS), dtype=np.int64)
        self._sum_blocks(content, byte_spans, self._factors, sums)
        return sums.tobytes()


class RunningDigest:
    """The digest of a content that arrives in chunks."""

    def __init__(self, digests: ContentDigests) -> None:
        self._digests = digests
        self._mixer = digests.mixer()
        self._rest = b""
        self._size = 0

    def update(self, piece: bytes) -> None:
        """Add the next chunk."""
        self._size += len(piece)
        waiting = self._rest + piece if self._rest else piece
        whole = len(waiting) // SUM_BLOCK * SUM_BLOCK
        self._take(waiting, whole)
        self._rest = waiting[whole:]

    def digest(self) -> bytes:
        """Return the digest of everything added. Call it once, at the end."""
        self._take(self._rest, len(self._rest))
        return _finished(self._mixer, b"", self._size)

    def _take(self, content: bytes, end: int) -> None:
        spans = np.array([[0, end]], dtype=np.int64)
        self._mixer.update(self._digests.sums(np.frombuffer(content, dtype=np.uint8), spans))


def _blocks(byte_spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of blocks of each content."""
    blocks: NDArray[np.int64] = -((byte_spans[:, 0] - byte_spans[:, 1]) // SUM_BLOCK)
    return blocks


def _finished(mixer: hashlib.blake2b, sums: bytes | memoryview, size: int) -> bytes:
    mixer.update(sums)
    mixer.update(size.to_bytes(8, "little"))
    return mixer.digest()
