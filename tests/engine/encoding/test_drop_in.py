"""Encoding stands in for tiktoken.Encoding: the same names, parameters, results and exceptions."""

from __future__ import annotations

import functools
import inspect
import pickle

import numpy as np
import pytest
import tiktoken
from hypothesis import given

import engine
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from tests.engine import oracles
from tests.engine.strategies import texts_with_surrogates
from tests.thoroughness import examples

PUBLIC = [name for name in vars(tiktoken.Encoding) if not name.startswith("_")]


@pytest.fixture(scope="module", params=["without kernels", "with kernels"])
def ours(request) -> engine.Encoding:
    encoding = Catalog(DATA_DIR).get("cl100k_base")
    if request.param == "with kernels":
        if not COMPILED:
            pytest.skip("tables of this vocabulary take a minute uncompiled")
        assert encoding.use_kernels()
    return encoding


@functools.cache
def tiktoken_twin(name: str) -> tiktoken.Encoding:
    """tiktoken's own encoding, fed with our ranks (which another test compares with the published ones)."""
    return tiktoken.Encoding(**oracles.openai_definition(name, engine.get_encoding(name)._mergeable_ranks))


@pytest.fixture(scope="module")
def theirs() -> tiktoken.Encoding:
    return tiktoken_twin("cl100k_base")


def test_every_public_name_is_there():
    missing = [name for name in PUBLIC if not hasattr(engine.Encoding, name)]
    assert not missing
    assert len(PUBLIC) > 15


@pytest.mark.parametrize("name", ["__init__", *PUBLIC])
def test_the_same_parameters(name):
    theirs = inspect.getattr_static(tiktoken.Encoding, name)
    if not inspect.isfunction(theirs):
        assert not inspect.isfunction(inspect.getattr_static(engine.Encoding, name))
        return
    expected = inspect.signature(theirs).parameters.values()
    found = inspect.signature(getattr(engine.Encoding, name)).parameters.values()
    assert [(p.name, p.kind, p.default) for p in found] == [(p.name, p.kind, p.default) for p in expected]


ids = [9906, 11, 1917, 0, 57668, 53901]
CALLS = {
    "encode": lambda e: e.encode("hello <|endofprompt"),
    "encode special raises": lambda e: e.encode("a<|endoftext|>b"),
    "encode special allowed": lambda e: e.encode("a<|endoftext|>b", allowed_special={"<|endoftext|>"}),
    "encode special all": lambda e: e.encode("a<|endoftext|>b<|endofprompt|>", allowed_special="all"),
    "encode special one of two": lambda e: e.encode(
        "<|endoftext|><|endofprompt|>", allowed_special={"<|endoftext|>"}, disallowed_special=()
    ),
    "encode special the other": lambda e: e.encode("<|endoftext|><|endofprompt|>", allowed_special={"<|endoftext|>"}),
    "encode disallowed list": lambda e: e.encode("x<|endoftext|>", disallowed_special=["x"]),
    "encode disallowed word": lambda e: e.encode("some word", disallowed_special={"word"}),
    "encode allowed list": lambda e: e.encode("x", allowed_special=["<|endoftext|>"]),
    "encode allowed unchecked list": lambda e: e.encode("x", allowed_special=["x"], disallowed_special=()),
    "encode allowed empty text": lambda e: e.encode("x", allowed_special={""}, disallowed_special=()),
    "encode allowed unknown": lambda e: e.encode("<|x|>", allowed_special={"<|x|>"}),
    "encode surrogates": lambda e: e.encode("\ud83d\ude00 \ud83d"),
    "encode number": lambda e: e.encode(5),
    "encode none ordinary": lambda e: e.encode_ordinary(None),
    "encode bytes": lambda e: e.encode(b"hello"),
    "encode bytes unchecked": lambda e: e.encode(b"hello", disallowed_special=()),
    "encode bytes with special": lambda e: e.encode(b"hello", allowed_special="all", disallowed_special=()),
    "encode bytes ordinary": lambda e: e.encode_ordinary(b"hello"),
    "encode broken bytes": lambda e: e.encode_ordinary(b"\xff\xfe"),
    "encode number ordinary": lambda e: e.encode_ordinary(5),
    "encode list ordinary": lambda e: e.encode_ordinary(["a"]),
    "encode positional": lambda e: e.encode("a", "all"),
    "encode empty": lambda e: [e.encode(""), e.encode_ordinary("")],
    "encode frozen": lambda e: e.encode("<|endoftext|>", allowed_special=frozenset(["<|endoftext|>"])),
    "encode disallowed letters": lambda e: e.encode("xyz", disallowed_special="y"),
    "encode disallowed letters not there": lambda e: e.encode("xyz", disallowed_special="abc"),
    "encode disallowed generator": lambda e: e.encode("xyz", disallowed_special=(letter for letter in "yq")),
    "encode disallowed empty text": lambda e: e.encode("xyz", disallowed_special={""}),
    "encode allowed none": lambda e: e.encode("a", allowed_special=None),
    "encode disallowed none": lambda e: e.encode("a<|endoftext|>", disallowed_special=None),
    "encode surrogates with special": lambda e: e.encode("\udc00<|endoftext|>\ud83d", allowed_special="all"),
    "encode special beside special": lambda e: e.encode("<|endoftext|><|endoftext|>  <|fim_", allowed_special="all"),
    "encode null": lambda e: e.encode("\0a\0\0"),
    "encode large": lambda e: e.encode("a b\n漢 " * 60_000),
    "numpy": lambda e: (e.encode_to_numpy("hello world").tolist(), str(e.encode_to_numpy("a").dtype)),
    "numpy empty": lambda e: e.encode_to_numpy("").tolist(),
    "numpy surrogate": lambda e: e.encode_to_numpy("\ud800"),
    "numpy special": lambda e: e.encode_to_numpy("<|endoftext|>"),
    "numpy special allowed": lambda e: e.encode_to_numpy("a<|endoftext|>b", allowed_special="all").tolist(),
    "numpy special surrogate": lambda e: e.encode_to_numpy("<|endoftext|>\ud800", allowed_special="all"),
    "numpy bytes": lambda e: e.encode_to_numpy(b"hello", disallowed_special=()),
    "numpy flags": lambda e: (lambda a: (a.shape, a.flags.writeable, a.flags.c_contiguous))(e.encode_to_numpy("a b")),
    "unstable": lambda e: (lambda r: (r[0], sorted(map(tuple, r[1]))))(e.encode_with_unstable("hello fanta")),
    "unstable nothing": lambda e: e.encode_with_unstable(""),
    "unstable allowed": lambda e: (lambda r: (r[0], sorted(map(tuple, r[1]))))(
        e.encode_with_unstable("<|endoftext|> hel", allowed_special="all")
    ),
    "unstable bytes": lambda e: e.encode_with_unstable(b"hello", disallowed_special=()),
    "unstable special": lambda e: e.encode_with_unstable("<|endoftext|>"),
    "unstable surrogate": lambda e: e.encode_with_unstable("\ud800"),
    "single": lambda e: [e.encode_single_token("hello"), e.encode_single_token(b" world")],
    "single special": lambda e: e.encode_single_token("<|endoftext|>"),
    "single unknown": lambda e: e.encode_single_token("no such token"),
    "single empty": lambda e: e.encode_single_token(""),
    "single number": lambda e: e.encode_single_token(5),
    "single surrogate": lambda e: e.encode_single_token("\ud800"),
    "single broken bytes": lambda e: e.encode_single_token(b"\xff"),
    "batch": lambda e: e.encode_batch(["hello", "wörld"], num_threads=2),
    "batch special": lambda e: e.encode_batch(["hello", "<|endoftext|>"]),
    "batch nothing": lambda e: [e.encode_batch([]), e.encode_ordinary_batch([]), e.decode_batch([])],
    "batch tuple": lambda e: e.encode_ordinary_batch(("a", "b")),
    "batch text": lambda e: e.encode_batch("ab"),
    "batch bytes": lambda e: e.encode_ordinary_batch([b"a"]),
    "batch no threads": lambda e: e.encode_ordinary_batch(["a"], num_threads=0),
    "batch allowed": lambda e: e.encode_batch(["<|endoftext|>"], allowed_special={"<|endoftext|>"}),
    "batch disallowed": lambda e: e.encode_batch(["a", "b"], disallowed_special=["b"]),
    "batch ordinary": lambda e: e.encode_ordinary_batch(["hello", "<|endoftext|>"]),
    "decode": lambda e: e.decode(ids),
    "decode partial": lambda e: e.decode([53901]),
    "decode strict": lambda e: e.decode([57668], errors="strict"),
    "decode special": lambda e: e.decode([100257]),
    "decode gap": lambda e: e.decode([100261]),
    "decode too large": lambda e: e.decode([10**6]),
    "decode negative": lambda e: e.decode([-1]),
    "decode huge": lambda e: e.decode([2**40]),
    "decode text": lambda e: e.decode("hello"),
    "decode none": lambda e: e.decode(None),
    "decode float": lambda e: e.decode([1.0]),
    "decode nothing": lambda e: [e.decode([]), e.decode_bytes([]), e.decode_tokens_bytes([])],
    "decode array": lambda e: e.decode(np.array(ids, dtype=np.uint32)),
    "decode array of other numbers": lambda e: e.decode(np.array(ids, dtype=np.int64)),
    "decode generator": lambda e: e.decode(one for one in ids),
    "decode truth": lambda e: e.decode([True]),
    "decode errors unknown": lambda e: e.decode([57668], errors="no such way"),
    "decode replaced": lambda e: e.decode([57668], errors="backslashreplace"),
    "decode bytes": lambda e: e.decode_bytes(tuple(ids)),
    "decode single": lambda e: e.decode_single_token_bytes(9906),
    "decode single gap": lambda e: e.decode_single_token_bytes(100270),
    "decode single number": lambda e: [e.decode_single_token_bytes(np.uint32(9906))],
    "decode single text": lambda e: e.decode_single_token_bytes("a"),
    "decode single none": lambda e: e.decode_single_token_bytes(None),
    "decode single negative": lambda e: e.decode_single_token_bytes(-1),
    "decode single special": lambda e: e.decode_single_token_bytes(100257),
    "decode tokens text": lambda e: e.decode_tokens_bytes("a"),
    "decode tokens": lambda e: e.decode_tokens_bytes(ids),
    "decode offsets": lambda e: e.decode_with_offsets(ids),
    "decode offsets split": lambda e: e.decode_with_offsets(e.encode("我非常渴望与人工智能一起工作")),
    "decode offsets nothing": lambda e: e.decode_with_offsets([]),
    "decode offsets special": lambda e: e.decode_with_offsets([9906, 100257, 11]),
    "decode offsets gap": lambda e: e.decode_with_offsets([9906, 100261]),
    "decode offsets broken": lambda e: e.decode_with_offsets([57668, 9906]),
    "decode batch": lambda e: e.decode_batch([ids, [1, 2]], errors="ignore"),
    "decode bytes batch": lambda e: e.decode_bytes_batch([ids, [1, 2]], num_threads=1),
    "byte values": lambda e: e.token_byte_values() == sorted(e._mergeable_ranks),
    "eot": lambda e: e.eot_token,
    "special set": lambda e: sorted(e.special_tokens_set),
    "is special": lambda e: [e.is_special_token(100257), e.is_special_token(100261), e.is_special_token(0)],
    "is special text": lambda e: e.is_special_token("<|endoftext|>"),
    "is special number": lambda e: e.is_special_token(np.int64(100257)),
    "is special negative": lambda e: e.is_special_token(-1),
    "attributes": lambda e: [type(e.n_vocab), type(e.max_token_value), type(e.special_tokens_set), type(e.eot_token)],
    "equality": lambda e: (e == e, e != e, e == 5, hash(e) == hash(e), bool(e)),
    "setting": lambda e: setattr(e, "n_vocab", 3),
    "numbers": lambda e: (e.n_vocab, e.max_token_value, e.name, repr(e)),
    "private names": lambda e: (e._special_tokens, e._pat_str),
    "private ways to encode": lambda e: (e._encode_single_piece("hello"), e._encode_bytes(b"\xff")),
    "native": lambda e: e._encode_only_native_bpe("hello world, it's 12345"),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_the_same_results_and_exceptions(ours, theirs, call):
    assert outcome(call, ours) == outcome(call, theirs)


def outcome(call, encoding) -> object:
    try:
        return call(encoding)
    except Exception as error:  # noqa: BLE001 - any kind, compared by its type
        return type(error)


def test_any_kind_of_set_may_be_allowed(ours):
    """tiktoken takes ``set`` and ``frozenset`` only, though it says otherwise."""
    kinds = {"<|endoftext|>": 1}.keys()
    assert ours.encode("a<|endoftext|>", allowed_special=kinds) == [64, 100257]
    assert ours.encode_to_numpy("a<|endoftext|>", allowed_special=kinds).tolist() == [64, 100257]


@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base"])
@examples(200)
@given(text=texts_with_surrogates())
def test_the_same_ids_on_any_text(name, text):
    theirs = tiktoken_twin(name)
    ours = engine.get_encoding(name)
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
    assert ours.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")


def test_unpickled_is_usable_elsewhere(ours):
    assert pickle.loads(pickle.dumps(ours)).encode("hello") == ours.encode("hello")


@pytest.mark.parametrize("name", ["unknown", None, 3])
def test_unknown_names_raise_what_tiktoken_raises(name):
    with pytest.raises(ValueError, match="encoding"):
        engine.get_encoding(name)
