"""All fuzzers by name."""

from __future__ import annotations

from engine.errors import FormatError
from engine.library.formats.opening import open_tokenizer
from tests.engine.library.formats.damage import worse_bytes
from tests.engine.library.formats.test_hostile_files import IMPORTERS
from tests.fuzzing import price_fuzzers, profile_fuzzers, profile_window_fuzzer, request_fuzzers, typed_fuzzers
from tests.fuzzing.damage import worse_json
from tests.fuzzing.judging import Fuzzer

OF_JSON = ("Hugging Face, byte-level", "tekken", "WordPiece", "Unigram", "character BPE", "kept, tokenizers")
"""Bytes that are damaged in these mostly end in the reader of JSON; another value gets further."""


def _of_importer(importer: str) -> Fuzzer:
    name, make = IMPORTERS[importer]

    def feed(content: bytes, folder: object) -> None:
        path = folder / name
        path.write_bytes(content)
        open_tokenizer(path, pattern="gpt2", checked=True).encoding.count("the cat and the dog")

    ways = (worse_json, worse_json, worse_json, worse_bytes) if importer in OF_JSON else (worse_bytes,)
    return Fuzzer(lambda folder: [make(folder)], ways, feed, (FormatError,), place=name)


FUZZERS: dict[str, Fuzzer] = {
    **price_fuzzers.FUZZERS,
    **request_fuzzers.FUZZERS,
    **profile_fuzzers.FUZZERS,
    **typed_fuzzers.FUZZERS,
    **profile_window_fuzzer.FUZZERS,
    **{f"tokenizers, {importer}": _of_importer(importer) for importer in IMPORTERS},
}


def chosen(what: str) -> dict[str, Fuzzer]:
    """The one of this name, or those of which it is what stands before the comma; all for nothing."""
    if what in FUZZERS:
        return {what: FUZZERS[what]}
    return {name: one for name, one in FUZZERS.items() if not what or what == name.partition(",")[0]}
