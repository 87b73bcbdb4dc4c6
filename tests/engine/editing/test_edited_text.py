"""EditedText against encoding the whole text anew, after any edits, for every encoding."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import EditedText, TextEdit
from engine.editing import edited_text, readers, token_blocks
from engine.kernels._jit import COMPILED
from engine.text import offsets as utf16_text
from tests.engine.strategies import NASTY, SURROGATES, texts, texts_with_surrogates
from tests.thoroughness import examples, mostly_deep

NAMES = engine.list_encoding_names()
ENCODERS = [(name, "tiktoken") for name in NAMES]
ENCODERS += [(name, "kernels") for name in NAMES if COMPILED or name == "gpt2"]  # tables of others would take minutes
SIZES = {
    "small": (3, 4, 0, 3, 0, 2, 4, 0),
    "medium": (50, 8, 20, 7, 5, 10, 30, 2),
    "real": (16_384, 128, 2_048, 65_536, 512, 16_384, 3 * 16_384, 64),
}


@pytest.fixture(params=SIZES)
def sizes(request):
    """The sizes at which texts are cut into pieces: small ones, so that short texts meet every seam."""
    piece, window, at_once, chunk, join, block, most, room = SIZES[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readers, "PIECE_UNITS", piece)
        patch.setattr(readers, "_FIRST_WINDOW", window)
        patch.setattr(edited_text, "_AT_ONCE_CHARS", at_once)
        patch.setattr(utf16_text, "_CHUNK_CHARS", chunk)
        patch.setattr(edited_text, "_JOIN_UNITS", join)
        patch.setattr(edited_text, "_TAKEN", block)
        patch.setattr(token_blocks, "BLOCK_UNITS", block)
        patch.setattr(token_blocks, "_MAX_UNITS", most)
        patch.setattr(token_blocks, "_MIN_SPARE", room)
        yield


def utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


class Twin:
    """The plain truth: a text as UTF-16, edited as bytes, encoded as a whole whenever something is asked."""

    def __init__(self, text: str) -> None:
        self.units = bytearray(utf16(text))

    def apply(self, edit: TextEdit) -> None:
        start, end = 2 * edit.utf16_start, 2 * (edit.utf16_start + edit.utf16_removed)
        self.units[start:end] = utf16(edit.inserted)

    @property
    def text(self) -> str:
        return bytes(self.units).decode("utf-16-le", "surrogatepass")

    @property
    def sound(self) -> str:
        return bytes(self.units).decode("utf-16-le", "replace")

    def utf16_ends(self, pieces: list[bytes]) -> list[int]:
        content = self.sound.encode()
        ends, position = [], 0
        for piece in pieces:
            position += len(piece)
            whole = position
            while whole < len(content) and 0x80 <= content[whole] < 0xC0:
                whole += 1
            ends.append(len(content[:whole].decode().encode("utf-16-le")) // 2)
        return ends


def check(edited: EditedText, twin: Twin, oracle: engine.Encoding | None = None) -> None:
    """Everything that EditedText knows is what the whole text gives: to tiktoken, unless there is another oracle."""
    encoding = oracle or engine.get_encoding(edited.encoding.name)
    text, sound = twin.text, twin.sound
    plain = encoding.encode_ordinary(text)
    special = encoding.encode(text, allowed_special="all")
    expected = special if edited.special_as_tokens else plain
    pieces = [encoding.decode_single_token_bytes(token) for token in expected]
    patch = edited.whole()
    assert edited.text() == text
    assert patch.ids.tolist() == expected
    if encoding.prepares:
        ends = encoding.utf16_ends(sound, patch.ids, special_as_tokens=edited.special_as_tokens)
        assert patch.utf16_ends.tolist() == ends.tolist()
    else:
        assert patch.utf16_ends.tolist() == twin.utf16_ends(pieces)
    assert patch.continues.tolist() == [0x80 <= piece[0] < 0xC0 for piece in pieces]
    assert (patch.utf16_start, patch.utf16_old_end, patch.utf16_new_end) == (
        0,
        len(twin.units) // 2,
        len(twin.units) // 2,
    )
    assert (edited.token_count, edited.token_count_plain, edited.token_count_special) == (
        len(expected),
        len(plain),
        len(special),
    )
    assert (edited.special_occurrences > 0) == any(token in text for token in encoding.special_tokens_set)
    assert edited.statistics == engine.TextStatistics(
        characters=len(sound),
        utf16_units=len(twin.units) // 2,
        utf8_bytes=len(sound.encode()),
        words=len(sound.split()),
        lines=sound.count("\n") + 1 if sound else 0,
    )
    for name, count in edited.counts().items():
        assert count in (None, len(engine.get_encoding(name).encode_ordinary(text)))


def patched(old: engine.TokenPatch, patch: engine.TokenPatch) -> tuple[list[int], list[int]]:
    """What a follower has that had all tokens and takes the patch."""
    left = old.utf16_ends <= patch.utf16_start
    right = old.utf16_ends > patch.utf16_old_end
    moved = old.utf16_ends[right] + (patch.utf16_new_end - patch.utf16_old_end)
    ids = np.concatenate([old.ids[left], patch.ids, old.ids[right]])
    return ids.tolist(), np.concatenate([old.utf16_ends[left], patch.utf16_ends, moved]).tolist()


def random_edits(rng: random.Random, length: int) -> list[TextEdit]:
    edits = []
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        start = rng.randint(0, length)
        removed = min(length - start, rng.choice([0, 0, 1, 2, 9, length]))
        pool = (*NASTY, *SURROGATES)
        text = "".join(rng.choice(pool) for _ in range(rng.choice([0, 1, 1, 3])))
        edits.append(TextEdit(start, removed, text))
        length += len(utf16(text)) // 2 - removed
    return edits


@pytest.fixture(params=mostly_deep(map(pytest.param, ENCODERS), 4), ids=" ".join)
def encoding(request, with_kernels):
    """Each bundled encoding, with each of the two encoders."""
    name, encoder = request.param
    return with_kernels(name) if encoder == "kernels" else engine.get_encoding(name)


@pytest.mark.hypothesis
def test_edits_of_any_kind(encoding, sizes):
    others = [engine.get_encoding(name) for name in NAMES if name != encoding.name][:3]

    @examples(15)
    @given(text=texts_with_surrogates(60), special=st.booleans(), rng=st.randoms(use_true_random=False))
    def run(text, special, rng):
        edited, twin = EditedText(encoding, special_as_tokens=special), Twin(text)
        edited.watch([encoding, *others])
        edited.reset(text)
        check(edited, twin)
        for _ in range(6):
            before = edited.whole()
            edits = random_edits(rng, len(twin.units) // 2)
            patch = edited.apply(edits)
            for edit in edits:
                twin.apply(edit)
            check(edited, twin)
            after = edited.whole()
            assert patched(before, patch) == (after.ids.tolist(), after.utf16_ends.tolist())
            if rng.random() < 0.5:
                edited.catch_up(0)
        assert edited.catch_up(60)
        assert None not in edited.counts().values()
        check(edited, twin)

    run()


@examples(60)
@given(
    text=texts_with_surrogates(60),
    steps=st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()), max_size=4),
    edit=texts(),
)
def test_changing_the_encoding(text, steps, edit):
    edited, twin = EditedText(engine.get_encoding("gpt2")), Twin(text)
    edited.reset(text)
    edited.watch([engine.get_encoding(name) for name in ("gpt2", "r50k_base", "cl100k_base")])
    for name, special in steps:
        edited.use(engine.get_encoding(name), special)
        check(edited, twin)
        change = TextEdit(len(twin.units) // 4, 0, edit)
        edited.apply([change])
        twin.apply(change)
        check(edited, twin)
    assert edited.catch_up(60)
    check(edited, twin)
    assert None not in edited.counts().values()


def test_a_count_once_known_stays_known_when_another_encoding_is_used():
    edited = EditedText(engine.get_encoding("cl100k_base"))
    edited.reset("some words, and more of them")
    edited.watch([engine.get_encoding("cl100k_base"), engine.get_encoding("gpt2"), engine.get_encoding("r50k_base")])
    assert edited.counts() == {"cl100k_base": 7, "gpt2": None, "r50k_base": None}
    edited.use(engine.get_encoding("gpt2"), False)
    assert edited.counts() == {"cl100k_base": 7, "gpt2": 7, "r50k_base": 7}


def test_another_text_is_counted_anew():
    edited = EditedText(engine.get_encoding("gpt2"))
    edited.watch([engine.get_encoding("cl100k_base")])
    edited.reset("some words")
    assert edited.catch_up(60)
    for text in ("more words", "and then many more words", ""):
        edited.reset(text)
        assert edited.counts() == {"cl100k_base": None if text else 0}
        assert edited.catch_up(60)
        check(edited, Twin(text))


def test_watching_others_keeps_the_counts_of_those_that_stay():
    edited = EditedText(engine.get_encoding("gpt2"))
    edited.reset("some words, and more of them")
    edited.watch([engine.get_encoding("cl100k_base"), engine.get_encoding("qwen")])
    assert edited.catch_up(60)
    edited.watch([engine.get_encoding("tekken"), engine.get_encoding("qwen")])
    assert edited.counts() == {"tekken": None, "qwen": 7}
    edited.watch([])
    assert edited.counts() == {}
    assert edited.catch_up(0)


BOTH = pytest.mark.parametrize("encoding", [("gpt2", "tiktoken"), ("gpt2", "kernels")], ids=" ".join, indirect=True)
"""A test with both encoders."""


@BOTH
@pytest.mark.parametrize("special", [False, True])
def test_a_special_token_typed_letter_by_letter_and_deleted(encoding, special):
    start = "Some words before it. " * 20
    edited, twin = EditedText(encoding, special_as_tokens=special), Twin(start * 2)
    edited.reset(start * 2)
    for offset, letter in enumerate("<|endoftext|>"):
        edit = TextEdit(len(start) + offset, 0, letter)
        edited.apply([edit])
        twin.apply(edit)
        check(edited, twin)
    assert edited.special_occurrences == 1
    assert edited.token_count_plain > edited.token_count_special
    for offset in reversed(range(13)):
        edit = TextEdit(len(start) + offset, 1, "")
        edited.apply([edit])
        twin.apply(edit)
        check(edited, twin)
        assert edited.special_occurrences == 0


@BOTH
def test_the_halves_of_a_surrogate_pair_arrive_apart(encoding):
    edited, twin = EditedText(encoding), Twin("a b")
    edited.reset("a b")
    for edit in (TextEdit(1, 0, "\ude00"), TextEdit(1, 0, "\ud83d"), TextEdit(2, 1, "\ude01"), TextEdit(1, 1, "")):
        edited.apply([edit])
        twin.apply(edit)
        check(edited, twin)


@BOTH
def test_far_edits_make_one_patch_over_all_of_them(encoding):
    text = "The quick brown fox jumps over the lazy dog. " * 400
    edited, twin = EditedText(encoding), Twin(text)
    edited.reset(text)
    before = edited.whole()
    edits = [TextEdit(15_000, 3, "xyz xyz"), TextEdit(10, 0, "X"), TextEdit(7_000, 2_000, ""), TextEdit(9, 4, "")]
    patch = edited.apply(edits)
    for edit in edits:
        twin.apply(edit)
    check(edited, twin)
    after = edited.whole()
    assert patched(before, patch) == (after.ids.tolist(), after.utf16_ends.tolist())


def test_one_keystroke_touches_little(monkeypatch):
    text = "The quick brown fox jumps over the lazy dog. " * 20_000
    encoding = engine.get_encoding("o200k_base")
    edited = EditedText(encoding)
    edited.reset(text)
    encoded = []
    token_ids = encoding.token_ids
    monkeypatch.setattr(
        encoding, "token_ids", lambda text, **how: (encoded.append(len(text)), token_ids(text, **how))[1]
    )
    patch = edited.apply([TextEdit(450_002, 0, "x")])
    assert sum(encoded) < 200
    assert len(patch.ids) < 50


@pytest.mark.deep
@BOTH
def test_a_text_without_cuts(encoding):
    text = "ab" * (30_000 if COMPILED else 3_000)
    edited, twin = EditedText(encoding), Twin(text)
    edited.watch([engine.get_encoding("cl100k_base")])
    edited.reset(text)
    half = len(text) // 2
    for edit in (TextEdit(half, 0, "x"), TextEdit(half // 2, 0, " "), TextEdit(half // 3, half, "y")):
        edited.apply([edit])
        twin.apply(edit)
        edited.catch_up(0)
        check(edited, twin)
    assert edited.catch_up(60)
    check(edited, twin)


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="a window of kernels is long")
def test_windows_as_long_as_kernels_take_and_longer(with_kernels):
    encoding = with_kernels("cl100k_base")
    for length in (8_000, 8_191, 8_192, 8_193, 10_000, 20_000):
        text = f"before {'ab' * (length // 2)} behind"
        edited, twin = EditedText(encoding), Twin(text)
        edited.reset(text)
        for place in (7, 8, len(text) // 2, len(text) - 8, len(text) - 7):
            for edit in (TextEdit(place, 0, "x"), TextEdit(place, 3, ""), TextEdit(place, 0, "c" * 1_100)):
                edited.apply([edit])
                twin.apply(edit)
                check(edited, twin)


def test_kernels_make_the_edits_of_a_text_of_many_blocks(with_kernels, monkeypatch):
    monkeypatch.setattr(token_blocks, "BLOCK_UNITS", 100)
    monkeypatch.setattr(token_blocks, "_MAX_UNITS", 300)
    monkeypatch.setattr(token_blocks, "_MIN_SPARE", 1)
    monkeypatch.setattr(readers, "PIECE_UNITS", 100)
    monkeypatch.setattr(EditedText, "_apply_at_once", None)  # every edit is one for kernels
    rng = random.Random(4)
    words = ["word", " the", "\n", "don't", " 1234", "é", " 你好", "。", "😀", "  ", "\r\n", ", ", " x"]
    text = "".join(rng.choices(words, k=300))
    edited, twin = EditedText(with_kernels("gpt2")), Twin(text)
    edited.reset(text)
    for _ in range(300):
        length = len(twin.units) // 2
        start = rng.randrange(length)
        edit = TextEdit(start, rng.choice([0, 1]) if start + 1 < length else 0, rng.choice(["", "a", " ", "好", "9"]))
        edited.apply([edit])
        twin.apply(edit)
        if rng.random() < 0.2:
            check(edited, twin)
    check(edited, twin)


def test_an_encoding_whose_cuts_are_not_known():
    base = engine.get_encoding("r50k_base")
    mine = engine.Encoding(
        "mine", pat_str=r"\S+|\s+", mergeable_ranks=base._mergeable_ranks, special_tokens={"a b": 60_000}
    )
    assert not mine.has_safe_boundaries
    edited, twin = EditedText(mine, special_as_tokens=True), Twin("one two a b three")
    edited.watch([base])
    edited.reset(twin.text)
    for edit in (TextEdit(9, 0, "x"), TextEdit(9, 1, ""), TextEdit(0, 4, "")):
        edited.apply([edit])
        twin.apply(edit)
        check(edited, twin, mine)
    assert edited.catch_up(60)
    check(edited, twin, mine)


@pytest.mark.parametrize("edit", [TextEdit(-1, 0, "a"), TextEdit(4, 0, "a"), TextEdit(2, 2, ""), TextEdit(0, -1, "")])
def test_an_edit_outside_the_text_is_refused_and_changes_nothing(edit):
    edited, twin = EditedText(engine.get_encoding("gpt2")), Twin("abc")
    edited.reset("abc")
    with pytest.raises(ValueError, match="outside"):
        edited.apply([TextEdit(0, 0, ""), edit])
    check(edited, twin)


def test_no_edits():
    edited = EditedText(engine.get_encoding("gpt2"))
    edited.reset("abc")
    patch = edited.apply([])
    assert (patch.utf16_start, patch.utf16_old_end, patch.utf16_new_end, len(patch.ids)) == (0, 0, 0, 0)


def test_progress_rises_to_one_and_may_cancel():
    text = "The quick brown fox jumps over the lazy dog. " * 3_000
    edited, twin = EditedText(engine.get_encoding("gpt2")), Twin("before")
    edited.reset("before")
    steps: list[float] = []

    class Cancelled(Exception):
        pass

    def cancel(fraction: float) -> None:
        steps.append(fraction)
        if len(steps) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        edited.reset(text, cancel)
    check(edited, twin)
    steps.clear()
    edited.reset(text, steps.append)
    assert steps == sorted(steps)
    assert steps[-1] == 1.0
    assert len(steps) > 5
    steps.clear()
    with pytest.raises(Cancelled):
        edited.use(engine.get_encoding("cl100k_base"), False, cancel)
    check(edited, Twin(text))
    assert edited.encoding.name == "gpt2"


def test_patches_are_read_only():
    edited = EditedText(engine.get_encoding("gpt2"))
    for patch in (edited.reset("abc def"), edited.apply([TextEdit(1, 0, "x")]), edited.whole()):
        assert patch.ids.dtype == patch.utf16_ends.dtype == np.int32
        assert not any(array.flags.writeable for array in (patch.ids, patch.utf16_ends, patch.continues))


def test_text_between():
    edited = EditedText(engine.get_encoding("gpt2"))
    edited.reset("a😀b\ud800c")
    assert edited.text_between(1, 4) == "😀b"
    assert edited.text_between(2, 5) == "\ude00b\ud800"
    assert edited.text_between(3, 3) == ""


def test_another_encoding_is_taken_without_a_copy_of_the_text(monkeypatch):
    text = "one two 😀 three\n" * 3000
    edited = EditedText(engine.get_encoding("gpt2"))
    edited.reset(text)
    monkeypatch.setattr(EditedText, "text", lambda _self: pytest.fail("the whole text was put together"))
    patch = edited.use(engine.get_encoding("cl100k_base"), False)
    expected = EditedText(engine.get_encoding("cl100k_base")).reset(text)
    assert np.array_equal(patch.ids, expected.ids)
    assert np.array_equal(patch.utf16_ends, expected.utf16_ends)
    assert "".join(edited.texts()) == text
