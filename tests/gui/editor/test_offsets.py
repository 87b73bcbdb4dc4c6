from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gui.editor import offsets
from gui.editor.offsets import char_to_utf16, document_text, stored_to_document, utf16_length, utf16_to_char

ANY = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("\r\n\u2029\u2028\ufdd0\ufdd1\ufeff\ufffe\ud83d\ude00😀 a"))
)


def units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(
    ("stored", "held"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("\r\r\n\n", "\n\n\n"),
        ("a\u2029b\u2028c", "a\nb\u2028c"),
        ("\ufdd0\ufdd1", "\ufffd\ufffd"),
        ("\ud83d", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ufeff\ufffe\u00a0\x00\ufffc", "\ufeff\ufffe\u00a0\x00\ufffc"),
    ],
)
def test_what_is_replaced_and_what_is_not(stored: str, held: str) -> None:
    assert document_text(stored) == held


def test_a_text_that_needs_no_change_is_not_copied() -> None:
    text = "plain é 😀\n" * 10
    assert document_text(text) is text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="a\r\n\u2029\ufdd0\ud83d\ude00😀é", max_size=40))
def test_a_long_text_is_held_as_its_pieces_are(monkeypatch: pytest.MonkeyPatch, stored: str) -> None:
    whole = document_text(stored)
    with monkeypatch.context() as patch:
        patch.setattr(offsets, "_LONG", 3)
        assert document_text(stored) == whole
        assert (document_text(stored) is stored) == (whole is stored)


@given(ANY)
def test_document_text_is_stable_and_can_be_encoded(stored: str) -> None:
    held = document_text(stored)
    assert document_text(held) == held
    held.encode("utf-8")
    assert not set("\r\u2029\ufdd0\ufdd1") & set(held)


@given(ANY)
def test_stored_offsets_land_where_the_prefix_ends(stored: str) -> None:
    """The prefix of a stored text becomes the prefix of the document text, whatever follows."""
    raw = units(stored)
    offsets = np.arange(len(raw) // 2 + 1, dtype=np.int32)
    moved = stored_to_document(offsets, stored)
    assert moved.dtype == np.int32
    for offset in offsets.tolist():
        prefix = raw[: 2 * offset].decode("utf-16-le", "surrogatepass")
        assert moved[offset] == utf16_length(document_text(prefix))


@given(ANY)
def test_utf16_length(text: str) -> None:
    assert utf16_length(text) == len(units(text)) // 2
    long = text + "é😀\ud83d" * 30_000
    assert utf16_length(long) == len(units(long)) // 2


@given(ANY)
def test_characters_and_units(text: str) -> None:
    text = document_text(text)
    chars = np.arange(len(text) + 1)
    utf16 = char_to_utf16(chars, text)
    assert utf16.tolist() == [utf16_length(text[:n]) for n in chars]
    assert utf16_to_char(utf16, text).tolist() == chars.tolist()


def test_the_middle_of_a_pair_is_before_its_character() -> None:
    assert utf16_to_char(np.array([0, 1, 2, 3, 4]), "a😀b").tolist() == [0, 1, 1, 2, 3]
