"""What a run reads, and what it says of texts and settings that it cannot train on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import engine
from engine import TrainingError, TrainingRun
from engine.corpus.types import CorpusRules
from engine.corpus.walk import survey
from engine.kernels._jit import COMPILED
from engine.training import counting
from engine.training import texts as training_texts
from engine.training.texts import cut_pieces
from tests.patience import PATIENCE_SECONDS

TEXT = "She sells sea shells on the sea shore, and the shells she sells are sea shells. "


def finished(run: TrainingRun) -> TrainingRun:
    while not run.done:
        run.advance(10.0)
    return run


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "corpus"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text(TEXT * 2, encoding="utf-8")
    (folder / "b.txt").write_text(TEXT.upper(), encoding="utf-16")
    (folder / "inner" / "c.py").write_text("print('sea')\n" * 9, encoding="utf-8")
    (folder / "inner" / "d.bin").write_bytes(bytes(range(256)))
    return folder


def test_a_folder_is_all_its_texts(folder):
    texts = [TEXT * 2, TEXT.upper(), "print('sea')\n" * 9]
    run, by_texts = finished(TrainingRun(folder, 300)), finished(TrainingRun(texts, 300))
    assert run.merges() == by_texts.merges()
    assert run.hash == by_texts.hash
    assert run.progress().bytes_read == run.progress().bytes_total


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_neither_order_nor_threads_matter(folder, threads, monkeypatch):
    monkeypatch.setattr(training_texts, "BLOCK_BYTES", 40)
    paths = [path for path in folder.rglob("*") if path.suffix in (".txt", ".py")]
    one = finished(TrainingRun(sorted(paths), 320, threads=1))
    other = finished(TrainingRun(sorted(paths, reverse=True), 320, threads=threads))
    assert (one.hash, one.merges()) == (other.hash, other.merges())


def test_the_hash_tells_corpora_and_settings_apart():
    corpora = [TEXT, TEXT + "x", TEXT * 2]
    hashes = {finished(TrainingRun(text, 280)).hash for text in corpora}
    hashes |= {finished(TrainingRun(TEXT, 281)).hash, finished(TrainingRun(TEXT, 280, lowercase=True)).hash}
    assert len(hashes) == 5
    assert all(len(one) == 64 for one in hashes)
    assert TrainingRun(TEXT, 280).hash == ""


@pytest.mark.parametrize("as_given", [Path, str, lambda path: [path], lambda path: survey([path])], ids=range(4))
def test_a_path_may_be_given_in_several_ways(folder, as_given):
    path = folder / "a.txt"
    assert finished(TrainingRun(as_given(path), 280)).merges() == finished(TrainingRun(TEXT * 2, 280)).merges()


def test_a_relative_path_as_a_text_is_a_text(folder, monkeypatch):
    monkeypatch.chdir(folder)
    run = finished(TrainingRun("a.txt", 280, min_count=1, pattern="none"))
    assert run.progress().bytes_total == 5


def test_rules_say_which_files_are_read(folder):
    run = finished(TrainingRun(folder, 280, rules=CorpusRules(exclude=("*.txt",))))
    assert run.merges() == finished(TrainingRun("print('sea')\n" * 9, 280)).merges()


def test_a_file_that_vanishes_is_reported(folder):
    run = TrainingRun([folder, TEXT], 280, threads=1)
    found = survey([folder])
    run = TrainingRun([found, TEXT], 280)
    (folder / "a.txt").unlink()
    problems = finished(run).progress().problems
    assert [(problem.path.name, problem.reason) for problem in problems] == [("a.txt", "vanished")]
    expected = finished(TrainingRun([TEXT.upper(), "print('sea')\n" * 9, TEXT], 280))
    assert run.merges() == expected.merges()


def test_a_folder_that_vanishes_is_not_blamed_on_the_pattern(folder):
    found = survey([folder])
    run = TrainingRun(found, 280)
    for file in found.files:
        file.path.unlink()
    with pytest.raises(TrainingError, match=r"3 files could not be read\. The first is .*a\.txt: deleted"):
        finished(run)


def test_bytes_that_are_no_utf8_are_read_all_the_same(tmp_path):
    path = tmp_path / "mixed.txt"
    path.write_bytes((TEXT * 50).encode() + b"\xff\xfe broken \x80 " + (TEXT * 50).encode())
    encoding = finished(TrainingRun(path, 400)).encoding("mixed")
    assert encoding.decode(encoding.encode(TEXT)) == TEXT


def test_folders_without_text_say_what_they_have(tmp_path):
    with pytest.raises(TrainingError, match="No text to train on"):
        finished(TrainingRun(tmp_path, 300))
    (tmp_path / "one.bin").write_bytes(b"\0\1\2" * 100)
    (tmp_path / ".hidden").write_text("text")
    with pytest.raises(TrainingError, match="1 binary, 1 hidden"):
        finished(TrainingRun(tmp_path, 300))
    with pytest.raises(TrainingError, match="nowhere"):
        finished(TrainingRun(tmp_path / "nowhere", 300))


def test_no_text_is_refused():
    for texts in ([], "", ["", ""]):
        with pytest.raises(TrainingError, match="No text"):
            finished(TrainingRun(texts, 300))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vocab_size": 255}, "255 is too small for the 256 bytes: it must have at least 256"),
        ({"vocab_size": 257, "special_tokens": ["<a>", "<b>"]}, "256 bytes and 2 special tokens"),
        ({"vocab_size": 264, "alphabet": "characters"}, "too small for the 265 bytes and characters of this corpus"),
        ({"alphabet": "words"}, "alphabet 'words'. Available: bytes, characters"),
        ({"tie_order": "random"}, "tie order 'random'"),
        ({"normalization": "NFX"}, "Unknown normalization 'NFX'"),
        ({"min_count": 0}, "min_count is 0"),
        ({"max_token_bytes": 0}, "max_token_bytes is 0"),
        ({"special_tokens": ["<a>", "<a>"]}, "'<a>' is given twice"),
        ({"special_tokens": [""]}, "must have a text"),
        ({"pattern": "(unclosed"}, "not valid"),
        ({"pattern": r"(\w)\1"}, r"\\1|reference|supported"),
        ({"pattern": "[0-9]+"}, "matches nothing in this text"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(TrainingError, match=message):
        finished(TrainingRun("äöüßé語言" + TEXT, **{"vocab_size": 300, **settings}))


def test_a_pattern_that_runs_away_is_stopped(monkeypatch):
    monkeypatch.setattr(counting, "SPLIT_SECONDS", 0.05)
    with pytest.raises(TrainingError, match=r"took more than 0\.05 seconds.*Choose another"):
        finished(TrainingRun("a" * 5000 + "!", 300, r"(?:a+)+b|."))


def test_a_pattern_that_runs_away_can_be_left(monkeypatch):
    monkeypatch.setattr(counting, "SPLIT_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(counting, "_SECONDS_AT_A_TIME", 0.02)
    run = TrainingRun("a" * 5000 + "!", 300, r"(?:a|a)*b|(?s:.)", threads=2)
    assert {run.advance(0.0).stage for _ in range(5)} == {"counting"}


def test_a_text_that_is_never_cut_is_refused_beyond_a_size(monkeypatch, tmp_path):
    monkeypatch.setattr(training_texts, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(training_texts, "MAX_PIECE_BYTES", 10_000)
    path = tmp_path / "endless.txt"
    path.write_text("abcdefghij" * 990)
    assert finished(TrainingRun(path, 280)).progress().bytes_read == 9900
    path.write_text("abcdefghij" * 1200)
    with pytest.raises(TrainingError, match=r"finds no boundary in .*endless\.txt"):
        finished(TrainingRun(path, 280))


def test_a_text_that_is_never_cut_is_read_in_slices(monkeypatch, tmp_path):
    monkeypatch.setattr(training_texts, "BLOCK_BYTES", 1000)
    path = tmp_path / "endless.txt"
    path.write_text("abcdefghij" * 990)
    for pattern in ("cl100k_base", "none", r"\w+"):
        run = TrainingRun(path, 280, pattern, threads=1)
        read = []
        while run.advance(0.0).stage in ("looking", "counting"):
            read.append(run.progress().bytes_read)
        assert set(range(1000, 9900, 1000)) <= set(read), pattern


def test_a_corpus_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr("engine.training.trained_encoding.MAX_SLOTS", 20)
    with pytest.raises(TrainingError, match="are not supported"):
        finished(TrainingRun(TEXT, 280))


def test_long_pretokens_take_time_in_proportion():
    """Half a million letters without a space, and as many of one letter: quadratic merging would never end."""
    letters = "".join(random.Random(1).choices("abcdefgh", k=500_000 if COMPILED else 1_000))
    run = finished(TrainingRun([letters, "a" * len(letters)], 300))
    assert run.progress().merges == 44


def test_any_number_of_long_pretokens_in_one_piece():
    """More of them than the table has room for at first, none short."""
    number = 40_000 if COMPILED else 400
    words = [f"{index:016d}" for index in range(number)]
    run = finished(TrainingRun(" ".join(words) + " " + " ".join(words), 256, r"\d+"))
    assert run.progress().pretokens == number
    assert run.progress().tokens == 32 * number


def test_a_piece_ends_where_it_may_be_cut(monkeypatch):
    monkeypatch.setattr(training_texts, "BLOCK_BYTES", 64)
    text = "".join(random.Random(3).choices(["word ", "x", "語言", "é ", "\n", "!", "  "], k=3000)).encode()
    for name in ("cl100k_base", "gpt2", "o200k_base", "llama3", "qwen2", "whitespace", "sentencepiece"):
        split = engine.split.patterns.split_named(name)
        pieces = list(cut_pieces(training_texts._slices(text), split.cuts, "a text"))
        assert b"".join(pieces) == text
        assert len(pieces) > 10
        cut = engine.split.pretokenization.pretokenizer(split.expression)
        apart = [pretoken for piece in pieces for pretoken in cut.pretokens(piece.decode())]
        assert apart == cut.pretokens(text.decode())
