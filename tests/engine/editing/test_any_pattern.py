"""Encodings with split patterns of somebody's own: with both encoders, and while a text is edited."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import engine
from engine import EditedText, Encoding, TextEdit
from engine.editing import readers, token_blocks
from engine.errors import EngineError
from engine.runtime.tiktoken_core import byte_core
from engine.split import pretokenization
from engine.split.expression import UnsupportedPatternError
from engine.split.patterns import KNOWN_EXPRESSIONS
from engine.split.pretokenization import InvalidPatternError, Pretokenizer, pretokenizer
from engine.split.special_text import split_at_specials
from tests.engine.random_patterns import random_pattern, random_text
from tests.thoroughness import as_deep, mostly_deep

SEED = 11


def telling_ranks() -> dict[bytes, int]:
    """Ranks by which nearly every difference in cutting shows: whatever two characters stand together are a token."""
    ranks = {bytes([value]): value for value in range(256)}
    letters = "abcS ,1\nés字😀\ufffd"
    for letter in letters:
        for end in range(2, len(letter.encode()) + 1):
            ranks.setdefault(letter.encode()[:end], len(ranks))
    for left, right in itertools.product(letters, repeat=2):
        ranks.setdefault((left + right).encode(), len(ranks))
    return ranks


RANKS = telling_ranks()
SPECIAL = {"<s>": 1000, "ab a": 1001}


def own(expression: str, special: dict[str, int] | None = None) -> Encoding:
    return Encoding("own", pat_str=expression, mergeable_ranks=RANKS, special_tokens=special or {})


def with_kernels(encoding: Encoding, folder) -> Encoding:
    assert encoding.use_kernels(folder)
    return encoding


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


def patterns(count: int):
    """Random patterns that are valid, with the number each was made from."""
    for number in range(count):
        expression = random_pattern(random.Random(f"{SEED} {number}"))
        try:
            pretokenizer(expression)
        except (InvalidPatternError, UnsupportedPatternError):
            continue
        yield number, expression


def sound(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Expected:
    """What the whole text gives when it is cut at once, and each pretoken is encoded by tiktoken."""

    def __init__(self, encoding: Encoding, text: str, allowed: set[str]) -> None:
        known = pretokenizer(encoding.pattern)
        self.ids: list[int] = []
        self.byte_ends: list[int] = []
        self.chars: list[str] = []  # the text up to the end of each token, in whole characters
        done = ""
        for segment, special in split_at_specials(sound(text), allowed):
            for start, end in known.char_spans(segment).tolist():
                content = segment[start:end].encode()
                for token in encoding._core_bpe.encode_single_piece(content):
                    self.ids.append(token)
                at = len((done + segment[:start]).encode())
                for size in map(len, map(encoding.decode_single_token_bytes, self.ids[len(self.byte_ends) :])):
                    at += size
                    self.byte_ends.append(at)
            done += segment + special
            if special:
                self.ids.append(encoding._special_tokens[special])
                self.byte_ends.append(len(done.encode()))
        content = done.encode()
        for end in self.byte_ends:
            while end < len(content) and 0x80 <= content[end] < 0xC0:
                end += 1
            self.chars.append(content[:end].decode())

    @property
    def utf16_ends(self) -> list[int]:
        return [len(start.encode("utf-16-le")) // 2 for start in self.chars]


def check_encoding(encoding: Encoding, text: str) -> None:
    for special_as_tokens in (False, True):
        allowed = encoding.special_tokens_set if special_as_tokens else set()
        expected = Expected(encoding, text, allowed)
        assert encoding.token_ids(text, special_as_tokens=special_as_tokens).tolist() == expected.ids
        assert encoding.encode(text, allowed_special=allowed, disallowed_special=()) == expected.ids
    expected = Expected(encoding, text, set())
    assert encoding.count(text) == encoding.count(sound(text).encode()) == len(expected.ids)
    assert encoding.token_ends(text).tolist() == expected.byte_ends
    assert encoding.encode_ordinary(text) == expected.ids


@pytest.fixture(params=[as_deep(1), 7, as_deep(65_536)])
def chunks(request, monkeypatch):
    """How much of a text is cut at a time."""
    monkeypatch.setattr(pretokenization, "CHUNK_CHARS", request.param)


@pytest.mark.deep
def test_kernels_encode_with_any_pattern(folder, chunks):
    rng = random.Random(SEED)
    for _, expression in patterns(50):
        encoding = with_kernels(own(expression, SPECIAL), folder)
        for _ in range(3):
            check_encoding(encoding, random_text(rng) + rng.choice(("", "<s>ab a", "\ud800")))


@pytest.mark.parametrize(
    "expression", mostly_deep([r"\w+|\W", r"\S+|\s+", r"[^\r\n]+|[\r\n]+", r"(?s:.+)", r"\p{L}+|\d", r"(?m)^.+$"], 2)
)
def test_both_encoders_give_what_tiktoken_gives(expression, folder):
    rng = random.Random(SEED)
    by_tiktoken, by_kernels = own(expression, SPECIAL), with_kernels(own(expression, SPECIAL), folder)
    for _ in range(30):
        text = random_text(rng) + rng.choice(("", "<s>", "\udc00"))
        check_encoding(by_tiktoken, text)
        check_encoding(by_kernels, text)
        assert by_kernels.encode_ordinary(text) == by_tiktoken.encode_ordinary(text)


@pytest.mark.parametrize("expression", [r"(\w)\1|.", r"a\Kb|."])
def test_what_cannot_be_read_keeps_its_encoder(expression, folder):
    encoding = own(expression)
    assert not encoding.use_kernels(folder)
    assert encoding.encode_ordinary("aab") == encoding.encode("aab")


def test_a_hostile_pattern_ends_in_a_sentence(folder, monkeypatch):
    for module in (pretokenization, pretokenization, readers):
        monkeypatch.setattr(module, "SECONDS", 0.02)
    encoding = with_kernels(own(r"(?:a+a+)+b|(?s:.)"), folder)
    hostile = "a" * 5_000
    for call in (encoding.count, encoding.encode, encoding.encode_ordinary, encoding.token_ids, encoding.token_ends):
        with pytest.raises(EngineError, match="took more than"):
            call(hostile)
    edited = EditedText(encoding)
    edited.reset("c" * 40)
    with pytest.raises(EngineError, match="took more than"):
        edited.apply([TextEdit(20, 0, hostile)])
    assert edited.text() == "c" * 40
    assert edited.whole().ids.tolist() == encoding.encode("c" * 40)


def test_a_stretch_is_given_no_more_time_than_the_text_has_left(monkeypatch):
    known = Pretokenizer(r"a|(?s:.)")
    monkeypatch.setattr(pretokenization, "SECONDS", -1.0)
    with pytest.raises(EngineError, match="took more than"):
        list(pretokenization.pretoken_chunks(known, "aaa"))


# While a text is edited


@pytest.fixture(params=["small", as_deep("real")])
def sizes(request, monkeypatch):
    """The sizes of what is looked at, and kept, together: small ones, so that short texts meet every seam."""
    if request.param == "small":
        monkeypatch.setattr(readers, "_FIRST_UNITS", 1)
        monkeypatch.setattr(pretokenization, "CHUNK_CHARS", 5)
        monkeypatch.setattr(token_blocks, "BLOCK_UNITS", 3)
        monkeypatch.setattr(token_blocks, "_MAX_UNITS", 6)
        monkeypatch.setattr(token_blocks, "_MIN_SPARE", 0)


def random_edit(rng: random.Random, length: int) -> TextEdit:
    start = rng.randint(0, length)
    removed = min(length - start, rng.choice((0, 0, 1, 1, 2, 6)))
    inserted = rng.choice(("", "a", "b", " ", "\n", ",", "字", "😀", "\ud83d", "\ude00", "ab", "a b", "<s", ">", "1S"))
    return TextEdit(start, removed, inserted)


def apply_plainly(text: str, edit: TextEdit) -> str:
    units = bytearray(text.encode("utf-16-le", "surrogatepass"))
    units[2 * edit.utf16_start : 2 * (edit.utf16_start + edit.utf16_removed)] = edit.inserted.encode(
        "utf-16-le", "surrogatepass"
    )
    return bytes(units).decode("utf-16-le", "surrogatepass")


def check_edited(edited: EditedText, text: str) -> None:
    encoding = edited.encoding
    allowed = encoding.special_tokens_set
    expected = Expected(encoding, text, allowed if edited.special_as_tokens else set())
    plain, special = Expected(encoding, text, set()), Expected(encoding, text, allowed)
    whole = edited.whole()
    assert edited.text() == text
    assert whole.ids.tolist() == expected.ids
    assert whole.utf16_ends.tolist() == expected.utf16_ends
    assert (edited.token_count, edited.token_count_plain, edited.token_count_special) == (
        len(expected.ids),
        len(plain.ids),
        len(special.ids),
    )
    assert edited.statistics == engine.TextStatistics(
        characters=len(sound(text)),
        utf16_units=len(text.encode("utf-16-le", "surrogatepass")) // 2,
        utf8_bytes=len(sound(text).encode()),
        words=len(sound(text).split()),
        lines=text.count("\n") + 1 if text else 0,
    )
    others = {"gpt2": engine.get_encoding("gpt2"), "words": own_words}
    for name, count in edited.counts().items():
        assert count in (None, len(others[name].encode_ordinary(text)))


own_words = Encoding("words", pat_str=r"\S+|\s+", mergeable_ranks=RANKS, special_tokens={})


def follow_edits(edited: EditedText, text: str, rng: random.Random, count: int) -> None:
    """Make random edits, and compare everything after each."""
    edited.reset(text)
    check_edited(edited, text)
    for _ in range(count):
        before = edited.whole()
        edits = []
        for _ in range(rng.choice((1, 1, 2))):
            edits.append(random_edit(rng, len(text.encode("utf-16-le", "surrogatepass")) // 2))
            text = apply_plainly(text, edits[-1])
        patch = edited.apply(edits)
        check_edited(edited, text)
        after = edited.whole()
        kept = before.utf16_ends <= patch.utf16_start
        moved = before.utf16_ends > patch.utf16_old_end
        ids = np.concatenate([before.ids[kept], patch.ids, before.ids[moved]])
        assert ids.tolist() == after.ids.tolist()
        if rng.random() < 0.5:
            assert edited.catch_up(60)
    assert edited.catch_up(60)
    check_edited(edited, text)
    assert None not in edited.counts().values()


@pytest.mark.deep
@pytest.mark.parametrize("encoder", mostly_deep(["tiktoken", "kernels"], 1))
def test_edits_with_random_patterns(encoder, sizes, folder):
    for number, expression in patterns(80):
        rng = random.Random(f"{SEED} {number} edits")
        encoding = own(expression, SPECIAL)
        if encoder == "kernels":
            with_kernels(encoding, folder)
        edited = EditedText(encoding, special_as_tokens=rng.random() < 0.5)
        edited.watch([engine.get_encoding("gpt2"), own_words])
        follow_edits(edited, random_text(rng, 60), rng, 5)


@pytest.mark.parametrize(
    "expression", mostly_deep([*sorted(KNOWN_EXPRESSIONS), r"\S+|\s+", r"[^\r\n]+|[\r\n]+", r"(?s:.+)"], 2)
)
def test_edits_with_published_patterns_read_as_any_other(expression, sizes, monkeypatch):
    monkeypatch.setattr(Encoding, "has_safe_boundaries", False)
    rng = random.Random(SEED)
    for special in (False, True):
        for _ in range(4):
            follow_edits(EditedText(own(expression, SPECIAL), special_as_tokens=special), random_text(rng, 80), rng, 5)


@pytest.mark.deep
@pytest.mark.parametrize(
    "expression",
    mostly_deep(
        [
            r"(?<=a)bc|(?s:.)",
            r"(?<=a..)bc|(?s:.)",
            r"\bab?|(?s:.)",
            r"(?m)^ab?|(?s:.)",
            r"(?<!ab)c|b+|(?s:.)",
            r"\A.+?\n|[ab]+|(?s:.)",
            r"ab\Z|.",
        ],
        2,
    ),
)
def test_edits_with_patterns_that_look_back(expression, sizes):
    rng = random.Random(SEED)
    for _ in range(25):
        text = "".join(rng.choices("abc\n ", k=rng.randrange(30)))
        follow_edits(EditedText(own(expression)), text, rng, 6)


@pytest.mark.deep
@pytest.mark.parametrize(
    "expression",
    mostly_deep(["😀+", "(?:😀|a)+", "[😀b]+", r"😀|[ab]", r"(?<=😀)a|(?s:.)", r"\uFFFD|[ab]|(?s:.)", r"\w+|\W"], 2),
)
def test_edits_between_the_halves_of_surrogate_pairs(expression, sizes):
    rng = random.Random(SEED)
    halves = ("a", "b", "😀", "\ud83d", "\ude00")
    for _ in range(25):
        text = "".join(rng.choices(halves, k=rng.randrange(12)))
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        edited = EditedText(own(expression))
        edited.reset(text)
        for _ in range(6):
            length = len(text.encode("utf-16-le", "surrogatepass")) // 2
            start = rng.randint(0, length)
            edit = TextEdit(start, min(length - start, rng.choice((0, 0, 1))), rng.choice(("", *halves)))
            edited.apply([edit])
            text = apply_plainly(text, edit)
            check_edited(edited, text)


def test_an_own_pattern_is_counted_beside_a_known_one():
    rng = random.Random(SEED)
    text = random_text(rng, 300)
    edited = EditedText(engine.get_encoding("gpt2"))
    edited.watch([own_words])
    edited.reset(text)
    for _ in range(20):
        edit = random_edit(rng, len(text.encode("utf-16-le", "surrogatepass")) // 2)
        edited.apply([edit])
        text = apply_plainly(text, edit)
        assert edited.catch_up(60)
        assert edited.counts() == {"words": len(own_words.encode_ordinary(text))}


def test_an_edit_reads_little(monkeypatch):
    encoding = own(r"\w+|\s+|[^\w\s]+")
    edited = EditedText(encoding)
    edited.reset("some words, and more of them. " * 3_000)
    read = []
    tokens_of = readers.PretokenReader._tokens_of
    monkeypatch.setattr(
        readers.PretokenReader,
        "_tokens_of",
        lambda self, stretch, start: (read.append(len(stretch.text)), tokens_of(self, stretch, start))[1],
    )
    patch = edited.apply([TextEdit(45_002, 0, "x")])
    assert sum(read) < 1_000
    assert len(patch.ids) < 50


def test_the_oracle_cuts_as_tiktoken_does():
    for expression in (r"\w+|\W", r"\p{L}+|\d"):
        text = "some words, 12 字"
        joined = "".join(Pretokenizer(expression).pretokens(text))
        assert bytes(byte_core(expression).encode_ordinary(text)).decode() == joined
