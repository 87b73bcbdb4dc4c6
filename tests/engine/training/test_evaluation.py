"""Encodings measured on texts, and compared with each other."""

from __future__ import annotations

import pytest

import engine
from engine.corpus.types import SkippedFile
from engine.corpus.walk import survey
from engine.encoding.encoding import Encoding
from engine.training.evaluation import evaluate, longest_tokens, overlap, texts_of

BYTES = {bytes([value]): value for value in range(256)}


def small(name: str, *tokens: bytes, special: dict[str, int] | None = None) -> Encoding:
    ranks = BYTES | {token: 256 + number for number, token in enumerate(tokens)}
    return Encoding(name, pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens=special or {})


ONE = small("one")
TWO = small("two", b"ab", b"abab", special={"<x>": 300})


def test_figures_by_type_and_by_script():
    texts = [("a.py", "abab\n"), ("b.PY", "ab"), ("notes", "да\nabx\n")]
    found = evaluate([ONE, TWO], texts)
    assert found.encodings == ("one", "two")
    assert (found.total.texts, found.total.text_bytes, found.total.characters) == (3, 16, 14)
    assert found.total.tokens == (16, 2 + 1 + 8)
    assert [(one.group, one.texts, one.text_bytes, one.tokens) for one in found.by_type] == [
        ("", 1, 9, (9, 8)),
        (".py", 2, 7, (7, 3)),
    ]
    assert [(one.group, one.text_bytes, one.tokens) for one in found.by_script] == [
        ("Latin", 11, (11, 6)),
        ("Cyrillic", 5, (5, 5)),
    ]
    assert found.by_type[1].bytes_per_token(1) == pytest.approx(7 / 3)


def test_what_is_saved():
    found = evaluate([ONE, TWO], [("a", "abab"), ("b", "abab"), ("c", "x")])
    assert found.tokens_saved("two", "one") == 2_000_000
    assert found.tokens_saved("one", "two", calls=10) == -20
    assert found.tokens_saved("one", "one") == 0


def test_no_texts():
    found = evaluate([ONE], [])
    assert found.total.bytes_per_token(0) == 0.0
    assert found.tokens_saved("one", "one") == 0
    assert (found.by_type, found.by_script) == ((), ())


def test_the_counts_are_those_of_the_encoding():
    text = "def f(x):\n    return x  # naïve 汉字\n" * 50
    encodings = [engine.get_encoding("cl100k_base"), engine.get_encoding("o200k_base")]
    found = evaluate(encodings, [("a.py", text)])
    assert found.total.tokens == tuple(len(encoding.encode_ordinary(text)) for encoding in encodings)


def test_progress_is_told_and_can_end_it():
    seen = []
    evaluate([ONE], [("a", "xx"), ("b", "yyy")], seen.append)
    assert seen == [2, 5]

    class Cancelled(Exception):
        pass

    def cancel(_: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        evaluate([ONE], [("a", "xx")], cancel)


def test_texts_of_files(tmp_path):
    (tmp_path / "a.txt").write_bytes("naïve".encode("utf-16"))
    (tmp_path / "b.txt").write_text("text")
    (tmp_path / "c.txt").write_text("x" * (3 << 20))
    files = survey([tmp_path]).files
    (tmp_path / "b.txt").unlink()
    first, second, third = texts_of(files, most_bytes=1 << 20)
    assert first == (str(tmp_path / "a.txt"), "naïve")
    assert isinstance(second, SkippedFile)
    assert second.reason == "vanished"
    assert third == (str(tmp_path / "c.txt"), "x" * (1 << 20))
    found = evaluate([ONE], texts_of(files))
    assert found.total.texts == 2
    assert found.skipped == (second,)


def test_overlap():
    found = overlap(TWO, small("three", b"ab", b"abc", b"z" * 9))
    assert (found.shared, found.only_first, found.only_second) == (257, 1, 2)
    assert found.longest_shared[:2] == (b"ab", b"\x00")
    assert found.longest_only_first == (b"abab",)
    assert found.longest_only_second == (b"z" * 9, b"abc")
    assert found.share_of_first == pytest.approx(257 / 258)


@pytest.mark.deep
def test_vocabularies_with_other_first_ids_and_gaps_overlap_by_bytes():
    tekken, o200k = engine.get_encoding("tekken"), engine.get_encoding("o200k_base")
    found = overlap(tekken, o200k)
    ours, theirs = set(tekken.token_byte_values()), set(o200k.token_byte_values())
    assert (found.shared, found.only_first, found.only_second) == (
        len(ours & theirs),
        len(ours - theirs),
        len(theirs - ours),
    )


def test_longest_tokens():
    assert [info.token_id for info in longest_tokens(TWO, most=3)] == [257, 256, 0]
    longest = longest_tokens(engine.get_encoding("tekken"), most=1)[0]
    assert len(longest.token_bytes) == max(map(len, engine.get_encoding("tekken").token_byte_values()))
    assert len(longest_tokens(ONE, most=1000)) == 256
