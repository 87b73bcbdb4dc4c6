"""Opening a tokenizer file of any known format: reading, creating the encoding, and comparing it with the original
library.

``open_tokenizer`` does all of this and returns further information about the file; ``load`` returns only the encoding.

``compare`` compares IDs on the texts of ``texts_for``: several scripts, whitespace, emoji, code, and runs of one
character. All were written for this purpose.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.encoding.encoding import Encoding
from engine.encoding.library_encoding import LibraryEncoding
from engine.encoding.preprocessing_encoding import encoding_with, preparation_with
from engine.errors import EngineError, FormatError
from engine.library.formats import huggingface
from engine.library.formats.isolated_check import Tried, tried
from engine.library.formats.kept_tokenizer import data_of_payload
from engine.library.formats.reading import read, read_apart
from engine.library.formats.source import Found, LibraryData
from engine.library.formats.tokenizer_data import TokenizerData, check, check_work
from engine.library.formats.validation import PatternNeededError, quoted
from engine.runtime.cancellation import CancelCheck, cancellable, interruptible
from engine.text.normalization import UnknownNormalizationError

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
        return (f"{self.library} reads the special tokens in {quoted(self.other_special)} otherwise.",)


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
            raise OtherIdsError(f"{theirs.library} gives other ids than ours for {quoted(text)}")
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
        raise FormatError("it makes no token of any text: what it cuts texts by finds nothing in them")
    return IdCheck(theirs.library, runs, tokens, len(TEXTS), changed, example, other_special)


def for_tiktoken(data: TokenizerData) -> bytes:
    """Return ranks and pattern as the payload for a trial with tiktoken."""
    content = bytearray(json.dumps(data.pattern).encode() + b"\n")
    for token, token_id in interruptible(data.ranks.items()):  # joining the lines would need all of them in memory
        content += base64.b64encode(token) + b" %d\n" % token_id
    return bytes(content)


@dataclass(frozen=True, slots=True)
class OpenedTokenizer:
    """A tokenizer from a file. ``kind``: name of the format. ``normalization`` and ``notes``: as in ``TokenizerData``.
    ``check``: result of the comparison of its IDs, None if it was not requested."""

    encoding: Encoding
    kind: str
    normalization: tuple[str, ...]
    notes: tuple[str, ...]
    check: IdCheck | None = None


def load(path: Path | str, *, pattern: str | None = None, name: str | None = None) -> Encoding:
    """Return the encoding in a file: ``.tiktoken``, ``tokenizer.json``, ``tekken.json``, ``.model`` of minbpe or of
    SentencePiece, ``.gguf``.

    ``pattern``: for a file without a split pattern: a name as in training or of an encoding, or a regular expression.
    ``name``: name of the encoding; by default that of the file. Raises FormatError, PatternNeededError, OSError.
    """
    return open_tokenizer(path, pattern=pattern, name=name).encoding


def open_tokenizer(
    path: Path | str,
    *,
    pattern: str | None = None,
    name: str | None = None,
    checked: bool = False,
    trusted: bool = False,
    apart: bool = False,
    cancel_check: CancelCheck | None = None,
) -> OpenedTokenizer:
    """Open a file like ``load``, and return further information about it.

    ``checked``: compare its IDs with those of its original library, which runs in a child process; if our own engine
    returns other IDs, the library runs it. A tokenizer that only a library can run is always checked.

    ``trusted``: only this program saves files in that folder, so that a tokenizer which was checked when it was saved
    is not checked again. Never set it for a path that a user names.

    ``apart``: read the file in a child process (``engine.library.formats.reading``).
    """
    path = Path(path)
    try:
        with cancellable(cancel_check):
            found = read_apart(path, pattern, cancel_check) if apart else read(path, pattern, trusted=trusted)
            name = name or _name_of(path)
            if isinstance(found.data, LibraryData):
                return _by_library(name, found.kind, found.data, cancel_check)
            data = found.data
            if not apart:  # otherwise the child has done both
                check(data)
                if checked:
                    check_work(data.ranks)
            if not checked:
                return OpenedTokenizer(_by_us(name, data), found.kind, data.normalization, data.notes)
            return _compared(found, data, _by_us(name, data), cancel_check)
    except (FormatError, UnknownNormalizationError) as error:
        kind = PatternNeededError if isinstance(error, PatternNeededError) else FormatError
        raise kind(f"{path}: {error}") from error


def _by_us(name: str, data: TokenizerData) -> Encoding:
    preparation = preparation_with(data.normalization)
    try:
        return encoding_with(name, data.pattern, data.ranks, data.special_tokens, preparation, data.byte_fallback)
    except ValueError as error:  # tiktoken's engine rejects the pattern
        raise FormatError(f"its split pattern is not valid: {error}") from error


def _by_library(name: str, kind: str, data: LibraryData, cancel_check: CancelCheck | None) -> OpenedTokenizer:
    if data.was_tried:
        return OpenedTokenizer(LibraryEncoding.around(name, data.open()), kind, data.normalization, data.notes)
    texts, specials = texts_for(data.tokens), special_texts_for(data.special_tokens)
    theirs = tried(data.reader, data.payload, texts, cancel_check, specials)
    encoding = LibraryEncoding.around(name, data.open())
    result = compare(encoding, texts, theirs, runs=True, special_texts=specials)
    return OpenedTokenizer(encoding, kind, data.normalization, (*data.notes, *result.notes), result)


def _compared(
    found: Found, data: TokenizerData, encoding: Encoding, cancel_check: CancelCheck | None
) -> OpenedTokenizer:
    texts = texts_for(list(data.ranks))
    with contextlib.suppress(EngineError):  # compare the encoder that will be used: our kernels, if compiled
        encoding.use_kernels(compiled_only=True)
    for_library = None if found.for_library is None else found.for_library()
    specials = special_texts_for(data.special_tokens)
    if for_library is not None:
        theirs = tried("tokenizers", for_library.payload, texts, cancel_check, specials)
    elif data.byte_fallback:  # not supported by tiktoken
        theirs = tried("tokenizers", _for_hugging_face(data), texts, cancel_check, specials)
    else:
        specials = ()  # they are not in the ranks, and tiktoken would reject the longest
        preparation = preparation_with(data.normalization)  # tiktoken does not normalize texts
        theirs = tried("tiktoken", for_tiktoken(data), [preparation(text) for text in texts], cancel_check)
    try:
        result = compare(encoding, texts, theirs, runs=False, special_texts=specials)
    except OtherIdsError as error:
        if for_library is None:
            raise
        note = f"{error}. So that library runs it, and not our own engine."
        library_data = replace(data_of_payload("tokenizers", for_library.payload), notes=(*for_library.notes, note))
        return _by_library(encoding.name, found.kind, library_data, cancel_check)
    return OpenedTokenizer(encoding, found.kind, data.normalization, (*data.notes, *result.notes), result)


def _for_hugging_face(data: TokenizerData) -> bytes:
    try:
        return huggingface.write(data)[0]
    except FormatError as error:
        raise FormatError(f"it cannot be tried: {error}") from error


def _name_of(path: Path) -> str:
    """Return the name of a file; for a usual name, which is not distinctive, that of its folder."""
    stem = path.name.split(".")[0] or path.stem
    usual = stem.lower() in ("tokenizer", "tekken")
    return path.absolute().parent.name or stem if usual else path.stem
