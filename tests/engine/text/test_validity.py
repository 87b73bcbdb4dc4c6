"""Lone surrogates are replaced, wherever the parts of a long text end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import offsets
from engine.text.offsets import sound_text_of, without_surrogates

texts = st.text(alphabet="aé字🚀\ud83d\ude80\ud800\udfff", max_size=12)


@pytest.mark.parametrize("size", [1, 2, 3, 1 << 16])
@given(text=texts)
def test_parts_come_to_the_same_as_the_whole(size, text):
    units = text.encode("utf-16-le", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offsets, "_CHUNK_CHARS", size)
        expected = units.decode("utf-16-le", "replace")
        assert without_surrogates(text) == expected
        assert sound_text_of(np.frombuffer(units, "<u2")) == expected
