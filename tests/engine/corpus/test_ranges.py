"""Stretches of a file, put together, are the file, and cut at cuts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.files import CorpusFileError, FileChunk, file_chunks, read_blocks, read_chunk
from engine.corpus.types import CorpusFile
from engine.split.patterns import NAMED_SPLITS
from engine.split.safe_boundaries import CUT

TEXTS = st.text(st.sampled_from("ab é、字\u0301\n\r\t .'😀\u2028"), max_size=80).map(str.encode)
BYTES = st.lists(st.one_of(TEXTS, st.binary(max_size=3)), max_size=8).map(b"".join)


def written(folder: Path, content: bytes) -> CorpusFile:
    path = folder / "text"
    path.write_bytes(content)
    return CorpusFile(path, len(content), "utf-8")


@pytest.mark.hypothesis
@pytest.mark.parametrize("split", ["cl100k_base", "whitespace", "sentencepiece"])
def test_stretches_are_the_whole_file(tmp_path: Path, split: str) -> None:
    cuts = NAMED_SPLITS[split].cuts
    assert cuts is not None

    @given(BYTES, st.integers(1, 12))
    def check(content: bytes, size: int) -> None:
        file = written(tmp_path, content)
        whole = b"".join(read_blocks(file))
        texts = [b"".join(read_chunk(file, chunk, cuts)) for chunk in file_chunks(len(content), size)]
        assert b"".join(texts) == whole
        allowed = {len(whole.decode()[: match.start()].encode()) for match in cuts.finditer(whole.decode())}
        at = 0
        for text in texts[:-1]:
            at += len(text)
            assert at in allowed | {0, len(whole)}

    check()


def test_a_cut_far_behind_its_place_is_found_by_both(tmp_path: Path) -> None:
    content = b"x" * 200_000 + b" y" + b"z" * 200_000
    file = written(tmp_path, content)
    first, second = (b"".join(read_chunk(file, chunk, CUT)) for chunk in file_chunks(len(content), 130_000)[:2])
    assert len(first) == 200_000
    assert len(second) == 200_002 or second == b""
    texts = [b"".join(read_chunk(file, chunk, CUT)) for chunk in file_chunks(len(content), 130_000)]
    assert b"".join(texts) == content


def test_a_byte_order_mark_is_left_out_once(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfone \xef\xbb\xbftwo"
    file = written(tmp_path, content)
    texts = [b"".join(read_chunk(file, chunk, CUT)) for chunk in (FileChunk(0, 5), FileChunk(5, len(content)))]
    assert texts == [b"one", b" \xef\xbb\xbftwo"]


def test_a_file_of_another_size_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, b"one two")
    file.path.write_bytes(b"one two three")
    with pytest.raises(CorpusFileError, match="grew"):
        list(read_chunk(file, FileChunk(0, 7), CUT))
