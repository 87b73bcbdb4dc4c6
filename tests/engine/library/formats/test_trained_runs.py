"""What training runs learn, in every format: other programs give the same ids."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer

import engine
from engine.encoding.preprocessing_encoding import PreprocessingEncoding
from engine.errors import FormatError, TrainingError
from engine.library.formats.opening import save_encoding
from engine.training.settings import check_can_be_saved
from engine.training.types import TrainingSettings
from tests.engine.library.formats.minbpe_oracle import MinbpeModel
from tests.engine.library.formats.trained import SPECIALS, TEXT

every_alphabet = pytest.mark.parametrize("alphabet", ["bytes", "characters", "characters+</w>"])
every_preparation = pytest.mark.parametrize(
    "options", [{}, {"normalization": "NFKC", "lowercase": True}, {"strip_accents": True}], ids=str
)


def learned(alphabet: str, options: dict) -> engine.Encoding:
    return engine.train([TEXT], 400, alphabet=alphabet, special_tokens=SPECIALS, threads=1, **options)


def prepared_text(encoding: engine.Encoding) -> str:
    return encoding.preparation(TEXT) if isinstance(encoding, PreprocessingEncoding) else TEXT


@every_alphabet
@every_preparation
def test_ranks(tmp_path, alphabet, options):
    encoding = learned(alphabet, options)
    losses = save_encoding(encoding, tmp_path / "own.tiktoken").losses
    again = engine.load(tmp_path / "own.tiktoken")
    assert again.encode(TEXT + "<|pad|>", allowed_special="all") == encoding.encode(
        TEXT + "<|pad|>", allowed_special="all"
    )
    assert ("the normalization" in losses[0]) is isinstance(encoding, PreprocessingEncoding)


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
@every_preparation
def test_hugging_face(tmp_path, alphabet, options):
    encoding = learned(alphabet, options)
    save_encoding(encoding, tmp_path / "own.json")
    theirs = Tokenizer.from_file(str(tmp_path / "own.json"))
    assert theirs.encode(TEXT + "<|pad|>").ids == encoding.encode(TEXT + "<|pad|>", allowed_special="all")
    assert engine.load(tmp_path / "own.json").encode(TEXT) == encoding.encode(TEXT)


@every_alphabet
@every_preparation
def test_minbpe(tmp_path, alphabet, options):
    encoding = learned(alphabet, options)
    save_encoding(encoding, tmp_path / "own.model")
    theirs = MinbpeModel((tmp_path / "own.model").read_text(encoding="utf-8"))
    assert theirs.encode_ordinary(prepared_text(encoding)) == encoding.encode_ordinary(TEXT)


@pytest.mark.parametrize(
    ("settings", "name", "complaint"),
    [
        (TrainingSettings(400, alphabet="characters+</w>"), "own.json", "processes words"),
        (TrainingSettings(400, special_tokens=("a b",)), "own.model", "'a b'"),
        (TrainingSettings(400, pattern=" a|\\s|\\S"), "own.model", "ends in a space"),
        (TrainingSettings(400, special_tokens=("a",)), "own.json", "spelled the same"),
        (TrainingSettings(400), "own.bin", "unknown extension"),
    ],
)
def test_what_cannot_be_saved_is_known_before_training(tmp_path, settings, name, complaint):
    with pytest.raises(FormatError, match=complaint):
        check_can_be_saved(settings, tmp_path / name)
    check_can_be_saved(TrainingSettings(400), tmp_path / "own.json")
    with pytest.raises(TrainingError):
        check_can_be_saved(TrainingSettings(4), tmp_path / "own.json")
    assert list(tmp_path.iterdir()) == []
