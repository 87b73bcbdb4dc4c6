"""Calls of every encoding kernel, so that all are compiled: see ``engine.encoding.compiling``."""

from __future__ import annotations

import contextlib

import numpy as np

from engine.errors import DamagedVocabularyError
from engine.library import bundled_encodings
from engine.library.bundled_encodings import Catalog
from engine.text.digests import ContentDigests
from engine.vocabulary.bundle import table_from_ranks
from engine.vocabulary.tables import build_tables, fingerprint_of


def warm_up() -> None:
    """Compile or load all encoding kernels, and build the tables of all bundled vocabularies."""
    # The tables of the bundled vocabularies may exist already; then they would not call the kernels that build tables.
    bytes_and_a_merge = {bytes([value]): value for value in range(256)} | {b"ab": 256}
    table = table_from_ranks(bytes_and_a_merge)
    build_tables(table, fingerprint_of(table))
    encodings = Catalog(bundled_encodings.DATA_DIR)
    for name in encodings.names():
        with contextlib.suppress(DamagedVocabularyError):  # reported when that encoding is used; the others work
            encoding = encodings.get(name)
            encoding.use_kernels()
            native = encoding.native
            if native is not None and native.can_scan:  # rarely needed, so ``use_kernels`` does not load them
                nothing, nowhere = np.frombuffer(b"", dtype=np.uint8), np.empty((0, 2), dtype=np.int64)
                native.count_texts(nothing, nowhere)
                ContentDigests(b"", native.sum_blocks).of_many(nothing, nowhere)
