"""What is found out about all entries of a vocabulary: known values, and plain definitions."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given

import engine
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from engine.text.character_classes import JAPANESE, NO_LETTERS, lines_by_script
from engine.vocabulary.entries import entries_of
from engine.vocabulary.entry_diagnostics import (
    CONTROL,
    FINDINGS,
    PARTIAL,
    UNREACHABLE,
    UNUSED_ID,
    WHITE_SPACE,
    Diagnosis,
    diagnose,
    diagnosis_key,
    is_reachable,
    pack,
    unpack,
)
from tests.engine.vocabulary.vocabularies import TOKENS, vocabulary
from tests.thoroughness import as_deep, examples

KNOWN = {  # partial UTF-8, unreachable, unused ids
    "r50k_base": (344, 0, 0),
    "cl100k_base": (773, 0, 16),
    "o200k_base": (1562, 12, 19),
}


@pytest.fixture(scope="module", params=[as_deep(name) if name != "r50k_base" else name for name in sorted(KNOWN)])
def published(request):
    encoding = engine.get_encoding(request.param)
    return encoding, diagnose(encoding, entries_of(encoding))


def ids_with(diagnosis: Diagnosis, finding: int) -> np.ndarray:
    return np.flatnonzero(diagnosis.findings >> finding & 1)


def test_known_values(published):
    encoding, diagnosis = published
    found = tuple(len(ids_with(diagnosis, finding)) for finding in (PARTIAL, UNREACHABLE, UNUSED_ID))
    assert found == KNOWN[encoding.name]


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")
def test_our_own_kernels_find_the_same_without_a_mapping_of_all_tokens():
    plain, by_kernels = (Catalog(DATA_DIR).get("r50k_base") for _ in range(2))
    assert by_kernels.use_kernels()
    found = diagnose(by_kernels, entries_of(by_kernels))
    assert by_kernels._vocabulary._ids_by_bytes is None
    expected = diagnose(plain, entries_of(plain))
    assert np.array_equal(found.findings, expected.findings)
    assert np.array_equal(found.left, expected.left)


def test_tiktoken_does_not_reach_them_either(published, monkeypatch):
    import tiktoken

    encoding, diagnosis = published
    theirs = tiktoken.Encoding(
        encoding.name,
        pat_str=encoding.pattern,
        mergeable_ranks=encoding._mergeable_ranks,
        special_tokens=encoding._special_tokens,
    )
    for token_id in ids_with(diagnosis, UNREACHABLE).tolist():
        text = encoding.decode_single_token_bytes(token_id).decode()
        ids = theirs.encode_ordinary(text)
        assert ids != [token_id]
        assert theirs.decode(ids) == text


def test_examples(published):
    encoding, diagnosis = published
    if encoding.name != "o200k_base":
        return
    assert diagnosis.findings_of(3413) == ("unreachable",)
    assert encoding.token_info(3413).token_bytes == b" I'"
    assert encoding.token_info(3914).token_bytes == b"\n//"
    assert diagnosis.findings_of(3914) == ("unreachable",)
    assert diagnosis.findings_of(encoding.encode_single_token(" " * 128)) == ("white space",)
    assert diagnosis.script(encoding.encode_single_token(" strawberry")) == "Latin"
    assert diagnosis.script(encoding.eot_token) == NO_LETTERS
    assert diagnosis.left[encoding.encode_single_token("berry")] == encoding.encode_single_token("ber")


def plain_findings(encoding: engine.Encoding, token_id: int) -> tuple[str, ...]:
    """Straight from the definitions."""
    info = encoding.token_info(token_id)
    text = info.token_bytes.decode("utf-8", "replace")
    try:
        info.token_bytes.decode("utf-8")
        partial = False
    except UnicodeDecodeError:
        partial = True
    # Python has two more white spaces (U+001C to U+001F); tiktoken's split engine goes by Unicode's property.
    spaces = [character.isspace() and not "\x1c" <= character <= "\x1f" for character in text]
    controls = [
        unicodedata.category(character) in ("Cc", "Cf") and not space
        for character, space in zip(text, spaces, strict=True)
    ]
    holds = {
        "unreachable": is_reachable(encoding, entries_of(encoding), token_id) is False,
        "partial UTF-8": partial,
        "white space": bool(text) and all(spaces),
        "control": any(controls),
        "unused id": info.kind == "unused",
    }
    return tuple(name for name in FINDINGS if holds[name])


def plain_script(encoding: engine.Encoding, token_id: int) -> str:
    info = encoding.token_info(token_id)
    if info.kind == "special":
        return NO_LETTERS
    text = info.token_bytes.decode("utf-8", "ignore").replace("\n", " ")
    return next(iter(lines_by_script(text)), NO_LETTERS)


@examples(30)
@given(TOKENS)
def test_findings_and_scripts_are_those_of_the_definitions(tokens):
    encoding = vocabulary(tokens)
    diagnosis = diagnose(encoding, entries_of(encoding))
    for token_id in [*range(10, 14), *range(126, 130), *range(255, encoding.n_vocab)]:
        assert diagnosis.findings_of(token_id) == plain_findings(encoding, token_id)
        assert diagnosis.script(token_id) == plain_script(encoding, token_id)
        assert (int(diagnosis.left[token_id]), int(diagnosis.right[token_id])) == (
            encoding.parents_of(token_id) or (-1, -1)
        )


def test_kana_make_it_japanese_and_white_space_is_no_control():
    encoding = vocabulary(["漢字の".encode(), b"\t\n", b"\x00\x01", "\u200b".encode()])
    diagnosis = diagnose(encoding, entries_of(encoding))
    found = {token: encoding.encode_single_token(token) for token in ("漢字の", "\t\n", "\x00\x01", "\u200b")}
    assert diagnosis.script(found["漢字の"]) == JAPANESE
    assert diagnosis.findings_of(found["\t\n"]) == ("white space",)
    assert ids_with(diagnosis, WHITE_SPACE).tolist() == [9, 10, 11, 12, 13, 32, found["\t\n"]]
    assert {found["\x00\x01"], found["\u200b"]} <= set(ids_with(diagnosis, CONTROL).tolist())


def test_a_token_that_only_its_whole_text_gives_is_reached():
    encoding = vocabulary([b"xyz"])
    token_id = encoding.encode_single_token(b"xyz")
    assert encoding.parents_of(token_id) is None
    assert is_reachable(encoding, entries_of(encoding), token_id) is True


def test_progress_goes_up_to_one_and_what_it_raises_ends_the_work():
    encoding = vocabulary([])
    told: list[float] = []
    diagnose(encoding, entries_of(encoding), told.append)
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] <= 1

    class EnoughError(Exception):
        pass

    def enough(_done: float) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        diagnose(encoding, entries_of(encoding), enough)


def test_what_is_kept_comes_back():
    encoding = vocabulary([b"ab", "é".encode()])
    diagnosis = diagnose(encoding, entries_of(encoding))
    content = pack(diagnosis)
    back = unpack(content, encoding.n_vocab)
    assert isinstance(back, Diagnosis)
    for name in Diagnosis.__dataclass_fields__:
        assert np.array_equal(getattr(back, name), getattr(diagnosis, name))
        assert not getattr(back, name).flags.writeable
    assert unpack(content[:-1], encoding.n_vocab) is None
    assert unpack(content, encoding.n_vocab + 1) is None
    assert unpack(b"", encoding.n_vocab) is None


def test_other_vocabularies_have_other_keys():
    keys = [
        diagnosis_key(encoding, entries_of(encoding))
        for encoding in (
            vocabulary([b"ab"]),
            vocabulary([b"ba"]),
            vocabulary([b"ab"], {"<|end|>": 400}),
            engine.get_encoding("gpt2"),
            engine.get_encoding("p50k_base"),
        )
    ]
    assert len(set(keys)) == len(keys)
    gpt2, r50k = (engine.get_encoding(name) for name in ("gpt2", "r50k_base"))
    assert diagnosis_key(gpt2, entries_of(gpt2)) == diagnosis_key(r50k, entries_of(r50k))
