from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gui.editor.text_mirror import TextMirror

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
