"""Training on bytes as they are: split and merged as ``Encoding.encode_bytes`` splits and merges them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import engine
from engine.corpus.types import CorpusRules
from engine.text import offsets
from engine.training import texts
from tests.engine.library.formats.trained import TEXT

LATIN = "le café crème, le café noir ".encode("latin-1") * 40
WIDE = "\ufeffcafé ☕ ".encode("utf-16-le") * 40


def trained(items: object, pattern: str, rules: CorpusRules | None = None) -> tuple[engine.Encoding, int]:
    """Return what is learned of these, and the tokens that they come to."""
    run = engine.TrainingRun(items, 300, pattern=pattern, rules=rules, threads=2)
    while not run.done:
        progress = run.advance(1.0)
    return run.encoding("own"), progress.tokens


@pytest.mark.parametrize("pattern", ["cl100k_base", "none", r"\w+|\W"])
def test_tokens_counted_in_training_are_those_of_encoding_bytes(pattern):
    for content in (LATIN, WIDE, TEXT.encode() + b"\n\xff" + LATIN, TEXT.encode(), b"\x80", bytes(range(256)) * 3):
        encoding, tokens = trained([content], pattern)
        assert tokens - len(encoding.encode_bytes(content)) in ((0,) if pattern == "none" else (0, 1))


def test_files_are_what_they_hold_wherever_their_blocks_end(tmp_path, monkeypatch):
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbf" + "naïve ☕ 👩\u200d🚀 ".encode() * 90)
    (tmp_path / "c.bin").write_bytes(b"\0\1\2" + LATIN)
    rng = random.Random(7)
    (tmp_path / "d.dat").write_bytes(rng.randbytes(2_000))
    expected = trained(tmp_path, "cl100k_base", CorpusRules(as_bytes=True))
    content = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    assert expected[1] - sum(len(expected[0].encode_bytes(one)) for one in content) in (0, 1)
    for size in (5, 64, 1_000):
        monkeypatch.setattr(texts, "BLOCK_BYTES", size)
        again, tokens = trained(tmp_path, "cl100k_base", CorpusRules(as_bytes=True))
        assert (again._mergeable_ranks, tokens) == (expected[0]._mergeable_ranks, expected[1])
    survey = engine.survey([tmp_path], CorpusRules(as_bytes=True))
    assert (len(survey.files), survey.skipped) == (3, ())


def test_a_long_rest_is_more_than_one_pretoken(monkeypatch):
    monkeypatch.setattr(offsets, "MAX_UNCUT_BYTES", 100)
    monkeypatch.setattr(texts, "BLOCK_BYTES", 30)
    pieces = [piece for piece in offsets.uncut_pieces(b"\xff", iter([b"x" * 30] * 5)) if piece]
    assert [len(piece) for piece in pieces] == [121, 30]


def test_a_checkpoint_goes_on_with_bytes(tmp_path):
    (tmp_path / "folder").mkdir()
    for number in range(3):
        (tmp_path / "folder" / f"{number}.dat").write_bytes(LATIN + bytes([number]) * 9)
    items = [engine.survey([tmp_path / "folder"], CorpusRules(as_bytes=True)), b"\xff" + LATIN]
    run = engine.TrainingRun(items, 300, threads=1)
    run.advance(0.0)
    run.save(tmp_path / "state")
    resumed = engine.TrainingRun.resume(tmp_path / "state")
    for one in (run, resumed):
        while not one.done:
            one.advance(1.0)
    assert resumed.hash == run.hash
    assert resumed.merge_table().tolist() == run.merge_table().tolist()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"alphabet": "characters"}, "alphabet"),
        ({"normalization": "NFC"}, "normalization"),
        ({"pattern": "sentencepiece"}, "sentencepiece"),
    ],
)
def test_what_is_for_texts_is_refused(settings, told):
    with pytest.raises(engine.TrainingError, match=told):
        engine.train([b"\xff\xfe"], 300, **settings)
    engine.train([TEXT.encode()], 300, **settings)


def test_a_forecast_of_bytes(tmp_path: Path):
    (tmp_path / "d.dat").write_bytes(LATIN)
    survey = engine.survey([tmp_path], CorpusRules(as_bytes=True))
    forecast = engine.forecast(survey, engine.TrainingRun([LATIN], 300).settings)
    assert forecast.sampled_bytes == len(LATIN)
