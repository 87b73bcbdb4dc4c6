"""An encoding gives the same with our own kernels as with tiktoken's encoder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.encoding.encoding import Encoding
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from tests.thoroughness import examples, mostly_deep

NAMES = engine.list_encoding_names() if COMPILED else ["gpt2"]
"""Where nothing is compiled, filling the tables of the others would take minutes."""
TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(list("aAbB sS'ſKd 0129\t\r\n\u00a0\u3000\u0301你好あア한🚀<|>/,.!_-")),
        st.sampled_from(["\ud800", "\udc00", "<|endoftext|>", "'ll", "\r\n"]).map(lambda part: part[0]),
    ),
    max_size=60,
)


@pytest.fixture(scope="module")
def pairs() -> dict[str, tuple[Encoding, Encoding]]:
    """Each bundled encoding twice: by tiktoken's encoder, and by the kernels."""
    ours = Catalog(DATA_DIR)
    pairs = {name: (engine.get_encoding(name), ours.get(name)) for name in NAMES}
    for plain, native in pairs.values():
        assert native.use_kernels()
        assert native.uses_kernels
        assert not plain.uses_kernels
    return pairs


@pytest.mark.deep
@pytest.mark.parametrize("name", mostly_deep(NAMES))
@examples(300)
@given(text=TEXTS)
def test_they_agree(pairs, name, text):
    plain, native = pairs[name]
    ids = plain.encode_ordinary(text)
    assert native.encode_ordinary(text) == ids
    assert native.token_ids(text).tolist() == ids
    assert native.count(text) == len(ids)
    assert native.token_ends(text).tolist() == plain.token_ends(text).tolist()
    assert native.encode(text, allowed_special="all") == plain.encode(text, allowed_special="all")
    assert (
        native.token_ids(text, special_as_tokens=True).tolist()
        == plain.token_ids(text, special_as_tokens=True).tolist()
    )


@pytest.mark.parametrize("name", NAMES)
def test_special_tokens_stand_between_texts(pairs, name):
    plain, native = pairs[name]
    for special in sorted(plain.special_tokens_set)[:5]:
        text = f"before {special} and{special}{special}after"
        assert native.encode(text, allowed_special="all") == plain.encode(text, allowed_special="all")
        with pytest.raises(ValueError, match="special token"):
            native.encode(text)
        alone = {special}
        assert native.encode_to_numpy(text, allowed_special=alone, disallowed_special=()).tolist() == plain.encode(
            text, allowed_special=alone, disallowed_special=()
        )


@pytest.mark.parametrize("unit", ["a", " ", "\n", "好", "🚀", "0", "!", "aB", "\u0301"])
def test_long_runs_are_the_same(pairs, unit):
    plain, native = pairs["o200k_base" if COMPILED else "gpt2"]
    text = unit * (60_000 if COMPILED else 2_000)
    assert native.encode_ordinary(text) == plain.encode_ordinary(text)
    assert native.count(text) == plain.count(text)


def test_a_text_without_any_cut_is_counted(pairs):
    _, native = pairs["cl100k_base" if COMPILED else "gpt2"]
    text = "\n" * (200_000 if COMPILED else 50_000)
    assert native.count(text) == len(native.encode_ordinary(text))


def test_decoding_works_without_the_other_encoder(pairs):
    _, native = pairs["gpt2"]
    assert native.decode(native.encode_ordinary("there and back")) == "there and back"


BYTES = {bytes([value]): value for value in range(256)}


def test_an_encoding_with_a_pattern_of_its_own(tmp_path):
    own = Encoding("own", pat_str=r"\w+|\W+", mergeable_ranks=BYTES, special_tokens={})
    assert own.use_kernels(tmp_path)
    assert own.uses_kernels
    assert own.encode_ordinary("ab, c") == [97, 98, 44, 32, 99]


def test_an_encoding_whose_pattern_nothing_here_can_read_keeps_its_encoder(tmp_path):
    own = Encoding("own", pat_str=r"(\w)\1|.", mergeable_ranks=BYTES, special_tokens={})
    assert not own.use_kernels(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.encoding.encoder.open_encoder", None)  # it is not looked at again
        assert not own.use_kernels(tmp_path)
    assert own.encode_ordinary("aab") == [97, 97, 98]
