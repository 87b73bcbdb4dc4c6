"""When our own kernels encode, and when tiktoken's encoder does."""

from __future__ import annotations

import shutil

import pytest

import engine
from engine.encoding import encoder_choice
from engine.encoding.encoder_choice import EncoderChoice
from engine.encoding.encoding import Encoding
from engine.kernels import cache_folder
from engine.kernels._jit import COMPILED
from engine.library import bundled_encodings, catalog


class NoCompilerError(Exception):
    """What loading compiled code may raise is not ours to know."""


@pytest.fixture(autouse=True)
def user_encodings():
    """Encodings of this test alone."""
    catalog.bundled.cache_clear()
    yield
    catalog.bundled.cache_clear()


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Stands in for the loading: the encodings that were asked to use kernels, and whether that works."""

    class Asked(list):
        works = True

    names = Asked()

    def use_kernels(self, folder=None, *, compiled_only=False):
        assert folder == tmp_path
        assert compiled_only
        names.append(self.name)
        if not names.works:
            raise NoCompilerError
        return True

    monkeypatch.setattr(Encoding, "use_kernels", use_kernels)
    return names


def compiled(monkeypatch, answer):
    monkeypatch.setattr(encoder_choice, "is_compiled", lambda folder, family: answer)


def test_compiled_kernels_are_used_from_the_first_encoding_on(asked, monkeypatch, tmp_path):
    compiled(monkeypatch, True)
    use = EncoderChoice(tmp_path)
    assert not use.active
    assert use.open("gpt2") is engine.get_encoding("gpt2")
    assert use.active
    use.open("cl100k_base")
    assert asked == ["gpt2", "cl100k_base"]


def test_without_compiled_kernels_nothing_is_loaded_until_somebody_takes_over(asked, monkeypatch, tmp_path):
    compiled(monkeypatch, False)
    monkeypatch.setattr(encoder_choice, "keeps_nothing", lambda folder: False)
    use = EncoderChoice(tmp_path)
    assert use.open("gpt2").awaits_kernels
    compiled(monkeypatch, True)  # by then being compiled: loading them now would take the time of an edit
    use.open("r50k_base")
    assert asked == []
    assert not use.active
    use.take_over()
    assert use.active
    assert set(asked) == {"gpt2", "r50k_base"}
    assert not engine.get_encoding("gpt2").awaits_kernels
    assert not use.open("p50k_base").awaits_kernels
    assert asked[-1] == "p50k_base"


def test_kernels_that_cannot_be_loaded_are_no_error_before_somebody_takes_over(asked, monkeypatch, tmp_path):
    compiled(monkeypatch, True)
    asked.works = False
    use = EncoderChoice(tmp_path)
    assert use.open("gpt2").count("some words") == 2
    assert not use.active
    with pytest.raises(NoCompilerError):
        use.take_over()
    assert not use.active
    asked.clear()
    use.stop_waiting()
    assert not use.open("gpt2").awaits_kernels
    assert asked == []


def test_no_kernels_are_awaited_where_nothing_can_be_saved(monkeypatch):
    monkeypatch.setenv(cache_folder.VARIABLE, "")
    assert not EncoderChoice(None).open("gpt2").awaits_kernels


def test_an_unknown_encoding_is_said(tmp_path):
    with pytest.raises(engine.UnknownEncodingError):
        EncoderChoice(tmp_path).open("no such encoding")


@pytest.fixture
def with_a_damaged_file(tmp_path, monkeypatch):
    """A bundle whose vocabulary of p50k_base and p50k_edit is damaged."""
    folder = tmp_path / "data"
    shutil.copytree(bundled_encodings.DATA_DIR, folder)
    content = bytearray((folder / "p50k.ranks").read_bytes())
    content[-1] ^= 1
    (folder / "p50k.ranks").write_bytes(content)
    monkeypatch.setattr(bundled_encodings, "DATA_DIR", folder)


@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_damaged_encoding_is_found_out_when_it_is_opened(with_a_damaged_file, monkeypatch, tmp_path, is_compiled):
    compiled(monkeypatch, is_compiled)
    use = EncoderChoice(tmp_path)
    for _ in range(2):
        with pytest.raises(engine.DamagedVocabularyError, match=r"p50k\.ranks"):
            use.open("p50k_base")
    assert use.open("gpt2").count("some words") == 2


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_damaged_encoding_does_not_keep_kernels_from_the_others(with_a_damaged_file, monkeypatch):
    bundled_encodings.warm_up()
    compiled(monkeypatch, False)
    use = EncoderChoice(None)
    with pytest.raises(engine.DamagedVocabularyError):
        use.open("p50k_edit")
    opened = use.open("gpt2")
    use.take_over()
    assert use.active
    assert opened.uses_kernels


def test_a_profile_without_kernels_takes_those_of_the_user(monkeypatch, tmp_path):
    folders = []

    def use_kernels(self, folder=None, *, compiled_only=False):
        folders.append(folder)
        return True

    monkeypatch.setattr(Encoding, "use_kernels", use_kernels)
    monkeypatch.setattr(encoder_choice, "is_compiled", lambda folder, _family: folder is None)
    use = EncoderChoice(tmp_path)
    use.open("gpt2")
    assert folders == [None]
    assert use.active
