"""What normalisers do to texts, and that parts of a text can be normalised by themselves."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.text import normalization as module
from engine.text.normalization import FORMS, Change, Normalizer, UnknownNormalizationError, normalizer, normalizer_with
from tests.engine.strategies import texts, texts_with_surrogates

normalizers = st.builds(normalizer, st.sampled_from([None, *FORMS]), st.booleans(), st.booleans())


@pytest.mark.parametrize("form", FORMS)
@given(text=texts())
def test_forms_are_those_of_unicode(form, text):
    assert normalizer(form)(text) == unicodedata.normalize(form, text)


@given(normalizers, texts_with_surrogates(), st.characters(max_codepoint=127), texts_with_surrogates())
def test_a_text_may_be_cut_in_front_of_ascii(normalize, before, between, after):
    assert normalize(before + between + after) == normalize(before) + normalize(between + after)


@given(normalizers, texts_with_surrogates())
@example(normalizer("NFC", lowercase=True, strip_accents=True), "한국e\u0301\u0301 é\u0301a ΣΑΣ. É" * 3)
def test_a_long_text_is_done_in_parts(normalize, text):
    at_once = normalize(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PART_CHARACTERS", 3)
        parts = list(module._parts(text))
        assert normalize(text) == at_once
    assert "".join(parts) == text
    assert all(len(part) >= 3 for part in parts[:-1])
    assert all(part[0].isascii() for part in parts[1:])


@pytest.mark.parametrize(
    ("normalize", "text", "expected"),
    [
        (normalizer(None), "ﬁ É", "ﬁ É"),
        (normalizer("NFKC"), "ﬁ ² Ａ", "fi 2 A"),
        (normalizer(None, lowercase=True), "ΟΔΟΣ ΣΑΣ.Α İ", "οδοσ σασ.α i\u0307"),
        (normalizer("NFC", lowercase=True), "E\u0301", "é"),
        (normalizer_with(["strip accents"]), "e\u0301 é", "e é"),
        (normalizer(None, strip_accents=True), "résumé e\u0301 한국 ñ", "resume e 한국 n"),
        (normalizer("NFD", strip_accents=True), "é 한", "e " + unicodedata.normalize("NFD", "한")),
        (normalizer("NFKC", lowercase=True, strip_accents=True), "ﬁn É", "fin e"),
    ],
)
def test_examples(normalize, text, expected):
    assert normalize(text) == expected


def test_each_setting_that_loses_something_says_so():
    assert Normalizer().warnings == ()
    assert all(normalizer(form).warnings for form in FORMS)
    assert len(normalizer("NFKC", lowercase=True, strip_accents=True).warnings) == 3
    assert len(normalizer(None, strip_accents=True).warnings) == 1


def test_what_is_changed_is_listed_by_frequency():
    changes = normalizer("NFKC").changes("ﬁne ﬁsh e\u0301 ² plain")
    assert changes == [Change("ﬁ", "fi", 2), Change("e\u0301", "é", 1), Change("²", "2", 1)]
    assert normalizer("NFKC").changes("ﬁ ² ³", most=1) == [Change("²", "2", 1)]


def test_a_form_that_does_not_exist_is_refused():
    with pytest.raises(UnknownNormalizationError, match="NFC, NFD, NFKC, NFKD"):
        normalizer("NFX")
    with pytest.raises(UnknownNormalizationError, match="step 'uppercase'"):
        normalizer_with(["NFC", "uppercase"])
