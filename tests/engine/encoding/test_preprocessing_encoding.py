"""Encodings that change a text before they encode it: what comes back, and where their tokens are in the text."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import EditedText, TextEdit
from engine.encoding.preprocessing_encoding import PreprocessingEncoding
from tests.engine.strategies import texts_with_surrogates

CORPUS = "The finance office of Ångström has a résumé. Ｆull ﬁnance, naïve ²! 한국어 한국 देवनागरी " * 4

SETTINGS = {
    "NFC": {"normalization": "NFC"},
    "NFKC": {"normalization": "NFKC", "alphabet": "characters"},
    "plain": {"normalization": "NFKD", "lowercase": True, "strip_accents": True},
    "marks": {"alphabet": "characters+</w>", "pattern": "whitespace"},
    "lower marks": {"alphabet": "characters+</w>", "lowercase": True},
    "signs": {"pattern": "sentencepiece"},
    "signs, characters": {"pattern": "sentencepiece", "alphabet": "characters", "normalization": "NFKC"},
    "no prefix": {"pattern": "sentencepiece", "alphabet": "characters", "dummy_prefix": False},
}
encodings = {
    name: engine.train(CORPUS, 420, name, special_tokens=("<|end|>", "<ﬁ>"), **settings)
    for name, settings in SETTINGS.items()
}
names = st.sampled_from(sorted(SETTINGS))


def sound(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@given(name=names, text=texts_with_surrogates())
def test_what_comes_back_is_the_prepared_text(name, text):
    encoding = encodings[name]
    assert isinstance(encoding, PreprocessingEncoding)
    ids = encoding.encode_ordinary(text)
    prepared = encoding.preparation(sound(text)).encode()
    assert encoding.decode_bytes(ids) == encoding.preparation.undone(prepared)
    assert b"".join(encoding.decode_tokens_bytes(ids)) == prepared
    assert encoding.decode_with_offsets(ids)[0] == encoding.decode(ids)
    assert encoding.count(text) == len(ids)
    assert encoding.token_ids(text).tolist() == ids


@given(name=names, text=texts_with_surrogates())
def test_tokens_end_in_the_text_as_it_is(name, text):
    encoding = encodings[name]
    ends = encoding.token_ends(text)
    assert len(ends) == encoding.count(text)
    places = [0]
    for character in sound(text):
        places.append(places[-1] + len(character.encode()))
    inside_characters = encoding.takes_as_is(sound(text)) and not encoding.byte_fallback
    assert inside_characters or set(ends.tolist()) <= set(places)
    assert ends.tolist() == sorted(ends.tolist())
    assert ends[-1:].tolist() == places[-1:][: len(ends)]


def test_special_tokens_are_found_in_the_text_as_it_is():
    encoding = encodings["NFKC"]
    ids = encoding.encode("ﬁ<ﬁ>ﬁ＜|end|＞", allowed_special="all")
    assert encoding.decode(ids) == "fi<ﬁ>fi<|end|>"
    assert [one for one in ids if encoding.is_special_token(one)] == [encoding.encode_single_token("<ﬁ>")]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("NFKC", "ﬁn ² x", ["ﬁ", "n", " ", "²", " ", "x"]),
        ("marks", "  The  office ", ["  The  ", "office "]),
    ],
)
def test_tokens_are_shown_where_they_are(name, text, expected):
    edited = EditedText(encodings[name])
    ends = edited.reset(text).utf16_ends.tolist()
    pieces = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert "".join(pieces) == text
    joined = [piece for piece in pieces if piece]
    for piece in expected:
        assert any(one.startswith(piece) or piece.startswith(one) for one in joined)


@given(
    name=names,
    text=texts_with_surrogates(12),
    inserted=texts_with_surrogates(4),
    data=st.data(),
    special=st.booleans(),
)
def test_an_edited_text_has_the_tokens_of_the_whole(name, text, inserted, data, special):
    encoding = encodings[name]
    edited = EditedText(encoding, special_as_tokens=special)
    edited.reset(text)
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    start = data.draw(st.integers(0, units))
    removed = data.draw(st.integers(0, units - start))
    edited.apply([TextEdit(start, removed, inserted)])
    whole = edited.whole()
    assert whole.ids.tolist() == encoding.token_ids(edited.text(), special_as_tokens=special).tolist()
    ends = whole.utf16_ends.tolist()
    assert ends == sorted(ends)
    total = len(edited.text().encode("utf-16-le", "surrogatepass")) // 2
    assert ends[-1:] == [total][: len(ends)]


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_a_pickled_one_prepares_as_well(name):
    again = pickle.loads(pickle.dumps(encodings[name]))
    text = "Ｆull Résumé ﬁnance"
    assert again.encode(text) == encodings[name].encode(text)
    assert again.preparation == encodings[name].preparation


def test_nothing_to_do_is_an_ordinary_encoding():
    assert type(engine.train(CORPUS, 300)) is engine.Encoding
