"""Checking a tokenizer: it runs in its own library, in a child process, and its IDs are compared with ours.

``compare`` compares IDs on the texts of ``texts_for``: several scripts, whitespace, emoji, code, and runs of one
character. All were written for this purpose.

The effect of an untrusted file on a library is unknown until it is loaded: the library may fill the memory, hang, or
crash. So it first runs in a child process with limits of time and memory (``tried``), ``python -m
engine.library.formats.isolated_check``. The child encodes texts. It also runs tiktoken for the formats that tiktoken
reads. It reads a line of JSON and the payload of the tokenizer; it writes one JSON document.
"""

from __future__ import annotations

import base64
import importlib.metadata
import itertools
import json
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.encoding.encoding import Encoding
from engine.errors import EngineError, FormatError
from engine.library.formats.reading import DoesNotEndError, limit, run
from engine.library.formats.source import giving_up, quoted, refusing
from engine.library.formats.tokenizer_data import TokenizerData
from engine.runtime.cancellation import interruptible
from engine.runtime.threads import child_command

OPTION = "--try-tokenizer"
"""Option of the program that starts a trial, because a frozen program has no separate interpreter."""

SECONDS = 2
SECONDS_PER_MB = 0.4
"""Processor time for a file, in seconds, and per megabyte. Large vocabularies take a while to load."""

MAX_BYTES = 500 << 20
"""Maximum memory of the child, in bytes."""

_LONGEST_WAIT = 30.0
"""Maximum wall-clock time, in seconds."""


# --- texts ------------------------------------------------------------------------------------------------------------


_LANGUAGES = (
    "The quick brown fox jumps over 13 lazy dogs. It's what they've said; we'll see, won't we?\n",
    "DON'T SHOUT: The cafés' naïve façade cost €1,234.50 (about $1.3k) — “quoted”, ‘single’ … done.\n",
    "Grüße aus Köln: Straße, Fußgängerübergang, Donaudampfschifffahrtsgesellschaft.\n",
    "Où êtes-vous allés l'été dernier ? Ça coûte 3 000 €. ¿Qué pasó, señor? ¡Años!\n",
    "Быстрая коричневая лиса перепрыгивает через ленивую собаку. ИЗ НИХ ТРИ.\n",
    "Η γρήγορη αλεπού πηδά πάνω από τον τεμπέλη σκύλο.\n",
    "الثعلب البني السريع يقفز فوق الكلب الكسول. العدد ١٢٣٤٥.\n",
    "השועל החום המהיר קופץ מעל הכלב העצלן.\n",
    "तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है। संख्या १२३।\n",
    "สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัขขี้เกียจ\n",
    "敏捷的棕色狐狸跳过了懒狗。价格是１２３元（含税）。\n",
    "素早い茶色の狐がのろまな犬を飛び越える。カタカナとひらがな、漢字。\n",
    "빠른 갈색 여우가 게으른 개를 뛰어넘는다. 12345원입니다.\n",
    "Con cáo nâu nhanh nhẹn nhảy qua con chó lười biếng. Tiếng Việt.\n",
)
_CODE = (
    'def fib(n: int) -> int:\n    """Doc."""\n    return n if n < 2 else fib(n - 1) + fib(n - 2)  # TODO: cache\n\n',
    '#include <stdio.h>\nint main(void) {\n\tprintf("%d\\n", 0x7f & ~1);\n\treturn 0;\n}\n',
    '{"a": [1, 2.5e-3, null, true], "b": {"c": "d\\n", "url": "https://example.org/?q=a%20b&x=1#y"}}\n',
    "SELECT COUNT(*) FROM `t` WHERE id != 3 AND name LIKE '%x%';\r\nINSERT INTO t VALUES (1);\r\n",
    "<div class=\"a-b_c\">&nbsp;</div>\n<!-- comment -->\n$x += @y['key']->z ?? [];\n",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301 QWxhZGRpbjpvcGVuIHNlc2FtZQ== 192.168.0.1 v1.2.3-rc.4\n",
)
_ODD = (
    "  two  three   \n\n\n\t\ttabs \t mixed\r\n\r\n  \u00a0nbsp\u2003em\u200bzero\u3000wide\n   ",
    "👩\u200d🚀👨\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 👍🏽 🇩🇪🇯🇵 ☃️ 🙂🙂🙂\n",
    "e\u0301 n\u0303 A\u030a ﬁ ﬂ ² ½ Ａ Å ſ ß İ ı ǅ \u0378 \ue000 𝒳𝓎 𠮷 \U0010ffff\n",
    "\x00\x01\x1b[31m\x7f\x85\u2028\u2029\ufeff\ufffd\n",
    "▁ ▁▁a <unk> <s> </s> <0x0A> ##ing Ġthe </w> [UNK]\n",
    "1 12 123 1234 12345 3.14159 1e10 ١٢٣ ⅷ ①②③\n",
    "!!! ??? ... --- === ### $$$ %%% &&& *** ((( ))) /// \\\\\\ ''' \"\"\" ~~~ ^^^ |||\n",
)
_VERSIONS = (
    # Characters that differ between versions of Unicode, each beside marks with which it may be reordered.
    "".join(
        f"a{mark}\u0323 q\u0301{mark}\u0315 x\u0345{mark} "
        for mark in map(chr, (0x7FD, *range(0x898, 0x8A0), *range(0x8CA, 0x8D4), 0x9FE, 0xC3C, *range(0x1ABF, 0x1ACF)))
    ),
    "".join(f"a{mark}\u0323 a\u0315{mark} e{mark}\u0301 " for mark in map(chr, range(0x1DF6, 0x1DFB))),
    "\u0995\u09fe\u09bc \u0c15\u0c3c\u0c4d \U00011938 \U00011935\U00011930 \u32ff \u07fd\u07f2 "
    "\U00010efd\u0301 \ua7cb\n",
)
_RUNS = (
    "a" * 300,
    "a" * 300 + "!",  # makes expressions with catastrophic backtracking hang
    "ab" * 150 + "!",
    " " * 300 + "x",
    "\n" * 200,
    "7" * 200,
    "7" * 200 + "x",
    "é" * 200,
    "漢" * 200,
    "!" * 300,
    "aA" * 100,
)

TEXTS: tuple[str, ...] = (
    *_LANGUAGES,
    *_CODE,
    *_ODD,
    *_VERSIONS,
    *_RUNS,
    "".join(_LANGUAGES),
    "".join(_CODE + _ODD),
    "x",
    " ",
    "\n",
    "",
)

TOKENS_TAKEN = 3_000
"""Maximum number of vocabulary tokens that are turned into texts."""

_A_LINE = 40

SPECIALS_PAIRED = 48
"""Up to this many special tokens, all pairs are tested; with more, each is tested with the next one only."""


def texts_for(tokens: Sequence[bytes]) -> tuple[str, ...]:
    """Return the texts for a tokenizer with these tokens: the fixed ones, and texts of tokens spread over all IDs."""
    step = max(1, len(tokens) // TOKENS_TAKEN)
    words = [token.decode("utf-8", "ignore") for token in tokens[::step]]
    lines = ("".join(words[start : start + _A_LINE]) for start in range(0, len(words), _A_LINE))
    return (*TEXTS, *lines)


def special_texts_for(specials: Iterable[str]) -> tuple[str, ...]:
    """Return texts of special tokens: each alone, then pairs, with all pairs of one first token in one text."""
    in_order = sorted(specials)  # tokens with the same beginning become neighbours
    if len(in_order) <= SPECIALS_PAIRED:
        pairs = ["".join(first + second for second in in_order) for first in in_order]
    else:
        pairs = [first + second for first, second in itertools.pairwise(in_order)]
    return (*in_order, *pairs)


# --- IDs of the library -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tried:
    """Result of a trial. ``library``: name and version. ``ids``: of each text, with special tokens as plain text.
    ``special_ids``: of each text of special tokens, with special tokens recognized."""

    library: str
    ids: list[list[int]]
    special_ids: list[list[int]] = field(default_factory=list)


def tried(
    reader: str,
    payload: bytes,
    texts: Sequence[str],
    cancel_check: Callable[[], None] | None = None,
    special_texts: Sequence[str] = (),
) -> Tried:
    """Encode texts in a child process. ``reader``: ``tokenizers``, ``sentencepiece``, or ``tiktoken``, whose payload is
    a line with the split pattern as JSON, then ranks as in its files. ``special_texts``: texts to encode with special
    tokens recognized, which only ``tokenizers`` does.

    ``cancel_check`` is called regularly while waiting; if it raises, the child is killed at once. Raises FormatError if
    the library rejects the tokenizer, or exceeds the limits.
    """
    command, environment = child_command("engine.library.formats.isolated_check", OPTION, [])
    seconds = SECONDS + SECONDS_PER_MB * len(payload) / 1e6
    request = {
        "reader": reader,
        "seconds": round(seconds + 0.5),
        "texts": list(texts),
        "special_texts": list(special_texts),
    }
    environment |= {"TOKENIZERS_PARALLELISM": "false", "RUST_BACKTRACE": "0"}
    try:
        ended = run(command, environment, (json.dumps(request).encode(), b"\n", payload), _LONGEST_WAIT, cancel_check)
    except DoesNotEndError:
        raise FormatError(f"{reader} timed out on this file after {_LONGEST_WAIT:.0f} seconds") from None
    except OSError as error:
        raise FormatError(f"could not start the checking process: {error.strerror or error}") from error
    if ended.status:
        raise FormatError(_why(ended.status, reader, seconds))
    try:
        document = json.loads(ended.output)
    except ValueError as error:
        raise FormatError(f"{reader} produced no output on this file") from error
    if "refused" in document:
        raise FormatError(document["refused"])
    return Tried(document["library"], document["ids"], document["special_ids"])


def _why(status: int, reader: str, seconds: float) -> str:
    if status == -getattr(signal, "SIGXCPU", 0):
        return f"{reader} needs more than {seconds:.0f} seconds of processor time for this file and a few short texts"
    return f"{reader} crashed on this file, or needed more than {MAX_BYTES >> 20} MB of memory"


# --- comparison -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IdCheck:
    """Result of a comparison in which the IDs are equal. ``library``: name and version of the library compared with.
    ``runs``: True if that library also runs the encoding, rather than our own engine. ``tokens``: number of IDs
    compared. ``texts``, ``changed``: how many texts were decoded again, and how many of them changed; ``example``: the
    first of these, and its decoded form. ``other_special``: the first text of special tokens for which the library
    returns other IDs, empty if there is none."""

    library: str
    runs: bool
    tokens: int
    texts: int
    changed: int
    example: tuple[str, str] | None
    other_special: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the IDs, a sentence each; empty if all are equal."""
        if not self.other_special:
            return ()
        return (f"{self.library} parses the special tokens in {quoted(self.other_special)} differently.",)


class OtherIdsError(FormatError):
    """A tokenizer returns other IDs than its original library. Names the first text for which it does."""


def compare(
    encoding: Encoding, texts: Sequence[str], theirs: Tried, *, runs: bool, special_texts: Sequence[str] = ()
) -> IdCheck:
    """Return the check if all IDs of plain text are equal. Raises OtherIdsError if they are not, FormatError if there
    are no IDs at all."""
    changed = 0
    example: tuple[str, str] | None = None
    for number, (text, expected) in enumerate(zip(texts, theirs.ids, strict=True)):
        if encoding.encode_ordinary(text) != expected:
            raise OtherIdsError(f"{theirs.library} gives different ids for {quoted(text)}")
        if number < len(TEXTS):
            back = encoding.decode(expected)
            if back != text:
                changed += 1
                example = example or (text, back)
    other_special = next(
        (
            text
            for text, expected in zip(special_texts, theirs.special_ids, strict=True)
            if encoding.encode(text, allowed_special="all") != expected
        ),
        "",
    )
    tokens = sum(map(len, theirs.ids)) + (0 if other_special else sum(map(len, theirs.special_ids)))
    if not tokens:
        raise FormatError("it produces no token from any text: its split pattern matches nothing")
    return IdCheck(theirs.library, runs, tokens, len(TEXTS), changed, example, other_special)


def for_tiktoken(data: TokenizerData) -> bytes:
    """Return ranks and pattern as the payload for a trial with tiktoken."""
    content = bytearray(json.dumps(data.pattern).encode() + b"\n")
    for token, token_id in interruptible(data.ranks.items()):  # joining the lines would need all of them in memory
        content += base64.b64encode(token) + b" %d\n" % token_id
    return bytes(content)


# --- in the child -----------------------------------------------------------------------------------------------------


def main() -> int:
    """Check the tokenizer on standard input. Return the exit status."""
    request = json.loads(sys.stdin.buffer.readline())
    limit(MAX_BYTES, request["seconds"])
    payload = sys.stdin.buffer.read()
    try:
        library, encode = _encoder(request["reader"], payload)
        answer: dict[str, Any] = {"library": library, "ids": [encode(text, False) for text in request["texts"]]}
        answer["special_ids"] = [encode(text, True) for text in request["special_texts"]]
    except EngineError as error:
        answer = {"refused": str(error)}
    sys.stdout.write(json.dumps(answer))
    return 0


def _encoder(reader: str, payload: bytes) -> tuple[str, Callable[[str, bool], list[int]]]:
    """Return the library's name and version, and a function ``encode(text, special_as_tokens)``; only ``tokenizers``
    uses the second argument. Raises FormatError."""
    encode: Callable[[str, bool], list[int]]
    if reader == "tokenizers":
        from engine.library.formats.huggingface_document import library_tokenizer

        tokenizer = library_tokenizer(payload)

        def encode(text: str, special_as_tokens: bool) -> list[int]:
            tokenizer.encode_special_tokens = not special_as_tokens
            return tokenizer.encode(text, add_special_tokens=False).ids

    elif reader == "sentencepiece":
        from engine.library.formats.sentencepiece_model import library_processor

        processor = library_processor(payload)

        def encode(text: str, special_as_tokens: bool) -> list[int]:
            ids: list[int] = processor.encode(text)
            return ids
    else:
        ordinary = _by_tiktoken(payload)

        def encode(text: str, special_as_tokens: bool) -> list[int]:
            return ordinary(text)

    def guarded(text: str, special_as_tokens: bool) -> list[int]:
        with giving_up(reader):
            return encode(text, special_as_tokens)

    return f"{reader} {importlib.metadata.version(reader)}", guarded


def _by_tiktoken(payload: bytes) -> Callable[[str], list[int]]:
    import tiktoken

    from engine.library.formats.tiktoken_ranks import read_ranks

    pattern, _, ranks = payload.partition(b"\n")
    with refusing("tiktoken"):
        encoding = tiktoken.Encoding(
            "tried", pat_str=json.loads(pattern), mergeable_ranks=read_ranks(ranks), special_tokens={}
        )
    return lambda text: encoding.encode(text, disallowed_special=())


if __name__ == "__main__":
    sys.exit(main())
