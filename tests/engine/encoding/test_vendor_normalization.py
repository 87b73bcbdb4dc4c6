"""Qwen's vocabulary, whose own tokenizer composes texts (NFC) before it encodes them."""

from __future__ import annotations

import functools
import pickle
import unicodedata

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers

import engine
from engine import EditedText, TextEdit
from engine.analysis.comparison import compare
from engine.corpus.count_cache import count_key
from engine.kernels._jit import COMPILED
from engine.library import bundled_encodings
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.requests.counting import RequestCounter
from engine.requests.templates import TEMPLATES
from engine.requests.types import Message, Request
from tests.engine.strategies import texts

COMPOSED = "Le café résumé naïve Ångström: déjà vu, Müller, piñata. " * 20
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)

LETTERS = "aeo ,.\n한漢\u0301\u0323\u030a\u1df6\u0308\u1112\u1161\u11abé\u212b"
texts_to_compose = texts() | st.text(
    st.sampled_from("aeo ,.\n한漢\u0301\u0323\u030a\u1df6\u0308\u1112\u1161\u11abé\u212b")
)


@pytest.fixture(scope="module")
def qwen():
    return engine.get_encoding("qwen")


@pytest.fixture(scope="module")
def qwen_with_kernels():
    encoding = bundled_encodings.Catalog(bundled_encodings.DATA_DIR).get("qwen")
    assert encoding.use_kernels()
    return encoding


def test_a_decomposed_text_counts_as_the_composed_one(qwen):
    assert qwen.count(DECOMPOSED) == qwen.count(COMPOSED) == 421
    assert qwen.count(DECOMPOSED.encode()) == 421
    assert len(qwen.encode(DECOMPOSED)) == len(qwen.token_ids(DECOMPOSED)) == 421
    assert qwen.decode(qwen.encode(DECOMPOSED)) == COMPOSED
    assert engine.get_encoding("o200k_base").count(DECOMPOSED) > 421


@functools.cache
def plain_twin():
    """tiktoken with Qwen's ranks, which does nothing to a text first."""
    qwen = engine.get_encoding("qwen")
    ranks, special = qwen._mergeable_ranks, qwen._special_tokens
    return tiktoken.Encoding("twin", pat_str=qwen.pattern, mergeable_ranks=ranks, special_tokens=special)


@given(text=texts_to_compose)
def test_ids_are_those_of_the_normalized_text(text):
    qwen = engine.get_encoding("qwen")
    theirs = plain_twin().encode_ordinary(normalizers.NFC().normalize_str(text))
    assert qwen.encode_ordinary(text) == theirs
    assert qwen.count(text) == len(theirs)


def test_tokens_end_in_the_text_as_it_is(qwen):
    ends = qwen.token_ends(DECOMPOSED)
    assert ends[-1] == len(DECOMPOSED.encode())
    words = [DECOMPOSED.encode()[start:end].decode() for start, end in zip([0, *ends[:4]], ends[:5], strict=True)]
    assert [unicodedata.normalize("NFC", word) for word in words] == [
        qwen.decode([one]) for one in qwen.encode(COMPOSED)[:5]
    ]


def test_it_is_pickled_by_its_name(qwen):
    assert pickle.loads(pickle.dumps(qwen)) is qwen
    assert qwen.encodes_like(qwen)


@pytest.mark.deep
def test_a_saved_copy_composes_texts(qwen, tmp_path):
    save_encoding(qwen, tmp_path / "copy.json")
    opened = open_tokenizer(tmp_path / "copy.json")
    assert opened.normalization == ("NFC",)
    assert opened.encoding.count(DECOMPOSED) == 421


def test_a_request_and_a_comparison_count_the_composed_text(qwen):
    alone = Request((Message("user", DECOMPOSED),))
    counter = RequestCounter(TEMPLATES["qwen"], qwen)
    assert counter.tally(alone) == counter.tally(Request((Message("user", COMPOSED),)))
    comparison, columns = compare([qwen, engine.get_encoding("o200k_base")], DECOMPOSED)
    assert comparison.tokens[0] == 421
    assert columns[0].utf16_ends[-1] == len(DECOMPOSED)


def test_counts_of_before_are_not_taken_from_the_cache_of_folders():
    assert count_key("qwen") == "qwen/NFC"
    assert count_key("o200k_base") == "o200k_base"


def check_edits(encoding, start, edits):
    edited = EditedText(encoding)
    edited.reset(start)
    other = engine.get_encoding("o200k_base")
    watching = EditedText(other)
    watching.watch([encoding])
    watching.reset(start)
    text = start
    for place, removed, inserted in edits:
        place = min(place, len(text))
        removed = min(removed, len(text) - place)
        text = text[:place] + inserted + text[place + removed :]
        for one in (edited, watching):
            one.apply([TextEdit(place, removed, inserted)])
        whole = edited.whole()
        assert np.array_equal(whole.ids, encoding.token_ids(text))
        assert np.array_equal(whole.utf16_ends, encoding.utf16_ends(text, whole.ids, special_as_tokens=False))
        assert edited.token_count == encoding.count(text)
        assert watching.catch_up(10.0)
        assert watching.counts()[encoding.name] == encoding.count(text)


EDITS = [
    (3, 0, "\u0301"),
    (3, 1, ""),
    (40, 2, "u\u0308ber "),
    (10, 30, "plain words"),
    (14, 0, "e"),
    (15, 0, "\u0301\u0323"),
]


def test_edits_are_exact(qwen):
    check_edits(qwen, DECOMPOSED[:200], EDITS)
    check_edits(qwen, "plain words. " * 20, EDITS)


@pytest.mark.skipif(not COMPILED, reason="kernels as plain Python are too slow")
def test_edits_are_exact_with_kernels(qwen_with_kernels):
    check_edits(qwen_with_kernels, DECOMPOSED[:200], EDITS)
    check_edits(qwen_with_kernels, "plain words. " * 20, EDITS)


@pytest.mark.skipif(not COMPILED, reason="kernels as plain Python are too slow")
@pytest.mark.parametrize("with_kernels", [False, True])
def test_files_of_a_folder(with_kernels, qwen, qwen_with_kernels):
    from engine.corpus.folder_counts import _counts

    contents = [COMPOSED.encode(), DECOMPOSED.encode(), b"plain", b"\xff\xfe not UTF-8", b""]
    starts = np.cumsum([0, *(len(one) + 64 for one in contents[:-1])])
    spans = np.stack([starts, starts + [len(one) for one in contents]], axis=1).astype(np.int64)
    encoding = qwen_with_kernels if with_kernels else qwen
    counts = _counts(encoding, np.frombuffer(b"".join(one + bytes(64) for one in contents), np.uint8), spans)
    assert counts == [421, 421, 1, -1, 0]
