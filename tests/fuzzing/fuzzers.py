"""All fuzzers by name."""

from __future__ import annotations

from engine.errors import FormatError
from engine.formats.opening import open_tokenizer
from tests.engine.formats.damage import worse_bytes
from tests.engine.formats.test_hostile_files import IMPORTERS
from tests.fuzzing import price_fuzzers, profile_fuzzers, profile_window_fuzzer, request_fuzzers, typed_fuzzers
from tests.fuzzing.judging import Fuzzer


def _of_importer(importer: str) -> Fuzzer:
    name, make = IMPORTERS[importer]

    def feed(content: bytes, folder: object) -> None:
        path = folder / name
        path.write_bytes(content)
        open_tokenizer(path, pattern="gpt2", checked=True).encoding.count("the cat and the dog")

    return Fuzzer(lambda folder: [make(folder)], (worse_bytes,), feed, (FormatError,), place=name)


FUZZERS: dict[str, Fuzzer] = {
    **price_fuzzers.FUZZERS,
    **request_fuzzers.FUZZERS,
    **profile_fuzzers.FUZZERS,
    **typed_fuzzers.FUZZERS,
    **profile_window_fuzzer.FUZZERS,
    **{f"tokenizers, {importer}": _of_importer(importer) for importer in IMPORTERS},
}


def chosen(what: str) -> dict[str, Fuzzer]:
    """Those of this name, or of which it is the first word; all for nothing."""
    return {name: one for name, one in FUZZERS.items() if not what or what in (name, name.partition(",")[0])}
