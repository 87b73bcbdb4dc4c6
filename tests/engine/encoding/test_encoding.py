"""Encodings give the ids, counts and offsets that they should, on any text."""

from __future__ import annotations

import copy
import pickle
import threading
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from tests.engine import oracles
from tests.engine.strategies import texts, texts_with_surrogates
from tests.thoroughness import examples, mostly_deep

NAMES = engine.list_encoding_names()

a_name = st.sampled_from(NAMES)


def sound(text: str) -> str:
    """What is encoded: surrogate pairs joined, lone surrogates replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("gpt2", "hello world", [31373, 995]),
        ("cl100k_base", "I'm tokenizing this", [40, 2846, 4037, 4954, 420]),
        ("cl100k_base", "I’m tokenizing this", [40, 4344, 4037, 4954, 420]),
        ("r50k_base", " SolidGoldMagikarp", [43453]),
        ("r50k_base", "<|endoftext|>", [27, 91, 437, 1659, 5239, 91, 29]),
    ],
)
def test_known_ids(name, text, ids):
    assert engine.get_encoding(name).encode_ordinary(text) == ids


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("cl100k_base", "Tokenization is the first step in any LLM pipeline.", 12),
        ("o200k_base", "Tokenization is the first step in any LLM pipeline.", 12),
        ("cl100k_base", " SolidGoldMagikarp", 5),
        ("o200k_base", " SolidGoldMagikarp", 5),
        ("cl100k_base", "<|endoftext|>", 7),
        ("cl100k_base", "ChatGPT", 3),
        ("o200k_base", "ChatGPT", 2),
        ("o200k_base", "xylitol", 3),
        ("o200k_base", "telephone", 1),
        ("o200k_base", " strawberry", 1),
        ("o200k_base", "finance office", 2),
        ("cl100k_base", "你", 1),
        ("r50k_base", "你", 2),
        ("o200k_base", "", 0),
    ],
)
def test_known_counts(name, text, count):
    assert engine.get_encoding(name).count(text) == count


@pytest.mark.parametrize(
    ("name", "n_vocab"),
    [("gpt2", 50257), ("r50k_base", 50257), ("p50k_base", 50281), ("p50k_edit", 50284), ("cl100k_base", 100277),
     ("o200k_base", 200019), ("o200k_harmony", 201088), ("qwen", 151669), ("qwen3_5", 248077), ("kimi", 163840),
     ("gemma", 262144), ("gemma3", 262145),
     ("deepseek", 129280), ("tekken", 131072)],
)  # fmt: skip
def test_sizes(name, n_vocab):
    encoding = engine.get_encoding(name)
    assert encoding.n_vocab == n_vocab == encoding.max_token_value + 1


@pytest.mark.parametrize(
    ("name", "partial", "unused"), [("cl100k_base", 773, 16), ("o200k_base", 1562, 19), ("r50k_base", 344, 0)]
)
def test_known_facts_about_vocabularies(name, partial, unused):
    encoding = engine.get_encoding(name)
    entries = [encoding.token_info(token_id) for token_id in range(encoding.n_vocab)]
    assert sum(entry.kind == "unused" for entry in entries) == unused
    assert sum(not _is_utf8(entry.token_bytes) for entry in entries) == partial
    assert max(len(entry.token_bytes) for entry in entries) == 128


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("name", mostly_deep(NAMES))
@examples(150)
@given(text=texts())
def test_ids_are_those_of_the_vendors_tokenizer(name, vocabularies, text):
    assert engine.get_encoding(name).encode_ordinary(text) == oracles.ids(name, vocabularies, text)


@pytest.mark.parametrize("name", ["o200k_base", "qwen", "qwen3_5", "kimi", "deepseek", "tekken"])
def test_ids_on_real_text(name, shared_dir, vocabularies):
    encoding = engine.get_encoding(name)
    for path in sorted((shared_dir / "corpora").glob("*.txt")):
        with path.open("rb") as file:
            file.seek(1_000_000)
            text = file.read(200_000).decode("utf-8", "ignore")
        assert encoding.encode_ordinary(text) == oracles.ids(name, vocabularies, text)


ALL_PLANES = (*range(0x20000), *range(0x20000, 0x110000, 61))


@pytest.mark.deep
@pytest.mark.parametrize(
    "name", mostly_deep(["r50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5", "kimi", "tekken", "deepseek"], 1)
)
def test_code_points_of_all_planes(name, vocabularies):
    """Each between letters, behind a space and doubled, so that its class shows."""
    encoding = engine.get_encoding(name)
    chars = [chr(point) for point in ALL_PLANES if not 0xD800 <= point < 0xE000]
    for start in range(0, len(chars), 8192):
        text = "".join(f"a{char}b {char}{char}1\n" for char in chars[start : start + 8192])
        assert encoding.encode_ordinary(text) == oracles.ids(name, vocabularies, text)


@pytest.mark.deep
@examples(400)
@given(name=a_name, text=texts_with_surrogates())
def test_the_ways_to_encode_agree(name, text):
    encoding = engine.get_encoding(name)
    ids = encoding.encode_ordinary(text)
    assert encoding.encode(text, disallowed_special=()) == ids
    assert encoding.token_ids(text).tolist() == ids
    assert encoding.count(text) == len(ids)
    assert encoding.encode(sound(text), disallowed_special=()) == ids
    assert encoding.encode_to_numpy(sound(text), disallowed_special=()).tolist() == ids
    assert encoding.encode_ordinary_batch([text, "x"])[0] == ids
    assert encoding.decode_bytes(ids) == sound(text).encode()
    assert encoding.decode(ids) == sound(text)
    special = encoding.encode(text, allowed_special="all")
    assert encoding.token_ids(text, special_as_tokens=True).tolist() == special
    assert encoding.decode(special) == sound(text)


@pytest.mark.deep
@examples(200)
@given(name=a_name, content=st.one_of(st.binary(max_size=60), texts().map(str.encode)))
def test_bytes_are_counted_as_their_text(name, content):
    encoding = engine.get_encoding(name)
    assert encoding.count(content) == encoding.count(content.decode("utf-8", "replace"))


@examples(300)
@given(name=a_name, text=texts_with_surrogates())
def test_token_ends(name, text):
    encoding = engine.get_encoding(name)
    ends = encoding.token_ends(text)
    assert ends.dtype == np.int64
    content = sound(text).encode()
    starts = [0, *ends.tolist()]
    pieces = [content[start:end] for start, end in zip(starts, ends.tolist(), strict=False)]
    tokens = encoding.decode_tokens_bytes(encoding.encode_ordinary(text))
    assert len(pieces) == len(tokens)
    assert pieces == tokens or (encoding.prepares and not unicodedata.is_normalized("NFC", sound(text)))
    assert starts[-1] == len(content)


@examples(300)
@given(name=a_name, text=texts())
def test_what_tokens_add_to_utf16_positions(name, text):
    encoding = engine.get_encoding(name)
    if encoding.prepares:
        text = unicodedata.normalize("NFC", text)
    ids = encoding.encode(text, allowed_special="all")
    content = text.encode()
    position = 0
    ends = np.cumsum(encoding.utf16_lengths[ids]).tolist() if ids else []
    for token, end in zip(ids, ends, strict=True):
        assert encoding.continues[token] == (position > 0 and 0x80 <= content[position] < 0xC0)
        position += len(encoding.decode_single_token_bytes(token))
        whole = position
        while whole < len(content) and 0x80 <= content[whole] < 0xC0:
            whole += 1
        assert end == len(content[:whole].decode().encode("utf-16-le")) // 2


@pytest.mark.parametrize("name", NAMES)
def test_arrays_over_the_vocabulary(name):
    encoding = engine.get_encoding(name)
    assert encoding.utf16_lengths.dtype == np.int32
    assert encoding.continues.dtype == np.bool_
    for array in (encoding.utf16_lengths, encoding.continues, encoding.token_ids("a b")):
        assert not array.flags.writeable
    assert len(encoding.utf16_lengths) == len(encoding.continues) == encoding.n_vocab


def test_token_info():
    encoding = engine.get_encoding("p50k_base")
    assert encoding.token_info(0) == engine.TokenInfo(0, b"!", 0, "byte")
    assert encoding.token_info(31373) == engine.TokenInfo(31373, b"hello", 31373, "merge")
    assert encoding.token_info(50256) == engine.TokenInfo(50256, b"<|endoftext|>", None, "special")
    assert encoding.token_info(50257).token_bytes == b"  "
    assert engine.get_encoding("cl100k_base").token_info(100261) == engine.TokenInfo(100261, b"", None, "unused")
    assert engine.get_encoding("tekken").token_info(1000 + 256).rank == 256
    assert engine.get_encoding("deepseek").token_info(1).token_bytes == "<｜end▁of▁sentence｜>".encode()
    for token_id in (-1, 50281):
        with pytest.raises(KeyError):
            encoding.token_info(token_id)


def test_token_info_agrees_with_decoding():
    for name in NAMES:
        encoding = engine.get_encoding(name)
        for token_id in {*range(0, encoding.n_vocab, 997), *sorted(encoding._special_token_values)[:50]}:
            info = encoding.token_info(token_id)
            if info.kind == "unused":
                with pytest.raises(KeyError):
                    encoding.decode_single_token_bytes(token_id)
            elif token_id != 200018:  # has two texts in o200k_harmony
                assert encoding.decode_single_token_bytes(token_id) == info.token_bytes


@pytest.mark.deep
@pytest.mark.parametrize("name", mostly_deep(NAMES))
def test_a_few_tokens_are_decoded_without_tiktokens_encoder(name, monkeypatch):
    core = engine.get_encoding(name)._core_bpe
    fresh = Catalog(DATA_DIR).get(name)
    with monkeypatch.context() as patch:
        patch.setattr("engine.encoding.encoding.build_core", lambda *_: pytest.fail("tiktoken's encoder was built"))
        specials = sorted(fresh._special_tokens.values())
        used = [token for token in range(0, fresh.n_vocab, 97) if fresh.token_info(token).kind != "unused"]
        for token in (*specials, *used):
            assert fresh.decode_single_token_bytes(token) == core.decode_single_token_bytes(token)
        few = [*specials[:20], *used[:500]]
        assert fresh.decode_bytes(few) == core.decode_bytes(few)
        assert fresh.decode_bytes([]) == b""
    with pytest.raises(KeyError):
        fresh.decode_bytes([used[0], fresh.n_vocab])
    with pytest.raises(OverflowError):
        fresh.decode_single_token_bytes(-1)


@pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")
def test_own_tokens_are_decoded_without_tiktokens_encoder_where_ours_encodes(monkeypatch):
    published = engine.get_encoding("gpt2")
    own = engine.Encoding(
        "own",
        pat_str=published._pat_str,
        mergeable_ranks=published._mergeable_ranks,
        special_tokens=published._special_tokens,
    )
    core = published._core_bpe
    assert own.use_kernels()
    with monkeypatch.context() as patch:
        patch.setattr("engine.encoding.encoding.build_core", lambda *_: pytest.fail("tiktoken's encoder was built"))
        few = [*range(0, own.n_vocab, 97), own.eot_token]
        assert own.decode_bytes(few) == core.decode_bytes(few)
    with pytest.raises(KeyError):
        own.decode_bytes([own.n_vocab])


def test_many_tokens_are_decoded_as_well():
    many = list(range(100, 5000))
    assert Catalog(DATA_DIR).get("gpt2").decode_bytes(many) == engine.get_encoding("gpt2")._core_bpe.decode_bytes(many)


def test_long_texts_are_counted_in_chunks(monkeypatch):
    text = "The quick brown fox, 12 times. " * 3_000 + "字、" * 40_000 + "a" * 70_000
    for name in ("o200k_base", "deepseek"):
        encoding = engine.get_encoding(name)
        lengths = []
        token_ids = encoding.token_ids
        monkeypatch.setattr(
            encoding, "token_ids", lambda text, ids=token_ids, seen=lengths: (seen.append(len(text)), ids(text))[1]
        )
        assert encoding.count(text) == len(encoding.encode_ordinary(text))
        assert len(lengths) > 4
        assert sum(lengths) == len(text)


@pytest.mark.parametrize("name", NAMES)
def test_pickled_by_name(name):
    encoding = engine.get_encoding(name)
    content = pickle.dumps(encoding)
    assert len(content) < 200
    assert pickle.loads(content) is encoding
    assert copy.deepcopy(encoding) is encoding


def own_encoding(**changes) -> engine.Encoding:
    base = engine.get_encoding("r50k_base")
    parts = {
        "name": "mine",
        "pat_str": base._pat_str,
        "mergeable_ranks": base._mergeable_ranks,
        "special_tokens": {"<|mine|>": 100_000},
    }
    return engine.Encoding(**{**parts, **changes})


def test_an_encoding_of_ones_own():
    mine = own_encoding()
    for encoding in (mine, pickle.loads(pickle.dumps(mine))):
        assert encoding.encode("hello <|mine|>", allowed_special="all") == [31373, 220, 100_000]
        assert encoding.n_vocab == 100_001
        assert encoding.utf16_lengths[100_000] == 8
        assert encoding.token_info(99_999).kind == "unused"
        with pytest.raises(KeyError):
            _ = encoding.eot_token


def test_sizes_of_an_encoding_of_ones_own_are_checked():
    own_encoding(special_tokens={"<|x|>": 50256}, explicit_n_vocab=50257)
    with pytest.raises(AssertionError):
        own_encoding(explicit_n_vocab=50257)


@pytest.mark.deep
@pytest.mark.parametrize("text", [" " * 1_100_000, "a" + " " * 1_100_000 + "b", "x\ud800" + "\t" * 1_100_000])
def test_a_pattern_of_ones_own_that_gives_up(text, capfd):
    mine = own_encoding(pat_str=r"\p{L}+|\s+(?!\S)|\s+|[^\s\p{L}]+")
    theirs = mine._encode_only_native_bpe(sound(text))
    assert mine.encode_ordinary(text) == theirs
    assert mine.count(text) == len(theirs)
    assert mine.encode(text + "<|mine|>", allowed_special="all") == [*theirs, 100_000]
    assert capfd.readouterr().err == ""


def test_catching_a_panic_catches_nothing_else():
    from engine.runtime.tiktoken_core import guarded

    for error in (KeyboardInterrupt, SystemExit, KeyError):
        with pytest.raises(error), guarded():
            raise error


def test_models():
    assert engine.encoding_for_model("gpt-4o").name == "o200k_base"
    assert engine.encoding_for_model("gpt-5-mini").name == "o200k_base"
    assert engine.encoding_for_model("gpt-oss-120b").name == "o200k_harmony"
    assert engine.encoding_for_model("gpt-4-0314").name == "cl100k_base"
    with pytest.raises(KeyError):
        engine.encoding_for_model("claude-opus")
    with pytest.raises(engine.UnknownModelError, match="'claude-opus'") as caught:
        engine.encoding_for_model("claude-opus")
    assert not str(caught.value).startswith(("'", '"'))


def test_several_threads_open_one_encoder():
    encoding = Catalog(DATA_DIR).get("r50k_base")
    counts = []
    threads = [threading.Thread(target=lambda: counts.append(encoding.count("hello world"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [2, 2, 2, 2]
