"""Files are decoded in parts, which give what decoding them at once would."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.corpus import files
from engine.corpus.files import UnknownTextEncodingError, decode_stored, decoded_parts

WRITTEN = ("utf-8", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "gb18030", "shift_jis", "euc_jp", "big5", "cp1252")


@given(st.text(max_size=40), st.sampled_from(WRITTEN), st.integers(1, 9))
def test_parts_give_the_whole(text: str, encoding: str, size: int) -> None:
    data = text.encode(encoding, "ignore")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "DECODED_AT_A_TIME", size)
        stored = decode_stored(data, encoding)
    assert (stored.text, stored.encoding, stored.size) == (data.decode(encoding), encoding, len(data))


@given(
    st.lists(st.sampled_from([b"a", "字".encode(), b"\xe5", b"\xff", b"\x81", b"\0"]), max_size=12), st.integers(1, 5)
)
@example([b"aaa", b"\xe5"], 2)  # a character that the end of the file cuts off
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "shift_jis", "gb18030", "cp1252"])
def test_the_place_of_a_fault_is_that_in_the_whole(encoding: str, pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "DECODED_AT_A_TIME", size)
        assert place_of_fault(data, encoding) == place_in_whole(data, encoding)
        assert "".join(decoded_parts(data, encoding, "ignore")) == data.decode(encoding, "ignore")


def place_of_fault(data: bytes, encoding: str) -> int | None:
    try:
        decode_stored(data, encoding)
    except UnknownTextEncodingError as error:
        return error.byte_offset
    return None


def place_in_whole(data: bytes, encoding: str) -> int | None:
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start
    return None
