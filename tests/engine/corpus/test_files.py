"""Reading one file of a corpus: its encoding from samples, its text in blocks, and what may happen meanwhile."""

from __future__ import annotations

import codecs
import os
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus import files
from engine.corpus.files import CorpusFileError, encoding_of, read_blocks, read_samples
from engine.corpus.types import CorpusFile
from tests.engine.strategies import texts

SENTENCE = "Übermäßig naïve Texte – für 5 €.\r\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"plain", "utf-8"),
        (SENTENCE.encode(), "utf-8"),
        (SENTENCE.encode("utf-8-sig"), "utf-8-sig"),
        (SENTENCE.encode("cp1252"), "cp1252"),
        (codecs.BOM_UTF16_LE + SENTENCE.encode("utf-16-le"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + SENTENCE.encode("utf-16-be"), "utf-16-be"),
        (codecs.BOM_UTF32_LE + SENTENCE.encode("utf-32-le"), "utf-32-le"),
        (codecs.BOM_UTF32_BE + SENTENCE.encode("utf-32-be"), "utf-32-be"),
        (SENTENCE.encode("utf-16-le"), "utf-16-le"),
        (SENTENCE.encode("utf-16-be"), "utf-16-be"),
        (("汉字与空白。" * 9 + "\n" * 3).encode("utf-16-be"), "utf-16-be"),
        ("汉字".encode() * 20 + b"\xff" + "汉字".encode(), "utf-8"),  # one damaged byte
        (b"\x1b[31mred\x1b[0m \xe9", "cp1252"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", None),
        (b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0", None),
        (bytes(range(256)) * 4, None),
        (random.Random(1).randbytes(5000).replace(b"\0", b"\1"), None),
        (bytes(400), None),
        (b"a\0", "utf-16-le"),
        (b"\0", None),
    ],
)
def test_encodings_told_from_content(content, encoding):
    assert encoding_of([content]) == encoding


@pytest.mark.parametrize("shift", range(4))
def test_a_sample_may_cut_characters(tmp_path, shift):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * shift + "汉🚀é".encode() * 40_000)
    samples = read_samples(path, path.stat().st_size)
    assert len(samples) == 3
    assert encoding_of(samples) == "utf-8"
    path.write_bytes(("x" * shift + "🚀 汉é" * 40_000).encode("utf-16-le"))
    assert encoding_of(read_samples(path, path.stat().st_size)) == "utf-16-le"


def test_what_comes_later_in_a_file_is_sampled_too(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"a long header as text\n" * 10_000 + bytes(200_000))
    assert encoding_of(read_samples(path, path.stat().st_size)) is None


def stored(path, content: bytes, encoding: str) -> CorpusFile:
    path.write_bytes(content)
    return CorpusFile(path, len(content), encoding)


def is_utf8(block: bytes) -> bool:
    return block.decode("utf-8").encode("utf-8") == block


@given(content=st.binary(max_size=60), block_bytes=st.integers(1, 12))
def test_any_bytes_come_out_as_a_whole_decoding_would(tmp_path_factory, content, block_bytes):
    file = stored(tmp_path_factory.mktemp("any") / "a.txt", content, "utf-8")
    blocks = list(read_blocks(file, block_bytes))
    assert b"".join(blocks) == content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace").encode()
    assert all(map(is_utf8, blocks))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@given(text=texts(), block_bytes=st.integers(1, 12), marked=st.booleans())
def test_every_encoding_in_blocks(tmp_path_factory, encoding, text, block_bytes, marked):
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").lstrip("\ufeff")
    content = ("\ufeff" * marked + text).encode(encoding.removesuffix("-sig"))
    file = stored(tmp_path_factory.mktemp("any") / "a.txt", content, encoding)
    blocks = list(read_blocks(file, block_bytes))
    assert b"".join(blocks).decode() == text
    assert all(map(is_utf8, blocks))
    assert all(blocks)


def test_bytes_that_windows_1252_leaves_undefined(tmp_path):
    file = stored(tmp_path / "a.txt", b"\x80 \x81 \xe9", "cp1252")
    assert b"".join(read_blocks(file)).decode() == "€ \ufffd é"


def test_half_a_unit_at_the_end(tmp_path):
    file = stored(tmp_path / "a.txt", "ab".encode("utf-16-le") + b"c", "utf-16-le")
    assert b"".join(read_blocks(file)).decode() == "ab\ufffd"


def test_blocks_are_bounded(tmp_path):
    file = stored(tmp_path / "a.txt", "汉".encode("utf-16-le") * 100_000, "utf-16-le")
    blocks = list(read_blocks(file, 10_000))
    assert len(blocks) >= 20
    assert max(map(len, blocks)) <= 40_000


def test_a_file_that_vanished(tmp_path):
    file = stored(tmp_path / "a.txt", b"text", "utf-8")
    file.path.unlink()
    with pytest.raises(CorpusFileError) as caught:
        list(read_blocks(file))
    assert (caught.value.skipped.path, caught.value.skipped.reason) == (file.path, "vanished")
    assert pickle.loads(pickle.dumps(caught.value)).skipped == caught.value.skipped


@pytest.mark.parametrize(("content", "how"), [(b"longer text", "grew"), (b"te", "shrank")])
def test_a_file_that_changed_since_it_was_found(tmp_path, content, how):
    file = stored(tmp_path / "a.txt", b"text", "utf-8")
    file.path.write_bytes(content)
    with pytest.raises(CorpusFileError, match=how) as caught:
        list(read_blocks(file))
    assert caught.value.skipped.reason == "changed"


@pytest.mark.parametrize(("size", "how"), [(100, "shrank"), (40_000, "grew")])
def test_a_file_that_changes_while_it_is_read(tmp_path, size, how):
    file = stored(tmp_path / "a.txt", b"x" * 20_000, "utf-8")
    blocks = read_blocks(file, 1000)
    next(blocks)
    os.truncate(file.path, size)
    with pytest.raises(CorpusFileError, match=how) as caught:
        list(blocks)
    assert caught.value.skipped.reason == "changed"


def test_a_file_that_is_overwritten_while_it_is_read(tmp_path):
    file = stored(tmp_path / "a.txt", b"x" * 20_000, "utf-8")
    blocks = read_blocks(file, 1000)
    next(blocks)
    os.utime(file.path, ns=(0, 0))
    with pytest.raises(CorpusFileError, match="written to"):
        list(blocks)


@pytest.mark.skipif(os.name != "posix", reason="needs a pipe in the file system")
def test_a_pipe_that_took_the_place_of_a_file_does_not_block(tmp_path):
    file = stored(tmp_path / "a.txt", b"text", "utf-8")
    file.path.unlink()
    os.mkfifo(file.path)
    with pytest.raises(CorpusFileError) as caught:
        list(read_blocks(file))
    assert caught.value.skipped.reason == "special"


def test_an_error_while_reading_names_the_file(tmp_path):
    file = stored(tmp_path / "a.txt", b"text", "utf-8")
    file.path.unlink()
    file.path.mkdir()
    with pytest.raises(CorpusFileError, match=r"a\.txt"):
        list(read_blocks(file))


def test_a_file_is_closed_when_reading_it_is_given_up(tmp_path, monkeypatch):
    opened = []
    as_it_is = files.opened_file
    monkeypatch.setattr(files, "opened_file", lambda path: opened.append(as_it_is(path)) or opened[-1])
    blocks = read_blocks(stored(tmp_path / "a.txt", b"x" * 5000, "utf-8"), 1000)
    next(blocks)
    blocks.close()
    assert opened[0].closed
