"""Our encoder against the oracles on random strings, in rounds. A seed and a number name a round: the same strings
come again, and meet encoders whose caches are as empty as then.

Every string is counted, and encoded to an array or to a list, or its token ends are told, in turns; whole rounds joined
to one text go through all of that. Then some strings go through the face of the encoding, with special tokens and lone
surrogates among them, and every few rounds texts of all of them. And some random bytes that are no UTF-8 must at least
keep their bytes, and the kernels to their memory.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

import engine
from engine.encoding import encoder as encoder_module
from engine.encoding.encoder import NativeEncoder
from engine.encoding.encoding import Encoding
from engine.encoding.piece_encoding import PieceEncoding
from engine.kernels import layout
from engine.kernels.cache_folder import current_folder
from engine.library.bundled_encodings import DATA_DIR, Catalog
from engine.runtime.tiktoken_core import CoreBPE, build_core
from engine.split import patterns
from engine.split.special_text import split_at_specials
from tests.engine import oracles
from tests.engine.kernels.odd_bytes import odd_bytes
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.odd_texts import odd_text

NEW = 0.2
"""The part of a round's strings that are made from nothing; the others are stretches of them, put together anew."""
WITH_SPECIALS = 0.02
"""The part that goes through the face of the encoding, too."""
LONG_CHARS = 200_000
"""Characters that all strings of a round are repeated to, in one text, which is then cut into chunks."""
LONG_EVERY = 4
"""Long texts come once in so many rounds, with each encoding in others."""
LONG_STRINGS = 0.01
"""The part of new strings that are made of many."""
MANY = 30
"""Of more strings than these, each goes one way of three."""
BROKEN = 0.02
"""Random bytes for each string."""
TINY = {"WORD_LINES": 4, "MAX_WORD_LINES": 64, "FIRST_SLOTS": 2, "MAX_SLOTS": 16, "ARENA_BYTES": 260_000}
"""Caches that hold next to nothing, so that they grow at once and everything they forget is asked again."""
TINY_ENDS = 300
"""Pretokens scanned at a time then."""

LLAMA3 = "llama3"
"""No bundled encoding: the split of Llama 3, which our kernels know, with the ranks of cl100k_base."""
ALL_NAMES = (*engine.list_encoding_names(), LLAMA3)

Oracle = Callable[[Sequence[str]], list[list[int]]]


@dataclass(frozen=True, slots=True)
class Case:
    """An encoding and what it is compared with.

    ``twin``: another one with the same ranks and pattern, which is compared with them; None if there is none.
    ``open_native``: opens our encoder anew, without anything in its caches. ``oracle``: ids of texts without
    surrogates, special tokens being plain text; ``with_specials``: tiktoken's encoder, with special tokens.
    ``prepare``: what the encoding does to a text first, which neither ``open_native`` nor the oracles do.
    ``sizes``: bytes of each token; ``tokens``: the bytes, from ``first_id`` on. ``long_round``: with which rounds long
    texts come.
    """

    name: str
    encoding: Encoding
    twin: str | None
    open_native: Callable[[], NativeEncoder]
    oracle: Oracle
    with_specials: CoreBPE
    prepare: Callable[[str], str]
    sizes: np.ndarray
    tokens: list[bytes]
    first_id: int
    long_round: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A text whose tokens are not as they should be."""

    name: str
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what} of {self.text!r}"


def open_cases(names: Sequence[str], raw: Path | None = None) -> list[Case]:
    """``raw``: the folder of the published vocabulary files; without, the oracle is tiktoken's encoder, fed with the
    bundled ranks."""
    catalog = Catalog(DATA_DIR)
    cases: list[Case] = []
    for name in names:
        encoding = _llama3(catalog) if name == LLAMA3 else catalog.get(name)
        twin = next((case.name for case in cases if case.encoding.encodes_like(encoding)), None)
        cases.append(_open_case(name, encoding, twin, raw))
    return cases


def _llama3(catalog: Catalog) -> Encoding:
    ranks = catalog.get("cl100k_base")._mergeable_ranks
    special = {"<|begin_of_text|>": len(ranks), "<|eot_id|>": len(ranks) + 1}
    return Encoding(LLAMA3, pat_str=patterns.LLAMA3.expression, mergeable_ranks=ranks, special_tokens=special)


def _open_case(name: str, encoding: Encoding, twin: str | None, raw: Path | None) -> Case:
    assert encoding.use_kernels()
    open_native: Callable[[], NativeEncoder] = functools.partial(encoding.open_native, current_folder())
    if isinstance(encoding, PieceEncoding):
        open_native = functools.partial(OfPieces, encoding)
        with_specials = encoding._core_bpe
    else:
        with_specials = build_core(encoding._mergeable_ranks, encoding._special_tokens, encoding._pat_str)
    oracle = _of_core(with_specials) if raw is None or name == LLAMA3 else _of_published(name, raw)
    table = encoding._table
    long_round = ALL_NAMES.index(name) % LONG_EVERY
    return Case(
        *(name, encoding, twin, open_native, oracle, with_specials, getattr(encoding, "preparation", str)),
        encoding.byte_lengths,
        *(table.tokens(), table.first_id, long_round),
    )


class OfPieces:
    """The kernels of pieces, which number tokens, with the methods of ``NativeEncoder`` and ids."""

    def __init__(self, encoding: PieceEncoding) -> None:
        self._encoding = encoding
        self._text_encoder = encoding._text_encoder(encoding.open_native(current_folder()))

    def count(self, content: bytes) -> int:
        return self._text_encoder.count(content.decode())

    def encode(self, content: bytes) -> np.ndarray:
        return self._text_encoder.encode(content.decode())

    def encode_to_list(self, content: bytes) -> list[int]:
        return self._text_encoder.encode_to_list(content.decode())

    def token_ends(self, content: bytes) -> np.ndarray:
        return np.cumsum(self._encoding.byte_lengths[self.encode(content)], dtype=np.int64)


def _of_core(core: CoreBPE) -> Oracle:
    return lambda texts: [core.encode_ordinary(text) for text in texts]


def _of_published(name: str, raw: Path) -> Oracle:
    """Of a bundled encoding."""
    if name == "gemma":
        pieces = oracles.splintr("gemma4")
        return lambda texts: [pieces.encode_raw(text) for text in texts]
    if name == "gemma3":
        return lambda texts: [oracles.gemma3(text) for text in texts]
    if name == "deepseek":
        tokenizer = oracles.deepseek_plain(raw)
        return lambda texts: [one.ids for one in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
    return lambda texts: [oracles.ids(name, raw, text) for text in texts]


def random_strings(seed: int, number: int, count: int) -> list[str]:
    """The strings of a round: none is empty, most are short."""
    rng = random.Random(f"{seed} {number}")
    new = [_new_string(rng) for _ in range(int(NEW * count) + 1)]
    return [*new, *(_spliced(rng, new) for _ in range(count - len(new)))]


def _new_string(rng: random.Random) -> str:
    while True:
        kind = rng.random()
        if kind < 0.80:
            text = odd_text(rng)
        elif kind < 1 - LONG_STRINGS:
            text = odd_piece(rng, rng.choice((30, 100, 600)))
        else:
            parts = [odd_piece(rng, 700) if rng.random() < 0.5 else odd_text(rng) for _ in range(rng.randrange(2, 60))]
            text = rng.choice(("", " ", "\n")).join(parts)
        if text:
            return text


def _spliced(rng: random.Random, texts: Sequence[str]) -> str:
    """A string made of stretches of others: cheaper than a new one, and as odd."""
    while True:
        stretches = []
        for _ in range(rng.randrange(1, 4)):
            text = rng.choice(texts)
            start = rng.randrange(len(text))
            stretches.append(text[start : start + rng.choice((1, 3, 10, 40))])
        if spliced := "".join(stretches):
            return spliced


def compare_round(case: Case, seed: int, number: int, strings: Sequence[str]) -> Difference | None:
    """The first difference in a round, or None. Every other round has tiny caches."""
    if case.twin is None:
        with _tiny_caches() if number % 2 == 0 else contextlib.nullcontext():
            found = _first_difference(case, strings)
            if not found and not isinstance(case.encoding, PieceEncoding):  # which takes no bytes
                found = _difference_of_bytes(case, seed, number, len(strings))
        if found:
            return found
    with_long = number % LONG_EVERY == case.long_round or len(strings) <= MANY
    return _difference_of_faces(case, random.Random(f"{seed} {number} {case.name}"), strings, with_long)


@contextlib.contextmanager
def _tiny_caches() -> Iterator[None]:
    """For encoders that are opened, and used for the first time, inside."""
    with mock.patch.multiple(layout, **TINY), mock.patch.object(encoder_module, "ENDS", TINY_ENDS):
        yield


def _first_difference(case: Case, strings: Sequence[str]) -> Difference | None:
    native = case.open_native()
    for texts in (strings, ["".join(strings)]):
        if what := _difference(case, native, texts):
            return _explained(case, what, texts)
    return None


def _explained(case: Case, what: str, texts: Sequence[str]) -> Difference:
    """A difference of one short text, if there is one. Otherwise only all together differ: a cache is at fault."""

    def differs(text: str) -> bool:
        return _difference(case, case.open_native(), [text]) is not None

    wrong = next(filter(differs, texts), None)
    if wrong is None:
        return Difference(case.name, f"{what} (not alone, but after others)", " ".join(texts))
    return Difference(case.name, what, _shortened(wrong, differs))


def _difference(case: Case, native: NativeEncoder, texts: Sequence[str]) -> str | None:
    """What of ours is not as it should be for these texts, or None."""
    texts = [case.prepare(text) for text in texts]
    expected = case.oracle(texts)
    contents = [text.encode("utf-8") for text in texts]
    if [native.count(content) for content in contents] != [len(ids) for ids in expected]:
        return "the count"
    step = 3 if len(texts) > MANY else 1  # one text of many is enough for each way
    for first, differs, what in (
        (0, _lists_differ, "the list of ids"),
        (1, _arrays_differ, "the array of ids"),
        (2, _ends_differ, "the ends of tokens"),
    ):
        some = slice(first if step > 1 else 0, None, step)
        if differs(case, native, contents[some], expected[some]):
            return what
    return None


def _lists_differ(_: Case, native: NativeEncoder, contents: list[bytes], expected: list[list[int]]) -> bool:
    return [native.encode_to_list(content) for content in contents] != expected


def _arrays_differ(_: Case, native: NativeEncoder, contents: list[bytes], expected: list[list[int]]) -> bool:
    return not np.array_equal(_concatenated(map(native.encode, contents), np.uint32), _joined(expected))


def _ends_differ(case: Case, native: NativeEncoder, contents: list[bytes], expected: list[list[int]]) -> bool:
    ends = np.cumsum(case.sizes[_joined(expected)], dtype=np.int64)
    starts = np.cumsum([0, *map(len, contents)], dtype=np.int64)[:-1]
    ours = (start + native.token_ends(content) for start, content in zip(starts.tolist(), contents, strict=True))
    return not np.array_equal(_concatenated(ours, np.int64), ends)


def _joined(expected: list[list[int]]) -> np.ndarray:
    return np.fromiter(itertools.chain.from_iterable(expected), dtype=np.uint32)


def _concatenated(arrays: Iterable[np.ndarray], kind: type[np.generic]) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype=kind), *arrays])


def _difference_of_bytes(case: Case, seed: int, number: int, count: int) -> Difference | None:
    """Whether the tokens of random bytes have other bytes, or others counted."""
    rng = random.Random(f"{seed} {number} bytes")
    native = case.open_native()
    for _ in range(int(BROKEN * count) + 1):
        content = odd_bytes(rng)
        ids = native.encode(content).tolist()
        if b"".join([case.tokens[number - case.first_id] for number in ids]) != content or native.count(content) != len(
            ids
        ):
            return Difference(case.name, "the tokens of bytes", content.decode("utf-8", "backslashreplace"))
    return None


def _difference_of_faces(case: Case, rng: random.Random, strings: Sequence[str], with_long: bool) -> Difference | None:
    """The same for the encoding as others call it, with special tokens and surrogates in the texts; ``with_long``: and
    long texts that Python keeps with four, two and one byte a character."""
    specials = sorted(case.encoding.special_tokens_set)
    texts = []
    for text in rng.sample(list(strings), int(WITH_SPECIALS * len(strings)) + 1):
        place = rng.randrange(len(text) + 1)
        odd = rng.choice((*rng.choices(specials, k=4), "\ud83d", "\ude00\ud83d", rng.choice(specials)[:-1]))
        texts.append(text[:place] + odd + text[place:])
    if with_long:
        whole = "".join(strings)
        texts.append(whole * (LONG_CHARS // len(whole) + 1))
        texts += ["".join(one for one in whole if ord(one) < limit) for limit in (0x10000, 0x100)]

    def what_differs(text: str) -> str | None:
        readable = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # as in tiktoken
        expected = case.with_specials.encode_ordinary(case.prepare(readable))
        if case.encoding.encode_ordinary(text) != expected:
            return "encode_ordinary"
        if case.encoding.count(text) != len(expected):
            return "count"
        if case.encoding.encode(text, allowed_special="all") != _with_specials(case, readable):
            return "encode with special tokens"
        return None

    for text in texts:
        if what := what_differs(text):
            return Difference(case.name, what, _shortened(text, lambda part: what_differs(part) is not None))
    return None


def _with_specials(case: Case, text: str) -> list[int]:
    """The ids of a text with special tokens, which are looked for in it before anything is done to it."""
    core, ids = case.with_specials, case.encoding._special_tokens
    if case.prepare is str:
        expected: list[int] = core.encode(text, set(ids))
        return expected
    expected = []
    for segment, special in split_at_specials(text, frozenset(ids)):
        expected += core.encode_ordinary(case.prepare(segment)) + ([ids[special]] if special else [])
    return expected


def _shortened(text: str, differs: Callable[[str], bool]) -> str:
    """A part of a text that still differs: no stretch of it can be left out."""
    size = len(text)
    while size := size // 2:
        start = 0
        while start < len(text):
            shorter = text[:start] + text[start + size :]
            if differs(shorter):
                text = shorter
            else:
                start += size
    return text
