"""Gemma's pieces: by tiktoken's encoder and by our own, and as splintr and Google's tokenizer have them."""

from __future__ import annotations

import pickle
import random

import pytest

import engine
from engine import EditedText, TextEdit
from engine.analysis.merge_steps import cut_text, merge_spans, trace_of
from engine.errors import FormatError
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from engine.library.formats.opening import save_encoding
from engine.split.patterns import HTML_TAGS
from engine.vocabulary.piece_order import NEVER_MERGED
from tests.engine import oracles
from tests.engine.kernels.odd_texts import odd_text
from tests.thoroughness import scaled

pytestmark = pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")

KNOWN = {
    "": [],
    "Hello wörld  > </div>\n\n\x00x\u0378": [
        9259,
        515,
        4010,
        671,
        138,
        107068,
        1928,
        236813,
        108,
        238,
        236781,
        443,
        422,
    ],
    "<table>": [236820, 5127, 236813],  # a tag has an id of its own, which text never becomes
    "a▁ b": [236746, 138, 236763],
    " " * 33 + "x": [167, 138, 236781],
    " " * 32 + "x": [167, 1123],
    "\t" * 33: [255998, 255969],
    " \n": [236743, 107],
    "漢字  字": [201637, 138, 237871],
}
KNOWN_WITH_TAGS = {
    "a <table>": [236746, 236743, 168],
    "  <td>x</td>": [138, 175, 236781, 183],
    "x> </td>": [236781, 236813, 236743, 183],
    "x> </foo": [236781, 107068, 26537],
    "<td> </foo>": [175, 1454, 26537, 236813],
    "<TABLE>": [236820, 28198, 236813],
    "<table class='x'>": [236820, 5127, 1012, 2507, 236781, 9946],
    "<b><i>x</i></b>": [200, 201, 236781, 210, 209],
    "<<b>>": [236820, 200, 236813],
    "</ td>": [954, 45889, 236813],
    "<h1>\n\n</h1>": [184, 108, 191],
    "<blockquote></blockquote": [190, 954, 37548],
    " " * 33 + "<b>": [167, 138, 200],
}
"""Of Gemma 3, by Hugging Face's library from its tokenizer.json."""
WORST = (
    "a" * 3000,
    " " * 3000,
    "\n" * 3000,
    "\t" * 3000,
    "漢" * 3000,
    "👩‍💻" * 900,
    "\u0301" * 3000,
    "> </" * 900,
    "\U000e0001" * 900,
)


@pytest.fixture(scope="module")
def plain():
    return engine.get_encoding("gemma")


@pytest.fixture(scope="module")
def native():
    encoding = Catalog(DATA_DIR).get("gemma")
    assert encoding.use_kernels()
    return encoding


@pytest.fixture(scope="module")
def with_tags():
    encoding = Catalog(DATA_DIR).get("gemma3")
    assert encoding.use_kernels()
    return encoding


AROUND_TAGS = ("", "x", " ", "  ", "\n", "\t", "<", "</", ">", "> ", "> </", "x> ", "<td", "<td class='x'>", "<TD>")


def tagged_texts(seed: int, number: int) -> list[str]:
    """Random texts with many tags, some of them broken."""
    rng = random.Random(seed)
    made = []
    for _ in range(number):
        parts = []
        for _ in range(rng.randrange(1, 12)):
            tag = rng.choice(HTML_TAGS)
            cut = rng.randrange(len(tag))
            broken = rng.choice((tag[:cut], tag[cut:], tag.upper(), f"{tag[:cut]}{rng.choice(AROUND_TAGS)}{tag[cut:]}"))
            parts.append(rng.choice((tag, tag, tag, broken, rng.choice(AROUND_TAGS), odd_text(rng))))
        made.append("".join(parts))
    return made


def texts(seed: int, number: int) -> list[str]:
    """Random texts with what this split looks at."""
    rng = random.Random(seed)
    made = [odd_text(rng) for _ in range(number)]
    return [
        one.replace("a", "> </").replace("b", "▁ ").replace("1", "<div>\t\t") if rng.random() < 0.3 else one
        for one in made
    ]


@pytest.mark.parametrize("name", ["gemma", "gemma3"])
def test_a_short_text_is_encoded_without_the_order_of_all_pieces(name):
    encoding = Catalog(DATA_DIR).get(name)
    encoding._undecided = False  # also where kernels are compiled
    encoding.awaits_kernels = True
    some = [*KNOWN, *KNOWN_WITH_TAGS, *tagged_texts(3, 5)][-30:]
    short = [encoding.encode_ordinary(text) for text in some]
    assert encoding._core is None
    assert "_order" not in encoding.__dict__
    _ = encoding._core_bpe  # from here on it encodes
    assert short == [encoding.encode_ordinary(text) for text in some]


def test_the_order_of_pieces_is_dropped_when_the_kernels_encode(tmp_path):
    encoding = Catalog(DATA_DIR).get("gemma")
    _ = encoding._core_bpe
    assert "_order" in encoding.__dict__
    assert encoding.use_kernels(tmp_path)
    assert encoding._core is None
    assert "_order" not in encoding.__dict__


@pytest.mark.parametrize("text", KNOWN)
def test_known_ids(plain, native, text):
    for encoding in (plain, native):
        ids = encoding.encode_ordinary(text)
        assert ids == KNOWN[text]
        assert encoding.token_ids(text).tolist() == ids
        assert encoding.count(text) == len(ids)
        assert encoding.decode(ids) == text.replace("▁", " ")
        assert encoding.token_ends(text).tolist()[-1:] == [len(text.encode())] * bool(ids)


@pytest.mark.parametrize("text", KNOWN_WITH_TAGS)
def test_tags_are_tokens_of_gemma3(with_tags, text):
    for encoding in (engine.get_encoding("gemma3"), with_tags):
        ids = encoding.encode_ordinary(text)
        assert ids == KNOWN_WITH_TAGS[text]
        assert encoding.count(text) == len(ids)
        assert encoding.decode(ids) == text
        cut = cut_text(encoding, text)
        assert [one for at in range(len(cut)) for one in trace_of(encoding, cut.pretoken(at)).ids] == ids


def test_gemma3_has_ids_of_its_own_beside_those_of_gemma(with_tags, native):
    assert sorted(HTML_TAGS) == sorted(oracles.GEMMA3_TAGS)
    assert [with_tags.encode_ordinary(tag) for tag in oracles.GEMMA3_TAGS] == [[number] for number in range(168, 238)]
    assert native.encode_ordinary("<b>") == [236820, 236763, 236813]
    assert not with_tags.encodes_like(native)
    assert with_tags.encode("<start_of_turn><b>", allowed_special="all") == [105, 200]
    assert trace_of(with_tags, "<b>").is_looked_up
    assert with_tags.parents_of(200) is None
    assert with_tags.token_parents.left[200] < 0


def test_ids_with_tags_are_those_of_splintr_between_tags(with_tags):
    pytest.importorskip("splintr")
    plain = engine.get_encoding("gemma3")
    for text in (*tagged_texts(12, scaled(1000)), *texts(13, scaled(300)), *WORST, "<b" * 3000, "<td>" * 3000):
        ids = oracles.gemma3(text)
        assert with_tags.encode_ordinary(text) == ids, ascii(text)
        assert plain.encode_ordinary(text) == ids, ascii(text)


@pytest.mark.parametrize("text", [" YYYY", " yyyy", " diffformul", " ::::::::"])
def test_pieces_that_merging_never_makes_are_no_tokens(plain, native, text):
    ids = plain.encode_ordinary(text)
    assert ids == native.encode_ordinary(text)
    assert len(ids) > 1
    assert plain.encode_single_token(text) in NEVER_MERGED


def test_both_encoders_agree(plain, native):
    for text in (*texts(7, scaled(3000)), *WORST):
        ids = plain.encode_ordinary(text)
        assert native.encode_ordinary(text) == ids, ascii(text)
        assert native.count(text) == len(ids)


def test_ids_are_those_of_splintr(native):
    pytest.importorskip("splintr")
    oracle = oracles.splintr("gemma4")
    for text in (*texts(8, scaled(20_000)), *WORST):
        assert native.encode_ordinary(text) == oracle.encode_raw(text), ascii(text)


def test_kimi_has_the_ids_of_splintr():
    pytest.importorskip("splintr")
    oracle = oracles.splintr("kimi_k2")
    encoding = engine.get_encoding("kimi")
    for text in texts(9, scaled(3000)):
        if "ſ" not in text:  # a long s is an s of a contraction to fancy-regex, not to splintr
            assert encoding.encode_ordinary(text) == oracle.encode_ordinary(text), ascii(text)


def test_special_tokens(native):
    assert native._special_tokens["<bos>"] == 2
    assert native.encode("<bos>a<|turn>", allowed_special="all") == [2, 236746, 105]
    with pytest.raises(ValueError, match="<bos>"):
        native.encode("<bos>")
    assert native.decode([2, 236746]) == "<bos>a"
    assert native.decode_single_token_bytes(335) == native.decode_single_token_bytes(236746) == b"a"


@pytest.mark.parametrize("other", ["gemma", "gemma3", "o200k_base"])
def test_edits_give_what_the_whole_text_gives(native, with_tags, other):
    rng = random.Random(10)
    own = {"gemma": native, "gemma3": with_tags}.get(other)
    edited = EditedText(own or engine.get_encoding(other))
    edited.watch([native] if own is not native else [])
    text = "".join(one for one in "".join(texts(11, 60)) if ord(one) < 0xD800)[:900]
    edited.reset(text)
    for _ in range(30):
        start = rng.randrange(len(text) + 1)
        removed = min(rng.randrange(5), len(text) - start)
        inserted = rng.choice(("", " ", "\n", "\t", "> </", "a", "漢", "  ", "\u0378", "▁", "<b>"))
        edited.apply([TextEdit(start, removed, inserted)])
        text = text[:start] + inserted + text[start + removed :]
        if own is not None:
            assert edited.whole().ids.tolist() == own.encode_ordinary(text)
        assert edited.catch_up(10.0)
        assert edited.token_count == edited.encoding.count(text)
        assert edited.counts().get("gemma") in (None, native.count(text))


@pytest.mark.parametrize("which", ["plain", "native"])
def test_merges_begin_with_characters(request, which):
    encoding = request.getfixturevalue(which)
    text = "wörld\u0378 漢字"
    cut = cut_text(encoding, text)
    accounts = [trace_of(encoding, cut.pretoken(index)) for index in range(len(cut))]
    assert [token for account in accounts for token in account.ids] == encoding.encode_ordinary(text)
    steps = [step for account in accounts for step in account.steps]
    used = {number for step in steps for number in (step.left_id, step.right_id, step.token_id)}
    assert all(encoding.token_info(number).token_bytes.decode() for number in used)
    assert merge_spans(accounts[0])[0][1] > 0
    left, right = encoding.parents_of(201637)
    assert encoding.decode([left]) + encoding.decode([right]) == "漢字"
    assert encoding.parents_of(left) is None
    assert encoding.merge_tree(201637).left.left is None
    parents = native_parents = encoding.token_parents if which == "native" else None
    assert native_parents is None or (parents.left[201637], parents.right[201637]) == (left, right)


def test_a_run_is_looked_up(native):
    assert trace_of(native, "\n\n\n").is_looked_up
    assert not trace_of(native, " YYYY").is_looked_up  # a piece that merging never makes
    assert native.encode_ordinary(" YYYY") != [146179]


def test_it_is_pickled_by_its_name_and_not_saved(plain, tmp_path):
    assert pickle.loads(pickle.dumps(plain)) is plain
    with pytest.raises(FormatError, match="SentencePiece"):
        save_encoding(plain, tmp_path / "gemma.tiktoken")
