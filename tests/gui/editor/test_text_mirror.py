from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gui.editor import soft_breaks
from gui.editor.soft_breaks import TextMirror

TEXT = st.text(alphabet="ab😀😁é", max_size=30)


def units(text: str) -> bytes:
    return text.encode("utf-16-le")


@given(TEXT, TEXT, TEXT, st.data())
def test_reports_the_smallest_replacement(text: str, old_middle: str, new_middle: str, data: st.DataObject) -> None:
    """Telling that ``text`` was replaced reports only what differs, and says it in whole characters."""
    cut = data.draw(st.integers(0, len(text)))
    before, after = text[:cut], text[cut:]
    mirror = TextMirror(before + old_middle + after)
    start = len(units(before)) // 2
    offset, removed, inserted = mirror.replace(start, len(units(old_middle)) // 2, units(new_middle))
    assert mirror.text() == before + new_middle + after
    old = units(before + old_middle + after)
    assert old[: 2 * offset] + units(inserted) + old[2 * (offset + removed) :] == units(mirror.text())
    if old_middle == new_middle:
        assert (removed, inserted) == (0, "")
    assert len(inserted) <= len(new_middle)


def test_big_replacements_are_trimmed_on_both_sides() -> None:
    text = "0123456789" * 50_000
    changed = text[:200_000] + "X" + text[200_001:]
    mirror = TextMirror(text)
    assert mirror.replace(0, len(text), units(changed)) == (200_000, 1, "X")
    assert len(mirror) == len(text)


def test_halves_of_different_emoji_are_not_reported() -> None:
    mirror = TextMirror("😀")
    assert mirror.replace(0, 2, units("😁")) == (0, 2, "😁")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soft_breaks, "_CHUNK", 8)


@pytest.mark.usefixtures("small_parts")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="abcdefghij", max_size=60), st.data())
def test_changes_anywhere_add_up(text: str, data: st.DataObject) -> None:
    """Any number of replacements, over any number of the parts that the text is kept in."""
    mirror = TextMirror(text)
    for _ in range(data.draw(st.integers(1, 12))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        new = data.draw(st.text(alphabet="XYZ", max_size=40))
        old, text = text[start:end], text[:start] + new + text[end:]
        offset, removed, inserted = mirror.replace(start, end - start, units(new))
        assert mirror.text() == text
        assert len(mirror) == len(text)
        kept = offset - start
        assert (old[:kept], inserted) == (new[:kept], new[kept : kept + len(inserted)])
        assert old[kept + removed :] == new[kept + len(inserted) :]
        low = data.draw(st.integers(0, len(text)))
        high = data.draw(st.integers(low, len(text)))
        assert mirror.between(low, high) == text[low:high]
        assert mirror.utf8_between(low, high) == text[low:high].encode("utf-8", "replace")
